"""What a component's JSON says beside its config: labels, notes, and fields that only other programs read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict, TypeVar, cast

from studio.components import Component, JsonObject, walk

C = TypeVar("C", bound=Component)


class Notes(TypedDict, total=False):
    """What differs from what the component's class would say."""

    label: str
    description: str
    unknown: JsonObject


def notes_of(component: Component) -> dict[str, Notes]:
    """The notes in a tree, by JSON pointer; components that say nothing of their own are left out."""
    found = {where: _own_notes(part) for where, part in walk(component)}
    return {where: notes for where, notes in found.items() if notes}


def with_notes(component: C, notes: Mapping[str, Notes]) -> C:
    """Put notes back where they were; a pointer that leads nowhere is passed over, so that a script can be edited."""
    for where, part in walk(component):
        if said := notes.get(where):
            part.annotate(**said)
    return component


def _own_notes(component: Component) -> Notes:
    envelope, cls = component.dump_component(), type(component)
    notes = Notes()
    if component.label != cls.__name__:
        notes["label"] = component.label
    if (description := str(envelope["description"])) != cls.summary():
        notes["description"] = description
    config = cast("JsonObject", envelope["config"])
    if unknown := {name: value for name, value in config.items() if name not in cls.model_fields}:
        notes["unknown"] = unknown
    return notes
