"""A port of a container that has no network, as one of this machine's loopback."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from studio.sandbox import owned

CONNECTIONS_AT_ONCE = 16
"""Each is a `docker` command here and a program in the container."""
CHUNK = 65_536
RELAY = """
import os, socket, sys, threading, time
until = time.monotonic() + 60
while True:
    try:
        there = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        break
    except OSError:
        if time.monotonic() > until:
            sys.exit(1)
        time.sleep(0.05)
def send():
    while data := os.read(0, 65536):
        there.sendall(data)
    there.shutdown(socket.SHUT_WR)
threading.Thread(target=send, daemon=True).start()
while data := there.recv(65536):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
"""
"""In the container: passes on what comes in to a port, which may not be open yet, and what comes back."""


@asynccontextmanager
async def published(container: str, port: int) -> AsyncGenerator[int]:
    """The port of this machine that leads there, for as long as the block lasts."""
    free = asyncio.Semaphore(CONNECTIONS_AT_ONCE)

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            async with free:
                await _join(reader, writer, container, port)
        finally:
            writer.transport.abort()

    connections: set[asyncio.Task[None]] = set()

    def accept(reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(answer(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for task in connections:
                task.cancel()
            if connections:
                await asyncio.wait(connections)


async def _join(reader: StreamReader, writer: StreamWriter, container: str, port: int) -> None:
    command = ("docker", "exec", "--interactive", container, "python3", "-I", "-S", "-c", RELAY, str(port))
    beginning = asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True, limit=CHUNK
    )
    async with owned(beginning) as process, asyncio.TaskGroup() as tasks:
        assert process.stdin is not None
        assert process.stdout is not None
        sending = tasks.create_task(_pass_on(reader, process.stdin))
        await _pass_on(process.stdout, writer)
        sending.cancel()
        process.stdin.close()
        await process.wait()


async def _pass_on(source: StreamReader, target: StreamWriter) -> None:
    """One direction, to its end."""
    with suppress(OSError):
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
        target.write_eof()
