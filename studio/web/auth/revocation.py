"""Ends event streams with the sign-in that opened them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Send

REVOKED: Message = {"type": "http.disconnect"}


class StreamRevocation:
    """Stands between an application and its server: a stream hears that its reader left once they may not read on."""

    def __init__(self, receive: Receive, send: Send, until_gone: Callable[[], Awaitable[None]]) -> None:
        self._receive = receive
        self._send = send
        self._until_gone = until_gone
        self._is_stream = False
        self.has_ended = False
        """Whether a stream was told so."""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message.get("headers", [])).get("content-type", "")
            self._is_stream = kind.startswith("text/event-stream")
        await self._send(message)

    async def receive(self) -> Message:
        if not self._is_stream:
            return await self._receive()
        message = REVOKED
        async with anyio.create_task_group() as tasks:

            async def receive_message() -> None:
                nonlocal message
                message = await self._receive()
                tasks.cancel_scope.cancel()

            tasks.start_soon(receive_message)
            await self._until_gone()
            self.has_ended = True
            tasks.cancel_scope.cancel()
        return message
