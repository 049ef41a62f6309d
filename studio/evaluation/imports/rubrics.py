"""Rubrics of other tools as judges: what a model is to look for, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import JsonObject
from studio.evaluation.imports.drafts import SuiteDraft
from studio.evaluation.scorers.judge import MAX_CRITERIA, MAX_CRITERION, Seen
from studio.importers.parts import Location

_ABSENCE = re.compile(
    r"(?:(?:it|the \w+|agent) )?(?:do(?:es)? not|don't|doesn't|must not|should not|never) +(.*)", re.I | re.S
)
_GRADE = re.compile(
    r"\bscale (?:of|from)\b|\b(?:rate|score|grade) (?:the|how|this|it)\b|\b1\s*(?:-|–|to)\s*(?:5|10)\b", re.I
)


@dataclass(frozen=True)
class Rubric:
    """A criterion of a judge.

    Args:
        text: As judges take it, with `{name}` for a field of the case.
        is_wanted: Whether it must be met; else it must not.
        sees: What the judge looks at.
    """

    text: str
    is_wanted: bool = True
    sees: Seen = "answer"


def rubric_of(text: str, *, is_wanted: bool = True, sees: Seen = "answer") -> Rubric:
    """A rubric. What must not be there is told by a quote, so it is asked for and must not hold."""
    text = text.strip()
    if (found := _ABSENCE.fullmatch(text)) is not None and found[1]:
        text, is_wanted = f"{found[1][0].upper()}{found[1][1:]}", not is_wanted
    return Rubric(text, is_wanted, sees)


def judges_of(rubrics: Sequence[Rubric]) -> list[JsonValue]:
    """The scorers that ask for them. What must not hold has one each, since `not` is of all that a judge says."""
    found: list[JsonValue] = []
    ways: tuple[Seen, ...] = ("answer", "all")
    for sees in ways:
        of_these = [each for each in rubrics if each.sees == sees]
        wanted: list[JsonValue] = [each.text for each in of_these if each.is_wanted]
        found.extend(_scorer_of(wanted[at : at + MAX_CRITERIA], sees) for at in range(0, len(wanted), MAX_CRITERIA))
        found.extend({"not": _scorer_of([each.text], sees)} for each in of_these if not each.is_wanted)
    return found


def say_rubric(draft: SuiteDraft, place: Location, what: str, rubric: Rubric, became: str) -> bool:
    """Report what becomes of a rubric, and tell whether a judge can take it."""
    if not rubric.text or len(rubric.text) > MAX_CRITERION:
        why = f"A criterion has 1 to {MAX_CRITERION:,} characters."
        draft.say("dropped", place, what, why, "Write a judge with shorter criteria.", became)
        return False
    if _GRADE.search(rubric.text):
        why = "It asks for a grade. A judge finds a criterion met or not, with a quote."
        draft.say("asked", place, what, why, "Write what a good answer has.", became)
        return True
    why = "A judge finds it met or not, with a quote; no share and no threshold counts."
    fix = "Name the model connection that judges, or leave it to the default one."
    draft.say("approximated", place, what, why, fix, became)
    return True


def _scorer_of(criteria: list[JsonValue], sees: Seen) -> JsonObject:
    return {"judge": {"criteria": criteria, **({"sees": sees} if sees != "answer" else {})}}
