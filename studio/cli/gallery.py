"""`studio gallery`: the components that come with the studio."""

from __future__ import annotations

import json
from collections.abc import Iterator

from studio.errors import ConfigError
from studio.galleries import Entry
from studio.services.builtin_galleries import builtin_galleries


def list_shipped(*, as_json: bool) -> None:
    """Print what the shipped galleries hold."""
    galleries = [each.gallery for each in builtin_galleries()]
    if as_json:
        print(json.dumps([gallery.dump() for gallery in galleries], indent=2))
        return
    for gallery in galleries:
        print(gallery.name)
        for entry in gallery.entries:
            print(f"  {entry.group:<13} {entry.label}")


def show_shipped(label: str) -> None:
    """Print the JSON of one component.

    Raises:
        ConfigError: None has this label.
    """
    entry = next((entry for entry in _entries() if entry.label == label), None)
    if entry is None:
        raise ConfigError(f"No built-in component is called {label!r}.", fix="Run `studio gallery list`.")
    print(json.dumps(entry.component, indent=2))


def _entries() -> Iterator[Entry]:
    for each in builtin_galleries():
        yield from each.gallery.entries
