"""A2A 1.0 over JSON-RPC: a task is a call, and a context its thread.

The routes are our own: what the protocol's package has for servers keeps tasks and queues of its own, answers with the
text of any exception, and parses bodies on the loop. Here a task is a call that any server of the studio can tell of.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import JsonValue

from studio.components import JsonObject
from studio.web.dependencies import CallerDep, ClosingDep
from studio.web.protocols.a2a_exchange import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    A2AError,
    Exchange,
    ExchangeDep,
    check_version,
    json_of,
    refusing,
)
from studio.web.protocols.a2a_tasks import Opened, card_of
from studio.web.requests import AsciiJSONResponse, etag_of
from studio.web.router import StudioRouter
from studio.web.sse import Event, EventStream

router = StudioRouter(prefix="/d/{deployment}/a2a", include_in_schema=False)
CARD_S = 60
RpcId = str | int | None


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
    tag = etag_of(bytes(card.body))
    answer = Response(status_code=304) if tag in if_none_match else card
    answer.headers["ETag"], answer.headers["Cache-Control"] = tag, f"private, max-age={CARD_S}"
    return answer


@router.post("/", summary="Speak A2A, as clients that end the address with a slash do")
@router.post("", summary="Speak A2A")
async def speak_a2a(request: Request, exchange: ExchangeDep, closing: ClosingDep) -> Response:
    """Refusals that pass with time have a status of their own with `Retry-After`; all others are errors of JSON-RPC."""
    rpc_id: RpcId = None
    try:
        rpc_id, method, params = _read(await json_of(request))
        check_version(request)
        with refusing():
            return await _answer(exchange, closing, rpc_id, method, params)
    except A2AError as error:
        return AsciiJSONResponse(_error(rpc_id, error))


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
    if (stream := STREAMS.get(method)) is not None:
        opened = await stream(exchange, params)
        return EventStream(_events(exchange, rpc_id, opened), closing, opening=opened.opening)
    if (handle := METHODS.get(method)) is not None:
        return AsciiJSONResponse(_result(rpc_id, await handle(exchange, params)))
    raise A2AError(METHOD_NOT_FOUND, "There is no such method.")


async def _events(exchange: Exchange, rpc_id: RpcId, opened: Opened) -> AsyncGenerator[Event]:
    async with aclosing(exchange.events(opened)) as results:
        async for each in results:
            yield Event("", _result(rpc_id, each))


def _result(rpc_id: RpcId, result: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc_id, "result": result}


def _error(rpc_id: RpcId, error: A2AError) -> JsonObject:
    body: JsonObject = {"code": error.kind.code, "message": error.message, "data": [error.info]}
    return {"jsonrpc": "2.0", "id": rpc_id, "error": body}
