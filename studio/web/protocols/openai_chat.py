"""OpenAI's Chat Completions and `/models`: any client of theirs calls a deployment, whose name is the model.

These clients send the whole conversation with each request. It is recognized by what was said: where it is what a
thread of this key has said so far, that thread goes on. Another history begins a new thread, with it as the task.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, cast

from fastapi import Header, Request, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.components import JsonObject
from studio.deployments import CallView, Failure
from studio.errors import ConfigError, NotFound
from studio.services.calls import CallDesk, CallRequest, CallStatus, digest
from studio.store.deployments import OpenedDeployment
from studio.store.json_text import JsonText
from studio.store.tables import Call
from studio.web.dependencies import CallDeskDep, CallerDep, ClosingDep
from studio.web.protocols.rest import ThreadName
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/d/{deployment}/v1", include_in_schema=False)
PROTOCOL = "openai-chat"
WAIT_S = 590.0
"""Shorter than the clients' own timeout of 600 s. After it they try again, and join the call."""
RETRIED_WITHIN = timedelta(hours=1)
MAX_MESSAGES = 2_000
STATUS = {"budget_exceeded": 429, "run_failed": 502, "not_begun": 502}
"""Of failures; 409 for the others. None of them gets better by trying again."""
DONE = Event("", JsonText("[DONE]"))


class UnsupportedParameter(ConfigError):
    """Raised for what would change the meaning of a request, and cannot be done."""

    code = "unsupported_parameter"


class ModelNotFound(NotFound):
    """The model is not the name of the deployment."""

    code = "model_not_found"


class ImageUrl(BaseModel):
    url: str


class Part(BaseModel):
    """Text, or a picture as a data URL."""

    type: Literal["text", "image_url"]
    text: str = ""
    image_url: ImageUrl | None = None


class ChatMessageIn(BaseModel):
    role: str
    content: str | Annotated[list[Part], Field(max_length=100)] | None = None

    @property
    def parts(self) -> JsonValue:
        """As a task has them."""
        if not isinstance(self.content, list):
            return self.content or ""
        return [{"image": part.image_url.url} if part.image_url else part.text for part in self.content]

    @property
    def text(self) -> str:
        parts = self.parts
        return parts if isinstance(parts, str) else "\n".join(p for p in cast("list[Any]", parts) if isinstance(p, str))


class StreamOptions(BaseModel):
    include_usage: bool = False


class Metadata(BaseModel):
    thread: ThreadName | None = None


class ChatRequest(BaseModel):
    """What changes how a team answers is refused; what only tunes a model is ignored, as teams choose that."""

    model_config = ConfigDict(extra="ignore")

    model: str
    messages: list[ChatMessageIn] = Field(min_length=1, max_length=MAX_MESSAGES)
    stream: bool = False
    stream_options: StreamOptions | None = None
    metadata: Metadata | None = None
    n: int | None = None
    tools: list[JsonValue] | None = None
    functions: list[JsonValue] | None = None
    logprobs: bool | None = None
    audio: JsonValue = None
    response_format: JsonObject | None = None

    def check(self, deployment: str) -> None:
        """Raises: ModelNotFound, or UnsupportedParameter."""
        if self.model != deployment:
            raise ModelNotFound(f"There is no model {self.model!r} here.", fix=f"Use {deployment!r}.", where="/model")
        asked = {
            "tools": self.tools,
            "functions": self.functions,
            "logprobs": self.logprobs,
            "audio": self.audio,
            "n": self.n not in (None, 1),
            "response_format": (self.response_format or {}).get("type", "text") != "text",
        }
        for name in (name for name, value in asked.items() if value):
            raise UnsupportedParameter(f"A deployment takes no `{name}`.", fix="Leave it out.", where=f"/{name}")
        for index, message in enumerate(self.messages):
            if message.role not in ("user", "assistant"):
                raise UnsupportedParameter(
                    f"A deployment takes no messages with the role {message.role!r}.",
                    fix="Leave them out: the team has its own instructions.",
                    where=f"/messages/{index}/role",
                )
        if self.messages[-1].role != "user":
            raise UnsupportedParameter(
                "The last message must be one of the user.", where=f"/messages/{len(self.messages) - 1}/role"
            )


@router.get("/models", summary="List the one model: the deployment")
async def list_models(caller: CallerDep) -> JsonObject:
    return {"object": "list", "data": [_model(caller)]}


@router.get("/models/{model}", summary="Read the one model")
async def read_model(model: str, caller: CallerDep) -> JsonObject:
    if model != caller.deployment.name:
        raise ModelNotFound(f"There is no model {model!r} here.", fix=f"Use {caller.deployment.name!r}.")
    return _model(caller)


@router.post("/chat/completions", summary="Answer a conversation")
async def complete_chat(
    body: ChatRequest,
    request: Request,
    desk: CallDeskDep,
    caller: CallerDep,
    closing: ClosingDep,
    idempotency_key: Annotated[str, Header(max_length=255)] = "",
    x_stainless_retry_count: Annotated[str, Header(max_length=10)] = "0",
) -> Response:
    """A client that lost its connection and tries again joins its call, which continued meanwhile."""
    body.check(caller.deployment.name)
    address = request.client.host if request.client else ""
    is_retry = x_stainless_retry_count not in ("", "0")
    call = await _call_of(body, desk, caller, idempotency_key, address, is_retry=is_retry)
    if body.stream:
        has_usage = body.stream_options is not None and body.stream_options.include_usage
        opening = f": {call.id}\n\n".encode()
        return EventStream(_chunks(desk, caller, call, has_usage=has_usage), closing, opening=opening)
    status = await desk.wait(caller, call.id, WAIT_S)
    if status.view.failure is not None:
        return _failed(status.view.failure, call)
    if not status.has_answer:
        return _failed(Failure(code="still_running", message="The call has no answer yet."), call, 503)
    return AsciiJSONResponse(_completion(caller, status))


async def _call_of(
    body: ChatRequest, desk: CallDesk, caller: OpenedDeployment, idempotency_key: str, address: str, *, is_retry: bool
) -> Call:
    """The call that answers the conversation: begun now, or one that waits for this answer, or that is tried again."""
    *history, last = body.messages
    named = body.metadata.thread if body.metadata else None
    said: JsonValue = [[message.role, message.parts] for message in body.messages]
    request = CallRequest(last.parts, PROTOCOL, named or "", idempotency_key, digest(said), address)
    if is_retry and not idempotency_key:
        since = datetime.now(UTC) - RETRIED_WITHIN
        if earlier := await desk.store.calls.newest_like(caller.key.id, request.said_hash, PROTOCOL, since):
            return earlier
    if named or not history:
        return await desk.begin(caller, request)
    before = await _recognized(desk, caller, history)
    if before is None:
        return await desk.begin(caller, _replaced(request, task=_transcript(body.messages)))
    question = before.view.question
    if question is not None and question.to == "caller":
        await desk.answer(caller, before.call.id, question.id, last.text)
        return before.call
    return await desk.begin(caller, _replaced(request, thread=before.call.thread))


def _replaced(request: CallRequest, *, task: JsonValue = None, thread: str = "") -> CallRequest:
    return CallRequest(
        task or request.task, PROTOCOL, thread, request.idempotency_key, request.said_hash, request.address
    )


async def _recognized(desk: CallDesk, caller: OpenedDeployment, history: Sequence[ChatMessageIn]) -> CallStatus | None:
    """The call whose conversation and answer this history is, where its thread has not gone on since."""
    *earlier, answer = history
    said: JsonValue = [[message.role, message.parts] for message in earlier]
    for call in await desk.store.calls.thread_ends(caller.key.id, digest(said)):
        status = await desk.status(caller, call.id)
        if answer.role == "assistant" and status.has_answer and answer.text == _said(status.view):
            return status
    return None


def _transcript(messages: Sequence[ChatMessageIn]) -> JsonValue:
    """A conversation that the team has not seen, as the task; pictures only of its last message."""
    *earlier, last = messages
    text = "\n\n".join(f"{message.role}: {message.text}" for message in earlier)
    parts = last.parts
    return f"{text}\n\nuser: {parts}" if isinstance(parts, str) else [text, *cast("list[JsonValue]", parts)]


async def _chunks(desk: CallDesk, caller: OpenedDeployment, call: Call, *, has_usage: bool) -> AsyncGenerator[Event]:
    status = await desk.wait(caller, call.id, None)
    if status.view.failure is not None:
        yield Event("", _error(status.view.failure, call))
        return
    for delta, reason in (
        ({"role": "assistant", "content": ""}, None),
        ({"content": _said(status.view)}, None),
        ({}, "stop"),
    ):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        yield Event("", {**_head(caller, call, "chat.completion.chunk"), "choices": [choice]})
    if has_usage:
        yield Event("", {**_head(caller, call, "chat.completion.chunk"), "choices": [], "usage": _usage(status)})
    yield DONE


def _completion(caller: OpenedDeployment, status: CallStatus) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": _said(status.view), "refusal": None}
    choice: JsonObject = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {**_head(caller, status.call, "chat.completion"), "choices": [choice], "usage": _usage(status)}


def _head(caller: OpenedDeployment, call: Call, kind: str) -> JsonObject:
    created = int(call.at.timestamp())
    return {"id": f"chatcmpl-{call.id}", "object": kind, "created": created, "model": caller.deployment.name}


def _said(view: CallView) -> str:
    """The answer; where the team asks something, with its question. The next message is then the answer to it."""
    question = view.question.prompt.strip() if view.question else ""
    return "\n\n".join(text for text in (view.answer, question) if text)


def _usage(status: CallStatus) -> JsonObject:
    prompt, completion = status.usage.prompt_tokens, status.usage.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _model(caller: OpenedDeployment) -> JsonObject:
    created = int(caller.deployment.created_at.timestamp())
    return {"id": caller.deployment.name, "object": "model", "created": created, "owned_by": "team-studio"}


def _error(failure: Failure, call: Call) -> JsonObject:
    details = {"code": failure.code, "message": f"{failure.message} Call {call.id}.", "fix": "", "where": ""}
    return {"error": {**details, "type": "server_error", "param": None}}


def _failed(failure: Failure, call: Call, status: int = 0) -> Response:
    """The clients try again by themselves, unless they are told not to; a call that goes on is joined."""
    headers = {"Retry-After": "5"} if status else {"x-should-retry": "false"}
    return AsciiJSONResponse(_error(failure, call), status or STATUS.get(failure.code, 409), headers)
