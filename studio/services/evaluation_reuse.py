"""Whose answers the cells of an evaluation reuse, and where they will part from them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import fmean
from typing import NamedTuple

from studio.components import JsonObject
from studio.effects import EffectRequest, Recorded
from studio.errors import NotFound, StudioError
from studio.evaluation.results import BASELINE
from studio.runs import LogEntry
from studio.runs.journal.answers import DrawnAnswer, drawn_answer, is_reusable
from studio.runs.journal.pages import read_log
from studio.runs.middleware.reuse import may_reuse
from studio.runs.replay import entries_of, reexecute
from studio.store import Store

MAX_LOOKED_AT = 60
"""Cells whose recorded runs a preview repeats; of more, every second, third, or so on."""
LOOK_S = 5.0
"""For all of them together; what was not looked at by then is estimated by the others."""

CellKey = tuple[int, str, int]
"""Version number, case and epoch."""
Twins = Mapping[CellKey, str]
"""The recorded run whose answers a cell reuses. Of one version, no run is in it twice."""


async def find_twins(
    store: Store, suite_id: str, revisions: Mapping[int, int], *, since: datetime, repeats: int
) -> Twins:
    """Runs of the same case and epoch in earlier evaluations of a suite: of the same version, or of the baseline.

    Which verdict a run got makes no difference, or the answers would be better ones than those of new runs.

    Args:
        store: Keeps them.
        suite_id: Of the suite.
        revisions: Versions of the team by their numbers in the plan.
        since: When those evaluations began at the earliest.
        repeats: How many epochs there are.
    """
    found = await store.evaluations.twins(suite_id, [*revisions.values()], since=since, repeats=repeats)
    newest: dict[tuple[int, str, int], str] = {}
    for twin in found:
        newest.setdefault((twin.revision, twin.case_key, twin.epoch), twin.run_id)
    twins: dict[CellKey, str] = {}
    for number, revision in revisions.items():
        for each in (revision, revisions.get(BASELINE, revision)):
            for (of_revision, case_key, epoch), run_id in newest.items():
                if of_revision == each:
                    twins.setdefault((number, case_key, epoch), run_id)
    return twins


class ReusingCell(NamedTuple):
    """A cell of a plan with the recorded run whose answers it will reuse."""

    component: JsonObject
    task: str
    twin_run_id: str


class ReusePreview(NamedTuple):
    """What a plan will reuse.

    Args:
        recorded: Cells for which there is a recorded run.
        whole: About how many of them will ask no model anew.
        parted: About how many will; `at` is the share of their cost, from 0 to 1, that lies before that.
        calling: How many call tools anew, which may answer otherwise than recorded; all others are exact.
        micro_usd: What the cells still cost; None where the price of a call is not known.
        looked_at: How many cells that is known of; the others are estimated by them.
    """

    recorded: int
    whole: int
    parted: int
    at: float
    calling: int
    micro_usd: int | None
    looked_at: int


async def preview_reuse(store: Store, cells: Sequence[ReusingCell], not_before: datetime) -> ReusePreview:
    """Repeat recorded runs with the components of the plan. Nothing is asked, nothing is paid.

    Args:
        store: Keeps the runs.
        cells: Those that reuse answers.
        not_before: When the oldest answer may have been drawn.
    """
    step = -(-len(cells) // MAX_LOOKED_AT)
    looked: list[_Look] = []
    try:
        async with asyncio.timeout(LOOK_S):
            for cell in cells[::step]:
                looked.append(await _look_at(store, cell, not_before))
    except TimeoutError:
        pass
    if not looked:
        return ReusePreview(len(cells), 0, 0, 0.0, 0, None, 0)
    parted = [each for each in looked if not each.is_whole]
    scale = len(cells) / len(looked)
    part_count = round(scale * len(parted))
    is_priced = not any(each.total.unpriced for each in looked)
    left = sum(each.total.micro_usd - each.reused.micro_usd for each in parted)
    return ReusePreview(
        recorded=len(cells),
        whole=len(cells) - part_count,
        parted=part_count,
        at=fmean(each.share for each in parted) if parted else 1.0,
        calling=round(scale * sum(each.is_calling for each in looked)),
        micro_usd=round(scale * left) if is_priced else None,
        looked_at=len(looked),
    )


@dataclass
class _Amount:
    micro_usd: int = 0
    tokens: int = 0
    answers: int = 0
    unpriced: int = 0

    def add(self, answer: DrawnAnswer) -> None:
        counts = {name: value for name, value in answer.spent.items() if isinstance(value, int)}
        self.micro_usd += counts.get("micro_usd", 0)
        self.tokens += counts.get("prompt_tokens", 0) + counts.get("completion_tokens", 0)
        self.unpriced += "micro_usd" in answer.spent and answer.spent["micro_usd"] is None
        self.answers += 1


@dataclass
class _Look:
    """Where a cell parts from the recorded run."""

    not_before: datetime
    reused: _Amount = field(default_factory=_Amount)
    total: _Amount = field(default_factory=_Amount)
    is_whole: bool = False
    is_calling: bool = False
    is_asking: bool = False
    """Whether a scripted model is asked."""
    is_stale: bool = False
    """Whether an answer was too old; what follows it is not known."""

    @property
    def share(self) -> float:
        for name in ("micro_usd", "tokens", "answers"):
            if whole := getattr(self.total, name):
                return getattr(self.reused, name) / whole
        return 0.0

    def note(self, request: EffectRequest, entry: Recorded) -> None:
        """A recorded effect has answered a request."""
        if request.kind == "clock" or self.is_stale:
            return
        if not may_reuse(request):
            self.is_calling |= request.kind != "model"
            self.is_asking |= request.kind == "model"
            return
        answer = drawn_answer(
            LogEntry("", entry.seq, entry.at or datetime.min.replace(tzinfo=UTC), "effect", entry.body)
        )
        if is_reusable(answer, self.not_before):
            if request.kind == "model":
                self.reused.add(answer)
        else:
            self.is_stale = True


async def _look_at(store: Store, cell: ReusingCell, not_before: datetime) -> _Look:
    look = _Look(not_before)
    async for page in read_log(store.runs, cell.twin_run_id, kinds=("effect",)):
        for answer in await asyncio.to_thread(_models_in, page):
            look.total.add(answer)
    try:
        run = await store.runs.summary(cell.twin_run_id)
        repeated = await reexecute(
            cell.component,
            cell.task,
            entries_of(store.runs, run.id),
            run_id=run.root_id or run.id,
            look=look.note,
            to_end=True,
        )
    except NotFound:
        return look
    except StudioError:
        return _Look(not_before, total=look.total)
    is_over = repeated.has_ended or repeated.error is not None
    is_same = repeated.divergence is None and repeated.rest_seq is None
    look.is_whole = is_over and is_same and not look.is_stale and not look.is_asking
    return look


def _models_in(page: Sequence[LogEntry]) -> Sequence[DrawnAnswer]:
    """What cost something; tools are counted nowhere, so that shares are those of the calls of models."""
    return [each for each in map(drawn_answer, page) if each.body.get("effect") == "model"]
