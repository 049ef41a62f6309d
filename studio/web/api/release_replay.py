"""A release held against recorded calls, before it goes live."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Response

from studio.components.deferred_model import DeferredModel
from studio.services.release_replay import ReplayedCall, recorded_calls, replay_calls
from studio.web.dependencies import StoreDep, ViewingDep
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.views import Desk

router = StudioRouter()
Number = Annotated[int, Path(ge=1, le=2**31)]


class ReplayedCallOut(DeferredModel):
    """`outcome` is `same`, `differs` from the entry `seq` on, or `unreadable`; `detail` says how, or why."""

    id: str
    task: str
    outcome: Literal["same", "differs", "unreadable"]
    seq: int | None
    detail: str


class ReleaseReplayOut(DeferredModel):
    """The newest finished calls, each repeated with the team of the release up to its first difference."""

    calls: list[ReplayedCallOut]


@router.get(
    "/api/deployments/{deployment}/releases/{number}/replay",
    tags=["deployments"],
    summary="Hold a release against the newest finished calls; nothing is asked and nothing spent",
    response_model=ReleaseReplayOut,
)
async def replay_release(deployment: str, number: Number, store: StoreDep, viewing: ViewingDep) -> Response:
    return await _show(deployment, number, store, viewing, as_page=False)


@router.get("/fragments/deployments/{deployment}/releases/{number}/replay", include_in_schema=False)
async def replay_fragment(deployment: str, number: Number, store: StoreDep, viewing: ViewingDep) -> Response:
    return await _show(deployment, number, store, viewing, as_page=True)


async def _show(deployment: str, number: int, store: StoreDep, viewing: ViewingDep, *, as_page: bool) -> Response:
    found = await store.deployments.get(deployment)
    await store.deployments.release(found.id, number)
    ids = tuple(await recorded_calls(store, found))
    return await viewing.show(_replay, ids, found.id, number, ids, as_page, is_kept=True)


async def _replay(desk: Desk, deployment_id: str, number: int, ids: tuple[str, ...], as_page: bool) -> Response:
    release = await desk.store.deployments.release(deployment_id, number)
    calls = await replay_calls(desk.store, release.component, ids)
    if as_page:
        return desk.templates.fragment("fragments/deployment/replayed_calls.html", calls=calls)
    return AsciiJSONResponse(ReleaseReplayOut(calls=[_out(each) for each in calls]).model_dump(mode="json"))


def _out(call: ReplayedCall) -> ReplayedCallOut:
    return ReplayedCallOut(id=call.id, task=call.task, outcome=call.outcome, seq=call.seq, detail=call.detail)
