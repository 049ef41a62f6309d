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
MAX_UNKNOWN = 64
"""Connections that have not said who they are. The browser does with its first words, so the oldest one has to go."""
MAX_REASON = 300
"""Characters of a reason that are kept: a page may ask for a host with a name of any length."""
ASKS_WHO = 'Proxy-Authenticate: Basic realm="the web surfer of a studio"'


class EgressProxy:
    """An HTTP proxy on this machine for one browser."""

    def __init__(self, *, allow_private: bool) -> None:
        self._guard = Guard(elsewhere=True, private=allow_private)
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self._unknown: dict[asyncio.Task[None], None] = {}
        self.password = secrets.token_urlsafe(32)
        """By which the browser is known: other users of the machine reach the port, too."""
        self._authorization = f"Basic {base64.b64encode(f'{USER}:{self.password}'.encode()).decode()}"
        self.refused = 0
        """How many connections were refused."""
        self.refusal = ""
        """Why the last one was."""

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
        self._unknown[task] = None
        if len(self._unknown) > MAX_UNKNOWN:
            self._unknown.pop(oldest := next(iter(self._unknown)))
            oldest.cancel()
        try:
            with suppress(OSError):  # also too late: a timeout is one
                async with asyncio.timeout(REQUEST_S):
                    request = await read_request(reader)
                if request is not None and self._is_known(request):
                    self._unknown.pop(task, None)
                    await self._answer(request, reader, writer)
                elif request is not None:
                    writer.write(refusal(407, "Proxy Authentication Required", "Only a browser may ask.", ASKS_WHO))
                    await writer.drain()
        except BadRequest as error:
            writer.write(refusal(400, "Bad Request", str(error)))
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            writer.close()
            self._serving.discard(task)
            self._unknown.pop(task, None)

    def _is_known(self, request: Request) -> bool:
        return hmac.compare_digest(request.authorization.encode(), self._authorization.encode())

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, out = await self._guard.open_connection(*request.target)
        except (HostRefused, OSError) as error:
            self.refused += 1
            self.refusal = (error.what if isinstance(error, HostRefused) else str(error))[:MAX_REASON] or "No answer."
            writer.write(refusal(403, "Forbidden", self.refusal))
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
