"""What all kinds of flows of Flowise share: nodes as participants, their texts, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import json_within
from studio.importers.canvas_state import StateReading
from studio.importers.canvas_texts import Resolve
from studio.importers.findings import Location
from studio.importers.flowise_texts import template

NOTES = ("stickyNote", "stickyNoteAgentflow")
_FIELDS: Mapping[str, JsonObject] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "stringarray": {"type": "array", "items": {"type": "string"}},
}


@dataclass
class Reading(StateReading):
    """A flow of Flowise on its way to a team."""

    note_kinds: Sequence[str] = NOTES

    def text(self, given: str, resolve: Resolve, place: Location, owner: str) -> str:
        """A text with places for variables; what it cannot name is told."""

        def missed(reference: str, why: str) -> None:
            what = f"`{{{{{reference}}}}}` in a text of {owner}"
            self.report.add("asked", place, what, f"Its value is not known: {why}.", fix="Write it.", became=owner)

        return template(given, resolve, missed)


def answer_schema(fields: Sequence[JsonObject]) -> JsonObject | None:
    """The schema of a structured answer; None where no field is described."""
    properties: JsonObject = {}
    for each in fields:
        name, kind = each.get("key"), str(each.get("type") or "").lower().replace(" ", "")
        if not isinstance(name, str) or not name.strip():
            continue
        options = [option.strip() for option in str(each.get("enumValues") or "").split(",") if option.strip()]
        if kind == "enum" and options:
            found: JsonObject = {"type": "string", "enum": list[JsonValue](dict.fromkeys(options))}
        elif kind == "jsonarray":
            inner = json_within(str(each.get("jsonSchema") or ""))
            known = inner if isinstance(inner, dict) and all(isinstance(one, dict) for one in inner.values()) else {}
            found = {
                "type": "array",
                "items": {"type": "object", "properties": known, "required": list[JsonValue](known)},
            }
        else:
            found = dict(_FIELDS.get(kind, _FIELDS["string"]))
        described = each.get("description")
        properties[name.strip()] = {
            **found,
            **({"description": described} if isinstance(described, str) and described else {}),
        }
    return {"type": "object", "properties": properties, "required": list[JsonValue](properties)} if properties else None
