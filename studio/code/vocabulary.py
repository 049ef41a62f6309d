"""What the names in a script stand for. Nothing is imported because a script names it: the classes are there already.

A script may use the components, and the plain objects that their fields hold, by our names or by AutoGen's.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel
from typing_extensions import is_typeddict

from studio.code.names import public_package
from studio.components import component_classes, find_class
from studio.models import ModelFamily

AUTOGEN = ("autogen_agentchat", "autogen_core", "autogen_ext")
CONSTANTS: dict[str, type] = {ModelFamily.__name__: ModelFamily}
"""Classes of which scripts use the texts that they hold."""


def find_type(dotted: str) -> type | None:
    """The class that a full name of ours or of AutoGen's stands for; None for any other name."""
    root, _, rest = dotted.partition(".")
    name = rest.rpartition(".")[2]
    if root not in ("studio", *AUTOGEN) or not name:
        return find_class(dotted) if rest else None  # a component of another distribution
    by_place, by_name = _vocabulary()
    return by_place.get(dotted) or find_class(dotted) or by_name.get(name) or CONSTANTS.get(name)


def is_of_another_file(dotted: str) -> bool:
    """Whether a full name may be of a module of the script's author: of no package that a script has otherwise."""
    root = dotted.partition(".")[0]
    return "." in dotted and root not in ("studio", *AUTOGEN) and root not in sys.stdlib_module_names


def suggest(name: str) -> str:
    """The class whose name is most like a misspelt one; empty if none is close."""
    close = difflib.get_close_matches(name, _vocabulary()[1], n=1, cutoff=0.8)
    return close[0] if close else ""


@cache
def _vocabulary() -> tuple[dict[str, type], dict[str, type]]:
    """Every class that a script may call: by package and name, and by name alone."""
    found = dict.fromkeys(_reachable())
    by_place = {f"{package}.{cls.__name__}": cls for cls in found for package in (cls.__module__, public_package(cls))}
    return by_place, {cls.__name__: cls for cls in reversed(list(found))}


def _reachable() -> Iterator[type]:
    """Components, and the plain classes that their fields are made of."""
    todo: list[type] = list(component_classes())
    seen = set(todo)
    while todo:
        cls = todo.pop(0)
        yield cls
        for found in _types_within(cls):
            if found not in seen:
                seen.add(found)
                todo.append(found)


def _types_within(cls: type[object]) -> Iterator[type]:
    for annotation in annotations_of(cls).values():
        for found in types_in(annotation):
            if is_typeddict(found) or is_dataclass(found) or issubclass(found, BaseModel):
                yield found


@cache
def annotations_of(cls: type[object]) -> Mapping[str, Any]:
    """The fields of a class and their types."""
    if issubclass(cls, BaseModel):
        return {name: field.annotation for name, field in cls.model_fields.items()}
    hints: dict[str, Any] = get_type_hints(cls) if is_dataclass(cls) or is_typeddict(cls) else {}
    return hints


def types_in(annotation: Any) -> Iterator[type]:
    """Every class that a type is put together from."""
    if isinstance(annotation, type) and not get_args(annotation):
        yield annotation
    for part in get_args(annotation):
        yield from types_in(part)
