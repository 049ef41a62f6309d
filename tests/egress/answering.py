"""A server that answers as it is told, byte by byte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def answering(answer: bytes | Answer) -> AsyncGenerator[str]:
    """The address of a server that sends the bytes to whoever asks, or does as it is told."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                else:
                    await answer(writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        server.close()


def response(body: bytes = b"", **headers: str) -> bytes:
    """A 200 with these headers; a body says its length."""
    given = {"content-length": str(len(body)), **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode() + body
