"""A2A 1.0 over plain HTTP, its binding "HTTP+JSON": the same tasks at addresses of their own.

Errors have a status and the shape that Google's APIs give them (AIP-193). What the guard refuses, and bodies that are
too large, are refused before this is reached, in the shape of the studio.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import JsonValue

from studio.components import JsonObject
from studio.deployments import CallRefused, LimitReached, ThreadBusy
from studio.errors import StudioError
from studio.web.dependencies import ClosingDep
from studio.web.error_handlers import status_of
from studio.web.protocols.a2a_exchange import A2AError, Exchange, ExchangeDep, check_version, json_of, refusing
from studio.web.protocols.a2a_tasks import Opened
from studio.web.requests import AsciiJSONResponse
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/d/{deployment}/a2a", include_in_schema=False)
Params = Callable[[], Awaitable[JsonValue]]
STATUS: Mapping[type[StudioError], str] = {LimitReached: "RESOURCE_EXHAUSTED", ThreadBusy: "ABORTED"}


@dataclass(frozen=True)
class Asked:
    """One request, which is answered or refused in the terms of the binding.

    Args:
        request: As it came.
        exchange: What answers it.
        closing: Set when the server stops.
    """

    request: Request
    exchange: Exchange
    closing: asyncio.Event

    async def body(self) -> JsonValue:
        return await json_of(self.request)

    async def query(self, **path: str) -> JsonValue:
        """What stands behind the address, and in it."""
        return {**self.request.query_params, **path}

    async def answer(self, handle: Callable[[Exchange, JsonValue], Awaitable[JsonObject]], params: Params) -> Response:
        async def answered() -> Response:
            return AsciiJSONResponse(await handle(self.exchange, await params()))

        return await self._refused_or(answered)

    async def stream(self, handle: Callable[[Exchange, JsonValue], Awaitable[Opened]], params: Params) -> Response:
        async def streamed() -> Response:
            opened = await handle(self.exchange, await params())
            return EventStream(_events(self.exchange, opened), self.closing, opening=opened.opening)

        return await self._refused_or(streamed)

    async def _refused_or(self, respond: Callable[[], Awaitable[Response]]) -> Response:
        try:
            check_version(self.request)
            with refusing():
                return await respond()
        except A2AError as error:
            kind = error.kind
            return _refusal(kind.http_status, kind.status, error.message, error.info)
        except (CallRefused, ThreadBusy) as error:
            return _later(error)


async def _asked(request: Request, exchange: ExchangeDep, closing: ClosingDep) -> Asked:
    return Asked(request, exchange, closing)


AskedDep = Annotated[Asked, Depends(_asked)]


@router.post("/message:send", summary="Send a message by A2A, and get its task")
async def send_message(asked: AskedDep) -> Response:
    return await asked.answer(Exchange.send, asked.body)


@router.post("/message:stream", summary="Send a message by A2A, and follow its task as server-sent events")
async def stream_message(asked: AskedDep) -> Response:
    return await asked.stream(Exchange.stream, asked.body)


@router.get("/tasks", summary="List the tasks of a key")
async def list_tasks(asked: AskedDep) -> Response:
    return await asked.answer(Exchange.list, asked.query)


@router.get("/tasks/{task_id}:subscribe", summary="Follow a task, as the definition of the protocol has it")
@router.post("/tasks/{task_id}:subscribe", summary="Follow a task, as the text of the protocol and its clients have it")
async def subscribe_to_task(task_id: str, asked: AskedDep) -> Response:
    return await asked.stream(Exchange.subscribe, lambda: asked.query(id=task_id))


@router.post("/tasks/{task_id}:cancel", summary="Cancel a task")
async def cancel_task(task_id: str, asked: AskedDep) -> Response:
    return await asked.answer(Exchange.cancel, lambda: asked.query(id=task_id))


@router.get("/tasks/{task_id}", summary="Read a task")
async def read_task(task_id: str, asked: AskedDep) -> Response:
    return await asked.answer(Exchange.get, lambda: asked.query(id=task_id))


@router.get("/tasks/{task_id}/pushNotificationConfigs", summary="Refuse to list push notification configs")
@router.post("/tasks/{task_id}/pushNotificationConfigs", summary="Refuse a push notification config")
@router.get("/tasks/{task_id}/pushNotificationConfigs/{config_id}", summary="Refuse to read a push notification config")
@router.delete("/tasks/{task_id}/pushNotificationConfigs/{config_id}", summary="Refuse to delete one")
async def refuse_push(asked: AskedDep) -> Response:
    return await asked.answer(Exchange.refuse_push, asked.query)


@router.get("/extendedAgentCard", summary="Refuse an extended agent card")
async def refuse_card(asked: AskedDep) -> Response:
    return await asked.answer(Exchange.refuse_card, asked.query)


async def _events(exchange: Exchange, opened: Opened) -> AsyncGenerator[Event]:
    async with aclosing(exchange.events(opened)) as results:
        async for each in results:
            yield Event("", each)


def _later(error: CallRefused | ThreadBusy) -> Response:
    """What passes with time: the protocol has no error for it, so the reason is the studio's own."""
    status = STATUS.get(type(error), "UNAVAILABLE")
    info: JsonObject = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": error.code.upper(),
        "domain": "team-studio",
        "metadata": {},
    }
    answer = _refusal(status_of(error), status, str(error), info)
    if error.retry_after_s:
        answer.headers["Retry-After"] = str(error.retry_after_s)
    return answer


def _refusal(http_status: int, status: str, message: str, info: JsonObject) -> Response:
    body: JsonObject = {"code": http_status, "status": status, "message": message, "details": [info]}
    return AsciiJSONResponse({"error": body}, http_status)
