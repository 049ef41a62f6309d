"""Which fields a constructor would fill in by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from studio.components import Component


def is_default(field: FieldInfo, value: object, others: dict[str, object]) -> bool:
    """Whether the constructor would come to this value by itself; some defaults depend on other fields."""
    if field.is_required():
        return False
    default: object = field.get_default(call_default_factory=True, validated_data=others)
    return default is value or repr(_plain(default)) == repr(_plain(value))


def _plain(value: object) -> object:
    """The value as lists, dictionaries and scalars, whose texts are equal exactly when the values are."""
    if isinstance(value, Component):
        return value.dump_component()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    return value
