"""What the team of a run remembered at some place of its log."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import Query, Response

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.runs import state_at
from studio.web.api.runs import MAX_SEQ
from studio.web.dependencies import ViewingDep
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.views import Desk

router = StudioRouter(prefix="/api/runs", tags=["runs"])


class UnrecordedPart(DeferredModel):
    """A part of the team that keeps something elsewhere: a pointer into its component, and why it matters."""

    where: str
    reason: str


class StateOut(DeferredModel):
    """`state` is what a team saves. It is approximate where `unrecorded` names parts, or where the team, when it was
    repeated, did something else than was recorded (`divergence`)."""

    seq: int
    state: JsonObject
    is_exact: bool
    unrecorded: list[UnrecordedPart]
    divergence: JsonObject | None


@router.get("/{run_id}/state", summary="Read the state of the team at an entry of the log", response_model=StateOut)
async def get_state(run_id: str, viewing: ViewingDep, at: Annotated[int, Query(ge=0, le=MAX_SEQ)]) -> Response:
    """The log is re-executed up to that entry, at no cost. 403 with `missing` when something is no longer approved."""
    return await viewing.show(_state, [run_id], run_id, at, is_kept=True)


async def _state(desk: Desk, run_id: str, at: int) -> Response:
    found = await state_at(desk.store.runs, desk.store.approvals, run_id, at)
    out = StateOut(
        seq=found.seq,
        state=dict(found.state),
        is_exact=found.is_exact,
        unrecorded=[UnrecordedPart(where=each.where, reason=each.reason) for each in found.unrecorded],
        divergence=asdict(found.divergence) if found.divergence else None,
    )
    return AsciiJSONResponse(out.model_dump(mode="json"))
