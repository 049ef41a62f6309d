"""Runs that go on from others: forks, re-runs, replays, and the line that they make."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.runs import ToolMode, Usage
from studio.services.fork_options import before_call, fork_options, tools_called
from studio.web.dependencies import PersonDep, StoreDep, SupervisorDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/runs", tags=["runs"])
Seq = Annotated[int, Field(ge=0, le=2**53)]


class Fork(RequestBody):
    """Where a run parts from another one, and what is otherwise from there on.

    `seq` is the last entry that both have; with `redo`, the model is asked anew for what stands there. `edits`
    are other texts for messages by their ids, null to drop one; `tool_results` other results by the ids of the calls.
    """

    seq: Seq
    redo: bool = False
    component: JsonObject | None = None
    task: JsonValue = None
    edits: dict[str, Annotated[str, Field(max_length=1_000_000)] | None] = {}
    tool_results: dict[str, Annotated[str, Field(max_length=1_000_000)]] = {}


class Rerun(RequestBody):
    """From its beginning, behind an entry, or from what made it fail."""

    from_seq: Seq | Literal["failure"] | None = None


class Replay(RequestBody):
    """What tools do; those that are not named give what is recorded."""

    tools: dict[str, ToolMode] = {}


class NewRunOut(DeferredModel):
    id: str


class RunInLine(DeferredModel):
    """`parent_seq` is the last entry that it has from its parent."""

    id: str
    parent_id: str | None
    parent_seq: int
    origin: str
    task: str
    state: str
    created_at: datetime
    usage: Usage


@router.post("/{run_id}/fork", status_code=201, summary="Fork a run: start a new one from an entry of its log")
async def fork_run(run_id: str, body: Fork, store: StoreDep, supervisor: SupervisorDep, person: PersonDep) -> NewRunOut:
    """403 with `missing` when something is not approved, as for a start."""
    options = await fork_options(
        store,
        run_id,
        body.seq,
        component=body.component,
        task=body.task,
        edits=body.edits,
        tool_results=body.tool_results,
    )
    seq = await before_call(store, run_id, body.seq) if body.redo else body.seq
    return NewRunOut(id=await supervisor.fork(run_id, seq, options, by=person.name))


@router.post(
    "/{run_id}/rerun", status_code=201, summary="Rerun a run: from the start, from an entry, or from the failure"
)
async def rerun_run(run_id: str, body: Rerun, supervisor: SupervisorDep, person: PersonDep) -> NewRunOut:
    return NewRunOut(id=await supervisor.rerun(run_id, body.from_seq, by=person.name))


@router.post(
    "/{run_id}/replay",
    status_code=201,
    summary="Replay a run: re-execute it from its recording and fail where it diverges",
)
async def replay_run(run_id: str, body: Replay, supervisor: SupervisorDep, person: PersonDep) -> NewRunOut:
    return NewRunOut(id=await supervisor.replay(run_id, body.tools, by=person.name))


@router.get("/{run_id}/tools", summary="List the tools that the run called")
async def list_tools(run_id: str, store: StoreDep) -> list[str]:
    await store.runs.summary(run_id)
    return await tools_called(store, run_id)


@router.get("/{run_id}/line", summary="Read the lineage of a run: its ancestors and their forks")
async def list_line(run_id: str, store: StoreDep) -> list[RunInLine]:
    return [
        RunInLine(
            id=one.id,
            parent_id=one.parent_id,
            parent_seq=one.parent_seq,
            origin=one.origin,
            task=one.task_text,
            state=one.status.state.value,
            created_at=one.created_at,
            usage=one.status.usage,
        )
        for one in await store.runs.line(run_id)
    ]
