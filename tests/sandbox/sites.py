"""Hosts for tests: small servers on the loopback, and programs that ask them."""

from __future__ import annotations

import io
import sys
import zipfile
from asyncio import StreamReader, StreamWriter, start_server
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

Serve = Callable[[StreamReader, StreamWriter], Awaitable[None]]

ASK = """
import sys, urllib.error, urllib.request
try:
    with urllib.request.urlopen(sys.argv[1], timeout=10) as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print("no way:", error)
"""


def asking(url: str) -> list[str]:
    """A program that prints what the URL answers, or why it does not."""
    return [sys.executable, "-c", ASK, url]


@asynccontextmanager
async def served(serve: Serve) -> AsyncGenerator[str]:
    """A server at a free port; gives `127.0.0.1:port`."""

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except OSError:
            pass  # the other side went away
        finally:
            writer.close()

    server = await start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


def wheel(name: str) -> bytes:
    """A package with one module of its name, which holds `found = True`."""
    files = {
        f"{name}.py": "found = True\n",
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{name}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{name}-1.0.dist-info/RECORD": "",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()


@asynccontextmanager
async def package_index(*names: str) -> AsyncGenerator[str]:
    """A site from which pip installs packages of these names; gives `127.0.0.1:port`."""
    files = {f"/{name}/": f'<a href="/{name}-1.0-py3-none-any.whl">x</a>'.encode() for name in names}
    files |= {f"/{name}-1.0-py3-none-any.whl": wheel(name) for name in names}

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = files.get(head.split(" ")[1])
        first = b"200 OK" if body is not None else b"404 Not Found"
        kind = b"text/html" if body is not None and body.startswith(b"<") else b"application/octet-stream"
        body = body or b""
        head_of_answer = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (first, kind, len(body))
        writer.write(head_of_answer + body)
        await writer.drain()

    async with served(answer) as place:
        yield place


@asynccontextmanager
async def site(text: str = "hello") -> AsyncGenerator[str]:
    """A web site that answers everything with one text, and the first line of what it was asked."""

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = f"{text} {head.splitlines()[0]}".encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        await writer.drain()

    async with served(answer) as place:
        yield place
