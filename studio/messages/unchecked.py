"""Messages of values that need no check: the engine made them, or they were checked before.

To validate a message takes longer than anything else that is done with it in a turn.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

Model = TypeVar("Model", bound=BaseModel)

_new = object.__new__
_own = vars(BaseModel)
_set_values, _set_given, _set_extra, _set_private = (
    _own[f"__{name}__"].__set__  # the slots themselves; by name each takes twice as long
    for name in ("dict", "pydantic_fields_set", "pydantic_extra", "pydantic_private")
)


def unchecked(cls: type[Model], given: set[str], values: dict[str, Any]) -> Model:
    """An instance as validation would make it.

    Args:
        cls: Its class, which has no private attributes and takes no other fields.
        given: The fields that did not get their default. Instances of a frozen class may share it.
        values: All fields, in their order; they become the instance's own.
    """
    made = _new(cls)
    _set_values(made, values)
    _set_given(made, given)
    _set_extra(made, None)
    _set_private(made, None)
    return made
