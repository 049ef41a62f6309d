"""Signatures read from source, compared with what Pydantic says of the live function."""

from __future__ import annotations

import inspect
import sys
from typing import Any, cast, get_type_hints

import pytest
from pydantic import Field, ValidationError, create_model

from studio.components import JsonObject
from studio.models.schema_model import inlined
from studio.tools.signature import read_signature

SOURCE = '''
from typing import Annotated, Dict, List as L, Literal, Optional, Union
import datetime

def first(
    a: int,
    b: Annotated[float, "second"] = 2.5,
    c: Optional[str] = None,
    d: "L[int] | None" = None,
    e: Literal["x", "y"] = "x",
    f: Dict[str, Union[int, str]] = {},
    g: bool = True,
    *,
    h: datetime.date,
    i: list[dict[str, float]] = [],
) -> str:
    """What it does."""
    return ""

def second(): ...
'''


def live_schema(source: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {}
    exec(compile(source, "tool", "exec", dont_inherit=True), namespace)
    function = namespace["first"]
    hints = get_type_hints(function)
    described = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        default = ... if parameter.default is parameter.empty else parameter.default
        metadata = getattr(described[name], "__metadata__", (name,))
        fields[name] = (hints[name], Field(default, description=metadata[0]))
    return create_model("firstargs", **fields).model_json_schema()


def in_any_order(schema: Any) -> Any:
    """The schema with the members of its unions sorted."""
    if isinstance(schema, dict):
        items = cast("dict[str, Any]", schema).items()
        plain = {key: in_any_order(item) for key, item in items}
        return {**plain, "anyOf": sorted(plain["anyOf"], key=repr)} if "anyOf" in plain else plain
    return [in_any_order(item) for item in cast("list[Any]", schema)] if isinstance(schema, list) else schema


def test_the_schema_is_the_one_of_the_live_function() -> None:
    # `typing` caches unions by their members, so another module decides in which order `Union[int, str]` has them.
    read, live = in_any_order(read_signature(SOURCE).parameters), in_any_order(live_schema(SOURCE))
    assert read == {
        "type": "object",
        "properties": live["properties"],
        "required": live["required"],
        "additionalProperties": False,
    }


CONTAINERS = '''
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, FrozenSet, Optional, Set, Tuple
from pydantic import BaseModel, Field

class Kind(Enum):
    """Which one."""
    A = "a"
    B = "b"

class Part(BaseModel):
    """A part."""
    class Inner(BaseModel):
        z: float = 1.5
    x: int = Field(description="ex")
    y: str = "q"
    w: int = Field(7, description="double u")
    inner: Optional[Inner] = None

def first(
    a: set[int],
    b: Set[str],
    c: frozenset[str],
    d: FrozenSet[int],
    e: tuple[int, ...],
    f: Tuple[int, str],
    g: Sequence[str],
    h: Mapping[str, Any],
    i: Iterable[int],
    j: set,
    k: tuple,
    l: Kind,
    m: Part,
    n: list[Part],
    o: Kind | None = None,
) -> str: ...
'''


def test_containers_and_classes_are_told_as_those_of_the_live_function() -> None:
    read, live = read_signature(CONTAINERS).parameters["properties"], inlined(live_schema(CONTAINERS))["properties"]
    assert in_any_order(read) == in_any_order(live)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("set[int]", "valid set"),
        ("frozenset[int]", "valid frozenset"),
        ("tuple[int, ...]", "valid tuple"),
        ("Sequence[str]", "not allowed as a Sequence"),
    ],
)
def test_what_does_not_fit_a_container_is_told_by_its_name(annotation: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        read_signature(f"def f(a: {annotation}): ...").arguments.model_validate({"a": "x"})


def test_a_definition_is_put_in_place_of_its_reference_and_of_what_stands_beside_it() -> None:
    schema: JsonObject = {
        "properties": {"point": {"$ref": "#/$defs/Point", "description": "point"}},
        "$defs": {"Point": {"description": "A point.", "type": "object"}},
    }
    assert inlined(schema) == {"properties": {"point": {"description": "A point.", "type": "object"}}}


def test_the_first_function_counts_with_its_docstring() -> None:
    signature = read_signature(SOURCE)
    assert (signature.function, signature.docstring) == ("first", "What it does.")


def test_nothing_of_the_source_is_executed() -> None:
    source = (
        "import sys\nsys.modules['pwned'] = sys\n"
        "@sys.modules.setdefault('pwned', sys)\n"
        "def f(a: sys.modules.setdefault('pwned', sys) = sys.modules.setdefault('pwned', sys)): ..."
    )
    signature = read_signature(source)
    assert "pwned" not in sys.modules
    assert signature.parameters["properties"] == {"a": {"description": "a", "title": "A"}}
    assert signature.parameters["required"] == []


@pytest.mark.parametrize("default", ["1e999", "{1, 2}", "b'x'", "print", "f'{x}'", "1j"])
def test_defaults_that_are_no_json_only_make_the_argument_optional(default: str) -> None:
    parameters = read_signature(f"def f(a: Any = {default}): ...").parameters
    assert parameters["properties"] == {"a": {"description": "a", "title": "A"}}
    assert parameters["required"] == []


@pytest.mark.parametrize(
    "annotation",
    ["|".join(["int"] * 2_000), "list[" * 90 + "int" + "]" * 90, "'" + "list[" * 90 + "int" + "]" * 90 + "'"],
)
def test_annotations_without_end_are_cut_off(annotation: str) -> None:
    assert read_signature(f"def f(a: {annotation}): ...").parameters["required"] == ["a"]


def test_classes_of_the_source_become_objects_and_choices() -> None:
    source = (
        "class Kind(Enum):\n    A = 'a'\n    B = 'b'\n"
        "class Point(BaseModel):\n    x: int\n    label: str = 'p'\n"
        "def f(kind: Kind, at: Point): ..."
    )
    properties = read_signature(source).parameters["properties"]
    assert isinstance(properties, dict)
    assert properties["kind"] == {"enum": ["a", "b"], "title": "Kind", "type": "string"}
    assert '"x"' in str(properties["at"]).replace("'", '"')


def test_names_imported_for_the_source_are_known_by_their_alias() -> None:
    parameters = read_signature("def f(a: Lst[int]): ...", (("Lst", "List"),)).parameters
    assert '"items": {"type": "integer"}' in str(parameters).replace("'", '"')


def test_odd_parameter_names_and_missing_annotations_are_taken() -> None:
    signature = read_signature("def f(schema, _x: int = 1, *args, model_y: str = '', **kw): ...")
    properties = signature.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["schema", "_x", "model_y"]
    assert signature.arguments.model_validate({"schema": 1, "_x": "2"}).model_dump(exclude_unset=True) == {
        "schema": 1,
        "_x": 2,
    }


def test_a_cancellation_token_is_not_an_argument_of_the_model() -> None:
    signature = read_signature("def f(a: int, cancellation_token: CancellationToken): ...")
    assert signature.wants_token
    assert signature.parameters["required"] == ["a"]


def test_environment_variables_are_found_by_their_literal_names() -> None:
    source = (
        "def f():\n a = os.environ['A']\n b = os.environ.get('B', '')\n c = os.getenv('C')\n d = getenv('A')\n"
        " e = other.get('NO')\n f = os.environ[name]\n"
    )
    assert read_signature(source).environment == ("A", "B", "C")


@pytest.mark.parametrize(
    "annotation",
    [
        "list[()]",
        "Union[()]",
        "Optional[()]",
        "Annotated[()]",
        "Final[()]",
        "dict[()]",
        "tuple[()]",
        "Literal[()]",
        "'" + "-" * 20_000 + "1'",
        "'" + "a." * 20_000 + "b'",
        "Literal['\\ud800']",
        "Annotated[Literal['\\ud800'], 'x'] = '\\ud800'",
    ],
)
def test_an_odd_annotation_is_taken(annotation: str) -> None:
    parameters = read_signature(f"def f(x: {annotation}): ...").parameters
    assert isinstance(parameters["properties"], dict)
    assert list(parameters["properties"]) == ["x"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(:", "line 1"),
        ("x = 1", "defines no function"),
        ("(" * 300, "not valid Python"),
        ("\0", "not valid Python"),
    ],
)
def test_source_that_is_none_is_refused_with_the_reason(source: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_signature(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f():\n    return f'" + "{x}" * 100_000 + "'", "formatted string"),
        ("def f():\r    return 1\rx = f'" + "{x}" * 100_000 + "'", "formatted string"),
        ("def f(): ...\n" + "a=1\n" * 60_000, "words"),
        ("def f(): ...\n" + "#" * 600_000, "600,013 characters"),
    ],
)
def test_source_that_would_cost_too_much_is_refused_unread(source: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_signature(source)


def test_a_long_formatted_string_in_a_quoted_annotation_is_not_read() -> None:
    parameters = read_signature("def f(x: 'f\"" + "{x}" * 100_000 + "\"'): ...").parameters
    assert parameters["properties"] == {"x": {"description": "x", "title": "X"}}
