"""Where a component could go in a team, and putting it there. Documents in, documents out; nothing is loaded."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from studio.components import JsonObject, envelopes, find_class, slots
from studio.components.pointers import value_at
from studio.errors import NotFound


@dataclass(frozen=True)
class Slot:
    """A field of some component in a team that takes a component. `pointer` is that field's."""

    pointer: str
    text: str
    is_list: bool


def slots_for(team: JsonObject, component_type: str) -> Iterator[Slot]:
    """Every place of the team that accepts a component of this type, in document order."""
    for where, envelope in envelopes(team):
        cls = find_class(str(envelope["provider"]))
        if cls is None:
            continue
        config = _config(envelope)
        for slot in slots(cls):
            if component_type in slot.accepts:
                filled = not slot.many and config.get(slot.field) is not None
                text = f"{_name(envelope)} · {slot.field.replace('_', ' ')}"
                yield Slot(
                    f"{where}/config/{slot.field}", f"{text} (replaces the current one)" if filled else text, slot.many
                )


def put_component(team: JsonObject, pointer: str, component: JsonObject) -> JsonObject:
    """A copy of the team with the component at this place: appended to a list, or in place of what was there.

    Raises:
        NotFound: The team has no such place for a component of this type.
    """
    kind = type_of(component)
    place = next((place for place in slots_for(team, kind) if place.pointer == pointer), None)
    if place is None:
        raise NotFound(f"The team has no slot for a {kind} here.", fix="Choose one of its slots.", where=pointer)
    changed = copy.deepcopy(team)
    owner, _, field = pointer.rpartition("/")
    config = cast("JsonObject", value_at(changed, owner))
    if not place.is_list:
        config[field] = component
        return changed
    present = config.get(field)
    members = present if isinstance(present, list) else [] if present is None else [present]
    config[field] = [*members, _with_free_name(component, {_name(item) for item in members if isinstance(item, dict)})]
    return changed


def type_of(component: JsonObject) -> str:
    """The component type, as its class says, else as the document does."""
    cls = find_class(str(component.get("provider") or ""))
    return cls.component_type if cls else str(component.get("component_type") or "")


def _with_free_name(component: JsonObject, taken: set[str]) -> JsonObject:
    """Agents of a team need names that differ; the second `writer` becomes `writer_2`."""
    config = _config(component)
    name = config.get("name")
    if not isinstance(name, str) or name not in taken:
        return component
    number = next(n for n in range(2, len(taken) + 3) if f"{name}_{n}" not in taken)
    return {**component, "config": {**config, "name": f"{name}_{number}"}}


def _name(envelope: JsonObject) -> str:
    name = _config(envelope).get("name")
    return str(name or envelope.get("label") or str(envelope.get("provider") or "").rpartition(".")[2])


def _config(envelope: JsonObject) -> JsonObject:
    config = envelope.get("config")
    return config if isinstance(config, dict) else {}
