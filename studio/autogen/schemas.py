"""Models out of JSON schemas as AutoGen makes them: with a type for each format, and refusing what it does not know."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from pydantic import (
    UUID1,
    UUID3,
    UUID4,
    UUID5,
    AnyUrl,
    BaseModel,
    EmailStr,
    Field,
    Json,
    JsonValue,
    conbytes,
    confloat,
    conint,
    constr,
)

from studio.components import JsonObject
from studio.models.schema_model import SchemaReader


class SchemaConversionError(Exception):
    """A JSON schema of which no model can be made."""


class ReferenceNotFoundError(SchemaConversionError):
    """It refers to a definition that it does not have."""


class FormatNotSupportedError(SchemaConversionError):
    """It names a format that is not known."""


class UnsupportedKeywordError(SchemaConversionError):
    """It does not say of which type something is, or names an unknown one."""


TYPE_MAPPING: dict[str, Any] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "number": float,
    "array": list,
    "object": dict,
    "null": type(None),
}
FORMAT_MAPPING: dict[str, Any] = {
    **{"uuid": UUID4, "uuid1": UUID1, "uuid2": UUID4, "uuid3": UUID3, "uuid4": UUID4, "uuid5": UUID5},
    **{"email": EmailStr, "uri": AnyUrl, "hostname": constr(strict=True), "ipv4": IPv4Address, "ipv6": IPv6Address},
    **{"ipv4-network": IPv4Address, "ipv6-network": IPv6Address, "date-time": datetime, "date": date, "time": time},
    **{"duration": timedelta, "float": confloat(strict=True), "double": float, "decimal": float, "path": str},
    "int32": conint(strict=True, ge=-(2**31), le=2**31 - 1),
    "int64": conint(strict=True, ge=-(2**63), le=2**63 - 1),
    **{"byte": conbytes(strict=True), "binary": conbytes(strict=True), "password": str, "json": Json},
}


class _Reader(SchemaReader):
    def _type(self, schema: JsonValue, name: str) -> Any:
        made = super()._type(schema, name)
        discriminator = schema.get("discriminator") if isinstance(schema, dict) else None
        key = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
        return Annotated[made, Field(discriminator=key)] if isinstance(key, str) and _is_told_by(made, key) else made

    def typed(self, schema: JsonObject, kind: Any, name: str) -> Any:
        if not schema:
            return Any
        if kind not in TYPE_MAPPING:
            raise UnsupportedKeywordError(f"{name!r} has no type that is known: {kind!r}.")
        if kind == "string" and "format" in schema:
            if schema["format"] not in FORMAT_MAPPING:
                raise FormatNotSupportedError(f"The format {schema['format']!r} of {name!r} is not known.")
            return FORMAT_MAPPING[schema["format"]]
        return type(None) if kind == "null" else super().typed(schema, kind, name)

    def refer(self, definition: str) -> Any:
        if definition not in self.definitions:
            raise ReferenceNotFoundError(f"The definition {definition!r} is missing.")
        return super().refer(definition)


def _is_told_by(union: Any, key: str) -> bool:
    """Whether all of a union are models with fixed words under this name."""
    fields = [option.model_fields.get(key) for option in get_args(union) if hasattr(option, "model_fields")]
    words = [get_origin(field.annotation) for field in fields if field is not None]
    return len(words) > 1 and words == [Literal] * len(get_args(union))


class JSONSchemaToPydantic:
    """Makes models out of JSON schemas."""

    def json_schema_to_pydantic(self, schema: dict[str, Any], model_name: str = "GeneratedModel") -> type[BaseModel]:
        """A model whose instances are the objects that the schema describes.

        Raises:
            SchemaConversionError: None can be made of it.
        """
        definitions = cast("JsonObject", schema.get("$defs") or {})
        reader = _Reader(definitions)
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = reference.rpartition("/")[2]
            if name not in definitions:
                raise ReferenceNotFoundError(f"The definition {name!r} is missing.")
            schema = cast("dict[str, Any]", definitions[name])
        return reader.model(reader.whole(schema), model_name)


def schema_to_pydantic_model(schema: dict[str, Any], model_name: str | None = None) -> type[BaseModel]:
    """A model out of a JSON schema."""
    return JSONSchemaToPydantic().json_schema_to_pydantic(
        schema, model_name or str(schema.get("title") or "GeneratedModel")
    )
