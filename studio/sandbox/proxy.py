"""The network of a jailed program: an HTTP proxy of ours that goes to the granted hosts and nowhere else.

The jail has a network of its own with nothing in it. A program that was granted hosts is started through
`enter_network.py`, which hands a port of that network to the server; what connects to it is answered here, and what
is allowed goes out through the egress guard.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import tempfile
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from studio.egress import ANY_HOST, Guard, HostRefused, StudioRefused
from studio.sandbox.http_request import HEAD_LIMIT, BadRequest, Request, Target, read_request, refusal

SCRIPT = Path(__file__).with_name("enter_network.py")
OWN_NAMES = ("localhost", "127.0.0.1", "::1")
"""Under which a program means its own loopback, unless they were granted."""
CONNECTIONS_AT_ONCE = 64
CHUNK = 65_536
GOODBYE_LIMIT_S = 2.0

Streams = tuple[StreamReader, StreamWriter]


@dataclass(frozen=True)
class Traffic:
    """How much one program may do with its network."""

    request_s: float = 30.0
    """For the head of a request to arrive."""
    idle_s: float = 600.0
    """How long a connection may be silent: models and long jobs take their time."""
    bytes: int = 2_000_000_000
    """Both ways together."""


@dataclass(frozen=True)
class Network:
    """What a program needs to be started with, so that it reaches its hosts."""

    prefix: tuple[str, ...] = ()
    readable: tuple[Path, ...] = ()
    """What the jail must show it."""

    def command(self, argv: Sequence[str]) -> list[str]:
        """What to run inside the jail."""
        return [*self.prefix, *argv]


@asynccontextmanager
async def network_for(hosts: Sequence[str], traffic: Traffic | None = None) -> AsyncGenerator[Network]:
    """The network of one program, for as long as the block lasts.

    Args:
        hosts: What was granted: `api.example.com`, `localhost:8000`, or `*` for all that are public. None at all means
            no network, and no proxy.
        traffic: Bounds in bytes and time.
    """
    if not hosts:
        yield Network()
        return
    with (
        tempfile.TemporaryDirectory(prefix="studio-net-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door,
    ):
        place = os.path.join(folder, "door")
        door.bind(place)
        door.setblocking(False)
        _open_to_jail(folder, place)
        proxy = _Proxy(tuple(hosts), traffic or Traffic())
        serving = asyncio.get_running_loop().create_task(proxy.serve(door))
        try:
            own = ",".join(name for name in OWN_NAMES if not any(name in host for host in hosts))
            yield Network((sys.executable, "-I", "-S", "-B", str(SCRIPT), place, own), (Path(folder), SCRIPT))
        finally:
            serving.cancel()
            await asyncio.wait([serving])
            if not serving.cancelled():
                serving.result()


class _Proxy:
    """Answers one program."""

    def __init__(self, hosts: tuple[str, ...], traffic: Traffic) -> None:
        self._hosts = hosts
        self._guard = Guard.for_hosts(hosts)
        self._traffic = traffic
        self._left = traffic.bytes
        self._free = asyncio.Semaphore(CONNECTIONS_AT_ONCE)

    async def serve(self, door: socket.socket) -> None:
        """Take the program's port and answer what connects to it, until cancelled. A later port takes its place."""
        accepting: asyncio.Task[None] | None = None
        async with asyncio.TaskGroup() as tasks:
            while True:
                listener = await _handed_over(door)
                if accepting is not None:
                    accepting.cancel()
                accepting = tasks.create_task(self._accept(listener, tasks))

    async def _accept(self, listener: socket.socket, tasks: asyncio.TaskGroup) -> None:
        loop = asyncio.get_running_loop()
        with listener:
            while True:
                await self._free.acquire()
                try:
                    connection, _ = await loop.sock_accept(listener)
                except ConnectionAbortedError:
                    self._free.release()
                    continue
                except asyncio.CancelledError:
                    self._free.release()
                    raise
                tasks.create_task(self._answer(connection))

    async def _answer(self, connection: socket.socket) -> None:
        """Serve one connection; what goes wrong with it is the program's affair."""
        try:
            with connection:
                await self._serve(await asyncio.open_connection(sock=connection, limit=HEAD_LIMIT))
        except OSError:  # also too late: a timeout is one
            pass
        finally:
            self._free.release()

    async def _serve(self, program: Streams) -> None:
        try:
            async with asyncio.timeout(self._traffic.request_s):
                request = await read_request(program[0])
            if request is not None:
                await self._forward(request, program)
        except BadRequest as error:
            await _refuse(program, 400, "Bad Request", str(error))
        finally:
            program[1].transport.abort()

    async def _forward(self, request: Request, program: Streams) -> None:
        try:
            upstream = await self._guard.open_connection(*request.target)
        except HostRefused as error:
            reason, text = self._in_words(request.target, error)
            await _refuse(program, 403, reason, text)
            return
        except OSError as error:
            reason = f"{_shown(request.target)} cannot be reached"
            await _refuse(program, 502, reason, f"{reason}: {str(error) or 'it did not answer in time'}.")
            return
        try:
            if request.is_tunnel:
                program[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            upstream[1].write(request.head)
            await self._join(program, upstream)
        finally:
            upstream[1].transport.abort()

    def _in_words(self, target: Target, error: HostRefused) -> tuple[str, str]:
        """Why there is no way to a host: in short, and with what to do."""
        where = _shown(target)
        reason = f"The sandbox does not allow this code to reach {where}"
        if isinstance(error, StudioRefused):
            return reason, f"{reason}. {error.what}"
        granted = "every public host" if ANY_HOST in self._hosts else ", ".join(self._hosts)
        advice = f"It was approved for {granted}. To allow {where}, add it to the hosts in the approval of the code."
        return reason, f"{reason}. {error.what} {advice}"

    async def _join(self, program: Streams, upstream: Streams) -> None:
        """Pass on what each says until the host has ended, or nobody said anything for too long."""
        async with asyncio.timeout(self._traffic.idle_s) as silence:
            async with asyncio.TaskGroup() as tasks:
                asking = tasks.create_task(self._pass_on(program[0], upstream[1], silence))
                await self._pass_on(upstream[0], program[1], silence)
                asking.cancel()
            program[1].close()
            await program[1].wait_closed()

    async def _pass_on(self, source: StreamReader, target: StreamWriter, silence: asyncio.Timeout) -> None:
        """One direction, to its end or that of what the program may exchange."""
        with suppress(OSError):
            while self._left > 0 and (data := await source.read(min(CHUNK, self._left))):
                self._left -= len(data)
                silence.reschedule(asyncio.get_running_loop().time() + self._traffic.idle_s)
                target.write(data)
                await target.drain()
            if target.can_write_eof():
                target.write_eof()


def _open_to_jail(folder: str, place: str) -> None:
    """A jail has another user where the server is root."""
    if os.geteuid() == 0:
        os.chmod(folder, 0o711)
        os.chmod(place, 0o666)


async def _handed_over(door: socket.socket) -> socket.socket:
    """The listener that comes through the door; anything else that does is dropped."""
    while True:
        await _readable(door)
        _, handles, _, _ = socket.recv_fds(door, 64, 1, socket.MSG_CMSG_CLOEXEC)
        for handle in handles:
            try:
                listener = socket.socket(fileno=handle)
            except OSError:
                os.close(handle)
                continue
            if _is_own_listener(listener):
                listener.setblocking(False)
                return listener
            listener.close()


def _is_own_listener(found: socket.socket) -> bool:
    return (
        found.family is socket.AF_INET
        and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1
        and found.getsockname()[0] == "127.0.0.1"
    )


async def _readable(place: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    is_readable: asyncio.Future[None] = loop.create_future()
    loop.add_reader(place, lambda: is_readable.done() or is_readable.set_result(None))
    try:
        await is_readable
    finally:
        loop.remove_reader(place)


async def _refuse(program: Streams, status: int, reason: str, text: str) -> None:
    """Say no, and hear the rest out for a moment: a connection that is closed on unread words loses its answer."""
    reader, writer = program
    with suppress(OSError):
        async with asyncio.timeout(GOODBYE_LIMIT_S):
            writer.write(refusal(status, reason, text))
            writer.write_eof()
            while await reader.read(CHUNK):
                pass


def _shown(target: Target) -> str:
    host, port = target
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
