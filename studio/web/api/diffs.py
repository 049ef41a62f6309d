"""Two runs compared: what each did, where they part, and how their teams differ."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query, Response

from studio.components.deferred_model import DeferredModel
from studio.runs import Usage
from studio.runs.comparing.alignment import Fold
from studio.services.run_comparison import MAX_ROWS, Cell, RunComparison, Side, WindowView, compare_runs
from studio.web.dependencies import ViewingDep
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.views import Desk

router = StudioRouter(prefix="/api/runs", tags=["runs"])


class SideOut(DeferredModel):
    """One of the two runs."""

    id: str
    team_name: str
    task: str
    state: str
    detail: str
    started_at: datetime | None
    seconds: float
    step_count: int
    usage: Usage


class ConfigChangeOut(DeferredModel):
    """A difference between the two teams; `place` is the part it is in, "" for the team itself."""

    place: str
    kind: str
    text: str
    where: str


class PieceOut(DeferredModel):
    state: Literal["kept", "removed", "added"]
    text: str


class ActOut(DeferredModel):
    """A message or event; `pieces` are its text, marked where the other run's differs."""

    seq: int
    at: datetime
    source: str
    type: str
    noun: str
    pieces: list[PieceOut]
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class RowOut(DeferredModel):
    """Twins, or a step of one run only. A fold has `count` equal rows from `index` on, and no steps."""

    index: int
    state: Literal["same", "changed", "before", "after", "folded"]
    count: int = 1
    before: ActOut | None = None
    after: ActOut | None = None


class DivergenceOut(DeferredModel):
    index: int
    words: str


class RunDiffOut(DeferredModel):
    """`rows` are those that were asked for; `following` is the `start` of the next ones, null at the end."""

    before: SideOut
    after: SideOut
    config: list[ConfigChangeOut]
    divergence: DivergenceOut | None
    counts: dict[Literal["same", "changed", "before", "after"], int]
    differences: list[int]
    row_count: int
    is_cut: bool
    rows: list[RowOut]
    following: int | None


@router.get(
    "/{run_id}/diff/{other_id}",
    summary="Compare two runs: aligned steps, first divergence, config changes",
    response_model=RunDiffOut,
)
async def diff_runs(
    run_id: str,
    other_id: str,
    viewing: ViewingDep,
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS)] = 100,
    folded: bool = True,
) -> Response:
    return await viewing.show(_diff, [run_id, other_id], run_id, other_id, start, limit, folded, is_kept=True)


async def _diff(desk: Desk, run_id: str, other_id: str, start: int, limit: int, folded: bool) -> Response:
    found = await compare_runs(desk.store, run_id, other_id)
    out = _out(found, await found.window(start, limit, folded=folded))
    return AsciiJSONResponse(out.model_dump(mode="json"))


def _out(found: RunComparison, shown: WindowView) -> RunDiffOut:
    first = found.divergence
    return RunDiffOut(
        before=_side(found.before),
        after=_side(found.after),
        config=[
            ConfigChangeOut(place=group.place, kind=row.kind, text=row.text, where=row.where)
            for group in found.config.groups
            for row in group.rows
        ],
        divergence=DivergenceOut(index=first.index, words=first.words) if first else None,
        counts=found.counts,
        differences=found.differences,
        row_count=len(found.rows),
        is_cut=found.is_cut,
        rows=[
            RowOut(index=item.start, state="folded", count=item.count)
            if isinstance(item, Fold)
            else RowOut(index=item.row.index, state=item.row.state, before=_act(item.before), after=_act(item.after))
            for item in shown.items
        ],
        following=shown.following,
    )


def _side(side: Side) -> SideOut:
    run = side.run
    return SideOut(
        id=run.id,
        team_name=run.team_name,
        task=run.task_text,
        state=side.state,
        detail=run.status.detail,
        started_at=run.started_at,
        seconds=side.seconds,
        step_count=len(side.steps),
        usage=run.status.usage,
    )


def _act(cell: Cell | None) -> ActOut | None:
    if cell is None:
        return None
    step = cell.step
    return ActOut(
        seq=step.seq,
        at=step.at,
        source=step.source,
        type=step.type,
        noun=step.noun,
        pieces=[PieceOut(state=piece.state, text=piece.text) for piece in cell.pieces],
        prompt_tokens=step.prompt_tokens,
        completion_tokens=step.completion_tokens,
        seconds=step.seconds,
    )
