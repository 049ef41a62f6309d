"""What pages show of a team that is imported from another tool, and what stays with the team afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from studio import importers
from studio.code.conversion import ConversionFinding
from studio.components import JsonObject
from studio.components.pointers import escape, is_envelope, steps_of, value_at
from studio.importers import Imported
from studio.services.conversion_report import TITLES, FindingGroup, findings_of, groups_of, tallies_of
from studio.services.galleries import Tally

MAX_NOTE = 2_000
"""Characters of a note on the canvas."""
NOTE_X, NOTE_Y = -352, -40
MAX_MARKED = 300
"""Findings that are kept with the team; each save sends them."""


@dataclass(frozen=True)
class ImportReport:
    """A team before it is saved."""

    name: str
    source: str
    shape: str
    tallies: tuple[Tally, ...]
    groups: tuple[FindingGroup, ...]


def report_of(imported: Imported) -> ImportReport:
    """The report as a page shows it: what is needed first, and exact parts folded."""
    findings = imported.findings
    title, shape = importers.SOURCES[imported.source].title, _shape(imported)
    return ImportReport(name_of(imported), title, shape, tallies_of(findings), groups_of(findings))


def name_of(imported: Imported) -> str:
    """The team's name: the workflow's, or the source's."""
    label = imported.team.get("label")
    return str(label) if label else f"Team from {importers.SOURCES[imported.source].title.removeprefix('the ')}"


def layout_of(imported: Imported) -> JsonObject:
    """The canvas as the source has it, with what is not exact: a note, and the findings of each part.

    Both stay until a person removes them: the note from the canvas, the findings by marking them as seen.
    """
    findings = [
        finding for verdict in TITLES if verdict != "exact" for finding in findings_of(imported.findings, verdict)
    ]
    if not findings:
        return imported.layout
    lines = [f"{TITLES[each.verdict]}: {each.what}. {each.why} {each.fix}".strip() for each in findings]
    text = "\n\n".join([f"Imported from {importers.SOURCES[imported.source].title}.", *lines])
    if len(text) > MAX_NOTE:
        text = f"{text[: MAX_NOTE - 40].rpartition(chr(10))[0]}\n\nThere is more in the report of the import."
    note: JsonObject = {"team": "", "text": text, "x": NOTE_X, "y": NOTE_Y}
    notes = imported.layout.get("notes")
    return {
        **imported.layout,
        "notes": {**(notes if isinstance(notes, dict) else {}), "import": note},
        "imported": _by_part(imported.team, findings),
    }


def _by_part(team: JsonObject, findings: list[ConversionFinding]) -> JsonObject:
    """The findings by the places of parts, as the builder keeps them; what is of no part is of the team."""
    found: dict[str, JsonValue] = {}
    for each in findings[:MAX_MARKED]:
        shown: JsonObject = {"verdict": each.verdict, "what": each.what, "why": each.why, "fix": each.fix}
        of_part = found.setdefault(_place_of(team, each.became), [])
        cast("list[JsonValue]", of_part).append({**shown, "place": str(each.place)})
    return found


def _place_of(team: JsonObject, pointer: str) -> str:
    """The innermost part around a pointer: without `config`, and with a name for a number where no other has it.

    The builder reads such places in `builder/document/part-paths.js`.
    """
    place = part = here = ""
    for step in steps_of(pointer):
        owner, here = value_at(team, here), f"{here}/{escape(step)}"
        if not (step == "config" and is_envelope(owner)):
            place += f"/{escape(_name_in(owner, int(step)) if isinstance(owner, list) else step)}"
        if is_envelope(value_at(team, here)):
            part = place
    return part


def _name_in(entries: list[JsonValue], index: int) -> str:
    names = [_name(each) for each in entries]
    return names[index] if names[index] and names.count(names[index]) == 1 else str(index)


def _name(entry: JsonValue) -> str:
    config = entry.get("config") if isinstance(entry, dict) else None
    name = config.get("name") if isinstance(config, dict) else None
    return name if isinstance(name, str) else ""


def _shape(imported: Imported) -> str:
    """What kind of team it is, and of whom."""
    kind = str(imported.team["provider"]).rpartition(".")[2]
    participants = cast("JsonObject", imported.team["config"])["participants"]
    count = len(participants) if isinstance(participants, list) else 0
    words = {"GraphFlow": "Graph", "RoundRobinGroupChat": "Round robin", "Swarm": "Swarm"}
    return f"{words.get(kind, kind)}, {count} participant{'' if count == 1 else 's'}"
