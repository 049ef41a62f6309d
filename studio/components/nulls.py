"""Nulls that say something: where a field left out means something else, its null is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from pydantic import BaseModel
from pydantic_core import PydanticUndefined


def significant_nulls(component: BaseModel, absent: Mapping[str, object]) -> Iterator[str]:
    """Fields that are null now and would be something else when read without their null.

    Args:
        component: Whose fields are looked at.
        absent: What fields left out mean, where that is not their default.
    """
    values = vars(component)
    for name in _with_other_default(type(component)):
        if name in values and values[name] is None and absent.get(name, True) is not None:
            yield name


@cache
def _with_other_default(cls: type[BaseModel]) -> tuple[str, ...]:
    """Fields whose default is not null."""
    defaults = {name: field.get_default() for name, field in cls.model_fields.items()}
    return tuple(name for name, value in defaults.items() if value is not None and value is not PydanticUndefined)
