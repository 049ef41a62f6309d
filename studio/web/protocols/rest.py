"""The studio's own protocol for callers: begin a call, read it, follow it, answer it, cancel it.

A call goes on when its connection is lost, and its caller finds it again by its ID. So no answer is ever late: a
request that has waited long enough is told how the call is by then.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Header, Query, Request, Response
from pydantic import Field, JsonValue

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.deployments import CallEvent, CallView, Failure
from studio.services.calls import CallDesk, CallRequest, CallStatus
from studio.store.deployments import OpenedDeployment
from studio.web.dependencies import CallDeskDep, CallerDep, ClosingDep
from studio.web.requests import AsciiJSONResponse, RequestBody
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/d/{deployment}", include_in_schema=False)
PROTOCOL = "rest"
MAX_WAIT_S = 50.0
"""Shorter than proxies and browsers wait."""
FOR_OPERATOR = "Waiting for an operator of the studio."
"""What protocols with words for it say of a question that the caller cannot answer."""
_SEQ = re.compile(r"[0-9]{1,18}")

ThreadName = Annotated[
    # Not {1,128} in the pattern: to write out as many of all the letters there are takes 50 ms.
    str,
    Field(
        max_length=128,
        pattern=r"^[\w.:@+-]+$",
        description="Your name for a conversation; the team remembers its earlier calls.",
    ),
]
Wait = Annotated[
    float, Query(ge=0, le=MAX_WAIT_S, alias="wait_s", description="How long to wait for an answer or a question.")
]


class NewCall(RequestBody):
    """`task` is text, or a list of texts and `{"image": "data:image/png;base64,..."}`."""

    task: JsonValue
    thread: ThreadName | None = None


class Answer(RequestBody):
    question_id: str = Field(max_length=200)
    text: str = Field(max_length=1_000_000)


class QuestionOut(DeferredModel):
    """What a call waits for. One for an operator is answered in the studio, and has no ID and no words here."""

    to: Literal["caller", "operator"]
    id: str
    prompt: str
    choices: Sequence[JsonValue]
    answer_schema: JsonObject | None


class CallUsage(DeferredModel):
    prompt_tokens: int
    completion_tokens: int


class CallOut(DeferredModel):
    """A call. `answer` is there once it has ended, or asks its caller something."""

    id: str
    thread: str
    state: str
    answer: str | None
    question: QuestionOut | None
    error: Failure | None


class CallDetails(CallOut):
    usage: CallUsage
    created_at: datetime


@router.post("/calls", status_code=202, summary="Begin a call", response_model=CallDetails)
async def begin_call(
    body: NewCall,
    request: Request,
    desk: CallDeskDep,
    caller: CallerDep,
    closing: ClosingDep,
    wait_s: Wait = 0.0,
    idempotency_key: Annotated[str, Header(max_length=255)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    """200 with a call that has ended or asks something, else 202; its events, where those are accepted."""
    address = request.client.host if request.client else ""
    wanted = CallRequest(body.task, PROTOCOL, body.thread or "", idempotency_key, address=address)
    call = await desk.begin(caller, wanted)
    if "text/event-stream" in accept:
        return EventStream(_events(desk, caller, call.id, 0), closing)
    return _answer(await desk.wait(caller, call.id, wait_s))


@router.get("/calls/{call_id}", summary="Read a call", response_model=CallDetails)
async def read_call(call_id: str, desk: CallDeskDep, caller: CallerDep, wait_s: Wait = 0.0) -> Response:
    if wait_s:
        return _answer(await desk.wait(caller, call_id, wait_s))
    return _answer(await desk.status(caller, call_id))


@router.get("/calls/{call_id}/events", summary="Follow a call as server-sent events: running, message, waiting, ended")
async def follow_call(
    call_id: str,
    desk: CallDeskDep,
    caller: CallerDep,
    closing: ClosingDep,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    return await event_stream(desk, caller, closing, call_id, last_event_id)


@router.post("/calls/{call_id}/answers", summary="Answer the question of a call", response_model=CallDetails)
async def answer_call(call_id: str, body: Answer, desk: CallDeskDep, caller: CallerDep) -> Response:
    return _answer(await desk.answer(caller, call_id, body.question_id, body.text))


@router.post("/calls/{call_id}/cancel", summary="Cancel a call", response_model=CallDetails)
async def cancel_call(call_id: str, desk: CallDeskDep, caller: CallerDep) -> Response:
    return _answer(await desk.cancel(caller, call_id))


async def event_stream(
    desk: CallDesk, caller: OpenedDeployment, closing: asyncio.Event, call_id: str, last_event_id: str
) -> Response:
    """The events of a call behind the one with this ID; 204 once there are no more.

    Raises:
        CallNotFound: The key has no such call.
    """
    after = int(last_event_id) if _SEQ.fullmatch(last_event_id) else 0
    view = (await desk.status(caller, call_id)).view
    if view.state.is_final and after >= view.last_seq:
        return Response(status_code=204)
    return EventStream(_events(desk, caller, call_id, after), closing)


async def _events(desk: CallDesk, caller: OpenedDeployment, call_id: str, after: int) -> AsyncGenerator[Event]:
    thread = (await desk.status(caller, call_id)).call.thread
    async with aclosing(desk.follow(caller, call_id, after)) as events:
        async for event, view in events:
            yield Event(event.name, event_data(event, view, call_id, thread), id=event.seq)


def event_data(event: CallEvent, view: CallView, call_id: str, thread: str) -> JsonObject:
    """What an event of a stream says."""
    if event.name == "message":
        return {"source": event.source, "text": event.text}
    return shown_call(view, call_id, thread).model_dump(mode="json")


def shown_call(view: CallView, call_id: str, thread: str) -> CallOut:
    """A call as its caller sees it; an answer only where there is nothing more to wait for."""
    question = view.question
    return CallOut(
        id=call_id,
        thread=thread,
        state=view.state.value,
        answer=view.answer if view.has_answer else None,
        question=QuestionOut(**dict(question)) if question else None,
        error=view.failure,
    )


def _answer(status: CallStatus) -> Response:
    usage = CallUsage(prompt_tokens=status.usage.prompt_tokens, completion_tokens=status.usage.completion_tokens)
    shown = shown_call(status.view, status.call.id, status.call.thread)
    body = CallDetails(**dict(shown), usage=usage, created_at=status.call.at)
    return AsciiJSONResponse(body.model_dump(mode="json"), 200 if status.has_answer else 202)
