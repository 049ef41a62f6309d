"""The way out for a browser: a proxy that goes to public addresses only.

A browser looks names up by itself and follows redirects unseen, so a check of the addresses that it is told to open is
not enough. Here every connection of every page is made by the studio, to the very address that was checked.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import secrets
from contextlib import suppress
from typing import cast

from studio.egress import Guard, HostRefused
from studio.sandbox.http_request import HEAD_LIMIT, BadRequest, Request, read_request, refusal

REQUEST_S = 30.0
"""For the head of a request to arrive."""
USER = "studio"
ASKS_WHO = 'Proxy-Authenticate: Basic realm="the web surfer of a studio"'


class EgressProxy:
    """An HTTP proxy on this machine for one browser."""

    def __init__(self, *, allow_private: bool) -> None:
        self._guard = Guard(elsewhere=True, private=allow_private)
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.password = secrets.token_urlsafe(32)
        """By which the browser is known: other users of the machine reach the port, too."""
        self._authorization = f"Basic {base64.b64encode(f'{USER}:{self.password}'.encode()).decode()}"
        self.refused: list[str] = []
        """Why connections were refused, oldest first."""

    @property
    def url(self) -> str:
        """What the browser is told."""
        assert self._server is not None, "the proxy is started first"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=HEAD_LIMIT)

    async def stop(self) -> None:
        """End, with every connection."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the browser; asyncio's server makes the task, `stop` awaits it."""
        task = cast("asyncio.Task[None] | None", asyncio.current_task())
        assert task is not None, "a connection is served in a task"
        self._serving.add(task)
        try:
            with suppress(OSError):  # also too late: a timeout is one
                async with asyncio.timeout(REQUEST_S):
                    request = await read_request(reader)
                if request is not None:
                    await self._answer(request, reader, writer)
        except BadRequest as error:
            writer.write(refusal(400, "Bad Request", str(error)))
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            writer.close()
            self._serving.discard(task)

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not hmac.compare_digest(request.authorization.encode(), self._authorization.encode()):
            writer.write(refusal(407, "Proxy Authentication Required", "This is the way out of a browser.", ASKS_WHO))
            await writer.drain()
            return
        try:
            there, out = await self._guard.open_connection(*request.target)
        except (HostRefused, OSError) as error:
            self.refused.append((error.what if isinstance(error, HostRefused) else str(error)) or "No answer.")
            writer.write(refusal(403, "Forbidden", self.refused[-1]))
            await writer.drain()
            return
        try:
            if request.is_tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            out.write(request.head)
            async with asyncio.TaskGroup() as group:
                up = group.create_task(_pump(reader, out))
                await _pump(there, writer)
                up.cancel()
        except* OSError:
            pass  # one of the two hung up
        finally:
            out.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(HEAD_LIMIT):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
