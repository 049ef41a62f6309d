"""Teams of the galleries as templates: what each is for, and the little drawing beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from studio.components import Component, JsonObject, envelopes, find_class, group_of
from studio.galleries import Entry, Gallery
from studio.models import ChatCompletionClient
from studio.services.galleries import counts_of
from studio.store import tables as rows

SHAPES = {
    "order": "Round robin",
    "selector": "Selector",
    "handoffs": "Swarm",
    "graph": "Graph",
    "orchestrator": "Magentic-One",
    "nested": "Team in a team",
    "tools": "Agents as tools",
    "inner": "Society of mind",
}
"""The drawings of macros/team_shapes.html, and what each kind of team is called."""

MEMBER = re.compile(r"/config/participants/\d+")
TASK = re.compile(r"\bTry: .*", re.DOTALL)


@dataclass(frozen=True)
class TeamTemplate:
    """A team of a gallery that a new team can start from; `shape` is one of `SHAPES`, or nothing."""

    gallery_id: str
    gallery_name: str
    index: int
    label: str
    reason: str
    shape: str
    summary: str


def templates_in(row: rows.Gallery, gallery: Gallery) -> list[TeamTemplate]:
    """The teams of a gallery."""
    teams = [entry for entry in gallery.entries if entry.group == "teams"]
    return [_starter(row, index, entry) for index, entry in enumerate(teams)]


def shape_of(team: JsonObject) -> str:
    """How a team is drawn: by what is inside its members, else by who speaks after whom."""
    inside = [(where, cls) for where, envelope in envelopes(team) if where and (cls := _class_of(envelope))]
    teams = [where for where, cls in inside if group_of(cls.component_type) == "teams"]
    if any(MEMBER.fullmatch(where) for where in teams):
        return "nested"
    if any("/tools/" in where and group_of(cls.component_type) in ("agents", "teams") for where, cls in inside):
        return "tools"
    if teams:
        return "inner"
    cls = _class_of(team)
    return (cls.led_by.lower() or cls.drawn_as) if cls else ""


def scripted_model(team: JsonObject) -> str:
    """Where the first model of a team stands that speaks from a script alone; "" unless all its models do."""
    models = [
        (where, cls)
        for where, envelope in envelopes(team)
        if (cls := _class_of(envelope)) and issubclass(cls, ChatCompletionClient)
    ]
    return models[0][0] if models and all(cls.is_scripted for _, cls in models) else ""


def _class_of(envelope: JsonObject) -> type[Component] | None:
    return find_class(str(envelope.get("provider")))


def _starter(gallery: rows.Gallery, index: int, entry: Entry) -> TeamTemplate:
    shape = shape_of(entry.component)
    config = entry.component.get("config")
    members = config.get("participants") if isinstance(config, dict) else None
    counted = "".join(part.text for part in counts_of({"agents": len(members) if isinstance(members, list) else 0}))
    origin = "" if gallery.origin == "shipped" else gallery.name
    return TeamTemplate(
        gallery_id=gallery.id,
        gallery_name=gallery.name,
        index=index,
        label=entry.label,
        reason=TASK.sub("", str(entry.component.get("description") or "")).strip(),
        shape=shape,
        summary=" · ".join(part for part in (SHAPES.get(shape, ""), counted, origin) if part),
    )
