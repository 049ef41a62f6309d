"""Values of config fields as Python expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import cast

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from studio.code.layout import Call, Expression, Items, Name, Pairs, Text
from studio.code.names import Imports
from studio.components import Component, SecretRef
from studio.errors import ConfigError

WriteComponent = Callable[[Component, str, str], Expression]
"""Takes a component, its JSON pointer and the name of the field it stands in."""


class Values:
    """Writes values; components inside them are left to `write_component`."""

    def __init__(self, imports: Imports, write_component: WriteComponent) -> None:
        self._imports = imports
        self._write_component = write_component

    def expression(self, value: object, where: str, slot: str = "") -> Expression:
        """The value as an expression.

        Args:
            value: What a field holds.
            where: JSON pointer of the field.
            slot: Name of the field.

        Raises:
            ConfigError: The value is of a kind that cannot be written down.
        """
        match value:
            case Component():
                return self._write_component(value, where, slot)
            case SecretRef(reference=reference):
                return self._secret(reference)
            case Enum():
                return Name(f"{self._imports.name_of(type(value))}.{value.name}")
            case None | bool() | int() | float() | bytes():
                return Name(repr(value))
            case str():
                return Text(value)
            case BaseModel():
                return self._model(value, where)
            case _ if is_dataclass(value) and not isinstance(value, type):
                items = [self.expression(getattr(value, item.name), where) for item in fields(value)]
                return Call(self._imports.name_of(type(value)), tuple(items))
            case dict():
                return self._pairs(cast("Mapping[object, object]", value), where, slot)
            case list() | tuple():
                return self._items(cast("Sequence[object]", value), where, slot)
            case _:
                raise ConfigError(
                    f"A {type(value).__name__} cannot be written as Python.", fix="Remove it first.", where=where
                )

    def arguments(self, component: BaseModel, where: str) -> dict[str, Expression]:
        """The fields that a constructor must be given: all but those that have their default."""
        config = component.dump_component()["config"] if isinstance(component, Component) else None
        values = {name: getattr(component, name) for name in type(component).model_fields}
        found: dict[str, Expression] = {}
        for name, field in type(component).model_fields.items():
            is_derived = isinstance(config, dict) and name not in config and values[name] is not None
            if not is_derived and not _is_default(field, values[name], values):
                found[name] = self.expression(values[name], f"{where}/{name}", name)
        return found

    def _secret(self, reference: str) -> Expression:
        scheme, _, name = reference.partition(":")
        if scheme == "env":
            return Call(self._imports.use("studio.components", "env"), (Text(name),))
        return Call(self._imports.name_of(SecretRef), (Text(reference),))

    def _model(self, value: BaseModel, where: str) -> Expression:
        cls = type(value)
        if cls.__name__.startswith("_") or value.model_extra:
            return self.expression(value.model_dump(mode="json"), where)
        return Call(self._imports.name_of(cls), named=tuple(self.arguments(value, where).items()))

    def _pairs(self, value: Mapping[object, object], where: str, slot: str) -> Expression:
        return Pairs(
            tuple(
                (self.expression(key, where), self.expression(item, f"{where}/{key}", slot))
                for key, item in value.items()
            )
        )

    def _items(self, value: Sequence[object], where: str, slot: str) -> Expression:
        items = tuple(self.expression(item, f"{where}/{index}", slot) for index, item in enumerate(value))
        return Items(items, "()" if isinstance(value, tuple) else "[]")


def _is_default(field: FieldInfo, value: object, others: dict[str, object]) -> bool:
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
