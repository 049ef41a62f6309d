"""Answers of the guard itself."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from studio.errors import StudioError

DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_S = 10.0


class Refused(Exception):
    """The guard does not let this request through; `response` says why."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


def problem(status: int, code: str, message: str, fix: str = "", where: str = "") -> Response:
    """An error in the one JSON shape."""
    return JSONResponse({"error": {"code": code, "message": message, "fix": fix, "where": where}}, status)


def refused_with(error: StudioError) -> Response:
    return JSONResponse(error.as_json(), 403)


async def answer_early(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer before the body came, then throw the body away: a client that is cut off would never read the answer."""

    async def hold_open(message: Message) -> None:
        await send({**message, "more_body": True} if message["type"] == "http.response.body" else message)

    has_body = "content-length" in Headers(scope=scope) or "transfer-encoding" in Headers(scope=scope)
    if not has_body:
        await response(scope, receive, send)
        return
    await response(scope, receive, hold_open)
    try:
        async with asyncio.timeout(DRAIN_S):
            await _drain(receive)
    except TimeoutError:
        pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    seen = 0
    while seen < DRAIN_BYTES:
        message = await receive()
        seen += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
