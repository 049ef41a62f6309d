"""OpenAI's Chat Completions and `/models`: any client of theirs calls a deployment, whose name is the model.

These clients send the whole conversation with each request. `openai_conversation` finds the thread that it is.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.services.calls import Answering, CallDesk, CallStatus
from studio.store.deployment_tables import Call
from studio.store.deployments import OpenedDeployment
from studio.store.json_text import JsonText
from studio.web.dependencies import CallDeskDep, CallerDep, ClosingDep
from studio.web.protocols.openai_conversation import (
    STILL_RUNNING,
    WAIT_S,
    ChatMessageIn,
    Conversation,
    ModelNotFound,
    call_answering,
    check_messages,
    check_model,
    check_unsupported,
    error_body,
    failed,
    said_by,
)
from studio.web.protocols.rest import ThreadName
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/d/{deployment}/v1", include_in_schema=False)
PROTOCOL = "openai-chat"
MAX_MESSAGES = 2_000
DONE = Event("", JsonText("[DONE]"))


class StreamOptions(DeferredModel):
    include_usage: bool = False


class Metadata(DeferredModel):
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
        check_model(self.model, deployment)
        asked: dict[str, object] = {
            "tools": self.tools,
            "functions": self.functions,
            "logprobs": self.logprobs,
            "audio": self.audio,
            "n": self.n not in (None, 1),
            "response_format": (self.response_format or {}).get("type", "text") != "text",
        }
        check_unsupported(asked)
        check_messages(self.messages, "messages")


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
    conversation = Conversation(
        PROTOCOL,
        body.messages,
        thread=(body.metadata.thread if body.metadata else None) or "",
        idempotency_key=idempotency_key,
        address=address,
        is_retry=x_stainless_retry_count not in ("", "0"),
    )
    found = await call_answering(conversation, desk, caller)
    if body.stream:
        has_usage = body.stream_options is not None and body.stream_options.include_usage
        opening = f": {found.call.id}\n\n".encode()
        return EventStream(_chunks(desk, caller, found, has_usage=has_usage), closing, opening=opening)
    status = await desk.wait(caller, found.call.id, WAIT_S, after=found.after)
    if status.view.failure is not None:
        return failed(status.view.failure, found.call)
    if not status.has_answer:
        return failed(STILL_RUNNING, found.call, 503)
    return AsciiJSONResponse(_completion(caller, status))


async def _chunks(
    desk: CallDesk, caller: OpenedDeployment, found: Answering, *, has_usage: bool
) -> AsyncGenerator[Event]:
    call = found.call
    status = await desk.wait(caller, call.id, None, after=found.after)
    if status.view.failure is not None:
        yield Event("", error_body(status.view.failure, call))
        return
    for delta, reason in (
        ({"role": "assistant", "content": ""}, None),
        ({"content": said_by(status.view)}, None),
        ({}, "stop"),
    ):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        yield Event("", {**_head(caller, call, "chat.completion.chunk"), "choices": [choice]})
    if has_usage:
        yield Event("", {**_head(caller, call, "chat.completion.chunk"), "choices": [], "usage": _usage(status)})
    yield DONE


def _completion(caller: OpenedDeployment, status: CallStatus) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": said_by(status.view), "refusal": None}
    choice: JsonObject = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {**_head(caller, status.call, "chat.completion"), "choices": [choice], "usage": _usage(status)}


def _head(caller: OpenedDeployment, call: Call, kind: str) -> JsonObject:
    created = int(call.at.timestamp())
    return {"id": f"chatcmpl-{call.id}", "object": kind, "created": created, "model": caller.deployment.name}


def _usage(status: CallStatus) -> JsonObject:
    prompt, completion = status.usage.prompt_tokens, status.usage.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _model(caller: OpenedDeployment) -> JsonObject:
    created = int(caller.deployment.created_at.timestamp())
    return {"id": caller.deployment.name, "object": "model", "created": created, "owned_by": "team-studio"}
