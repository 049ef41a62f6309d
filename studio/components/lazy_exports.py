"""Rooms that hold more than most programs need: their modules, or some, wait until one of their names is asked for.

The names are there as if they were imported, also for `from studio.models import OllamaChatCompletionClient`. Whoever
needs every class, such as the catalogue, has the whole package imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

_waiting: dict[str, tuple[str, ...]] = {}


def lazy(package: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """Make the `__getattr__` of a package.

    Args:
        package: The package, its `__name__`.
        names: For each module of it that is imported late, what the package exports from there, parted by blanks. The
            module of another package is given in full.
    """
    modules = {module if "." in module else f"{package}.{module}": held for module, held in names.items()}
    homes = {name: module for module, held in modules.items() for name in held.split()}
    _waiting[package] = tuple(modules)

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return find


def import_all(package: str) -> None:
    """Import the modules of a package that still wait; any other package has none."""
    for module in _waiting.pop(package, ()):
        import_module(module)
