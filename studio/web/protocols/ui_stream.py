"""The UI message stream of Vercel's AI SDK, version 1, which `useChat` speaks: a chat is a thread of calls.

Of the messages that a client sends only the last one counts, since the team remembers the others; where the team asks
its caller something, it is the answer. The stream follows from the log of the call alone, so a client that lost it gets
it whole again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.deployments import CallEvent
from studio.errors import ConfigError
from studio.services.calls import Answering, CallDesk, CallRequest, CallStatus
from studio.store.deployments import OpenedDeployment
from studio.store.json_text import JsonText
from studio.web.dependencies import CallDeskDep, CallerDep, ClosingDep
from studio.web.protocols.answer_stream import answer_stream, is_called_off
from studio.web.protocols.openai_conversation import UnsupportedParameter, said_by
from studio.web.protocols.rest import FOR_OPERATOR, ThreadName
from studio.web.router import StudioRouter
from studio.web.sse import Event

router = StudioRouter(prefix="/d/{deployment}", include_in_schema=False)
PROTOCOL = "ai-sdk"
VERSION = {"x-vercel-ai-ui-message-stream": "v1"}
MAX_MESSAGES = 2_000
DONE = Event("", JsonText("[DONE]"))
CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")


class TextPart(DeferredModel):
    type: Literal["text"]
    text: str

    @property
    def part(self) -> str:
        return self.text


class FilePart(DeferredModel):
    """A picture that came along as a data URL. One at an address is not taken: nothing is fetched for a caller."""

    type: Literal["file"]
    url: Annotated[str, Field(pattern=r"^data:image/")]

    @property
    def part(self) -> JsonObject:
        return {"image": self.url}


class UserMessage(DeferredModel):
    """The message that counts."""

    id: Annotated[str, Field(max_length=200)] = ""
    role: Literal["user"]
    parts: Annotated[
        list[Annotated[TextPart | FilePart, Field(discriminator="type")]], Field(min_length=1, max_length=100)
    ]

    @property
    def task(self) -> JsonValue:
        parts: list[JsonValue] = [each.part for each in self.parts]
        return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else parts


class ChatInput(BaseModel):
    """What a client sends."""

    model_config = CAMEL

    id: ThreadName
    messages: Annotated[list[JsonValue], Field(max_length=MAX_MESSAGES)]
    trigger: Annotated[str, Field(max_length=100)] = "submit-message"

    @property
    def message(self) -> UserMessage:
        """The last message.

        Raises:
            UnsupportedParameter: An answer is to be made once more.
            ConfigError: It is none of a user, or holds something else than text and pictures.
        """
        if self.trigger != "submit-message":
            raise UnsupportedParameter(
                f"A deployment takes no {self.trigger!r}.", fix="Send a new message.", where="/trigger"
            )
        last = len(self.messages) - 1
        try:
            return UserMessage.model_validate(self.messages[last] if self.messages else None)
        except ValidationError as error:
            raise ConfigError(
                "The last message must be one of the user, of text and of pictures as data.",
                where=f"/messages/{max(last, 0)}",
            ) from error


@dataclass(frozen=True)
class MessageParts:
    """An answer as the parts of one message; it begins behind the question that the call had asked before, if any."""

    found: Answering

    def begin(self) -> Event:
        call, after = self.found
        return _part("start", messageId=f"{call.id}-{after}", messageMetadata={"call": call.id, "thread": call.thread})

    def message(self, event: CallEvent) -> Sequence[Event]:
        """What an agent said on the way."""
        return self._text("reasoning", str(event.seq), f"{event.source}: {event.text}")

    def for_operator(self) -> Event:
        return _part("data-waiting", data={"to": "operator", "message": FOR_OPERATOR}, transient=True)

    def end(self, status: CallStatus) -> Sequence[Event]:
        """The answer so far, with the question that the next message answers, or how the call failed."""
        view, usage = status.view, status.usage
        if view.failure is None:
            question = view.question
            asked: list[Event] = []
            if question is not None:
                choices: JsonObject = {"choices": [*question.choices], "answerSchema": question.answer_schema}
                asked = [_part("data-question", id=question.id, data=choices)]
            tokens: JsonObject = {"inputTokens": usage.prompt_tokens, "outputTokens": usage.completion_tokens}
            said = self._text("text", "answer", said_by(view))
            return [*said, *asked, _part("finish", finishReason="stop", messageMetadata={"usage": tokens}), DONE]
        if is_called_off(view):
            return [_part("abort", reason=view.failure.message), DONE]
        return [_part("error", errorText=f"{view.failure.message} Call {self.found.call.id}."), DONE]

    def _text(self, kind: str, part_id: str, text: str) -> Sequence[Event]:
        if not text:
            return []
        return [
            _part(f"{kind}-start", id=part_id),
            _part(f"{kind}-delta", id=part_id, delta=text),
            _part(f"{kind}-end", id=part_id),
        ]


def _part(kind: str, **data: JsonValue) -> Event:
    return Event("", {"type": kind, **data})


@router.post("/ui", summary="Answer a chat of the AI SDK")
async def answer_chat(
    body: ChatInput, request: Request, desk: CallDeskDep, caller: CallerDep, closing: ClosingDep
) -> Response:
    """The same message of the same chat is the same call. What is refused has a status, before the stream begins."""
    message = body.message
    key = f"{PROTOCOL}:{body.id}:{message.id}" if message.id else ""
    address = request.client.host if request.client else ""
    wanted = CallRequest(message.task, PROTOCOL, body.id, key, address=address)
    return _stream(desk, caller, closing, await desk.speak(caller, wanted))


@router.get("/ui/{thread}/stream", summary="Follow the answer that is under way in a chat; 204 where there is none")
async def follow_chat(thread: ThreadName, desk: CallDeskDep, caller: CallerDep, closing: ClosingDep) -> Response:
    call = await desk.store.calls.last_of(caller.key.id, thread)
    if call is None or (await desk.status(caller, call.id)).has_answer:
        return Response(status_code=204, headers=VERSION)
    return _stream(desk, caller, closing, Answering(call, await _answered(desk, caller, call.id)))


@router.delete("/ui/{thread}/stream", status_code=204, summary="Stop the answer that is under way in a chat")
async def stop_chat(thread: ThreadName, desk: CallDeskDep, caller: CallerDep) -> None:
    """Where there is none, nothing changes: a question waits for its answer. Readers of the answer see it aborted."""
    call = await desk.store.calls.last_of(caller.key.id, thread)
    if call is not None and not (await desk.status(caller, call.id)).has_answer:
        await desk.cancel(caller, call.id)


def _stream(desk: CallDesk, caller: OpenedDeployment, closing: ClosingDep, found: Answering) -> Response:
    stream = answer_stream(desk, caller, closing, MessageParts(found))
    stream.headers.update(VERSION)
    return stream


async def _answered(desk: CallDesk, caller: OpenedDeployment, call_id: str) -> int:
    """The entry with the last question to the caller of a call; 0 without one."""
    seq = 0
    async with aclosing(desk.read(caller, call_id)) as events:
        async for event, view in events:
            if event.name == "waiting" and view.question is not None and view.question.to == "caller":
                seq = event.seq
    return seq
