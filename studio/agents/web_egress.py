"""The way out for a browser: a proxy that goes to public addresses only.

A browser looks names up by itself and follows redirects unseen, so a check of the addresses that it is told to open is
not enough. Here every connection of every page is made by the studio, to the very address that was checked.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import cast
from urllib.parse import urlsplit

from studio.egress import Guard, HostRefused

HEAD_BYTES = 65_536


class EgressProxy:
    """An HTTP proxy on this machine for one browser."""

    def __init__(self, *, allow_private: bool) -> None:
        self._guard = Guard(elsewhere=True, private=allow_private)
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.refused: list[str] = []
        """Why connections were refused, oldest first."""

    @property
    def url(self) -> str:
        """What the browser is told."""
        assert self._server is not None, "the proxy is started first"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=HEAD_BYTES)

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
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                await self._forward(head, reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            writer.close()
            self._serving.discard(task)

    async def _forward(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = _Request(head)
            there, out = await self._guard.open_connection(request.host, request.port)
        except (HostRefused, OSError, ValueError) as error:
            self.refused.append((error.what if isinstance(error, HostRefused) else str(error)) or "No answer.")
            writer.write(_refusal(self.refused[-1]))
            await writer.drain()
            return
        try:
            out.write(request.pass_on)
            writer.write(request.reply)
            async with asyncio.TaskGroup() as group:
                up = group.create_task(_pump(reader, out))
                await _pump(there, writer)
                up.cancel()
        except* OSError:
            pass  # one of the two hung up
        finally:
            out.close()


class _Request:
    """The first request of a connection: to open a tunnel, or for one page."""

    def __init__(self, head: str) -> None:
        first, *lines = head.split("\r\n")
        method, target, version = first.split(" ", 2)
        is_tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if is_tunnel else target)
        self.host = parts.hostname or ""
        self.port = parts.port or (443 if is_tunnel else 80)
        self.reply = b"HTTP/1.1 200 Connection established\r\n\r\n" if is_tunnel else b""
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        kept = [line for line in lines if line and not line.lower().startswith(("proxy-", "connection:"))]
        # The server closes after its answer, since the browser's next request may go elsewhere.
        page = "\r\n".join((f"{method} {path} {version}", *kept, "Connection: close", "", ""))
        self.pass_on = b"" if is_tunnel else page.encode("latin-1")


def _refusal(reason: str) -> bytes:
    body = reason.encode()
    head = f"HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {len(body)}"
    return f"{head}\r\nconnection: close\r\n\r\n".encode() + body


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(HEAD_BYTES):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
