"""Reading a JSON schema for a form: references, alternatives, kinds of values and where a choice comes from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from studio.web.forms.form_model import Json

Object = Mapping[str, JsonValue]

UNIONS = ("anyOf", "oneOf", "allOf")
_JSON_TYPES: dict[type, str] = {bool: "boolean", str: "string", int: "integer", float: "number", list: "array"}
_SIMPLE_KINDS = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PLACE = re.compile(r"\{(\w+)\}")
_EMPTY: dict[str, Json] = {"string": "", "array": [], "integer": 0, "number": 0, "boolean": False}
_TYPE_WORDS = {"string": "Text", "object": "Fields", "array": "List", "boolean": "Yes or no", "integer": "Number"}


def as_object(value: Json | Object | None) -> Object:
    return value if isinstance(value, Mapping) else {}


def as_list(value: Json | Sequence[Json] | None) -> list[Json]:
    return list(value) if isinstance(value, list) else []


@dataclass(frozen=True)
class Read:
    """A schema as a value has it: references followed, null folded away, the alternative chosen that fits."""

    schema: Object
    outer: Object
    """What the field itself says, such as its title and default."""
    variants: tuple[Object, ...] = ()
    current: int = 0
    """Which of the variants the value is."""
    is_nullable: bool = False

    @property
    def kind(self) -> str:
        return kind_of(self.schema)

    @property
    def properties(self) -> Object:
        return as_object(self.schema.get("properties"))

    @property
    def required(self) -> list[Json]:
        return as_list(self.schema.get("required"))


@dataclass(frozen=True)
class Schemas:
    """Reads schemas whose `$ref` name `definitions`."""

    definitions: Object

    def resolve(self, schema: Object) -> Object:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        target = as_object(self.definitions.get(reference.rsplit("/", 1)[-1]))
        return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}

    def read(self, schema: Object, value: Json) -> Read:
        """The schema of a field that holds `value`."""
        variants, is_nullable = self._variants(schema)
        outer = self.resolve(schema)
        current = next((index for index, each in enumerate(variants) if _fits(each, value)), 0)
        inner = variants[current] if variants else outer
        merged = {**inner, **{key: each for key, each in outer.items() if key not in UNIONS}}
        if values := as_object(merged.get("additionalProperties")):
            merged["additionalProperties"] = {**self.resolve(values)}
        return Read(merged, outer, tuple(variants), current, is_nullable)

    def _variants(self, schema: Object) -> tuple[list[Object], bool]:
        """What the unions allow, without null; and whether null was among it."""
        resolved = self.resolve(schema)
        kept: list[Object] = []
        is_nullable = False
        for option in (self.resolve(as_object(each)) for key in UNIONS for each in as_list(resolved.get(key))):
            inner, inner_null = self._variants(option) if any(key in option for key in UNIONS) else ([option], False)
            is_nullable = is_nullable or inner_null or option.get("type") == "null"
            kept += [each for each in inner if each.get("type") != "null"]
        return kept, is_nullable

    def child(self, read: Read, step: str) -> Object | None:
        """The schema of one entry, or None where the schema names no such place."""
        if read.kind in {"list", "components"}:
            return as_object(read.schema.get("items"))
        if step in read.properties:
            return as_object(read.properties[step])
        values = as_object(read.schema.get("additionalProperties"))
        return values or None

    def example(self, schema: Object) -> Json:
        """The smallest value a new entry of this schema may start as."""
        schema = self.resolve(schema)
        for key in ("default", "const"):
            if key in schema:
                return schema[key]
        if examples := as_list(schema.get("examples")):
            return examples[0]
        if choices := as_list(schema.get("enum")):
            return choices[0]
        for key in UNIONS:
            if options := as_list(schema.get(key)):
                return self.example(as_object(options[0]))
        if schema.get("type") == "object":
            required = as_list(schema.get("required"))
            return {
                name: self.example(as_object(part))
                for name, part in as_object(schema.get("properties")).items()
                if name in required or "const" in as_object(part)
            }
        lowest = schema.get("minimum")
        return lowest if isinstance(lowest, (int, float)) else _EMPTY.get(str(schema.get("type")))


def _fits(schema: Object, value: Json) -> bool:
    if is_slot(schema):
        return isinstance(value, Mapping) and isinstance(value.get("provider"), str)
    if isinstance(value, Mapping):
        constants = {name: as_object(part).get("const") for name, part in as_object(schema.get("properties")).items()}
        return schema.get("type") == "object" and all(
            value.get(name) == const for name, const in constants.items() if const is not None
        )
    expected = _JSON_TYPES.get(type(value), "null")
    return schema.get("type") == expected or (expected == "integer" and schema.get("type") == "number")


def type_word(schema: Object) -> str:
    """What a person calls this alternative."""
    if is_slot(schema):
        return "Component"
    kind = str(schema.get("type") or "JSON")
    words = _WORD_START.sub(" ", str(schema.get("title") or _TYPE_WORDS.get(kind, kind))).split()
    return " ".join(word if index == 0 or word.isupper() else word.lower() for index, word in enumerate(words))


def accepts(schemas: Schemas, schema: Object) -> tuple[str, ...]:
    """The component types that go into this place."""
    place = schema if is_slot(schema) else schemas.resolve(as_object(schema.get("items")))
    nested = [as_object(each) for key in UNIONS for each in as_list(place.get(key))]
    return tuple(str(each) for part in (place, *nested) for each in as_list(part.get("x-accepts")))


def is_slot(schema: Object) -> bool:
    return "x-component" in schema or "x-accepts" in schema


def kind_of(schema: Object) -> str:
    """How a value of this schema is edited; the names are those of `FormField.kind`."""
    kind = schema.get("type")
    if is_slot(schema):
        return "components" if kind == "array" else "component"
    if kind == "array":
        return "components" if _has_slot(as_object(schema.get("items"))) else "list"
    if schema.get("x-secret") or schema.get("format") == "password":
        return "secret"
    if "enum" in schema:
        return "choice"
    if kind == "string":
        return "code" if schema.get("x-language") else "multiline" if schema.get("x-multiline") else "text"
    if kind == "object" and not schema.get("x-language"):
        return "object" if schema.get("properties") else "map" if _is_map(schema) else "json"
    return _SIMPLE_KINDS.get(str(kind), "json")


def _has_slot(items: Object) -> bool:
    return is_slot(items) or any(is_slot(as_object(each)) for key in UNIONS for each in as_list(items.get(key)))


def _is_map(schema: Object) -> bool:
    values = as_object(schema.get("additionalProperties"))
    return values.get("type") in _SIMPLE_KINDS or bool(values.get("properties"))


def is_advanced(schema: Object) -> bool:
    return schema.get("x-advanced") is True


def filled(phrase: str, parts: Mapping[str, str]) -> str:
    """A phrase with each `{name}` replaced; nothing else in it counts, since a tool server may have written it."""
    return _PLACE.sub(lambda place: parts.get(place[1], ""), phrase)


def names_at(owners: Sequence[Object], pointer: str) -> tuple[str, ...]:
    """The names that `x-choices` or `x-suggestions` point to.

    Args:
        owners: The configs from the field's own component outwards.
        pointer: Looked for in each of them in turn; the keys of an object or the names of components count.
    """
    for config in owners if pointer else ():
        found: Json | Object = config
        for step in pointer.split("/")[1:]:
            found = as_object(found).get(step)
        if isinstance(found, Mapping):
            return tuple(found)
        if isinstance(found, list):
            names = [as_object(as_object(each).get("config")).get("name") for each in found]
            return tuple(name for name in names if isinstance(name, str))
    return ()
