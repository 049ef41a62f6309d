"""AG-UI 1.0: a run of the protocol is a call, told as events from its log; an interrupt is a question to the caller.

The events of a call follow from its log alone, so a request that is sent again gives the same stream. Of the messages
that a client sends only the last one counts: the team remembers the others, whatever the client says of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.deployments import CallEvent, CallNotFound
from studio.deployments.view import Question
from studio.errors import ConfigError, Conflict
from studio.services.calls import Answering, CallDesk, CallRequest, CallStatus
from studio.store.deployments import OpenedDeployment
from studio.web.dependencies import CallDeskDep, CallerDep, ClosingDep
from studio.web.protocols.answer_stream import answer_stream, is_called_off
from studio.web.protocols.openai_conversation import UnsupportedParameter, check_unsupported
from studio.web.protocols.rest import FOR_OPERATOR, ThreadName
from studio.web.router import StudioRouter
from studio.web.sse import Event

router = StudioRouter(prefix="/d/{deployment}", include_in_schema=False)
PROTOCOL = "ag-ui"
VERSION = "1.0"
CALL = "team-studio/call"
"""In the metadata of the first event: the ID of the call."""
WAITING = "studio.waiting"
ANSWER = "answer"
MAX_MESSAGES = 2_000
_VERSION = re.compile(r"1(\.[0-9]{1,4}){0,2}")
CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")


class Source(DeferredModel):
    model_config = CAMEL

    type: Literal["data"]
    value: str
    mime_type: str


class TextPart(DeferredModel):
    type: Literal["text"]
    text: str

    @property
    def part(self) -> str:
        return self.text


class ImagePart(DeferredModel):
    """A picture that came along. One at an address is not taken: nothing is fetched for a caller."""

    type: Literal["image"]
    source: Source

    @property
    def part(self) -> JsonObject:
        return {"image": f"data:{self.source.mime_type};base64,{self.source.value}"}


class UserMessage(DeferredModel):
    """The message that counts."""

    role: Literal["user"]
    content: str | Annotated[list[TextPart | ImagePart], Field(min_length=1, max_length=100)]

    @property
    def task(self) -> JsonValue:
        return self.content if isinstance(self.content, str) else [each.part for each in self.content]


class ResumeEntry(DeferredModel):
    """What the person of a client did about an interrupt."""

    model_config = CAMEL

    interrupt_id: Annotated[str, Field(max_length=200)]
    status: Literal["resolved", "cancelled"]
    payload: JsonValue = None

    def text(self, question: Question) -> str:
        """The answer, as the call takes it."""
        payload = self.payload
        if question.answer_schema is None and isinstance(payload, dict) and set(payload) == {ANSWER}:
            payload = payload[ANSWER]
        return payload if isinstance(payload, str) else json.dumps(payload)


class RunInput(BaseModel):
    """What a client sends. What would change how a team works is refused: it has its own tools and its own state."""

    model_config = CAMEL

    thread_id: ThreadName
    run_id: Annotated[str, Field(min_length=1, max_length=200)]
    protocol_version: str | None = None
    messages: Annotated[list[JsonValue], Field(max_length=MAX_MESSAGES)] = []
    tools: list[JsonValue] | None = None
    context: list[JsonValue] | None = None
    state: JsonValue = None
    resume: Annotated[list[ResumeEntry], Field(max_length=1)] | None = None

    @property
    def task(self) -> JsonValue:
        """The last message.

        Raises:
            ConfigError: It is none of a user, or holds something else than text and pictures.
        """
        last = len(self.messages) - 1
        try:
            return UserMessage.model_validate(self.messages[last] if self.messages else None).task
        except ValidationError as error:
            raise ConfigError(
                "The last message must be one of the user, of text and of pictures as data.",
                where=f"/messages/{max(last, 0)}",
            ) from error

    def check(self) -> None:
        """Raises: UnsupportedParameter."""
        check_unsupported({"tools": self.tools, "context": self.context, "state": self.state})
        if self.protocol_version is not None and not _VERSION.fullmatch(self.protocol_version):
            raise UnsupportedParameter(f"Only AG-UI {VERSION} is spoken here.", where="/protocolVersion")


@dataclass(frozen=True)
class RunLog:
    """A run of the protocol as its events.

    Args:
        asked: What the client sent.
        found: The call, and where in it the run begins.
    """

    asked: RunInput
    found: Answering

    def begin(self) -> Event:
        return self._event("RUN_STARTED", **self._place, protocolVersion=VERSION, metadata={CALL: self.found.call.id})

    def message(self, event: CallEvent) -> Sequence[Event]:
        """What an agent said on the way: a turn of a subagent."""
        turn = f"{self.found.call.id}-{event.seq}"
        of_turn: JsonObject = {"subagentRunId": turn}
        return [
            self._event("SUBAGENT_STARTED", **of_turn, name=event.source),
            *self._text(f"{turn}-text", event.text, name=event.source, **of_turn),
            self._event("SUBAGENT_FINISHED", **of_turn, outcome={"type": "success"}),
        ]

    def for_operator(self) -> Event:
        return self._event("CUSTOM", name=WAITING, value={"to": "operator", "message": FOR_OPERATOR})

    def end(self, status: CallStatus) -> Sequence[Event]:
        """The answer so far, and how the run came out."""
        view, call = status.view, self.found.call
        usage: list[JsonValue] = [
            {
                "inputTokens": status.usage.prompt_tokens,
                "outputTokens": status.usage.completion_tokens,
                "totalTokens": status.usage.prompt_tokens + status.usage.completion_tokens,
            }
        ]
        said = self._text(f"{call.id}-{view.last_seq}-{ANSWER}", view.answer)
        if view.question is not None and view.question.to == "caller":
            outcome: JsonObject = {"type": "interrupt", "interrupts": [_interrupt(view.question)]}
            return [*said, self._event("RUN_FINISHED", **self._place, outcome=outcome, usage=usage)]
        if view.failure is None:
            return [*said, self._event("RUN_FINISHED", **self._place, outcome={"type": "success"}, usage=usage)]
        if is_called_off(view):
            return [self._event("RUN_FINISHED", **self._place, outcome={"type": "cancelled"}, usage=usage)]
        text = f"{view.failure.message} Call {call.id}."
        return [self._event("RUN_ERROR", message=text, code=view.failure.code, usage=usage)]

    @property
    def _place(self) -> JsonObject:
        return {"threadId": self.asked.thread_id, "runId": self.asked.run_id}

    def _text(self, message_id: str, text: str, **more: JsonValue) -> Sequence[Event]:
        attributed: JsonObject = {name: value for name, value in more.items() if name != "name"}
        if not text:
            return []
        return [
            self._event("TEXT_MESSAGE_START", messageId=message_id, role="assistant", **more),
            self._event("TEXT_MESSAGE_CONTENT", messageId=message_id, delta=text, **attributed),
            self._event("TEXT_MESSAGE_END", messageId=message_id, **attributed),
        ]

    def _event(self, kind: str, **data: JsonValue) -> Event:
        return Event("", {"type": kind, **data})


@router.post("/agui", summary="Run the team by AG-UI")
async def run_by_agui(
    body: RunInput, request: Request, desk: CallDeskDep, caller: CallerDep, closing: ClosingDep
) -> Response:
    """What is refused has a status, as by the studio's own protocol; what fails later is `RUN_ERROR`."""
    body.check()
    address = request.client.host if request.client else ""
    if body.resume:
        found = await _resumed(desk, caller, body.thread_id, body.resume[0])
    else:
        key = f"{PROTOCOL}:{body.run_id}"
        wanted = CallRequest(body.task, PROTOCOL, body.thread_id, key, address=address)
        found = Answering(await desk.begin(caller, wanted))
    return answer_stream(desk, caller, closing, RunLog(body, found))


async def _resumed(desk: CallDesk, caller: OpenedDeployment, thread: str, entry: ResumeEntry) -> Answering:
    """The last call of a thread, behind the question that a client comes back to; one that is answered stays so.

    Raises:
        CallNotFound: The thread has no call.
        Conflict: The call did not ask this.
        ConfigError: The answer does not fit the form of the question.
    """
    call = await desk.store.calls.last_of(caller.key.id, thread)
    if call is None:
        raise CallNotFound
    seq, question = 0, None
    async with aclosing(desk.read(caller, call.id)) as events:
        async for event, view in events:
            question = view.question
            if event.name == "waiting" and question is not None and question.id == entry.interrupt_id:
                seq = event.seq
    if not seq:
        raise Conflict("There is no such interrupt in this thread.", fix="Read the thread again.")
    if question is not None and question.id == entry.interrupt_id:
        if entry.status == "cancelled":
            await desk.cancel(caller, call.id)
        else:
            await desk.answer(caller, call.id, question.id, entry.text(question))
    return Answering(call, seq)


def _interrupt(question: Question) -> JsonObject:
    """A question to the caller, with what its answer must look like."""
    schema: JsonObject = {"type": "string"}
    if question.choices and all(isinstance(choice, str) for choice in question.choices):
        schema["enum"] = [*question.choices]
    return {
        "id": question.id,
        "reason": "input_required",
        "message": question.prompt or "The team asks for your input.",
        "responseSchema": question.answer_schema or schema,
    }
