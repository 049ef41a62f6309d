"""OpenAI's Responses: a response is a call, also where nobody waits for it, and its stream is what the log tells.

Each event has a number that follows from the log alone, so a stream that was cut is continued exactly, by any server.
A call that asked its caller something has several responses: one up to the question, and one for each answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Annotated, Literal
from uuid import uuid4

from fastapi import Header, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.deployments import CallEvent, CallNotFound, CallState, CallView
from studio.services.calls import Answering, CallDesk, CallStatus
from studio.store.deployments import OpenedDeployment
from studio.web.dependencies import CallDeskDep, CallerDep, ClosingDep
from studio.web.protocols.openai_conversation import (
    STILL_RUNNING,
    WAIT_S,
    ChatMessageIn,
    Conversation,
    ImageUrl,
    Part,
    call_answering,
    check_messages,
    check_model,
    check_unsupported,
    failed,
    said_by,
)
from studio.web.protocols.rest import ThreadName
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/d/{deployment}/v1", include_in_schema=False)
PROTOCOL = "openai-responses"
MAX_ITEMS = 2_000
_ID = re.compile(r"resp_([0-9a-f-]{36})(?:_([0-9]{1,18}))?")
STATUS = {
    CallState.QUEUED: "queued",
    CallState.RUNNING: "in_progress",
    CallState.WAITING: "in_progress",
    CallState.FINISHED: "completed",
    CallState.STOPPED: "cancelled",
    CallState.CANCELLED: "cancelled",
    CallState.FAILED: "failed",
}


class InputPart(DeferredModel):
    """Text, or a picture as a data URL."""

    type: Literal["input_text", "output_text", "input_image"]
    text: str = ""
    image_url: str | None = None

    @property
    def part(self) -> Part:
        if self.image_url is not None:
            return Part(type="image_url", image_url=ImageUrl(url=self.image_url))
        return Part(type="text", text=self.text)


class InputItem(DeferredModel):
    """A message; nothing else is taken."""

    type: Literal["message"] = "message"
    role: str
    content: str | Annotated[list[InputPart], Field(max_length=100)]

    @property
    def message(self) -> ChatMessageIn:
        content = self.content if isinstance(self.content, str) else [each.part for each in self.content]
        return ChatMessageIn(role=self.role, content=content)


class ConversationIn(DeferredModel):
    id: ThreadName


class ResponseRequest(BaseModel):
    """What changes how a team answers is refused; what only tunes a model is ignored, as teams choose that."""

    model_config = ConfigDict(extra="ignore")

    model: str
    input: str | Annotated[list[InputItem], Field(min_length=1, max_length=MAX_ITEMS)]
    stream: bool = False
    background: bool = False
    store: bool | None = None
    previous_response_id: Annotated[str, Field(max_length=100)] | None = None
    conversation: ThreadName | ConversationIn | None = None
    metadata: Annotated[dict[str, str], Field(max_length=16)] | None = None
    instructions: str | None = None
    tools: list[JsonValue] | None = None
    prompt: JsonValue = None
    text: JsonObject | None = None

    @property
    def messages(self) -> Sequence[ChatMessageIn]:
        if isinstance(self.input, str):
            return [ChatMessageIn(role="user", content=self.input)]
        return [item.message for item in self.input]

    @property
    def thread(self) -> str:
        named = self.conversation
        return named.id if isinstance(named, ConversationIn) else named or ""

    def check(self, deployment: str) -> None:
        """Raises: ModelNotFound, or UnsupportedParameter."""
        check_model(self.model, deployment)
        shape = (self.text or {}).get("format")
        check_unsupported(
            {
                "tools": self.tools,
                "instructions": self.instructions,
                "prompt": self.prompt,
                "store": self.store is False,
                "text": isinstance(shape, dict) and shape.get("type", "text") != "text",
                "conversation": self.conversation and self.previous_response_id,
            }
        )
        check_messages(self.messages, "input")


@dataclass
class ResponseLog:
    """A response as its events tell it; the same events give the same stream.

    Args:
        caller: Who asks.
        found: The call, and where in it the response begins.
        request: What it was made with; None where it is read later.
    """

    caller: OpenedDeployment
    found: Answering
    request: ResponseRequest | None = None
    output: list[JsonObject] = field(default_factory=list[JsonObject])
    count: int = 0

    @property
    def id(self) -> str:
        call, after = self.found
        return f"resp_{call.id}_{after}" if after else f"resp_{call.id}"

    def body(self, status: str, view: CallView | None = None, usage: JsonObject | None = None) -> JsonObject:
        """The response so far."""
        call, request = self.found.call, self.request
        failure = view.failure if view else None
        error: JsonObject | None = {"code": failure.code, "message": failure.message} if failure else None
        named = request.conversation if request else None
        return {
            "id": self.id,
            "object": "response",
            "created_at": int(call.at.timestamp()),
            "completed_at": None,
            "status": status,
            "background": request.background if request else True,
            "error": error,
            "incomplete_details": None,
            "instructions": None,
            "max_output_tokens": None,
            "max_tool_calls": None,
            "model": self.caller.deployment.name,
            "output": [*self.output],
            "parallel_tool_calls": True,
            "previous_response_id": request.previous_response_id if request else None,
            "conversation": {"id": call.thread} if named else None,
            "reasoning": {"effort": None, "summary": None},
            "service_tier": "default",
            "store": True,
            "temperature": 1.0,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_logprobs": 0,
            "top_p": 1.0,
            "truncation": "disabled",
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
            "usage": usage,
            "user": None,
            "metadata": dict(request.metadata or {}) if request else {},
        }

    def whole(self, status: CallStatus) -> JsonObject:
        """The response as it is now."""
        for event in status.events:
            if event.name == "message" and event.seq > self.found.after:
                self.output.append(self._thought(event))
        if _has_said(status.view):
            self.output.append(self._answer(status.view))
        return self.body(_state(status.view), status.view, _usage(status))

    def begin(self) -> list[Event]:
        return [
            self._event("response.created", response=self.body("in_progress")),
            self._event("response.in_progress", response=self.body("in_progress")),
        ]

    def message(self, event: CallEvent) -> list[Event]:
        """What an agent said on the way, which is no answer."""
        item, index = self._thought(event), len(self.output)
        self.output.append(item)
        text = f"{event.source}: {event.text}"
        at: JsonObject = {"item_id": item["id"], "output_index": index, "summary_index": 0}
        part: JsonObject = {"type": "summary_text", "text": text}
        return [
            self._event("response.output_item.added", output_index=index, item={**item, "summary": []}),
            self._event("response.reasoning_summary_part.added", **at, part={**part, "text": ""}),
            self._event("response.reasoning_summary_text.delta", **at, delta=text),
            self._event("response.reasoning_summary_text.done", **at, text=text),
            self._event("response.reasoning_summary_part.done", **at, part=part),
            self._event("response.output_item.done", output_index=index, item=item),
        ]

    def end(self, status: CallStatus) -> list[Event]:
        events = self._say(status.view) if _has_said(status.view) else []
        state = _state(status.view)
        kind = "response.completed" if state == "completed" else "response.failed"
        return [*events, self._event(kind, response=self.body(state, status.view, _usage(status)))]

    def _say(self, view: CallView) -> list[Event]:
        item, index, text = self._answer(view), len(self.output), said_by(view)
        self.output.append(item)
        at: JsonObject = {"item_id": item["id"], "output_index": index, "content_index": 0}
        part = _text_part(text)
        return [
            self._event(
                "response.output_item.added",
                output_index=index,
                item={**item, "status": "in_progress", "content": []},
            ),
            self._event("response.content_part.added", **at, part=_text_part("")),
            self._event("response.output_text.delta", **at, delta=text, logprobs=[]),
            self._event("response.output_text.done", **at, text=text, logprobs=[]),
            self._event("response.content_part.done", **at, part=part),
            self._event("response.output_item.done", output_index=index, item=item),
        ]

    def _thought(self, event: CallEvent) -> JsonObject:
        summary: list[JsonValue] = [{"type": "summary_text", "text": f"{event.source}: {event.text}"}]
        return {"id": f"rs_{self.found.call.id}_{event.seq}", "type": "reasoning", "summary": summary}

    def _answer(self, view: CallView) -> JsonObject:
        return {
            "id": self.id.replace("resp_", "msg_"),
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [_text_part(said_by(view))],
        }

    def _event(self, kind: str, **data: JsonValue) -> Event:
        number, self.count = self.count, self.count + 1
        return Event(kind, {"type": kind, "sequence_number": number, **data})


@router.post("/responses", summary="Answer with a response")
async def create_response(
    body: ResponseRequest,
    request: Request,
    desk: CallDeskDep,
    caller: CallerDep,
    closing: ClosingDep,
    idempotency_key: Annotated[str, Header(max_length=255)] = "",
    x_stainless_retry_count: Annotated[str, Header(max_length=10)] = "0",
) -> Response:
    """In the background it answers at once; a client that tries again joins its call."""
    body.check(caller.deployment.name)
    conversation = Conversation(
        PROTOCOL,
        body.messages,
        thread=body.thread,
        previous=_parsed(body.previous_response_id)[0] if body.previous_response_id else "",
        idempotency_key=idempotency_key,
        address=request.client.host if request.client else "",
        is_retry=x_stainless_retry_count not in ("", "0"),
    )
    log = ResponseLog(caller, await call_answering(conversation, desk, caller), body)
    call, after = log.found
    if body.stream:
        return _stream(desk, log, closing, starting_after=-1)
    status = await desk.wait(caller, call.id, 0 if body.background else WAIT_S, after=after)
    if not body.background and not status.has_answer:
        return failed(STILL_RUNNING, call, 503)
    return AsciiJSONResponse(log.whole(status))


@router.get("/responses/{response_id}", summary="Read a response, or its stream from an event on")
async def read_response(
    response_id: str,
    desk: CallDeskDep,
    caller: CallerDep,
    closing: ClosingDep,
    stream: bool = False,
    starting_after: Annotated[int, Query(ge=-1, le=2**53)] = -1,
) -> Response:
    log = ResponseLog(caller, await _found(response_id, desk, caller))
    if stream:
        return _stream(desk, log, closing, starting_after=starting_after)
    return AsciiJSONResponse(log.whole(await _now(desk, log)))


@router.post("/responses/{response_id}/cancel", summary="Cancel a response; one that has ended stays as it is")
async def cancel_response(response_id: str, desk: CallDeskDep, caller: CallerDep) -> Response:
    log = ResponseLog(caller, await _found(response_id, desk, caller))
    await desk.cancel(caller, log.found.call.id)
    return AsciiJSONResponse(log.whole(await _now(desk, log)))


@router.delete("/responses/{response_id}", summary="Delete a response and its call; one under way is canceled")
async def delete_response(response_id: str, desk: CallDeskDep, caller: CallerDep) -> JsonObject:
    found = await _found(response_id, desk, caller)
    await desk.delete(caller, found.call.id)
    return {"id": response_id, "object": "response.deleted", "deleted": True}


@router.get("/responses/{response_id}/input_items", summary="List what a response was made from: one message")
async def list_input_items(response_id: str, desk: CallDeskDep, caller: CallerDep, after: str = "") -> JsonObject:
    """Earlier messages of the conversation are items of earlier responses."""
    given = await desk.input_of(caller, await _found(response_id, desk, caller))
    item: JsonObject = {
        "id": response_id.replace("resp_", "msg_in_"),
        "type": "message",
        "role": "user",
        "status": "completed",
        "content": [_input_part(part) for part in (given if isinstance(given, list) else [given])],
    }
    shown: list[JsonValue] = [] if after == item["id"] else [item]
    return {"object": "list", "data": shown, "first_id": item["id"], "last_id": item["id"], "has_more": False}


@router.delete("/conversations/{conversation_id}", summary="Delete a conversation with all its calls")
async def delete_conversation(conversation_id: ThreadName, desk: CallDeskDep, caller: CallerDep) -> JsonObject:
    """One that was named and never used is deleted as well: the studio keeps no name without a call."""
    await desk.delete_thread(caller, conversation_id)
    return {"id": conversation_id, "object": "conversation.deleted", "deleted": True}


@router.post("/conversations", summary="Name a conversation; its calls begin it")
async def create_conversation(caller: CallerDep) -> JsonObject:
    created = int(caller.deployment.created_at.timestamp())
    return {"id": f"conv_{uuid4().hex}", "object": "conversation", "created_at": created, "metadata": {}}


def _stream(desk: CallDesk, log: ResponseLog, closing: ClosingDep, *, starting_after: int) -> EventStream:
    opening = f": {log.found.call.id}\n\n".encode()
    return EventStream(_events(desk, log, starting_after), closing, opening=opening)


async def _events(desk: CallDesk, log: ResponseLog, starting_after: int) -> AsyncGenerator[Event]:
    count = 0
    async with aclosing(_all_events(desk, log)) as batches:
        async for batch in batches:
            for number, event in enumerate(batch, count):
                if number > starting_after:
                    yield event
            count += len(batch)


async def _all_events(desk: CallDesk, log: ResponseLog) -> AsyncGenerator[list[Event]]:
    """From the beginning: what was sent before is not remembered, but worked out again."""
    (call, after), caller = log.found, log.caller
    yield log.begin()
    async with aclosing(desk.follow(caller, call.id, after)) as events:
        async for event, view in events:
            if event.name == "message":
                yield log.message(event)
            if view.has_answer:
                break
    yield log.end(await _now(desk, log))


def _parsed(response_id: str) -> tuple[str, int]:
    """The ID of the call, and the entry behind which the response begins.

    Raises:
        CallNotFound: It is none of ours.
    """
    found = _ID.fullmatch(response_id)
    if found is None:
        raise CallNotFound
    return found[1], int(found[2] or 0)


async def _found(response_id: str, desk: CallDesk, caller: OpenedDeployment) -> Answering:
    """The call of a response, and where it begins.

    Raises:
        CallNotFound: There is no such call, or it asked its caller nothing at that entry.
    """
    call_id, after = _parsed(response_id)
    call = await desk.store.calls.get(call_id, caller.key.id)
    if after and not await desk.has_asked_at(caller, call_id, after):
        raise CallNotFound
    return Answering(call, after)


async def _now(desk: CallDesk, log: ResponseLog) -> CallStatus:
    """How the call is, as far as this response tells of it."""
    call, after = log.found
    return await desk.status(log.caller, call.id, answered_after=after)


def _has_said(view: CallView) -> bool:
    return view.has_answer and view.failure is None


def _state(view: CallView) -> str:
    """A question to the caller completes a response: the next one answers it."""
    if view.failure is not None and view.failure.code == "budget_exceeded":
        return "failed"
    return "completed" if view.question and view.question.to == "caller" else STATUS[view.state]


def _input_part(part: JsonValue) -> JsonObject:
    if isinstance(part, dict) and isinstance(part.get("image"), str):
        return {"type": "input_image", "detail": "auto", "image_url": part["image"]}
    return {"type": "input_text", "text": part if isinstance(part, str) else json.dumps(part)}


def _text_part(text: str) -> JsonObject:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _usage(status: CallStatus) -> JsonObject:
    prompt, completion = status.usage.prompt_tokens, status.usage.completion_tokens
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
