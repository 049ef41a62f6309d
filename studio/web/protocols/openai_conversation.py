"""What OpenAI's protocols have in common: how a conversation comes in, and which call answers it.

A conversation is named by its client, or recognized by what was said: where that is what a thread of this key has said
so far, the thread goes on. Another history begins a new thread, with it as the task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, cast

from fastapi import Response
from pydantic import Field, JsonValue

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.deployments import CallView, Failure
from studio.errors import ConfigError, NotFound
from studio.services.calls import Answering, CallDesk, CallRequest, CallStatus, digest, words_of
from studio.store.deployment_tables import Call
from studio.store.deployments import OpenedDeployment
from studio.web.requests import AsciiJSONResponse

WAIT_S = 590.0
"""Shorter than the clients' own timeout of 600 s. After it they try again, and join the call."""
RETRIED_WITHIN = timedelta(hours=1)
STATUS = {"budget_exceeded": 429, "run_failed": 502, "not_begun": 502}
"""Of failures; 409 for the others. None of them gets better by trying again."""
STILL_RUNNING = Failure(code="still_running", message="The call has no answer yet.")


class UnsupportedParameter(ConfigError):
    """Raised for what would change the meaning of a request, and cannot be done."""

    code = "unsupported_parameter"


class ModelNotFound(NotFound):
    """The model is not the name of the deployment."""

    code = "model_not_found"


class ImageUrl(DeferredModel):
    url: str


class Part(DeferredModel):
    """Text, or a picture as a data URL."""

    type: Literal["text", "image_url"]
    text: str = ""
    image_url: ImageUrl | None = None


class ChatMessageIn(DeferredModel):
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
        return words_of(self.parts)


@dataclass(frozen=True)
class Conversation:
    """What a client sends: messages, the last of them new, and where they belong.

    Args:
        protocol: By which it came.
        messages: At least one.
        thread: The client's name for it; "" where it is recognized.
        previous: ID of the call that it goes on from; "" without one.
        idempotency_key: The same request with the same key is the same call.
        address: Where it came from.
        is_retry: Whether the client has sent it before.
    """

    protocol: str
    messages: Sequence[ChatMessageIn]
    thread: str = ""
    previous: str = ""
    idempotency_key: str = ""
    address: str = ""
    is_retry: bool = False

    @property
    def said(self) -> str:
        """Hash of what was said. Where it is said to something, nothing is recognized by it later."""
        messages: JsonValue = [[message.role, message.parts] for message in self.messages]
        return digest([self.protocol, self.previous, messages] if self.previous else messages)


def check_model(model: str, deployment: str) -> None:
    """Raises: ModelNotFound."""
    if model != deployment:
        raise ModelNotFound(f"There is no model {model!r} here.", fix=f"Use {deployment!r}.", where="/model")


def check_unsupported(asked: dict[str, object]) -> None:
    """Raises: UnsupportedParameter for the first that is asked for."""
    for name in (name for name, value in asked.items() if value):
        raise UnsupportedParameter(f"A deployment takes no `{name}`.", fix="Leave it out.", where=f"/{name}")


def check_messages(messages: Sequence[ChatMessageIn], where: str) -> None:
    """Raises: UnsupportedParameter: A role is none of a conversation, or the last message is not the user's."""
    for index, message in enumerate(messages):
        if message.role not in ("user", "assistant"):
            raise UnsupportedParameter(
                f"A deployment takes no messages with the role {message.role!r}.",
                fix="Leave them out: the team has its own instructions.",
                where=f"/{where}/{index}/role",
            )
    if messages[-1].role != "user":
        raise UnsupportedParameter(
            "The last message must be one of the user.", where=f"/{where}/{len(messages) - 1}/role"
        )


async def call_answering(given: Conversation, desk: CallDesk, caller: OpenedDeployment) -> Answering:
    """The call that answers: begun now, or one that waits for this answer, or that is tried again.

    Raises:
        CallNotFound: The key has no call `previous`.
        InvalidTask, CallRefused, Conflict: As for `CallDesk.begin`.
    """
    *history, last = given.messages
    request = CallRequest(last.parts, given.protocol, given.thread, given.idempotency_key, given.said, given.address)
    if given.is_retry and not given.idempotency_key:
        since = datetime.now(UTC) - RETRIED_WITHIN
        if earlier := await desk.store.calls.newest_like(caller.key.id, request.said_hash, given.protocol, since):
            return Answering(earlier)
    if given.thread:
        return await desk.speak(caller, request)
    before = await _before(given, desk, caller, history)
    if before is None:
        task = _transcript(given.messages) if history else last.parts
        return Answering(await desk.begin(caller, replace(request, task=task)))
    question = before.view.question
    if question is not None and question.to == "caller":
        await desk.answer(caller, before.call.id, question.id, last.text)
        return Answering(before.call, before.view.last_seq)
    if await desk.store.calls.is_last(before.call):
        return Answering(await desk.begin(caller, replace(request, thread=before.call.thread)))
    return Answering(await desk.begin(caller, replace(request, branches_from=before.call.id)))


async def _before(
    given: Conversation, desk: CallDesk, caller: OpenedDeployment, history: Sequence[ChatMessageIn]
) -> CallStatus | None:
    """The call that the conversation goes on from."""
    if given.previous:
        return await desk.status(caller, given.previous)
    return await _recognized(desk, caller, history) if history else None


async def _recognized(desk: CallDesk, caller: OpenedDeployment, history: Sequence[ChatMessageIn]) -> CallStatus | None:
    """The call whose conversation and answer this history is, where its thread has not gone on since."""
    *earlier, answer = history
    said: JsonValue = [[message.role, message.parts] for message in earlier]
    for call in await desk.store.calls.thread_ends(caller.key.id, digest(said)):
        status = await desk.status(caller, call.id)
        if answer.role == "assistant" and status.has_answer and answer.text == said_by(status.view):
            return status
    return None


def _transcript(messages: Sequence[ChatMessageIn]) -> JsonValue:
    """A conversation that the team has not seen, as the task; pictures only of its last message."""
    *earlier, last = messages
    text = "\n\n".join(f"{message.role}: {message.text}" for message in earlier)
    parts = last.parts
    return f"{text}\n\nuser: {parts}" if isinstance(parts, str) else [text, *cast("list[JsonValue]", parts)]


def said_by(view: CallView) -> str:
    """The answer; where the team asks something, with its question. The next message is then the answer to it."""
    question = view.question.prompt.strip() if view.question else ""
    return "\n\n".join(text for text in (view.answer, question) if text)


def error_body(failure: Failure, call: Call) -> JsonObject:
    details = {"code": failure.code, "message": f"{failure.message} Call {call.id}.", "fix": "", "where": ""}
    return {"error": {**details, "type": "server_error", "param": None}}


def failed(failure: Failure, call: Call, status: int = 0) -> Response:
    """The clients try again by themselves, unless they are told not to; a call that goes on is joined."""
    headers = {"Retry-After": "5"} if status else {"x-should-retry": "false"}
    return AsciiJSONResponse(error_body(failure, call), status or STATUS.get(failure.code, 409), headers)
