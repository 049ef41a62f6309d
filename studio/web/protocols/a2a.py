"""A2A 1.0 over JSON-RPC: a task is a call, and a context its thread.

The routes are our own: what the protocol's package has for servers keeps tasks and queues of its own, answers with the
text of any exception, and parses bodies on the loop. Here a task is a call that any server of the studio can tell of.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal, cast

from fastapi import Header, Request, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from studio.components import JsonObject
from studio.deployments import CallNotFound, ThreadBusy
from studio.errors import ConfigError, Conflict, InvalidDocument, NotFound
from studio.services.calls import Answering, CallDesk, CallRequest, CallStatus
from studio.store.deployments import OpenedDeployment
from studio.web.dependencies import CallDeskDep, CallerDep, ClosingDep
from studio.web.protocols.a2a_tasks import IMAGE_TYPES, Opened, a2a_task, begun, card_of, current, state_of, updates
from studio.web.protocols.rest import MAX_WAIT_S, ThreadName
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/d/{deployment}/a2a", include_in_schema=False)
PROTOCOL = "a2a"
MAX_PAGE = 100
PAGE = 50
CARD_S = 60
CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")
RpcId = str | int | None
_VERSION = re.compile(r"1\.0(\.[0-9]{1,4})?")


class A2AError(Exception):
    """A refusal in the terms of the protocol.

    Args:
        kind: Code of JSON-RPC, and the reason that the protocol has for it.
        message: One sentence for the caller.
    """

    def __init__(self, kind: tuple[int, str], message: str) -> None:
        super().__init__(message)
        self.code, self.reason = kind
        self.message = message


PARSE_ERROR = -32700, "JSON_PARSE_ERROR"
INVALID_REQUEST = -32600, "INVALID_REQUEST"
METHOD_NOT_FOUND = -32601, "METHOD_NOT_FOUND"
INVALID_PARAMS = -32602, "INVALID_PARAMS"
TASK_NOT_FOUND = -32001, "TASK_NOT_FOUND"
NOT_CANCELABLE = -32002, "TASK_NOT_CANCELABLE"
NO_PUSH = -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"
UNSUPPORTED = -32004, "UNSUPPORTED_OPERATION"
CONTENT_TYPE = -32005, "CONTENT_TYPE_NOT_SUPPORTED"
WRONG_VERSION = -32009, "VERSION_NOT_SUPPORTED"


class Params(BaseModel):
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
    configuration: Configuration = Configuration()


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
        status = await current(self.desk, self.by, found)
        if not asked.configuration.return_immediately:
            status = await self._waited(found, status)
        return {"task": a2a_task(status, history=asked.configuration.history_length)}

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
        if status.has_answer or status.view.question is not None:
            return status
        after = max(found.after, status.view.last_seq)
        with suppress(TimeoutError, NotFound):
            async with asyncio.timeout(MAX_WAIT_S), aclosing(self.desk.follow(self.by, found.call.id, after)) as events:
                async for _, view in events:
                    if view.has_answer or view.question is not None:
                        break
        return await current(self.desk, self.by, found)

    async def stream(self, given: JsonValue) -> Opened:
        return begun(self.by, await self.spoken(SendMessage.model_validate(given)))

    async def subscribe(self, given: JsonValue) -> Opened:
        """A task that has not ended, as it is now, and what follows."""
        status = await self.desk.status(self.by, TaskParams.model_validate(given).id)
        if status.view.state.is_final:
            raise A2AError(UNSUPPORTED, "The task has ended. Read it with GetTask.")
        return Opened(status, status.view.last_seq)

    async def get(self, given: JsonValue) -> JsonObject:
        asked = TaskParams.model_validate(given)
        return a2a_task(await self.desk.status(self.by, asked.id), history=asked.history_length)

    async def cancel(self, given: JsonValue) -> JsonObject:
        task_id = TaskParams.model_validate(given).id
        if (await self.desk.status(self.by, task_id)).view.state.is_final:
            raise A2AError(NOT_CANCELABLE, "The task has ended.")
        return a2a_task(await self.desk.cancel(self.by, task_id))

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
            a2a_task(each, history=asked.history_length, artifacts=asked.include_artifacts)
            for each in page.calls
            if asked.status in (None, state_of(each.view))
            and (since is None or (each.view.changed_at or each.call.at) >= since)
        ]
        return {"tasks": shown, "nextPageToken": page.next, "pageSize": asked.page_size, "totalSize": page.total}

    async def refuse_push(self, given: JsonValue) -> JsonObject:
        del given
        raise A2AError(NO_PUSH, "A deployment takes no push notification configs. Its owner sets up webhooks.")

    async def refuse_card(self, given: JsonValue) -> JsonObject:
        del given
        raise A2AError(UNSUPPORTED, "There is no extended agent card.")


METHODS: Mapping[str, Callable[[Exchange, JsonValue], Awaitable[JsonObject]]] = {
    "SendMessage": Exchange.send,
    "GetTask": Exchange.get,
    "ListTasks": Exchange.list,
    "CancelTask": Exchange.cancel,
    "GetExtendedAgentCard": Exchange.refuse_card,
    **dict.fromkeys(
        (
            "CreateTaskPushNotificationConfig",
            "GetTaskPushNotificationConfig",
            "ListTaskPushNotificationConfigs",
            "DeleteTaskPushNotificationConfig",
        ),
        Exchange.refuse_push,
    ),
}


STREAMS: Mapping[str, Callable[[Exchange, JsonValue], Awaitable[Opened]]] = {
    "SendStreamingMessage": Exchange.stream,
    "SubscribeToTask": Exchange.subscribe,
}


@router.get("/.well-known/agent-card.json", summary="Read the agent card of A2A")
async def read_card(request: Request, caller: CallerDep, if_none_match: Annotated[str, Header()] = "") -> Response:
    """Clients may keep it for a minute, and proxies may not: it is for who has a key."""
    name = caller.deployment.name
    card = AsciiJSONResponse(card_of(caller.deployment, f"{str(request.base_url).rstrip('/')}/d/{name}/a2a"))
    tag = f'"{hashlib.sha256(bytes(card.body)).hexdigest()[:32]}"'
    answer = Response(status_code=304) if tag in if_none_match else card
    answer.headers["ETag"], answer.headers["Cache-Control"] = tag, f"private, max-age={CARD_S}"
    return answer


@router.post("/", summary="Speak A2A, as clients that end the address with a slash do")
@router.post("", summary="Speak A2A")
async def speak_a2a(
    request: Request,
    desk: CallDeskDep,
    caller: CallerDep,
    closing: ClosingDep,
    a2a_version: Annotated[str, Header()] = "",
) -> Response:
    """Refusals that pass with time have a status of their own with `Retry-After`; all others are errors of JSON-RPC."""
    rpc_id: RpcId = None
    try:
        rpc_id, method, params = _read(await _json(request))
        if not _VERSION.fullmatch(a2a_version):
            raise A2AError(WRONG_VERSION, "Send `A2A-Version: 1.0`. No other version is spoken here.")
        exchange = Exchange(desk, caller, request.client.host if request.client else "")
        return await _answer(exchange, closing, rpc_id, method, params)
    except A2AError as error:
        return AsciiJSONResponse(_error(rpc_id, error))


async def _json(request: Request) -> JsonValue:
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise A2AError(CONTENT_TYPE, "Send the request as `application/json`.")
    try:
        return cast("JsonValue", await request.json())
    except InvalidDocument as error:
        raise A2AError(PARSE_ERROR, "The body is not valid JSON.") from error


def _read(body: JsonValue) -> tuple[RpcId, str, JsonValue]:
    """The ID, method and parameters of a request.

    Raises:
        A2AError: It is none of JSON-RPC.
    """
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        raise A2AError(INVALID_REQUEST, "The body must be one request of JSON-RPC 2.0.")
    rpc_id, method = body.get("id"), body.get("method")
    if isinstance(rpc_id, bool) or not isinstance(rpc_id, str | int | None) or not isinstance(method, str):
        raise A2AError(INVALID_REQUEST, "`id` must be text or a whole number, and `method` text.")
    return rpc_id, method, body.get("params") or {}


async def _answer(
    exchange: Exchange, closing: asyncio.Event, rpc_id: RpcId, method: str, params: JsonValue
) -> Response:
    try:
        if (stream := STREAMS.get(method)) is not None:
            opened = await stream(exchange, params)
            opening = f": {opened.first.call.id}\n\n".encode()
            return EventStream(_events(exchange, rpc_id, opened), closing, opening=opening)
        if (handle := METHODS.get(method)) is not None:
            return AsciiJSONResponse(_result(rpc_id, await handle(exchange, params)))
    except ValidationError as error:
        places = (f"{'.'.join(map(str, each['loc'])) or 'params'}: {each['msg']}" for each in error.errors())
        failed = A2AError(INVALID_PARAMS, f"Invalid parameters: {'; '.join(places)}.")
    except CallNotFound:
        failed = A2AError(TASK_NOT_FOUND, "There is no such task.")
    except ThreadBusy:
        raise
    except (ConfigError, Conflict) as error:
        failed = A2AError(INVALID_PARAMS, " ".join(filter(None, (error.what, error.fix))))
    else:
        failed = A2AError(METHOD_NOT_FOUND, "There is no such method.")
    return AsciiJSONResponse(_error(rpc_id, failed))


async def _events(exchange: Exchange, rpc_id: RpcId, opened: Opened) -> AsyncGenerator[Event]:
    async with aclosing(updates(exchange.desk, exchange.by, opened)) as results:
        async for each in results:
            yield Event("", _result(rpc_id, each))


def _result(rpc_id: RpcId, result: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc_id, "result": result}


def _error(rpc_id: RpcId, error: A2AError) -> JsonObject:
    reason: JsonObject = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": error.reason,
        "domain": "a2a-protocol.org",
        "metadata": {},
    }
    body: JsonObject = {"code": error.code, "message": error.message, "data": [reason]}
    return {"jsonrpc": "2.0", "id": rpc_id, "error": body}
