"""What pages show of a team that is imported from another tool, and what stays with the team afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from studio.components import JsonObject
from studio.importers import SOURCES, Imported
from studio.services.conversion_report import TITLES, FindingGroup, findings_of, groups_of, tallies_of
from studio.services.galleries import Tally

MAX_NOTE = 2_000
"""Characters of a note on the canvas."""
NOTE_X, NOTE_Y = -352, -40


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
    title, shape = SOURCES[imported.source].title, _shape(imported)
    return ImportReport(name_of(imported), title, shape, tallies_of(findings), groups_of(findings))


def name_of(imported: Imported) -> str:
    """The team's name: the workflow's, or the source's."""
    label = imported.team.get("label")
    return str(label) if label else f"Team from {SOURCES[imported.source].title.removeprefix('the ')}"


def layout_of(imported: Imported) -> JsonObject:
    """The canvas as the source has it, with a note that holds the report until somebody removes it."""
    lines = [
        f"{TITLES[verdict]}: {finding.what}. {finding.why} {finding.fix}".strip()
        for verdict in TITLES
        if verdict != "exact"
        for finding in findings_of(imported.findings, verdict)
    ]
    if not lines:
        return imported.layout
    text = "\n\n".join([f"Imported from {SOURCES[imported.source].title}.", *lines])
    if len(text) > MAX_NOTE:
        text = f"{text[: MAX_NOTE - 40].rpartition(chr(10))[0]}\n\nThere is more in the report of the import."
    note: JsonObject = {"team": "", "text": text, "x": NOTE_X, "y": NOTE_Y}
    notes = imported.layout.get("notes")
    return {**imported.layout, "notes": {**(notes if isinstance(notes, dict) else {}), "import": note}}


def _shape(imported: Imported) -> str:
    """What kind of team it is, and of whom."""
    kind = str(imported.team["provider"]).rpartition(".")[2]
    participants = cast("JsonObject", imported.team["config"])["participants"]
    count = len(participants) if isinstance(participants, list) else 0
    words = {"GraphFlow": "Graph", "RoundRobinGroupChat": "Round robin", "Swarm": "Swarm"}
    return f"{words.get(kind, kind)}, {count} participant{'' if count == 1 else 's'}"
