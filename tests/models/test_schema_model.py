"""Pydantic models out of JSON schemas."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from studio.components import JsonObject
from studio.errors import ConfigError
from studio.models import model_from_schema
from studio.models.schema_model import inlined

TREE: JsonObject = {
    "type": "object",
    "properties": {"left": {"$ref": "#/$defs/Node"}, "right": {"$ref": "#/$defs/Node"}},
    "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
}


def test_missing_fields_are_named_as_pydantic_names_them() -> None:
    answer = model_from_schema({"properties": {"x": {"type": "integer"}}, "required": ["x"]}, "Ans")
    with pytest.raises(ValidationError, match=r"1 validation error for Ans\nx\n  Field required"):
        answer.model_validate({})


@pytest.mark.parametrize(
    "schema",
    [
        {"required": 5},
        {"required": {"a": 1}},
        {"properties": {"a": {"type": []}}},
        {"properties": {"a": {"type": "object", "properties": [1]}}},
        {"properties": {"a": {"type": "string", "minLength": -1}}},
        {"properties": {"a": {"type": "string", "maxLength": 1.5}}},
        {"properties": {"a": {"type": "string", "minimum": 1}}},
        {"properties": {"a": {"type": "boolean", "maxItems": 1}}},
        {"properties": {"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}}},
    ],
)
def test_what_a_schema_says_wrongly_is_not_checked(schema: JsonObject) -> None:
    answer = model_from_schema({"type": "object", **schema}, "Answer")
    assert isinstance(answer.model_validate({}), BaseModel)


def test_a_schema_that_no_model_can_be_made_of_says_so() -> None:
    deep: JsonObject = {}
    for _ in range(2000):
        deep = {"type": "array", "items": deep}
    with pytest.raises(ConfigError, match="cannot be read"):
        model_from_schema({"properties": {"a": deep}}, "Answer")


def test_names_that_python_or_pydantic_do_not_take_still_work() -> None:
    schema: JsonObject = {"properties": {"schema": {"type": "string"}, "a-b": {"type": "integer"}, "_c": {}}}
    value = {"schema": "s", "a-b": 1, "_c": [1]}
    assert model_from_schema(schema, "Odd").model_validate(value).model_dump() == value


def test_a_schema_that_contains_itself_ends() -> None:
    value = {"left": {"next": {"next": 1}}, "right": None}
    assert model_from_schema(TREE, "Tree").model_validate(value).model_dump()["right"] is None
    assert inlined(TREE)["properties"] == {
        side: {"type": "object", "properties": {"next": {}}} for side in ("left", "right")
    }


def test_definitions_that_refer_to_each_other_twice_are_built_once() -> None:
    definitions: JsonObject = {
        f"D{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/D{n + 1}"} for side in "ab"}}
        for n in range(60)
    }
    schema: JsonObject = {"properties": {"top": {"$ref": "#/$defs/D0"}}, "$defs": definitions}
    assert model_from_schema(schema, "Wide").model_validate({"top": {}})
    assert len(str(inlined(schema))) < 100_000


def test_only_objects_make_a_model() -> None:
    with pytest.raises(ConfigError, match="does not describe an object"):
        model_from_schema({"type": "array"}, "List")


class Inner(BaseModel):
    words: list[str]
    level: int | None = None


class Outer(BaseModel):
    inner: Inner
    names: dict[str, float]
    flag: bool = True


@given(st.builds(Outer, inner=st.builds(Inner)))
def test_what_fits_the_original_fits_the_model_of_its_schema(value: Outer) -> None:
    made = model_from_schema(Outer.model_json_schema(), "Outer")
    plain = value.model_dump(mode="json")
    assert made.model_validate(plain).model_dump(mode="json") == plain


def test_a_schema_that_is_one_reference_is_what_it_refers_to():
    schema: JsonObject = {
        "$ref": "#/$defs/Node",
        "$defs": {"Node": {"type": "object", "properties": {"value": {"type": "integer"}}, "required": ["value"]}},
    }
    model = model_from_schema(schema, "Node")
    with pytest.raises(ValidationError):
        model.model_validate({"value": "no number"})


PART: JsonObject = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


def test_an_object_of_several_parts_has_the_fields_of_all() -> None:
    own: JsonObject = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}
    whole: JsonObject = {"allOf": [{"$ref": "#/$defs/Part"}, own]}
    answer = model_from_schema({**whole, "$defs": {"Part": PART}}, "Whole")
    assert answer.model_validate({"id": "a", "size": 1}).model_dump() == {"id": "a", "size": 1}
    with pytest.raises(ValidationError, match="2 validation errors"):
        answer.model_validate({})
    inside: JsonObject = {"properties": {"x": whole}, "required": ["x"], "$defs": {"Part": PART}}
    with pytest.raises(ValidationError, match=r"x\.id\n"):
        model_from_schema(inside, "Inside").model_validate({"x": {"size": 1}})


def test_a_part_may_name_itself_or_add_fields_beside_it() -> None:
    itself: JsonObject = {**PART, "allOf": [{"$ref": "#/$defs/Part"}]}
    answer = model_from_schema({"allOf": [{"$ref": "#/$defs/Part"}], "$defs": {"Part": itself}}, "Whole")
    assert answer.model_validate({"id": "a"}).model_dump() == {"id": "a"}
    beside: JsonObject = {"allOf": [PART], "properties": {"size": {"type": "integer"}}}
    assert set(
        model_from_schema({"properties": {"x": beside}}, "X").model_validate({"x": {"id": "a"}}).model_dump()["x"]
    ) == {
        "id",
        "size",
    }


class Counted(str):
    """A text that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str(self) == other


def test_the_work_grows_with_the_number_of_fields_and_not_with_its_square():
    names = [f"field_{at}" for at in range(300)]
    schema: Any = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    made = model_from_schema({**schema, "required": [Counted(name) for name in names]}, "Wide")
    assert all(field.is_required() for field in made.model_fields.values())
    assert Counted.compared <= 4 * len(names)


def doubled(levels: int) -> JsonObject:
    """Definitions of which each is twice the next."""
    references: dict[int, JsonObject] = {at: {"$ref": f"#/$defs/D{at}"} for at in range(levels + 1)}
    definitions: dict[str, Any] = {f"D{at}": {"allOf": [references[at + 1]] * 2} for at in range(levels)}
    definitions[f"D{levels}"] = {"properties": {"a": {"type": "string"}}}
    return {"type": "object", "$defs": definitions, "allOf": [references[0]]}


def nested(levels: int) -> JsonObject:
    """Lists in lists, each of which may be of two kinds."""
    schema: JsonObject = {"type": "string"}
    for _ in range(levels):
        schema = {"type": ["array", "array"], "items": schema}
    return {"type": "object", "properties": {"a": schema}}


def test_a_definition_counts_once_in_a_schema_of_all_its_parts():
    assert list(model_from_schema(doubled(60), "Doubled").model_fields) == ["a"]


def test_a_short_schema_that_means_very_much_is_refused():
    big: JsonObject = {"type": "object", "properties": {f"field_{at}": {} for at in range(1_000)}}
    parts: JsonObject = {f"p{at}": {"allOf": [{"$ref": "#/$defs/Big"}, {}]} for at in range(100)}
    many: JsonObject = {"type": "object", "$defs": {"Big": big}, "properties": parts}
    for schema in (nested(60), many):
        with pytest.raises(ConfigError, match="types at most"):
            model_from_schema(schema, "Much")
