"""What a client of A2A asks for, and what answers it, whichever binding of the protocol it speaks.

`a2a.py` speaks JSON-RPC and `a2a_rest.py` plain HTTP: both read a request, ask an `Exchange`, and write its answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal, NamedTuple, cast

from fastapi import Depends, Request
from pydantic import ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.deployments import CallNotFound, CallView, ThreadBusy
from studio.errors import ConfigError, Conflict, InvalidDocument
from studio.services.calls import Answering, CallDesk, CallRequest, CallStatus
from studio.store.deployments import OpenedDeployment
from studio.web.dependencies import CallDeskDep, CallerDep
from studio.web.protocols.a2a_tasks import IMAGE_TYPES, Opened, a2a_task, begun, since, state_of, updates
from studio.web.protocols.rest import MAX_WAIT_S, ThreadName

PROTOCOL = "a2a"
MAX_PAGE = 100
PAGE = 50
CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")
_VERSION = re.compile(r"1\.0(\.[0-9]{1,4})?")


class ErrorKind(NamedTuple):
    """How the bindings of the protocol call one error."""

    code: int
    """Of JSON-RPC."""
    reason: str
    http_status: int
    status: str
    """Of gRPC, which stands in errors over plain HTTP."""


class A2AError(Exception):
    """A refusal in the terms of the protocol.

    Args:
        kind: Which of its errors.
        message: One sentence for the caller.
    """

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message

    @property
    def info(self) -> JsonObject:
        """What programs tell errors by."""
        return {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": self.kind.reason,
            "domain": "a2a-protocol.org",
            "metadata": {},
        }


INVALID = "INVALID_ARGUMENT"
PARSE_ERROR = ErrorKind(-32700, "JSON_PARSE_ERROR", 400, INVALID)
INVALID_REQUEST = ErrorKind(-32600, "INVALID_REQUEST", 400, INVALID)
METHOD_NOT_FOUND = ErrorKind(-32601, "METHOD_NOT_FOUND", 404, "UNIMPLEMENTED")
INVALID_PARAMS = ErrorKind(-32602, "INVALID_PARAMS", 400, INVALID)
TASK_NOT_FOUND = ErrorKind(-32001, "TASK_NOT_FOUND", 404, "NOT_FOUND")
NOT_CANCELABLE = ErrorKind(-32002, "TASK_NOT_CANCELABLE", 409, "FAILED_PRECONDITION")
NO_PUSH = ErrorKind(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", 400, "UNIMPLEMENTED")
UNSUPPORTED = ErrorKind(-32004, "UNSUPPORTED_OPERATION", 400, "UNIMPLEMENTED")
CONTENT_TYPE = ErrorKind(-32005, "CONTENT_TYPE_NOT_SUPPORTED", 415, INVALID)
WRONG_VERSION = ErrorKind(-32009, "VERSION_NOT_SUPPORTED", 400, "UNIMPLEMENTED")


class Params(DeferredModel):
    """What a request brings, in ProtoJSON: null stands for what was left out, and unknown fields are ignored."""

    model_config = CAMEL

    @model_validator(mode="before")
    @classmethod
    def _leave_out(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        fields = cast("dict[str, object]", given)
        return {name: value for name, value in fields.items() if value is not None}


class PartIn(Params):
    """Text, a picture or JSON. A file at an address is not taken: nothing is fetched for a caller."""

    text: str | None = None
    raw: str | None = None
    url: str | None = None
    data: JsonValue = None
    media_type: str = ""

    @property
    def part(self) -> str | JsonObject:
        """As a task has it.

        Raises:
            A2AError: It is of another kind.
        """
        if self.text is not None:
            return self.text
        if self.data is not None:
            return json.dumps(self.data)
        if self.raw is not None and self.media_type in IMAGE_TYPES:
            encoded = self.raw.replace("-", "+").replace("_", "/")
            return {"image": f"data:{self.media_type};base64,{encoded}"}
        raise A2AError(CONTENT_TYPE, "A part must be text, JSON, or a picture as PNG, JPEG, GIF or WebP.")


class MessageIn(Params):
    message_id: Annotated[str, Field(min_length=1, max_length=255)]
    context_id: ThreadName | Literal[""] = ""
    task_id: Annotated[str, Field(max_length=100)] = ""
    role: Literal["ROLE_USER"]
    parts: Annotated[list[PartIn], Field(min_length=1, max_length=100)]

    @property
    def task(self) -> JsonValue:
        """What the message says: text where it is no more than that."""
        parts = [each.part for each in self.parts]
        texts = [part for part in parts if isinstance(part, str)]
        return "\n".join(texts) if len(texts) == len(parts) else cast("JsonValue", parts)


class Configuration(Params):
    history_length: Annotated[int, Field(ge=0)] | None = None
    return_immediately: bool = False
    task_push_notification_config: JsonObject | None = None


class SendMessage(Params):
    message: MessageIn
    configuration: Configuration = Field(default_factory=Configuration)


class TaskParams(Params):
    id: Annotated[str, Field(min_length=1, max_length=100)]
    history_length: Annotated[int, Field(ge=0)] | None = None


class ListParams(Params):
    context_id: ThreadName | Literal[""] = ""
    status: Annotated[str, Field(pattern="^TASK_STATE_[A-Z_]+$", max_length=40)] | None = None
    page_size: Annotated[int, Field(ge=1, le=MAX_PAGE)] = PAGE
    page_token: Annotated[str, Field(max_length=100)] = ""
    history_length: Annotated[int, Field(ge=0)] = 0
    status_timestamp_after: datetime | None = None
    include_artifacts: bool = False


@dataclass(frozen=True)
class Exchange:
    """One request and who sent it; each method answers one of the protocol.

    Args:
        desk: The calls.
        by: The key that asks.
        address: Where it came from.
    """

    desk: CallDesk
    by: OpenedDeployment
    address: str

    async def send(self, given: JsonValue) -> JsonObject:
        """Answer a message with its task, once that has ended or asks something, or takes longer than one may wait."""
        asked = SendMessage.model_validate(given)
        found = await self.spoken(asked)
        status = since(found, await self.desk.status(self.by, found.call.id))
        if not asked.configuration.return_immediately:
            status = await self._waited(found, status)
        return {"task": await self._task(status, asked.configuration.history_length)}

    async def spoken(self, asked: SendMessage) -> Answering:
        """The call that a message begins, continues or answers; the same message with the same ID begins one call."""
        if asked.configuration.task_push_notification_config is not None:
            raise A2AError(NO_PUSH, "A deployment takes no push notification configs. Its owner sets up webhooks.")
        message = asked.message
        if message.task_id:
            return await self._answered(message)
        key = f"{PROTOCOL}:{message.message_id}"
        request = CallRequest(message.task, PROTOCOL, message.context_id, key, address=self.address)
        return await self.desk.speak(self.by, request)

    async def _answered(self, message: MessageIn) -> Answering:
        """The task whose question a message answers; one that asks nothing takes no message."""
        status = await self.desk.status(self.by, message.task_id)
        if message.context_id not in ("", status.call.thread):
            raise A2AError(INVALID_PARAMS, "The task belongs to another context.")
        question, task = status.view.question, message.task
        if question is None or question.to != "caller":
            raise A2AError(UNSUPPORTED, "This task does not wait for a message. Send one in its context instead.")
        if not isinstance(task, str):
            raise A2AError(CONTENT_TYPE, "An answer must be text or JSON.")
        await self.desk.answer(self.by, status.call.id, question.id, task)
        return Answering(status.call, status.view.last_seq)

    async def _waited(self, found: Answering, status: CallStatus) -> CallStatus:
        """The call when it has an answer or waits for a person, or after the time that clients may be kept waiting."""
        if _rests(status.view):
            return status
        after = max(found.after, status.view.last_seq)
        return since(found, await self.desk.wait(self.by, found.call.id, MAX_WAIT_S, after=after, until=_rests))

    async def stream(self, given: JsonValue) -> Opened:
        return begun(self.by, await self.spoken(SendMessage.model_validate(given)))

    async def subscribe(self, given: JsonValue) -> Opened:
        """A task that has not ended, as it is now, and what follows to its end, also where it asks its caller."""
        status = await self.desk.status(self.by, TaskParams.model_validate(given).id)
        if status.view.state.is_final:
            raise A2AError(UNSUPPORTED, "The task has ended. Read it with GetTask.")
        said = await self.desk.words_of_caller(self.by, status.call)
        return Opened(status, status.view.last_seq, said, to_end=True)

    async def get(self, given: JsonValue) -> JsonObject:
        asked = TaskParams.model_validate(given)
        return await self._task(await self.desk.status(self.by, asked.id), asked.history_length)

    async def cancel(self, given: JsonValue) -> JsonObject:
        task_id = TaskParams.model_validate(given).id
        if (await self.desk.status(self.by, task_id)).view.state.is_final:
            raise A2AError(NOT_CANCELABLE, "The task has ended.")
        return await self._task(await self.desk.cancel(self.by, task_id))

    async def list(self, given: JsonValue) -> JsonObject:
        """The tasks of a key, the newest first; a filter leaves out tasks of a page and does not fill it up."""
        asked = ListParams.model_validate(given)
        since = asked.status_timestamp_after
        since = since.replace(tzinfo=UTC) if since is not None and since.tzinfo is None else since
        try:
            page = await self.desk.page(self.by, asked.context_id, asked.page_token, limit=asked.page_size)
        except CallNotFound as error:
            raise A2AError(INVALID_PARAMS, "Invalid pageToken.") from error
        shown: list[JsonValue] = [
            await self._task(each, asked.history_length, artifacts=asked.include_artifacts)
            for each in page.calls
            if asked.status in (None, state_of(each.view))
            and (since is None or (each.view.changed_at or each.call.at) >= since)
        ]
        return {"tasks": shown, "nextPageToken": page.next, "pageSize": asked.page_size, "totalSize": page.total}

    async def _task(self, status: CallStatus, history: int | None = None, *, artifacts: bool = True) -> JsonObject:
        said = await self.desk.words_of_caller(self.by, status.call) if history != 0 else ()
        return a2a_task(status, said, history=history, artifacts=artifacts)

    async def refuse_push(self, given: JsonValue) -> JsonObject:
        del given
        raise A2AError(NO_PUSH, "A deployment takes no push notification configs. Its owner sets up webhooks.")

    async def refuse_card(self, given: JsonValue) -> JsonObject:
        del given
        raise A2AError(UNSUPPORTED, "There is no extended agent card.")

    async def events(self, opened: Opened) -> AsyncGenerator[JsonObject]:
        """What a stream tells, from where it begins."""
        async with aclosing(updates(self.desk, self.by, opened)) as results:
            async for each in results:
                yield each


def _rests(view: CallView) -> bool:
    """Whether a task waits for a person, whichever, or has ended."""
    return view.has_answer or view.question is not None


async def _exchange(request: Request, desk: CallDeskDep, caller: CallerDep) -> Exchange:
    return Exchange(desk, caller, request.client.host if request.client else "")


ExchangeDep = Annotated[Exchange, Depends(_exchange)]


async def json_of(request: Request) -> JsonValue:
    """The body of a request.

    Raises:
        A2AError: It is no JSON, or does not say that it is.
    """
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise A2AError(CONTENT_TYPE, "Send the request as `application/json`.")
    try:
        return cast("JsonValue", await request.json())
    except InvalidDocument as error:
        raise A2AError(PARSE_ERROR, "The body is not valid JSON.") from error


def check_version(request: Request) -> None:
    """Hold that a request is of the version that is spoken; clients may name it in the address as well.

    Raises:
        A2AError: It is of another one, or names none.
    """
    name = "A2A-Version"
    if not _VERSION.fullmatch(request.headers.get(name) or request.query_params.get(name, "")):
        raise A2AError(WRONG_VERSION, "Send `A2A-Version: 1.0`. No other version is spoken here.")


@contextmanager
def refusing() -> Generator[None]:
    """Turn what refuses a request into an error of the protocol; what passes with time stays as it is.

    Raises:
        A2AError: The request is refused.
    """
    try:
        yield
    except ValidationError as error:
        places = (f"{'.'.join(map(str, each['loc'])) or 'params'}: {each['msg']}" for each in error.errors())
        raise A2AError(INVALID_PARAMS, f"Invalid parameters: {'; '.join(places)}.") from error
    except CallNotFound as error:
        raise A2AError(TASK_NOT_FOUND, "There is no such task.") from error
    except ThreadBusy:
        raise
    except (ConfigError, Conflict) as error:
        raise A2AError(INVALID_PARAMS, " ".join(filter(None, (error.what, error.fix)))) from error
