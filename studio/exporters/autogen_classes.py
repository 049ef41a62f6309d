"""What AutoGen has, as `scripts/record_autogen_classes.py` found it in the installed packages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_RECORDED = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class AutogenClass:
    """A class of AutoGen.

    Args:
        module: What it is imported from.
        fields: What its JSON has.
        required: What its constructor must be given.
        optional: What its constructor may be given, with the default; None also where that is no plain value.
        many: What its constructor takes by position, however many there are.
    """

    module: str
    name: str
    fields: frozenset[str]
    required: tuple[str, ...]
    optional: Mapping[str, str | int | float | bool | None]
    many: str = ""

    def takes(self, field: str) -> bool:
        """Whether the constructor has a parameter for a field."""
        return field in self.required or field in self.optional or field == self.many


def autogen_class(cls: type) -> AutogenClass | None:
    """The class of AutoGen that one of ours stands for; None if there is none."""
    provider = str(getattr(cls, "provider", ""))
    by_place, by_provider, by_name = _classes()
    if provider:
        return by_place.get(provider) or by_provider.get(provider)
    return by_name.get(cls.__name__)


def is_known_model(client: str, model: str) -> bool:
    """Whether AutoGen knows what a model can; for others its client must be told."""
    service = next((name for name in ("anthropic", "ollama") if f".{name}." in client), "openai")
    known: list[str] = _recorded()["models"][service]
    if service == "anthropic":  # it is content with a family
        return any(model.startswith(name.split("-2")[0]) for name in known)
    return (model.split(":")[0] if service == "ollama" else model) in known


@cache
def _recorded() -> Any:
    return json.loads(_RECORDED.read_text("utf-8"))


@cache
def _classes() -> tuple[Mapping[str, AutogenClass], Mapping[str, AutogenClass], Mapping[str, AutogenClass]]:
    """By place, by provider, and, those that are no components, by name; the shortest place of a name counts."""
    by_place: dict[str, AutogenClass] = {}
    by_provider: dict[str, AutogenClass] = {}
    by_name: dict[str, AutogenClass] = {}
    for place, entry in sorted(_recorded()["classes"].items(), key=lambda item: len(item[0])):
        module, _, name = place.rpartition(".")
        known = {key: entry[key] for key in ("optional", "many") if key in entry}
        found = AutogenClass(module, name, frozenset(entry["fields"]), tuple(entry["required"]), **known)
        by_place[place] = found
        if "provider" in entry:
            by_provider.setdefault(entry["provider"], found)
        else:
            by_name.setdefault(name, found)
    return by_place, by_provider, by_name
