"""`studio components`: what can be loaded."""

from __future__ import annotations

import json
from collections import defaultdict

from studio.components import JsonObject, catalogue


def list_components(*, as_json: bool) -> None:
    """Print the registered components, by group."""
    entries = catalogue()
    if as_json:
        print(json.dumps(entries, indent=2))
        return
    groups: dict[str, list[JsonObject]] = defaultdict(list)
    for entry in entries:
        groups[str(entry["group"])].append(entry)
    for group, members in groups.items():
        print(group)
        for entry in members:
            print(f"  {entry['label']!s:<34} {entry['summary']}")
            print(f"  {'':<34} {entry['provider']}")
