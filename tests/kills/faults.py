"""What may happen to a fleet. Each fault returns when all of the fleet is ready again."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from random import Random

from tests.kills.fleet import CLOCKS, FENCED, Fleet, Worker, end

SILENT_S = 20.0
"""Longer than a silent worker is waited for."""
ENDED_WITHIN_S = 60.0
FULL_S = 5.0
JUMPED_S = 4.0
HOUR = 3600
BLOCK = 1 << 20


class Faults:
    """All faults of a fleet that this machine can make.

    Args:
        random: Chooses which part fails, and when.
    """

    def __init__(self, fleet: Fleet, random: Random) -> None:
        self._fleet = fleet
        self._random = random
        self.takeovers_s: list[float] = []
        """How long runs waited for another worker, from the end of theirs."""
        self.happened: list[str] = []

    @property
    def kinds(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        """By name."""
        kinds: dict[str, Callable[[], Awaitable[None]]] = {
            "kill a worker": self._kill_worker,
            "end a worker": self._end_worker,
            "freeze a worker": self._freeze,
            "cut a worker off": self._cut_off,
            "kill a replica": self._kill_replica,
            "crash the database": self._crash_database,
        }
        if CLOCKS:
            kinds["turn a clock"] = self._turn_clock
        if self._fleet.disk:
            kinds["fill the disk"] = self._fill_disk
        return kinds

    def names(self, rounds: int) -> Iterator[str]:
        """So many rounds of each in a random order; without end where it is 0."""
        names = list(self.kinds)
        if rounds:
            return iter(self._random.sample(names * rounds, len(names) * rounds))
        return chain.from_iterable(iter(lambda: [self._random.choice(names)], None))

    async def happen(self, name: str) -> None:
        told_at = time.monotonic()
        await self.kinds[name]()
        await self._fleet.until_ready()
        self._fleet.ended.append((told_at, time.monotonic()))
        self.happened.append(name)

    def _some_worker(self) -> tuple[int, Worker]:
        place = self._random.randrange(len(self._fleet.workers))
        return place, self._fleet.workers[place]

    async def _kill_worker(self) -> None:
        _, worker = self._some_worker()
        runs = await self._fleet.driven_by(worker)
        await end(worker.process, signal.SIGKILL)
        await self._note_takeover(runs, worker)

    async def _end_worker(self) -> None:
        _, worker = self._some_worker()
        await end(worker.process, signal.SIGTERM)

    async def _freeze(self) -> None:
        """When it goes on it finds that it drives nothing more."""
        _, worker = self._some_worker()
        runs = await self._fleet.driven_by(worker)
        worker.process.send_signal(signal.SIGSTOP)
        await self._note_takeover(runs, worker, at_least_s=SILENT_S)
        worker.process.send_signal(signal.SIGCONT)
        await self._is_fenced(worker)

    async def _cut_off(self) -> None:
        _, worker = self._some_worker()
        runs = await self._fleet.driven_by(worker)
        worker.way.freeze()
        await self._note_takeover(runs, worker, at_least_s=SILENT_S)
        worker.way.thaw()
        await self._is_fenced(worker)

    async def _note_takeover(self, runs: Sequence[str], lost: Worker, *, at_least_s: float = 0) -> None:
        began = time.monotonic()
        if runs:
            await self._fleet.until_taken_over(runs, lost)
            self.takeovers_s.append(time.monotonic() - began)
        await asyncio.sleep(max(0.0, began + at_least_s - time.monotonic()))

    async def _is_fenced(self, worker: Worker) -> None:
        async with asyncio.timeout(ENDED_WITHIN_S):
            assert await worker.process.wait() == FENCED, f"It ended with {worker.process.returncode}."

    async def _kill_replica(self) -> None:
        place = self._random.randrange(len(self._fleet.replicas))
        await end(self._fleet.replicas[place], signal.SIGKILL)
        self._fleet.replicas[place] = await self._fleet.new_replica(place)

    async def _crash_database(self) -> None:
        await asyncio.to_thread(self._fleet.server.stop)
        await asyncio.sleep(self._random.uniform(0, 3))
        await asyncio.to_thread(self._fleet.server.start)

    async def _turn_clock(self) -> None:
        """Of a worker: an hour forth, two back, and right again."""
        _, worker = self._some_worker()
        for offset_s in (HOUR, -HOUR, 0):
            worker.clock.write_text(f"{offset_s:+}\n")
            await asyncio.sleep(JUMPED_S)

    async def _fill_disk(self) -> None:
        assert self._fleet.disk
        filler = self._fleet.disk / "filler"
        await asyncio.to_thread(_fill, filler)
        await asyncio.sleep(FULL_S)
        filler.unlink()
        if not await asyncio.to_thread(self._fleet.server.is_running):  # it ends where its own log has no room
            await asyncio.to_thread(self._fleet.server.start)


def _fill(file: Path) -> None:
    block = bytes(BLOCK)
    number = os.open(file, os.O_CREAT | os.O_WRONLY)
    try:
        while block:
            try:
                os.write(number, block)
            except OSError:
                block = block[: len(block) // 2]
    finally:
        os.close(number)
