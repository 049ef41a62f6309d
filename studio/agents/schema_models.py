"""A Pydantic model from a JSON schema, so that a config alone can say what an agent must answer."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, ForwardRef, Literal, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model

Schema = Mapping[str, JsonValue]
# Types made at run time have no static type; `Any` stands for "a type or annotation" in this file.
Annotation = Any

_SCALARS: dict[str, Annotation] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": type(None),
    "object": dict[str, JsonValue],
    "array": list[JsonValue],
}
_FORMATS: dict[str, Annotation] = {
    "date-time": datetime,
    "date": date,
    "time": time,
    "duration": timedelta,
    "uuid": UUID,
}
_BOUNDS = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "pattern": "pattern",
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minItems": "min_length",
    "maxItems": "max_length",
}


def model_from_schema(schema: Schema, name: str) -> type[BaseModel]:
    """Make the model that accepts what the schema accepts, as far as Pydantic can say it.

    Raises:
        ValueError: The schema refers to a definition that it lacks, or uses a word that is none of JSON schema's.
    """
    return _Reader(schema).root(name)


class _Reader:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._definitions = {**_mapping(root.get("definitions")), **_mapping(root.get("$defs"))}
        self._models: dict[str, Annotation] = {}

    def root(self, name: str) -> type[BaseModel]:
        schema = self._root
        if "$ref" in schema:
            schema = {**self._definition(str(schema["$ref"])), **schema}
        model = self._model(self._merged(schema), name)
        for made in (*self._models.values(), model):
            if isinstance(made, type) and issubclass(made, BaseModel):
                made.model_rebuild(_types_namespace=self._models)
        return model

    def _definition(self, ref: str) -> Schema:
        name = ref.rpartition("/")[2]
        if name not in self._definitions:
            raise ValueError(f"The schema refers to {ref!r}, which it does not define.")
        return _mapping(self._definitions[name])

    def _merged(self, schema: Schema) -> Schema:
        parts = [_mapping(part) for part in _list(schema.get("allOf"))]
        if not parts:
            return schema
        parts = [self._definition(str(part["$ref"])) if "$ref" in part else part for part in parts]
        properties: dict[str, JsonValue] = {}
        required: list[JsonValue] = []
        for part in (*parts, schema):
            properties.update(_mapping(part.get("properties")))
            required.extend(_list(part.get("required")))
        rest = {key: value for key, value in schema.items() if key != "allOf"}
        kind = {"type": "object", "properties": properties, "required": required} if properties else {}
        return {**(parts[0] if len(parts) == 1 else {}), **rest, **kind}

    def _model(self, schema: Schema, name: str) -> type[BaseModel]:
        required = _list(schema.get("required"))
        fields: dict[str, Annotation] = {}
        for index, (key, value) in enumerate(_mapping(schema.get("properties")).items()):
            spec = _mapping(value)
            annotation = self._type(spec, f"{name}_{key}")
            default: Annotation = ... if key in required else spec.get("default")
            if key not in required and default is None:
                annotation = annotation | None
            safe = key if _is_plain(key) else f"field_{index}"
            title, description = spec.get("title"), spec.get("description")
            fields[safe] = (
                annotation,
                Field(
                    default,
                    alias=None if safe == key else key,
                    title=title if isinstance(title, str) else None,
                    description=description if isinstance(description, str) else None,
                ),
            )
        config = ConfigDict(protected_namespaces=(), populate_by_name=True, serialize_by_alias=True)
        return create_model(name, __config__=config, **fields)

    def _named(self, ref: str) -> Annotation:
        name = ref.rpartition("/")[2]
        if name not in self._models:
            self._models[name] = ForwardRef(name)  # met again inside itself
            self._models[name] = self._type(self._definition(ref), name)
        return self._models[name]

    def _type(self, schema: Schema, name: str) -> Annotation:
        schema = self._merged(schema)
        if "$ref" in schema:
            return self._named(str(schema["$ref"]))
        if "const" in schema:
            return Literal[cast("Annotation", schema["const"])]
        if choices := _list(schema.get("enum")):
            return Literal[cast("Annotation", tuple(choices))]
        if options := _list(schema.get("anyOf")) or _list(schema.get("oneOf")):
            return _union([self._type(_mapping(option), f"{name}_{index}") for index, option in enumerate(options)])
        kind = schema.get("type")
        if isinstance(kind, list):
            return _union([self._typed(str(item), schema, name) for item in kind])
        return JsonValue if kind is None and "properties" not in schema else self._typed(str(kind), schema, name)

    def _typed(self, kind: str, schema: Schema, name: str) -> Annotation:
        if "properties" in schema and kind in ("object", "None"):
            return self._model(schema, name)
        if kind not in _SCALARS:
            raise ValueError(f"The schema's type {kind!r} is none of JSON schema's.")
        made = _SCALARS[kind]
        if kind == "array" and "items" in schema:
            made = list[self._type(_mapping(schema["items"]), f"{name}_item")]
        if kind == "object" and isinstance(extra := schema.get("additionalProperties"), dict):
            made = dict[str, self._type(extra, f"{name}_value")]
        if kind == "string":
            made = _FORMATS.get(str(schema.get("format")), made)
        bounds: dict[str, Annotation] = {_BOUNDS[key]: schema[key] for key in _BOUNDS if key in schema}
        return Annotated[made, Field(**bounds)] if bounds else made


def _union(options: Sequence[Annotation]) -> Annotation:
    joined: Annotation = options[0]
    for option in options[1:]:
        joined = joined | option
    return joined


def _is_plain(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and name[0] != "_" and not hasattr(BaseModel, name)


def _mapping(value: JsonValue) -> Schema:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
