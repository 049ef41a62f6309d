"""Sessions: going on with another task, and the runs of a conversation."""

from __future__ import annotations

from datetime import datetime

from fastapi import Response
from pydantic import JsonValue, RootModel

from studio.components.deferred_model import DeferredModel
from studio.errors import NotFound
from studio.runs import RunSummary
from studio.services.attachments import with_files
from studio.web.api.runs import GivenFiles, RunOut, answer_with_new_run, given_files
from studio.web.dependencies import DocumentsDep, PersonDep, StoreDep, SupervisorDep
from studio.web.requests import RequestBody, large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["sessions"])


class NextTask(RequestBody):
    """As the task of a new run."""

    task: JsonValue
    files: GivenFiles = []


class SessionRun(DeferredModel):
    id: str
    task: str
    state: str
    created_at: datetime


class SessionOut(DeferredModel):
    """`id` is that of its first run; runs are in their order."""

    id: str
    team_id: str | None
    team_name: str
    runs: list[SessionRun]


@router.post(
    "/runs/{run_id}/next",
    status_code=201,
    summary="Start the next run of a session with another task",
    response_model=RunOut,
)
async def create_next_run(
    run_id: str, body: NextTask, store: StoreDep, documents: DocumentsDep, supervisor: SupervisorDep, person: PersonDep
) -> Response:
    task = await with_files(store, documents, body.task, given_files(body.files))
    return await answer_with_new_run(await supervisor.start_next(run_id, task, by=person.name), store, supervisor)


@router.get(
    "/sessions", summary="List the sessions of more than one run, newest first", response_model=list[SessionOut]
)
async def list_sessions(store: StoreDep, team_id: str | None = None) -> Response:
    sessions = await store.runs.sessions(team_id)
    return await large_answer(lambda: RootModel([_session(runs) for runs in sessions]))


@router.get("/sessions/{session_id}", summary="Read the runs of a session")
async def read_session(session_id: str, store: StoreDep) -> SessionOut:
    runs = await store.runs.session(session_id)
    if not runs:
        raise NotFound(f"There is no session {session_id!r}.")
    return _session(runs)


def _session(runs: list[RunSummary]) -> SessionOut:
    first = runs[0]
    listed = [
        SessionRun(id=run.id, task=run.task_text, state=run.status.state.value, created_at=run.created_at)
        for run in runs
    ]
    return SessionOut(id=first.session_id or first.id, team_id=first.team_id, team_name=first.team_name, runs=listed)
