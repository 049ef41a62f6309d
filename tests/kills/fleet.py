"""A fleet whose parts are ended, frozen and cut off, where `tests.kills` has one server."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
from asyncio.subprocess import Process
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Self

import httpx

from tests.store.postgres import PostgresServer, find_programs, running_server

FROZEN_S = 20.0
"""Longer than a silent worker is waited for."""
READY_WITHIN_S = 120.0
FAULTS = ("kill the worker", "freeze the worker", "kill a replica", "crash the database", "end the worker")


class Fleet:
    """Two replicas and two workers on a PostgreSQL server of their own; fulfils what `Studio` is used for.

    Args:
        folder: For the keys and what processes print.
        random: Chooses what happens.
        faults: What may happen.
    """

    def __init__(self, folder: Path, random: Random, faults: tuple[str, ...] = FAULTS) -> None:
        self._folder = folder
        self._random = random
        self._faults = faults
        self._stack = ExitStack()
        self._ports = [_free_port(), _free_port()]
        self._replicas: list[Process] = []
        self._workers: list[Process] = []
        self.server: PostgresServer | None = None
        self.url = ""
        self.token = "a-token-that-all-of-them-have"
        self.ended: list[tuple[float, float]] = []
        self.happened: list[str] = []

    async def open(self) -> Self:
        """Return when all of it is ready."""
        programs = find_programs()
        assert programs, "No PostgreSQL server is installed."
        self.server = self._stack.enter_context(running_server(programs))
        self.url = self.server.url("postgres").render_as_string()
        await (await self._run("migrate")).wait()
        self._workers = [await self._run("worker"), await self._run("worker")]
        self._replicas = [await self._web(port) for port in self._ports]
        await self._until_ready()
        return self

    async def fault(self) -> None:
        """Let something happen, and return when all of it is ready again."""
        what = self._random.choice(self._faults)
        told_at = time.monotonic()
        match what:
            case "kill the worker" | "end the worker":
                number = signal.SIGKILL if what.startswith("kill") else signal.SIGTERM
                for place in range(len(self._workers)):  # one of them drives
                    await _end(self._workers[place], number)
                    self._workers[place] = await self._run("worker")
            case "freeze the worker":
                await self._freeze()
            case "kill a replica":
                place = self._random.randrange(len(self._replicas))
                await _end(self._replicas[place], signal.SIGKILL)
                self._replicas[place] = await self._web(self._ports[place])
            case _:
                assert self.server
                await asyncio.to_thread(self.server.stop)
                await asyncio.sleep(self._random.uniform(0, 3))
                await asyncio.to_thread(self.server.start)
        for place, worker in enumerate(self._workers):
            if worker.returncode is not None:  # as a supervisor does
                self._workers[place] = await self._run("worker")
        await self._until_ready()
        self.ended.append((told_at, time.monotonic()))
        self.happened.append(what)

    async def end_processes(self) -> None:
        """End all but the database."""
        for each in [*self._replicas, *self._workers]:
            await _end(each, signal.SIGTERM)

    async def close(self) -> None:
        for each in [*self._replicas, *self._workers]:
            await _end(each, signal.SIGKILL)
        await asyncio.to_thread(self._stack.close)

    def client(self) -> httpx.AsyncClient:
        """A client that goes to another replica with each request."""
        return httpx.AsyncClient(
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=httpx.Timeout(60, read=60),
            transport=_Hopping(self._ports),
        )

    async def _freeze(self) -> None:
        """Stop a worker for longer than it may be silent. When it goes on it may find that it drives nothing more."""
        place = self._random.randrange(len(self._workers))
        frozen = self._workers[place]
        frozen.send_signal(signal.SIGSTOP)
        await asyncio.sleep(FROZEN_S)
        frozen.send_signal(signal.SIGCONT)
        try:
            async with asyncio.timeout(30):
                assert await frozen.wait() == 75, f"It ended with {frozen.returncode}."
            self._workers[place] = await self._run("worker")
        except TimeoutError:
            pass  # it had stood by

    async def _run(self, *arguments: str) -> Process:
        with (self._folder / "processes.txt").open("a") as printed:
            command = [sys.executable, "-m", "studio", *arguments]
            return await asyncio.create_subprocess_exec(*command, stdout=printed, stderr=printed, env=self._environment)

    async def _web(self, port: int) -> Process:
        return await self._run("web", "--port", str(port))

    async def _until_ready(self) -> None:
        async with asyncio.timeout(READY_WITHIN_S), httpx.AsyncClient(trust_env=False) as client:
            for port in self._ports:
                while True:
                    try:
                        if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                            break
                    except httpx.TransportError:
                        pass
                    await asyncio.sleep(0.2)

    @property
    def _environment(self) -> dict[str, str]:
        told = {"DATABASE_URL": self.url, "DATA_DIR": str(self._folder / "data"), "TOKEN": self.token}
        settings = {f"STUDIO_{name}": value for name, value in told.items()}
        return {**os.environ, "OPENAI_API_KEY": "key", "PYTHONDONTWRITEBYTECODE": "", **settings}


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


async def _end(process: Process, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)
        await process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
