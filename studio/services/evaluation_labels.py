"""The queue of runs of an evaluation that a person labels, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from studio.effects import sha256_hex
from studio.errors import Conflict, NotFound, TooLarge
from studio.evaluation.suites import Case
from studio.evaluation.transcript import Said
from studio.services.evaluations import cases_of
from studio.services.past_runs import stored_run
from studio.store import Store
from studio.store.evaluation_tables import Evaluation, EvaluationCell, EvaluationLabel
from studio.store.evaluations import CellRow

MAX_SAID = 100
"""Messages of a run that are shown, the newest."""
MAX_CHARACTERS = 20_000
"""Of one of them."""


class RunToLabel(NamedTuple):
    """What a person sees of a run. `missing` says why there is no answer, and is "" where there is one.

    `labels` are those of the run, the oldest first; there are none before the person has labeled it.
    """

    cell: EvaluationCell
    case: Case
    answer: Said | None
    said: Sequence[Said]
    missing: str
    labels: Sequence[EvaluationLabel]


class LabelQueue(NamedTuple):
    """How far a person is, and the run that comes next; `shown` is None where no run waits.

    `last` is what the person labeled last, with the cell.
    """

    row: Evaluation
    labeled: int
    waiting: int
    shown: RunToLabel | None
    last: tuple[EvaluationLabel, EvaluationCell] | None


async def label_queue(store: Store, evaluation_id: str, by: str, position: int | None = None) -> LabelQueue:
    """The run that a person labels next: in an order without meaning, so that the labeled ones are a fair sample.

    Args:
        store: Keeps it.
        evaluation_id: Of the evaluation.
        by: The person.
        position: Of the cell that is shown instead of the next one.

    Raises:
        NotFound: There is no such evaluation or cell.
        Conflict: The run of the cell has not been scored yet.
    """
    row = await store.evaluations.get(evaluation_id)
    cells = await store.evaluations.cells(evaluation_id)
    labeled = {*await store.evaluation_labels.positions(evaluation_id, by)}
    waiting = await asyncio.to_thread(_waiting, row.id, cells, labeled)
    chosen = position or (waiting[0] if waiting else None)
    shown = await _run_to_label(store, row, chosen, has_labeled=chosen in labeled) if chosen else None
    last = await store.evaluation_labels.newest(evaluation_id, by)
    with_cell = (last, await store.evaluations.cell(evaluation_id, last.position)) if last else None
    return LabelQueue(row, len(labeled), len(waiting), shown, with_cell)


def _waiting(evaluation_id: str, cells: Sequence[CellRow], labeled: Collection[int]) -> Sequence[int]:
    """Positions of the cells that are scored and not labeled, by a hash."""
    found = [each.position for each in cells if each.state == "done" and each.position not in labeled]
    return sorted(found, key=lambda position: sha256_hex(f"{evaluation_id} {position}"))


async def _run_to_label(store: Store, row: Evaluation, position: int, *, has_labeled: bool) -> RunToLabel:
    cell = await store.evaluations.cell(row.id, position)
    if cell.state != "done":
        raise Conflict("The run has not been scored yet.", fix="Label it once it is.")
    case = await asyncio.to_thread(_case_of, row, cell.case_key)
    labels = await store.evaluation_labels.list(row.id, position) if has_labeled else ()
    try:
        turns = (await stored_run(store, cell.run_id)).transcript.turns
    except (NotFound, TooLarge) as error:
        return RunToLabel(cell, case, None, (), error.what, labels)
    said = [replace(each, text=_cut(each.text)) for each in turns[-MAX_SAID:]]
    answer = said[-1] if said else None
    return RunToLabel(cell, case, answer, said[:-1], "" if answer else "The team said nothing.", labels)


def _case_of(row: Evaluation, key: str) -> Case:
    return next((each for each in cases_of(row.document) if each.key == key), Case(task="–"))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
