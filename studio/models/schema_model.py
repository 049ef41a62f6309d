"""A Pydantic model out of a JSON schema: checks tool arguments and structured answers. Nothing is generated or run."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model

from studio.components import JsonObject
from studio.errors import ConfigError
from studio.messages.llm import ParametersSchema

_PLAIN: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
}
_RANGE = {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"}
_BOUNDS: dict[str, dict[str, str]] = {
    "integer": _RANGE,
    "number": _RANGE,
    "string": {"minLength": "min_length", "maxLength": "max_length"},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
}
_TAKEN = frozenset(dir(BaseModel))
MAX_TYPES = 50_000
"""Types that one schema may describe: repeated references and lists of types multiply, so a short one may mean many."""
MAX_REFERENCES = 500
"""References that `inlined` follows."""


def is_field_name(name: str) -> bool:
    """Whether a Pydantic model can have a field of this name; otherwise the name becomes an alias."""
    return name.isidentifier() and not name.startswith("_") and name not in _TAKEN


def model_from_schema(schema: JsonObject, name: str) -> type[BaseModel]:
    """Make a model whose instances are the objects that the schema describes.

    What the studio does not know of JSON schema is not checked; it never makes a fitting value fail.

    Raises:
        ConfigError: The schema is not one of an object, or says what no model can be made of.
    """
    try:
        return _model_of(schema, name)
    except ConfigError:
        raise
    except Exception as error:  # Pydantic takes what the schema says for granted
        raise ConfigError(f"The JSON schema {name!r} cannot be read: {error}.", fix="Check its keywords.") from error


def _model_of(schema: JsonObject, name: str) -> type[BaseModel]:
    definitions = schema.get("$defs") or schema.get("definitions")
    known = definitions if isinstance(definitions, dict) else {}
    if isinstance(reference := schema.get("$ref"), str) and isinstance(
        target := known.get(reference.rpartition("/")[2]), dict
    ):
        schema = target
    builder = SchemaReader(known)
    schema = builder.whole(schema)
    if schema.get("type", "object") != "object" or not isinstance(schema.get("properties", {}), dict):
        raise ConfigError(
            f"The JSON schema {name!r} does not describe an object.",
            fix='Write `{"type": "object", "properties": {...}}`.',
        )
    return builder.model(schema, name)


class SchemaReader:
    def __init__(self, definitions: JsonObject) -> None:
        self.definitions = definitions
        self._referred: dict[str, Any] = {}
        """Type of each reference met so far, so that none is built twice; anything fits where one contains itself."""
        self._types_left = MAX_TYPES

    def model(self, schema: JsonObject, name: str) -> type[BaseModel]:
        listed = schema.get("required")
        required = {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set[str]()
        properties = schema.get("properties")
        fields: dict[str, Any] = {}
        for index, (key, prop) in enumerate((properties if isinstance(properties, dict) else {}).items()):
            usable = is_field_name(key)
            details = self._field(prop, key, key in required, alias=None if usable else key)
            kind = self._type(prop, f"{name}_{key}")
            if key not in required and "default" not in (prop if isinstance(prop, dict) else {}):
                kind = _union([kind, None])
            fields[key if usable else f"field_{index}"] = (kind, details)
        extra = "allow" if schema.get("additionalProperties") is True else "ignore"
        config = ConfigDict(
            extra=extra, serialize_by_alias=True, protected_namespaces=(), validate_by_name=True, validate_by_alias=True
        )
        description = schema.get("description")
        made = create_model(
            name, __config__=config, __doc__=description if isinstance(description, str) else None, **fields
        )
        return made

    def _field(self, prop: JsonValue, key: str, is_required: bool, alias: str | None) -> Any:
        details = prop if isinstance(prop, dict) else {}
        known: dict[str, Any] = {"default": ... if is_required else details.get("default"), "alias": alias}
        for word in ("title", "description"):
            if isinstance(details.get(word), str):
                known[word] = details[word]
        known.setdefault("title", key.replace("_", " ").title())
        return Field(**known)

    def _spend(self) -> None:
        self._types_left -= 1
        if self._types_left < 0:
            raise ConfigError(
                f"A JSON schema may describe {MAX_TYPES:,} types at most, counted where they are used.",
                fix="Use a schema with fewer fields, or repeat fewer parts in it.",
            )

    def _type(self, schema: JsonValue, name: str) -> Any:
        self._spend()
        if not isinstance(schema, dict):
            return Any
        if isinstance(reference := schema.get("$ref"), str):
            return self.refer(reference.rpartition("/")[2])
        if "const" in schema:
            return _literal([schema["const"]])
        if isinstance(values := schema.get("enum"), list) and values:
            return _literal(values)
        for word in ("anyOf", "oneOf"):
            if isinstance(options := schema.get(word), list) and options:
                return _union([self._type(option, name) for option in options])
        if isinstance(parts := schema.get("allOf"), list) and parts:
            alone = len(parts) == 1 and "properties" not in schema
            return self._type(parts[0] if alone else self.whole(schema), name)
        kind = schema.get("type")
        if isinstance(kind, list) and kind:
            return _union([self._type({**schema, "type": one}, name) for one in kind])
        return self.typed(schema, kind, name)

    def whole(self, schema: JsonObject) -> JsonObject:
        """The schema with the parts of its `allOf` in it: fields of all; of all else the first to say it counts."""
        if not isinstance(schema.get("allOf"), list):
            return schema
        parts: list[JsonObject] = []
        met: set[str] = set()
        todo: list[JsonValue] = [schema]
        while todo:
            self._spend()
            part = todo.pop()
            reference = part.get("$ref") if isinstance(part, dict) and parts else None
            if isinstance(reference, str):
                name = reference.rpartition("/")[2]
                part = self.definitions.get(name) if name not in met else None  # it says nothing more
                met.add(name)
            if isinstance(part, dict):
                parts.append({key: value for key, value in part.items() if key != "allOf"})
                inner = part.get("allOf")
                todo += reversed(inner) if isinstance(inner, list) else []
        return _together(parts)

    def refer(self, definition: str) -> Any:
        if definition not in self._referred:
            self._referred[definition] = Any
            self._referred[definition] = self._type(self.definitions.get(definition), definition)
        return self._referred[definition]

    def typed(self, schema: JsonObject, kind: JsonValue, name: str) -> Any:
        if kind == "array":
            made: Any = list[self._type(schema.get("items"), name)]
        elif kind == "object" and schema.get("properties") and isinstance(schema["properties"], dict):
            title = schema.get("title")
            return self.model(schema, title if isinstance(title, str) else name)
        elif kind == "object":
            values = schema.get("additionalProperties")
            made = dict[str, self._type(values, name) if isinstance(values, dict) else Any]
        elif isinstance(kind, str) and kind in _PLAIN:
            made = _PLAIN[kind]
        else:
            return Any
        bounds = {
            ours: schema[theirs]
            for theirs, ours in _BOUNDS.get(str(kind), {}).items()
            if _is_bound(schema.get(theirs), is_length=kind in ("string", "array"))
        }
        return Annotated[made, Field(**cast("dict[str, Any]", bounds))] if bounds else made


def _together(parts: list[JsonObject]) -> JsonObject:
    last_first = parts[::-1]
    made = {key: value for part in last_first for key, value in part.items()}
    if isinstance(made.get("properties"), dict):
        given = [found for part in last_first if isinstance(found := part.get("properties"), dict)]
        made["properties"] = {name: value for each in given for name, value in each.items()}
    if isinstance(made.get("required"), list):
        listed = [found for part in last_first if isinstance(found := part.get("required"), list)]
        made["required"] = [name for each in listed for name in each]
    return made


def _is_bound(value: JsonValue, *, is_length: bool) -> bool:
    if isinstance(value, bool):
        return False  # an early form of exclusiveMinimum
    return isinstance(value, int) and value >= 0 if is_length else isinstance(value, int | float)


def _literal(values: list[JsonValue]) -> Any:
    plain = tuple(value for value in values if isinstance(value, str | int | bool | None))
    return Literal[plain] if len(plain) == len(values) else Any


def _union(options: list[Any]) -> Any:
    return Union[tuple(options)]  # noqa: UP007 -- the members are only known at run time


def inlined(schema: JsonObject) -> JsonObject:
    """The schema with its definitions put where they are referred to, as tools are shown to models.

    A definition that contains itself is cut off with an empty schema, which fits anything; so is everything after the
    first `MAX_REFERENCES`, because definitions that refer to each other can grow without end.
    """
    definitions = schema.get("$defs")
    inliner = _Inliner(definitions if isinstance(definitions, dict) else {})
    return cast("JsonObject", inliner.inline({key: item for key, item in schema.items() if key != "$defs"}, ()))


def parameters_of(arguments: JsonObject) -> ParametersSchema:
    """What a model is told about the arguments of a tool, from their JSON schema."""
    schema = inlined(arguments)
    return cast(
        "ParametersSchema",
        {
            "type": "object",
            "properties": schema.get("properties", {}),
            "required": schema.get("required", []),
            "additionalProperties": schema.get("additionalProperties", False),
        },
    )


class _Inliner:
    def __init__(self, definitions: JsonObject) -> None:
        self._definitions = definitions
        self._references_left = MAX_REFERENCES

    def inline(self, node: JsonValue, inside: tuple[str, ...]) -> JsonValue:
        if isinstance(node, list):
            return [self.inline(item, inside) for item in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        if not isinstance(reference, str):
            return {key: self.inline(item, inside) for key, item in node.items()}
        name = reference.rpartition("/")[2]
        self._references_left -= 1
        if name in inside or self._references_left < 0:
            return {}
        return self.inline(self._definitions.get(name, {}), (*inside, name))
