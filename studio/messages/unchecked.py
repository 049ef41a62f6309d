"""Messages of values that need no check: the engine made them, or they were checked before.

To validate a message takes longer than anything else that is done with it in a turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel

Model = TypeVar("Model", bound=BaseModel)

_new = object.__new__
_set = object.__setattr__


def unchecked(cls: type[Model], given: Iterable[str], values: dict[str, Any]) -> Model:
    """An instance as validation would make it.

    Args:
        cls: Its class, which has no private attributes and takes no other fields.
        given: The fields that did not get their default.
        values: All fields, in their order; they become the instance's own.
    """
    made = _new(cls)
    _set(made, "__dict__", values)
    _set(made, "__pydantic_fields_set__", set(given))
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made
