"""Values of config fields as Python expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import cast

from pydantic import BaseModel

from studio.code.dialect import Dialect
from studio.code.layout import Call, Expression, Items, Name, Pairs
from studio.code.names import Imports
from studio.components import Component, SecretRef
from studio.errors import ConfigError

WriteComponent = Callable[[Component, str, str], Expression]
"""Takes a component, its JSON pointer and the name of the field it stands in."""
Assign = Callable[[str, Expression], Name]
"""Takes the wanted name of a variable and its value."""


class Values:
    """Writes values; components inside them are left to `write_component`."""

    def __init__(self, imports: Imports, write_component: WriteComponent, assign: Assign, dialect: Dialect) -> None:
        self.imports = imports
        self.variable = assign
        self._dialect = dialect
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
                return self._dialect.secret(reference, where, self.imports)
            case Enum():
                return Name(f"{self.imports.name_of(type(value))}.{value.name}")
            case None | bool() | int() | float() | bytes():
                return Name(repr(value))
            case str():
                return self._dialect.text(value, where, self.imports)
            case BaseModel():
                return self._model(value, where)
            case _ if is_dataclass(value) and not isinstance(value, type):
                items = [self.expression(getattr(value, item.name), where) for item in fields(value)]
                return Call(self.imports.name_of(type(value)), tuple(items))
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
        found: dict[str, Expression] = {}
        for name in type(component).model_fields:
            value: object = getattr(component, name)
            is_derived = isinstance(config, dict) and name not in config and value is not None
            if not is_derived and self._dialect.is_written(component, name, value, f"{where}/{name}"):
                found[name] = self.expression(value, f"{where}/{name}", name)
        return found

    def _model(self, value: BaseModel, where: str) -> Expression:
        cls = type(value)
        if cls.__name__.startswith("_") or value.model_extra or not self._dialect.knows(cls):
            return self.expression(value.model_dump(mode="json"), where)
        arguments = tuple(self.arguments(value, where).items())
        return Call(self.imports.name_of(cls), named=arguments, comments=self._dialect.comments(where))

    def _pairs(self, value: Mapping[object, object], where: str, slot: str) -> Expression:
        return Pairs(
            tuple(
                (self.expression(key, where), self.expression(item, f"{where}/{key}", slot))
                for key, item in value.items()
            )
        )

    def _items(self, value: Sequence[object], where: str, slot: str) -> Expression:
        places = ((item, f"{where}/{index}") for index, item in enumerate(value))
        items = tuple(self.expression(item, place, slot) for item, place in places if self._dialect.has(item, place))
        return Items(items, "()" if isinstance(value, tuple) else "[]")
