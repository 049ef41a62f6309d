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

    def model(self, schema: JsonObject, name: str) -> type[BaseModel]:
        listed = schema.get("required")
        required = listed if isinstance(listed, list) else []
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

    def _type(self, schema: JsonValue, name: str) -> Any:
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

    def whole(self, schema: JsonObject, inside: tuple[str, ...] = ()) -> JsonObject:
        """The schema with the parts of its `allOf` in it. Fields come from all; of all else the first to say it counts.

        Args:
            schema: That of an object, say.
            inside: Definitions that are being read; a part that is one of them says nothing more.
        """
        parts = schema.get("allOf")
        if not isinstance(parts, list):
            return schema
        made = {key: value for key, value in schema.items() if key != "allOf"}
        for part in parts:
            reference = part.get("$ref") if isinstance(part, dict) else None
            name = reference.rpartition("/")[2] if isinstance(reference, str) else ""
            target = self.definitions.get(name) if name else part
            if isinstance(target, dict) and name not in inside:
                made = _with_part(made, self.whole(target, (*inside, name) if name else inside))
        return made

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


def _with_part(schema: JsonObject, part: JsonObject) -> JsonObject:
    made = {**part, **schema}
    for key, kind in (("properties", dict), ("required", list)):
        ours, theirs = schema.get(key), part.get(key)
        if isinstance(ours, kind) and isinstance(theirs, kind):
            both = {**theirs, **ours} if isinstance(ours, dict) and isinstance(theirs, dict) else [*theirs, *ours]
            made[key] = cast("JsonValue", both)
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
