"""Which class answers to which provider. Nothing is ever imported because a config names it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from studio.errors import SetupError

if TYPE_CHECKING:
    from studio.components.base import Component

ENTRY_POINTS = "studio.components"

_by_name: dict[str, type[Component]] = {}
_rooms_loaded: list[bool] = []


def register(cls: type[Component]) -> None:
    """Make a class known under its provider and aliases.

    Raises:
        SetupError: Another class has the name already.
    """
    for name in (cls.provider, *cls.aliases):
        known = _by_name.setdefault(name, cls)
        if known is not cls and known.__qualname__ != cls.__qualname__:
            raise SetupError(f"{known.__qualname__} and {cls.__qualname__} both answer to {name!r}.")
        _by_name[name] = cls


def load_rooms() -> None:
    """Import the packages that installed distributions name as holding components; once."""
    if _rooms_loaded:
        return
    _rooms_loaded.append(True)
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.value):
        point.load()


def find_class(provider: str) -> type[Component] | None:
    """The class that answers to a provider or alias, or None."""
    load_rooms()
    return _by_name.get(provider)


def component_classes() -> Iterator[type[Component]]:
    """Every registered class once, by provider."""
    load_rooms()
    seen = {cls.provider: cls for cls in _by_name.values()}
    for provider in sorted(seen):
        yield seen[provider]


def similar_provider(provider: str) -> str | None:
    """The registered name most like a misspelt one, if any is close."""
    load_rooms()
    close = difflib.get_close_matches(provider, _by_name, n=1, cutoff=0.85)
    return close[0] if close else None
