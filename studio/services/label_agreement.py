"""How far the scorers of an evaluation agree with the people who labeled its runs."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from studio.effects import canonical_json
from studio.evaluation.results import percent
from studio.evaluation.scorers import Scorer
from studio.evaluation.scorers.entry import unwrapped, write_entry
from studio.evaluation.scorers.judge import JudgeScorer
from studio.evaluation.scorers.words import scorer_words
from studio.evaluation.statistics import ENOUGH, ENOUGH_OF_EACH, Agreement, Compared, Estimate, agreement_of
from studio.evaluation.suites import Suite
from studio.store import Store
from studio.store.evaluation_tables import Evaluation, EvaluationLabel
from studio.store.evaluations import CellRow

ALL = "All scorers together"
CELLS_AT_ONCE = 200
"""Whose scores are read in one step, between which others have their turn."""


class Disagreement(NamedTuple):
    """A run of which a scorer says another thing than people; `note` is why, by them."""

    position: int
    case: str
    epoch: int
    scorer_passes: bool
    note: str


class ScorerAgreement(NamedTuple):
    """A judge, or all scorers together, and people. `unscored` runs that people judged count for neither."""

    scorer: str
    agreement: Agreement
    unscored: int
    disagreements: Sequence[Disagreement]

    @property
    def sentence(self) -> str:
        """The agreement in words."""
        found = self.agreement
        count = found.passes + found.fails
        parts = [f"Agrees with people on {_words(found.share)} of {count} run{'' if count == 1 else 's'}."]
        if found.of_passes is not None:
            parts.append(f"Passes {_words(found.of_passes)} of {found.passes} that people pass.")
        if found.of_fails is not None:
            parts.append(f"Fails {_words(found.of_fails)} of {found.fails} that people fail.")
        if self.unscored:
            parts.append(f"{self.unscored} unscored.")
        return " ".join(parts)


class LabelReport(NamedTuple):
    """What the labels of an evaluation say. People disagree on `disputed` runs, which count for nothing."""

    labeled: int
    disputed: int
    agreements: Sequence[ScorerAgreement]

    @property
    def advice(self) -> str:
        """What is missing to rely on it; "" where nothing is."""
        if not self.agreements or all(each.agreement.is_enough for each in self.agreements):
            return ""
        each = f"{ENOUGH_OF_EACH} passes and {ENOUGH_OF_EACH} fails"
        return f"Label {ENOUGH} runs or more, with at least {each}, before you rely on this."


async def label_report(store: Store, row: Evaluation, cells: Sequence[CellRow]) -> LabelReport | None:
    """How scorers agree with people; None where no run has a label.

    Args:
        store: Keeps the labels.
        row: The evaluation.
        cells: All of it.
    """
    labels = await store.evaluation_labels.list(row.id)
    if not labels:
        return None
    people = await asyncio.to_thread(_verdicts, labels)
    decided = sorted(position for position, found in people.items() if found.passes is not None)
    scores: dict[int, Sequence[JsonValue]] = {}
    for first in range(0, len(decided), CELLS_AT_ONCE):
        scores.update(await store.evaluations.scores(row.id, decided[first : first + CELLS_AT_ONCE]))
    return await asyncio.to_thread(_report, row, {each.position: each for each in cells}, people, scores)


class _People(NamedTuple):
    """What people say of a run; `passes` is None where they disagree or cannot tell."""

    passes: bool | None
    is_disputed: bool
    note: str


def _verdicts(labels: Sequence[EvaluationLabel]) -> Mapping[int, _People]:
    newest = {(each.position, each.by): each for each in labels}
    by_position: dict[int, list[EvaluationLabel]] = {}
    for (position, _), each in newest.items():
        by_position.setdefault(position, []).append(each)
    found: dict[int, _People] = {}
    for position, given in by_position.items():
        verdicts = {each.verdict for each in given} - {"skip"}
        passes = verdicts == {"pass"} if len(verdicts) == 1 else None
        found[position] = _People(passes, len(verdicts) > 1, next((each.note for each in given if each.note), ""))
    return found


def _report(
    row: Evaluation,
    cells: Mapping[int, CellRow],
    people: Mapping[int, _People],
    scores: Mapping[int, Sequence[JsonValue]],
) -> LabelReport:
    suite = Suite.model_validate(row.document)
    cases = {case.key: (case, _judges(suite.scorers_of(case))) for case in suite.cases}
    names: dict[str, str] = {"": ALL}
    pairs: dict[str, list[tuple[CellRow, str, _People]]] = {}
    clusters = {key: case.cluster or (key,) for key, (case, _) in cases.items()}
    for position, given in scores.items():
        cell = cells[position]
        pairs.setdefault("", []).append((cell, cell.verdict, people[position]))
        for place, key, words in cases[cell.case_key][1] if cell.case_key in cases else ():
            score = given[place] if place < len(given) else None
            verdict = str(score.get("verdict", "")) if isinstance(score, dict) else ""
            names[key] = words
            pairs.setdefault(key, []).append((cell, verdict, people[position]))
    made = [_agreement(names[key], found, clusters) for key, found in pairs.items()]
    agreements = [each for each in made if each is not None]
    if len(agreements) == 2 and agreements[0].agreement == agreements[1].agreement:
        del agreements[0]  # the judge is the only scorer
    return LabelReport(len(people), sum(each.is_disputed for each in people.values()), agreements)


def _judges(scorers: Sequence[Scorer]) -> Sequence[tuple[int, str, str]]:
    """The judges among the scorers of a case: their places, what makes them the same as others, and words."""
    return [
        (place, canonical_json(write_entry(each)), scorer_words(each).removesuffix("."))
        for place, each in enumerate(scorers)
        if isinstance(unwrapped(each), JudgeScorer)
    ]


def _agreement(
    name: str, found: Sequence[tuple[CellRow, str, _People]], clusters: Mapping[str, Hashable]
) -> ScorerAgreement | None:
    scored = [(cell, verdict == "pass", by) for cell, verdict, by in found if verdict in ("pass", "fail")]
    compared = [
        Compared(clusters.get(cell.case_key, (cell.case_key,)), passes, by.passes is True)
        for cell, passes, by in scored
    ]
    agreement = agreement_of(compared)
    if agreement is None:
        return None
    others = [
        Disagreement(cell.position, cell.case_key, cell.epoch, passes, by.note)
        for cell, passes, by in scored
        if passes != by.passes
    ]
    return ScorerAgreement(name, agreement, len(found) - len(scored), others)


def _words(share: Estimate) -> str:
    return f"{percent(share.mean)} % ({percent(share.interval.low)}–{percent(share.interval.high)})"
