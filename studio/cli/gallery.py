"""`studio gallery`: the components that come with the studio."""

from __future__ import annotations

import json
from collections.abc import Iterator

from studio.errors import ConfigError
from studio.galleries import Entry, parse_gallery, shipped_galleries


def list_shipped(*, as_json: bool) -> None:
    """Print what the shipped galleries hold."""
    galleries = [parse_gallery(file.read_bytes(), name=file.stem) for file in shipped_galleries()]
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
    for file in shipped_galleries():
        yield from parse_gallery(file.read_bytes(), name=file.stem).entries
