"""A fleet whose parts can fail, where `tests.kills` has one server."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from asyncio.subprocess import Process
from collections.abc import Collection, Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import Self

import httpx
from sqlalchemy import NullPool, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from tests.store.breaking import BreakableWay, breakable
from tests.store.postgres import find_programs, running_server

READY_WITHIN_S = 120.0
TAKEN_OVER_WITHIN_S = 60.0
MAX_PRINTED = 100_000
"""Bytes of what the processes print that are shown where a set fails."""
DISK_MB = 400
CLOCKS = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
"""What gives a process a clock of its own, as Debian's package `faketime` has it."""
FENCED = 75


@dataclass
class Worker:
    """A process that drives runs, the way by which it reaches the database, and the file that its clock follows."""

    process: Process
    url: str
    way: BreakableWay
    clock: Path


class Fleet:
    """Two replicas and two workers on a PostgreSQL server of their own; fulfils what `Studio` is used for.

    Args:
        folder: For the keys and what processes print.
        disk: Whether the server's data gets a small disk of its own, which is mounted.
    """

    def __init__(self, folder: Path, *, disk: bool = False) -> None:
        self._folder = folder
        self._stack = AsyncExitStack()
        self._wants_disk = disk
        self.disk: Path | None = None
        self.ports = [_free_port(), _free_port()]
        self.replicas: list[Process] = []
        self.workers: list[Worker] = []
        self.url = ""
        self.token = "a-token-that-all-of-them-have"
        self.ended: list[tuple[float, float]] = []

    async def open(self) -> Self:
        """Return when all of it is ready."""
        programs = find_programs()
        assert programs, "No PostgreSQL server is installed."
        if self._wants_disk:
            self.disk = self._stack.enter_context(_small_disk())
        self.server = self._stack.enter_context(running_server(programs, self.disk, keeps_commits=True))
        self.url = self.server.url("postgres").render_as_string()
        await (await self._run("migrate", self.url)).wait()
        self.workers = [await self._new_worker(place) for place in range(2)]
        self.replicas = [await self.new_replica(place) for place in range(2)]
        await self.until_ready()
        return self

    async def until_ready(self) -> None:
        """Start what has ended, as a supervisor does, and wait until pages can be opened and workers are registered."""
        for place, worker in enumerate(self.workers):
            if worker.process.returncode is not None:
                await self.restart_worker(place)
        async with asyncio.timeout(READY_WITHIN_S), httpx.AsyncClient(trust_env=False) as client:
            for port in self.ports:
                while True:
                    try:
                        if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                            break
                    except httpx.TransportError:
                        pass
                    await asyncio.sleep(0.2)
            for worker in self.workers:
                while True:
                    if await self._is_registered(worker):
                        break
                    await asyncio.sleep(0.2)

    async def _is_registered(self, worker: Worker) -> bool:
        pid = str(worker.process.pid)
        return await self.ask("SELECT count(*) FROM worker WHERE name LIKE '%:' || :pid", pid=pid) == [(1,)]

    async def restart_worker(self, place: int) -> None:
        """Start one that has ended once more."""
        worker = self.workers[place]
        worker.process = await self._work(worker.url, worker.clock)

    async def new_replica(self, place: int) -> Process:
        return await self._run("web", self.url, "--port", str(self.ports[place]))

    async def driven_by(self, worker: Worker) -> list[str]:
        """The runs that a worker drives."""
        rows = await self.ask(
            "SELECT run_id FROM run_driver JOIN worker ON worker.id = worker_id WHERE name LIKE '%:' || :pid",
            pid=str(worker.process.pid),
        )
        return [str(run_id) for (run_id,) in rows]

    async def until_taken_over(self, runs: Collection[str], lost: Worker) -> None:
        """Return when no run is driven by the worker that was lost, and all that go on are by others."""
        statement = (
            "SELECT count(*) FROM run LEFT JOIN run_driver ON run_driver.run_id = run.id "
            "LEFT JOIN worker ON worker.id = worker_id "
            "WHERE run.id = ANY(:runs) AND run.state = 'running' AND (name IS NULL OR name LIKE '%:' || :pid)"
        )
        async with asyncio.timeout(TAKEN_OVER_WITHIN_S):
            while True:
                if await self.ask(statement, runs=list(runs), pid=str(lost.process.pid)) == [(0,)]:
                    return
                await asyncio.sleep(0.05)

    async def ask(self, statement: str, **values: object) -> list[tuple[object, ...]]:
        """What the database says."""
        async with self._engine.connect() as connection:
            return [tuple(row) for row in await connection.execute(text(statement), values)]

    async def end_processes(self) -> None:
        """End all but the database."""
        for each in self._processes:
            await end(each, signal.SIGTERM)

    async def close(self) -> None:
        for each in self._processes:
            await end(each, signal.SIGKILL)
        await self._engine.dispose()
        await self._stack.aclose()

    def client(self) -> httpx.AsyncClient:
        """A client that goes to another replica with each request."""
        return httpx.AsyncClient(
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=httpx.Timeout(60, read=60),
            transport=_Hopping(self.ports),
        )

    @cached_property
    def _engine(self) -> AsyncEngine:
        return create_async_engine(self.url, poolclass=NullPool)

    @property
    def _processes(self) -> list[Process]:
        return [*self.replicas, *(worker.process for worker in self.workers)]

    async def _new_worker(self, place: int) -> Worker:
        clock = self._folder / f"clock-{place}"
        clock.write_text("+0\n")
        socket_folder = self._stack.enter_context(tempfile.TemporaryDirectory())  # the path of a socket must be short
        opened = breakable(self.url, self.server.socket, Path(socket_folder))
        url, way = await self._stack.enter_async_context(opened)
        return Worker(await self._work(url, clock), url, way, clock)

    async def _work(self, url: str, clock: Path) -> Process:
        told = {
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        own_clock = {"LD_PRELOAD": str(CLOCKS), **told} if CLOCKS else {}
        return await self._run("worker", url, **own_clock)

    def printed(self) -> str:
        """The errors that the processes have printed last, for whoever looks for the cause of a failure."""
        with (self._folder / "processes.txt").open("rb") as printed:
            printed.seek(max(0, printed.seek(0, 2) - MAX_PRINTED))
            return printed.read().decode(errors="replace")

    async def _run(self, command: str, url: str, *arguments: str, **environment: str) -> Process:
        settings = {"DATABASE_URL": url, "DATA_DIR": str(self._folder / "data"), "TOKEN": self.token}
        told = {f"STUDIO_{name}": value for name, value in settings.items()}
        with (self._folder / "processes.txt").open("a") as printed:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "studio", command, *arguments),
                stdout=printed,
                stderr=printed,
                env={**os.environ, "OPENAI_API_KEY": "key", "PYTHONDONTWRITEBYTECODE": "", **told, **environment},
            )


@contextmanager
def _small_disk() -> Generator[Path | None]:
    """A disk in memory; None where this user may not mount one."""
    with tempfile.TemporaryDirectory(prefix="studio-disk-") as folder:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=755", "none", folder],
            capture_output=True,
            check=False,
        )
        if done.returncode:
            yield None
            return
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


class _Hopping(httpx.AsyncBaseTransport):
    """Sends each request to the next of several servers. One that says that it is not ready is as one that is gone."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = cycle(ports)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self._inner = httpx.AsyncHTTPTransport(limits=limits)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(port=next(self._ports))
        request.headers["Host"] = f"127.0.0.1:{request.url.port}"
        response = await self._inner.handle_async_request(request)
        if response.status_code == 503 and request.method == "GET":
            await response.aclose()
            raise httpx.ConnectError("The server is not ready.")
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


async def end(process: Process, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)
        await process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
