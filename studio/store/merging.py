"""Two people's changes of one team, brought together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from studio.components import JsonObject, MergeConflict, Side, merge
from studio.errors import Conflict

NAME = "name"
"""The `id` of a conflict about the team's name; all others are about its component."""


@dataclass(frozen=True, slots=True)
class TeamDocument:
    """What a version of a team is made of."""

    name: str
    component: JsonObject
    layout: JsonObject


class TeamsDiffer(Conflict):
    """Both sides changed the same places; a person has to choose.

    Args:
        conflicts: The places.
        document: The merge, with theirs wherever nobody has chosen.
        revision: The stored revision that was merged with; choices count for this one only.
    """

    code = "merge_conflict"

    def __init__(self, conflicts: Sequence[MergeConflict], document: TeamDocument, revision: int) -> None:
        places = f"{len(conflicts)} places" if len(conflicts) > 1 else f"one place ({conflicts[0].label})"
        super().__init__(
            f"The team was also changed elsewhere, with conflicts in {places}.",
            fix="Choose a value for each conflict; both versions are kept.",
            where=conflicts[0].where,
        )
        self.conflicts = tuple(conflicts)
        self.document = document
        self.revision = revision

    def as_json(self) -> dict[str, object]:
        conflicts = [conflict.as_json() for conflict in self.conflicts]
        merged = {"component": self.document.component, "layout": self.document.layout, "name": self.document.name}
        return {**super().as_json(), "conflicts": conflicts, "revision": self.revision, **merged}


def merge_documents(
    base: TeamDocument, mine: TeamDocument, theirs: TeamDocument, choices: Mapping[str, Side]
) -> tuple[TeamDocument, list[MergeConflict]]:
    """The merge and what is undecided. Cards that both moved stay where mine has them: that is nobody's work lost."""
    name, conflicts = _merge_names(base, mine, theirs, choices)
    if NAME in choices:
        choices = {**choices, "/label": choices[NAME]}  # the label repeats the name
    merged = merge(base.component, mine.component, theirs.component, choices)
    conflicts += [each for each in merged.conflicts if each.id != "/label" or not conflicts]
    component = merged.value if isinstance(merged.value, dict) else theirs.component
    return TeamDocument(name, component, _merge_layouts(base.layout, mine.layout, theirs.layout)), conflicts


def _merge_names(
    base: TeamDocument, mine: TeamDocument, theirs: TeamDocument, choices: Mapping[str, Side]
) -> tuple[str, list[MergeConflict]]:
    if NAME in choices:
        return (mine if choices[NAME] == "mine" else theirs).name, []
    merged = merge(base.name, mine.name, theirs.name)
    found = [replace(conflict, id=NAME, where=NAME, label="Name of the team") for conflict in merged.conflicts]
    return str(merged.value), found


def _merge_layouts(base: JsonValue, mine: JsonValue, theirs: JsonValue) -> JsonObject:
    undecided = merge(base, mine, theirs)
    merged = merge(base, mine, theirs, {conflict.id: "mine" for conflict in undecided.conflicts})
    return merged.value if isinstance(merged.value, dict) else {}
