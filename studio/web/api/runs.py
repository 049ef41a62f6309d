"""Runs: start, follow, command. A run belongs to the server; these routes only look and tell."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from datetime import date, datetime
from typing import Annotated

from fastapi import Header, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, JsonValue

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.errors import ConfigError
from studio.files import FileUse
from studio.runs import (
    SHOWN,
    Batch,
    CommandName,
    LogEntry,
    Mocked,
    PendingInput,
    RunControl,
    RunRecord,
    RunState,
    RunSummary,
    RunView,
    Usage,
    mocks_in,
)
from studio.runs.journal.pages import in_pages
from studio.runs.spending.budget_questions import lifts_studio_limit
from studio.runs.tasks import MAX_FILES
from studio.services.attachments import GivenFile, sent_files, with_files
from studio.store import NO_LABELS, Labels, RunFilter, Store
from studio.store.json_text import JsonText
from studio.store.run_search import RunListing
from studio.web.api.labels import MAX_TAG
from studio.web.auth import Person
from studio.web.dependencies import ClosingDep, DocumentsDep, PersonDep, StoreDep, SupervisorDep, ViewingDep
from studio.web.requests import RequestBody, large_answer
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/api/runs", tags=["runs"])
_SEQ = re.compile(r"[0-9]{1,18}")
MAX_LISTED = 200
MAX_PAGE = 2000
MAX_USD = 1e9
TAKES_FILES = frozenset({"answer", "inject"})
BEYOND_STEERING = frozenset({"answer", "decide", "policy"})
MAX_SEQ = 2**63 - 1
"""The largest number that the database holds."""


class GivenFileIn(RequestBody):
    """A file that was uploaded, under the name that agents see.

    `use` says how they get it: its text in the prompt, as a picture, or in the working folder of code alone. It is in
    that folder in any case.
    """

    id: str = Field(max_length=100)
    name: str = Field("", max_length=4000)
    use: FileUse | None = None


GivenFiles = Annotated[list[GivenFileIn], Field(max_length=MAX_FILES, description="Files that were uploaded.")]


class StartRun(RequestBody):
    """`task` is text, or a list of texts and `{"image": "data:image/png;base64,..."}`."""

    team_id: str
    task: JsonValue
    files: GivenFiles = []
    with_mocks: bool = Field(False, description="Use the team's mocks.")


class RenameRun(RequestBody):
    title: str = Field(max_length=200)


class RunCommand(RequestBody):
    """`request_id` and `text` belong to `answer`, `request_id` also to `decide`.

    `files` belong to `answer`, and to `inject`, whose message is in `data`.
    `data` holds what other commands need: `{"until": "event" | "turn" | "over" | "agent"}` for `step`; for `decide`
    the `hash` of the request that was shown, a `verdict` of "allow" or "deny", and where they are wanted a `reason`,
    other `arguments`, or another result `text`; `{"breakpoints": [...]}`; `{"policy": {...}}`.
    """

    command: CommandName
    request_id: str = ""
    text: str = Field("", max_length=1_000_000)
    files: GivenFiles = []
    data: JsonObject = Field(default_factory=dict[str, JsonValue])


class RunSummaryOut(DeferredModel):
    id: str
    team_id: str | None
    team_name: str
    title: str = Field("", description="Name given by the user.")
    tags: list[str] = []
    is_starred: bool = False
    task: JsonValue
    state: str
    reason: str
    detail: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    usage: Usage
    parent_id: str | None = None
    parent_seq: int = 0
    session_id: str | None = None
    origin: str = ""


class EvaluatedRunOut(DeferredModel):
    """The cell of an evaluation that a run is of. `judged_run_id` is the run that it judges, if it is a judge's."""

    evaluation_id: str
    suite_name: str
    case_key: str
    epoch: int
    judged_run_id: str


class RunOut(RunSummaryOut):
    component: JsonObject
    pending: PendingInput | None
    finishing: bool
    last_seq: int
    continues: str = Field("", description="ID of the earlier run whose conversation this one continues.")
    mocks: list[Mocked] = Field([], description="The mocks used in the run.")
    evaluated: EvaluatedRunOut | None = Field(None, description="The cell of an evaluation that the run is of.")


class EventsOut(DeferredModel):
    """A page ends after `limit` entries or a megabyte of them; `is_whole` says that nothing was left for another one.
    To go on, ask for what is after its last entry, or with `newest` for what is before its first.
    """

    entries: list[JsonObject]
    last_seq: int
    is_whole: bool


@router.post(
    "",
    status_code=201,
    summary="Start a run; 403 with `missing` when something is not approved",
    response_model=RunOut,
)
async def start_run(
    body: StartRun, store: StoreDep, documents: DocumentsDep, supervisor: SupervisorDep, person: PersonDep
) -> Response:
    team = await store.teams.get(body.team_id)
    mocks = mocks_in(team.layout) if body.with_mocks else {}
    task = await with_files(store, documents, body.task, given_files(body.files))
    run_id = await supervisor.start(
        team.component,
        task,
        team_id=team.id,
        team_name=team.name,
        team_revision=team.revision,
        by=person.name,
        mocks=mocks,
    )
    return await answer_with_new_run(run_id, store, supervisor)


def given_files(files: Sequence[GivenFileIn]) -> list[GivenFile]:
    """The files of a request."""
    return [GivenFile(file.id, file.name, file.use) for file in files]


@router.get("", summary="List runs, newest first")
async def list_runs(
    store: StoreDep,
    person: PersonDep,
    team_id: str | None = None,
    text: Annotated[
        str, Query(max_length=200, description="Text in the task, the run's name or the team's name.")
    ] = "",
    state: Annotated[list[RunState] | None, Query(description="Only runs in one of these states.")] = None,
    since: Annotated[date | None, Query(description="Created on this day (UTC) or later.")] = None,
    until: Annotated[date | None, Query(description="Created on this day (UTC) or earlier.")] = None,
    min_usd: Annotated[float | None, Query(ge=0, le=MAX_USD, description="Cost of at least this many dollars.")] = None,
    tag: Annotated[str, Query(max_length=MAX_TAG)] = "",
    starred: Annotated[bool, Query(description="Only runs that you starred.")] = False,
    listing: Annotated[RunListing, Query()] = "active",
    before: Annotated[
        str | None, Query(max_length=100, description="Only runs older than the one with this ID.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = MAX_LISTED,
) -> list[RunSummaryOut]:
    wanted = RunFilter(
        text=text,
        team_id=team_id,
        states=tuple(state or ()),
        since=since,
        until=until,
        min_usd=min_usd,
        tag=tag,
        starred_by=person.id if starred else None,
        listing=listing,
    )
    found = await store.runs.list(wanted, before=before, limit=limit)
    labels = await store.labels.get_many("run", [run.id for run in found], person.id)
    return [_summary(run, run.task_text, labels.get(run.id, NO_LABELS)) for run in found]


@router.get("/{run_id}", summary="Read a run with the team it was started with", response_model=RunOut)
async def get_run(run_id: str, store: StoreDep, supervisor: SupervisorDep, person: PersonDep) -> Response:
    run = await store.runs.get(run_id)
    view = await supervisor.view(run_id)
    labels = (await store.labels.get_many("run", [run_id], person.id)).get(run_id, NO_LABELS)
    cell = await store.evaluations.by_run(run_id)
    evaluated = EvaluatedRunOut.model_validate(cell._asdict()) if cell else None
    return await large_answer(lambda: _whole(run, view, labels, evaluated))


async def answer_with_new_run(run_id: str, store: Store, supervisor: RunControl) -> Response:
    """A run that has just begun, as `RunOut`: nobody has labeled it yet.

    Raises:
        NotFound: It was deleted meanwhile.
    """
    run = await store.runs.get(run_id)
    view = await supervisor.view(run_id)
    return await large_answer(lambda: _whole(run, view, NO_LABELS, None), 201)


def _whole(run: RunRecord, view: RunView, labels: Labels, evaluated: EvaluatedRunOut | None) -> RunOut:
    summary = _summary(run.model_copy(update={"status": view}), run.task, labels)
    return RunOut(
        **summary.model_dump(),
        component=run.component,
        pending=view.pending,
        finishing=view.is_finishing,
        last_seq=view.last_seq,
        continues=run.changes.continues,
        mocks=list(run.changes.mocks),
        evaluated=evaluated,
    )


@router.patch("/{run_id}", status_code=204, summary="Rename a run; an empty name shows its task again")
async def rename_run(run_id: str, body: RenameRun, store: StoreDep) -> None:
    await store.runs.rename(run_id, body.title)


@router.delete("/{run_id}", status_code=204, summary="Permanently delete an ended run with its log")
async def delete_run(run_id: str, store: StoreDep, viewing: ViewingDep) -> None:
    await store.runs.delete(run_id)
    viewing.views.forget()


@router.get(
    "/{run_id}/events",
    summary="Read entries of the log between two numbers, oldest first",
    response_model=EventsOut,
)
async def list_events(
    run_id: str,
    store: StoreDep,
    supervisor: SupervisorDep,
    after: Annotated[int, Query(ge=0, le=MAX_SEQ)] = 0,
    before: Annotated[int, Query(ge=0, le=MAX_SEQ)] = MAX_SEQ,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 500,
    newest: bool = False,
) -> Response:
    """`after` and `before` are left out themselves; with `newest`, the last ones of what is between."""
    last_seq = (await supervisor.view(run_id)).last_seq
    page = await store.logs.between(run_id, after=after, before=before, limit=limit, kinds=SHOWN, newest=newest)
    rest = f'"last_seq":{last_seq},"is_whole":{json.dumps(page.is_last)}'
    return Response(f'{{"entries":{entries_json(page.entries)},{rest}}}', media_type="application/json")


@router.post("/{run_id}/commands", summary="Control a run: pause, resume, step, stop, or answer its question")
async def command_run(
    run_id: str,
    body: RunCommand,
    store: StoreDep,
    documents: DocumentsDep,
    supervisor: SupervisorDep,
    person: PersonDep,
) -> JsonObject:
    if body.command == "budget":
        raise ConfigError("To change the limits of a run, use `PUT /api/runs/{run_id}/budget`.", where="/command")
    if body.command in BEYOND_STEERING:
        await _check_may_decide(run_id, body, supervisor, person)
    if "files" in body.data or (body.files and body.command not in TAKES_FILES):
        raise ConfigError("Files belong to an answer or a message.", fix="Send them as `files`.", where="/files")
    seq = (await supervisor.view(run_id)).last_seq if body.files else 0
    async with sent_files(store, documents, run_id, given_files(body.files), seq) as files:
        data = {**body.data, **files}
        view = await supervisor.command(
            run_id, body.command, by=person.name, request_id=body.request_id, text=body.text, data=data
        )
    return view.as_json()


async def _check_may_decide(run_id: str, body: RunCommand, supervisor: RunControl, person: Person) -> None:
    """Whoever steers a run may answer it, and let it go on from a breakpoint; to let a tool be called is an approval,
    and the limits of the studio are set by its admins."""
    pending = None if body.command == "policy" else (await supervisor.view(run_id)).pending
    if body.command == "answer":
        if lifts_studio_limit(pending, body.request_id, body.text):
            person.must("admin")
        return
    is_breakpoint = pending is not None and (pending.kind, pending.request_id) == ("breakpoint", body.request_id)
    if body.command != "decide" or not is_breakpoint:
        person.must("approver")


@router.get(
    "/{run_id}/stream",
    summary="Follow a run as server-sent events: entries, chunks, state, done",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"text/event-stream": {}}},
        204: {"description": "The run has ended."},
    },
)
async def stream_run(
    run_id: str,
    supervisor: SupervisorDep,
    closing: ClosingDep,
    after: Annotated[int, Query(ge=0, le=MAX_SEQ)] = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    place = int(last_event_id) if _SEQ.fullmatch(last_event_id) else after
    view = await supervisor.view(run_id)
    if view.state.is_final and place >= view.last_seq:
        return Response(status_code=204)
    return EventStream(_events(supervisor, run_id, place), closing)


async def _events(supervisor: RunControl, run_id: str, after: int) -> AsyncGenerator[Event]:
    async with aclosing(supervisor.subscribe(run_id, after)) as batches:
        async for batch in batches:
            for event in events_of(batch):
                yield event
    yield Event("done", {})


def events_of(batch: Batch) -> Iterator[Event]:
    """What is new in a run, as pages are sent it."""
    for entries in in_pages(batch.entries):
        is_last = entries[-1] is batch.entries[-1]
        yield Event("entries", entries_json(entries), id=batch.last_seq if is_last else entries[-1].seq)
    if batch.chunks:
        yield Event("chunks", [chunk.model_dump() for chunk in batch.chunks])
    if batch.is_view_news:
        yield Event("state", batch.view.as_json())


def entries_json(entries: Sequence[LogEntry]) -> JsonText:
    """A list of entries, with what they say as it was written."""
    return JsonText(f"[{','.join(map(_entry_json, entries))}]")


def _entry_json(entry: LogEntry) -> str:
    at = entry.at.isoformat().replace("+00:00", "Z")
    return f'{{"seq":{entry.seq},"at":"{at}","kind":"{entry.kind}","body":{entry.text}}}'


def _summary(run: RunSummary, task: JsonValue, labels: Labels = NO_LABELS) -> RunSummaryOut:
    return RunSummaryOut(
        id=run.id,
        title=run.title,
        tags=[*labels.tags],
        is_starred=labels.is_starred,
        team_id=run.team_id,
        team_name=run.team_name,
        task=task,
        state=run.status.state.value,
        reason=run.status.reason,
        detail=run.status.detail,
        created_at=run.created_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        usage=run.status.usage,
        parent_id=run.parent_id,
        parent_seq=run.parent_seq,
        session_id=run.session_id,
        origin=run.origin,
    )
