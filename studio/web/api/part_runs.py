"""Runs of one part of a team alone. Each belongs to the request that began it: it ends when its reader leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal, cast

from fastapi.responses import StreamingResponse
from pydantic import Field, JsonValue

from studio.components import JsonObject, load_component
from studio.components.deferred_model import DeferredModel
from studio.errors import InvalidDocument
from studio.messages import BaseMessage, ConditionProgress
from studio.runs import (
    PartRunner,
    PreparedRun,
    PreviewedTurn,
    load_condition,
    preview_termination,
    read_conversation,
    read_messages,
    tools_for,
)
from studio.runs.journal.pages import read_beginning
from studio.runs.spending.budget_questions import lifts_studio_limit
from studio.store import Store
from studio.tools import BaseTool, StaticWorkbench
from studio.web.api.runs import events_of
from studio.web.dependencies import QUEUED, ClosingDep, PartRunnerDep, PersonDep, StoreDep
from studio.web.known_tools import check_may_try
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/api/part-runs", tags=["part runs"])

MAX_TEXT = 2_000_000
MAX_SHOWN = 400
"""Characters of a message in the table of turns."""
MAX_ENTRIES = 2_000
MAX_BYTES = 8 * 1024 * 1024
"""Of a past run, that a condition is tried on."""


class StartPartRun(RequestBody):
    """`message` is text, or a list as a run takes it; for tools `{"name": ..., "arguments": {...}}` as JSON text."""

    component: JsonValue
    message: JsonValue
    system_message: str = Field("", max_length=MAX_TEXT, description="System message for a model; empty: none.")
    team_id: str = Field("", max_length=100, description="ID of the team it is part of, for its approvals.")


class PartRunCommand(RequestBody):
    """`request_id` and `text` belong to `answer`."""

    command: Literal["answer", "cancel"]
    request_id: str = ""
    text: str = Field("", max_length=1_000_000)


class ToolsRequest(RequestBody):
    component: JsonValue


class ToolsOut(DeferredModel):
    """`is_known` is false where only a server can tell: trying it lists its tools."""

    tools: list[JsonObject]
    is_known: bool


class TerminationPreviewRequest(RequestBody):
    """The conversation is one of `text`, as a person pastes it, and `run_id`, a past run."""

    component: JsonValue
    text: str = Field("", max_length=MAX_TEXT)
    run_id: str = ""


class ProgressOut(DeferredModel):
    where: str
    description: str
    so_far: str
    has_fired: bool


class TurnOut(DeferredModel):
    """A chat message, the events before it, and how far each condition is after it."""

    source: str
    type: str
    text: str
    event_count: int
    conditions: list[ProgressOut]
    stop_reason: str


class VerdictOut(DeferredModel):
    """`stop_reason` is "" when the conversation would go on."""

    words: str
    stop_reason: str
    turns: list[TurnOut]
    unread_count: int
    has_times: bool


@router.post(
    "",
    summary="Run one component, followed as server-sent events; 403 with `missing` when something is not approved",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def start_part_run(
    body: StartPartRun, runner: PartRunnerDep, closing: ClosingDep, store: StoreDep, person: PersonDep
) -> EventStream:
    await check_may_try(store, body.component, body.team_id, person)
    prepared = await runner.prepare(
        body.component, body.message, system_message=body.system_message, team_id=body.team_id
    )
    return EventStream(_events(runner, prepared), closing)


async def _events(runner: PartRunner, prepared: PreparedRun) -> AsyncGenerator[Event]:
    async with runner.running(prepared) as part_run_id:
        yield Event("started", {"id": part_run_id})
        async with aclosing(runner.follow(part_run_id)) as batches:
            async for batch in batches:
                for event in events_of(batch):
                    yield event
    yield Event("done", {})


@router.post(
    "/{part_run_id}/commands", summary="Control a part run: send the next message, answer its question, or end it"
)
async def command_part_run(
    part_run_id: str, body: PartRunCommand, runner: PartRunnerDep, person: PersonDep
) -> JsonObject:
    if body.command == "answer":
        pending = (await runner.view(part_run_id)).pending
        if lifts_studio_limit(pending, body.request_id, body.text):
            person.must("admin")
    view = await runner.command(part_run_id, body.command, request_id=body.request_id, text=body.text)
    return view.as_json()


@router.post(
    "/tools",
    dependencies=[QUEUED],
    summary="List the tools of a tool or workbench without starting it",
)
async def list_tools(body: ToolsRequest) -> ToolsOut:
    part = await asyncio.to_thread(load_component, body.component)
    schemas: list[object] = []
    if isinstance(part, BaseTool) and not part.is_opaque:
        schemas.append(part.schema)
    elif isinstance(part, StaticWorkbench):
        schemas.extend(await part.list_tools())
    elif tools := tools_for(part):
        schemas.extend(tool.schema for tool in tools)
    else:
        return ToolsOut(tools=[], is_known=False)
    return ToolsOut(tools=cast("list[JsonObject]", schemas), is_known=True)


@router.post(
    "/termination",
    dependencies=[QUEUED],
    summary="Preview where a termination condition would stop a conversation; runs nothing",
)
async def preview_termination_of(body: TerminationPreviewRequest, store: StoreDep) -> VerdictOut:
    condition = await asyncio.to_thread(load_condition, body.component)
    verdict = await preview_termination(condition, await _conversation(body, store))
    return VerdictOut(
        words=condition.describe(),
        stop_reason=verdict.stop_reason,
        turns=[_turn(turn) for turn in verdict.turns],
        unread_count=verdict.unread_count,
        has_times=verdict.has_times,
    )


async def _conversation(body: TerminationPreviewRequest, store: Store) -> list[BaseMessage]:
    if bool(body.text.strip()) == bool(body.run_id):
        raise InvalidDocument("Give one of `text` and `run_id`.", fix="Paste a conversation, or choose a past run.")
    if body.text.strip():
        return await asyncio.to_thread(read_conversation, body.text)
    await store.runs.summary(body.run_id)
    entries, _ = await read_beginning(
        store.runs, body.run_id, kinds=("message", "event"), max_entries=MAX_ENTRIES, max_bytes=MAX_BYTES
    )
    return read_messages([entry.body for entry in entries])


def _turn(turn: PreviewedTurn) -> TurnOut:
    said = turn.messages[-1]
    text = said.to_text()
    return TurnOut(
        source=said.source,
        type=str(getattr(said, "type", type(said).__name__)),
        text=text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…",
        event_count=len(turn.messages) - 1,
        conditions=[_progress(each) for each in turn.conditions],
        stop_reason=turn.stop_reason,
    )


def _progress(progress: ConditionProgress) -> ProgressOut:
    return ProgressOut(
        where=progress.where, description=progress.in_words, so_far=progress.so_far, has_fired=progress.has_fired
    )
