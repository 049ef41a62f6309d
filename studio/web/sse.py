"""Server-sent events: a response that ends with its reader, with its source or with the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass

import anyio
from fastapi.sse import KEEPALIVE_COMMENT
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from studio.store.json_text import JsonText
from studio.web.metrics import OPEN_STREAMS, STREAM_EVENTS

PING_S = 15.0
RETRY_MS = 1000
LONG = 200_000
"""Characters of an event that is written in a thread, since the loop would wait for it."""
Write = Callable[[bytes], Awaitable[None]]
_LINE_ENDS = "\x85\u2028\u2029"
HEADERS: Mapping[str, str] = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


@dataclass(frozen=True)
class Event:
    """One event of a stream; `id` is what the browser sends back as Last-Event-ID. `JsonText` is sent as it is.

    Without a `name` it is a plain message, as OpenAI's protocols have them.
    """

    name: str
    data: object
    id: int | None = None

    def encode(self) -> bytes:
        """As it is sent. JSON has no end of a line, so megabytes of it need not be searched for one."""
        text = (
            _in_one_line(self.data) if isinstance(self.data, JsonText) else json.dumps(self.data, separators=(",", ":"))
        )
        name = f"event: {self.name}\n" if self.name else ""
        place = "" if self.id is None else f"\nid: {self.id}"
        return f"{name}data: {text}{place}\n\n".encode()


class EventStream(Response):
    """Sends events until they end, the reader leaves or `closing` is set, whichever comes first.

    Args:
        events: The source; it is closed in every case.
        closing: Set when the server stops, which would else wait for its readers to leave.
        ping_s: After how much silence a comment keeps the connection open.
        opening: What is sent at once. Clients of OpenAI fail on a frame without data; comments are fine everywhere.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        events: AsyncGenerator[Event],
        closing: asyncio.Event,
        ping_s: float = PING_S,
        *,
        opening: bytes = f"retry: {RETRY_MS}\n\n".encode(),
    ) -> None:
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._events = events
        self._closing = closing
        self._ping_s = ping_s
        self._opening = opening

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope

        async def write(content: bytes, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": content, "more_body": more})

        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await write(self._opening)
        with OPEN_STREAMS.track_inprogress():
            await self._send_events(receive, write)
        await write(b"", more=False)

    async def _send_events(self, receive: Receive, write: Write) -> None:
        async with anyio.create_task_group() as tasks:

            async def end_after(wait: Callable[[], Awaitable[object]]) -> None:
                await wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(end_after, lambda: _left(receive))
            tasks.start_soon(end_after, self._closing.wait)
            tasks.start_soon(self._keep_alive, write)
            await end_after(lambda: self._pump(write))

    async def _pump(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        async with aclosing(self._events) as events:
            async for event in events:
                is_long = isinstance(event.data, JsonText) and len(event.data) > LONG
                await write(await asyncio.to_thread(event.encode) if is_long else event.encode())
                STREAM_EVENTS.inc()

    async def _keep_alive(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(self._ping_s)
            await write(KEEPALIVE_COMMENT)


def _in_one_line(text: str) -> str:
    """JSON without the characters that only Python and JSON disagree on whether they end a line."""
    if not text.isascii():
        for end in _LINE_ENDS:
            text = text.replace(end, json.dumps(end)[1:-1])
    return text


async def _left(receive: Receive) -> None:
    """Return when the reader has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
