"""Rooms that hold more than most programs need: their modules, or some, wait until one of their names is asked for.

The names are there as if they were imported, also for `from studio.models import OllamaChatCompletionClient`. Whoever
needs every class, such as the catalogue, has the whole room imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

_waiting: dict[str, tuple[str, ...]] = {}


def lazy(room: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """Make the `__getattr__` of a room.

    Args:
        room: The package, its `__name__`.
        names: For each module of it that is imported late, what the room exports from there, parted by blanks. The
            module of another room is given in full.
    """
    modules = {module if "." in module else f"{room}.{module}": held for module, held in names.items()}
    homes = {name: module for module, held in modules.items() for name in held.split()}
    _waiting[room] = tuple(modules)

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}", name=name, obj=sys.modules[room])
        found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[room], name, found)
        return found

    return find


def import_all(room: str) -> None:
    """Import the modules of a room that still wait; any other package has none."""
    for module in _waiting.pop(room, ()):
        import_module(module)
