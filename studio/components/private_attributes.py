"""Run-time state of components, read at the speed of other attributes.

Pydantic finds a private attribute only after the ordinary look-up has failed, which takes as long as making a message
does. A turn of a team reads dozens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ConfigDict


class PrivateValue:
    """Reads one private attribute of a model where Pydantic keeps it, and puts it beside the fields.

    From then on it is found there before this is asked. Pydantic's own place holds it, too, for copies and pickles.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, model: BaseModel | None, owner: type[BaseModel]) -> object:
        try:
            private = cast("dict[str, object]", model.__pydantic_private__)  # pyright: ignore -- see below
            value = private[self.name]
        except (AttributeError, KeyError, TypeError):
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}") from None
        vars(model)[self.name] = value
        return value


def set_private(model: BaseModel, name: str, value: object) -> bool:
    """Set a private attribute as Pydantic does, without its way there; False where the model has none of that name."""
    try:
        private = model.__pydantic_private__
    except AttributeError:
        return False
    if private is None or name not in private:
        return False
    private[name] = vars(model)[name] = value
    return True


def settle_annotations(cls: type[BaseModel]) -> None:
    """Spare each subclass the evaluation of annotations that it inherits and that make no field.

    Pydantic has noted these names and asks for nothing else; inherited fields it copies.
    """
    for name in tuple(cls.__annotations__):
        if name in cls.__class_vars__ or name in cls.__private_attributes__:
            del cls.__annotations__[name]


def read_private_attributes_directly(cls: type[BaseModel]) -> None:
    """Give a new class the short way to its private attributes; a default that is a function stays a method."""
    for name, attribute in cls.__private_attributes__.items():
        if name not in cls.__dict__ and not hasattr(attribute, "__get__"):
            type.__setattr__(cls, name, PrivateValue(name))


class FastPrivateModel(BaseModel):
    """A model with run-time state in private attributes."""

    model_config = ConfigDict(defer_build=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        read_private_attributes_directly(cls)
        settle_annotations(cls)

    if not TYPE_CHECKING:  # else any attribute could be set

        def __setattr__(self, name: str, value: object) -> None:
            if not set_private(self, name, value):
                super().__setattr__(name, value)
