"""Measure runs on several workers: throughput, parked runs, readers, takeover. Prints a Markdown table.

    .venv/bin/python scripts/measure_fleet.py                    # all of it: about half an hour
    .venv/bin/python scripts/measure_fleet.py --only takeover --runs 50

All processes are on this machine, with its processors between them: workers beyond their number share what is there.
Runs have scripted models, so what is measured is the studio and PostgreSQL.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import cast

import httpx
from sqlalchemy import NullPool, text
from sqlalchemy.ext.asyncio import create_async_engine

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from studio.components import JsonObject  # noqa: E402
from tests.fleet.processes import Fleet, fleet  # noqa: E402
from tests.processes import StudioProcess  # noqa: E402
from tests.store.postgres import PostgresServer, find_programs, running_server  # noqa: E402
from tests.web.documents import USER_PROXY, assistant, team  # noqa: E402

TURNS = 20
AT_ONCE = 16
"""Requests under way."""
READERS_OF_AN_ADDRESS = 200
"""A replica lets one address have 256 connections."""
WORD_S = 0.05
REST_S = 20.0
TICKS = os.sysconf("SC_CLK_TCK")
ENDED_RUNS = (
    "SELECT count(*), extract(epoch FROM max(run.ended_at) - min(run.started_at)), "
    "(SELECT count(*) FROM run_event WHERE run_id IN (SELECT id FROM run WHERE team_name = :name)) "
    "FROM run WHERE team_name = :name AND ended_at IS NOT NULL"
)
Row = tuple[str, str]


def cpu_s(pid: int) -> float:
    """Processor time of a process, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def own_mb(pid: int) -> float:
    """Memory that is its own, in MB, with its part of what it shares."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024


@dataclass
class Measured:
    """A fleet on an empty database, and a client of its replica."""

    server: PostgresServer
    fleet: Fleet
    client: httpx.AsyncClient

    @classmethod
    @contextmanager
    def begin(cls) -> Generator[Measured]:
        programs = find_programs()
        assert programs, "No PostgreSQL server is installed."
        with (
            tempfile.TemporaryDirectory() as folder,
            running_server(programs) as server,
            fleet(server.url("postgres").render_as_string(), Path(folder)) as made,
        ):
            yield cls(server, made, _patient(made.web()))

    @property
    def database_pids(self) -> Sequence[int]:
        """The server's process and those of its connections."""
        first = (self.server.socket.parent / "data" / "postmaster.pid").read_text().split()[0]
        others = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return [int(first), *map(int, others)]

    def database_cpu_s(self) -> float:
        return sum(cpu_s(pid) for pid in self.database_pids)

    async def ask(self, statement: str, **values: object) -> Sequence[Sequence[object]]:
        engine = create_async_engine(self.fleet.url, poolclass=NullPool)
        async with engine.connect() as connection:
            rows = [tuple(row) for row in await connection.execute(text(statement), values)]
        await engine.dispose()
        return rows

    async def until(self, statement: str, wanted: int, **values: object) -> None:
        """Return when a count has come to what is wanted."""
        while True:
            if (await self.ask(statement, **values))[0][0] == wanted:
                return
            await asyncio.sleep(0.2)


def _patient(client: httpx.Client | httpx.AsyncClient, address: str = "127.0.0.1") -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=AT_ONCE)
    transport = httpx.AsyncHTTPTransport(limits=limits, local_address=address)
    return httpx.AsyncClient(
        base_url=client.base_url, headers=client.headers, trust_env=False, timeout=300, transport=transport
    )


def pid_of(worker: StudioProcess) -> int:
    assert worker.process.pid
    return worker.process.pid


def talkers(label: str, turns: int = TURNS) -> JsonObject:
    """Two agents with scripted models that answer at once."""
    agents = [assistant(name, *["A reply of a few words."] * turns) for name in ("ann", "bob")]
    return team(*agents, label=label, max_messages=turns + 1)


def slow(label: str, words: int) -> JsonObject:
    """One agent, one answer that is streamed by words for so many times `WORD_S`."""
    agent = assistant("ann", "word " * words)
    config = agent["config"]
    assert isinstance(config, dict)
    model = config["model_client"]
    assert isinstance(model, dict)
    assert isinstance(model["config"], dict)
    model["config"]["delay_s"] = WORD_S
    config["model_client_stream"] = True
    return team(agent, label=label, max_messages=2)


async def submit(client: httpx.AsyncClient, document: JsonObject, count: int) -> Sequence[str]:
    """Start so many runs of a new team; their ids."""
    made = await client.post("/api/teams", json={"component": document})
    made.raise_for_status()
    body, room = {"team_id": made.json()["id"], "task": "Go."}, asyncio.Semaphore(AT_ONCE)

    async def one() -> str:
        async with room:
            answer = await client.post("/api/runs", json=body)
            answer.raise_for_status()
            return str(answer.json()["id"])

    return await asyncio.gather(*(one() for _ in range(count)))


async def throughput(runs: int) -> Sequence[Row]:
    """Entries a second with 1, 2 and 4 workers that find all runs waiting."""
    rows: list[Row] = []
    for count in (1, 2, 4):
        with Measured.begin() as measured:
            await submit(measured.client, talkers("Talk"), runs)
            before = measured.database_cpu_s()
            workers = [measured.fleet.worker() for _ in range(count)]
            await measured.until(ENDED_RUNS, runs, name="Talk")
            ((_, lasted, entries),) = await measured.ask(ENDED_RUNS, name="Talk")
            assert isinstance(entries, int)
            seconds, spent_s = float(str(lasted)), sum(cpu_s(pid_of(worker)) for worker in workers)
            database_s = measured.database_cpu_s() - before
            rows.append(
                (
                    f"{count} worker{'s' if count > 1 else ''}, {runs} runs of {TURNS} turns",
                    f"{entries / seconds:,.0f} entries/s for {seconds:.1f} s; processor: workers {spent_s:.1f} s, "
                    f"PostgreSQL {database_s:.1f} s",
                )
            )
    return rows


async def parked(count: int, active: int) -> Sequence[Row]:
    """What runs that wait for a person take, and others beside them."""
    with Measured.begin() as measured:
        worker = measured.fleet.worker()
        idle_mb = own_mb(pid_of(worker))
        began = time.monotonic()
        await submit(measured.client, team(assistant("ann", "Hello."), USER_PROXY, label="Wait", max_messages=3), count)
        waiting = "SELECT count(*) FROM run WHERE team_name = 'Wait' AND state = 'paused'"
        await measured.until(waiting, count)
        took_s = time.monotonic() - began
        rows = [
            (
                f"{count:,} runs submitted, which wait for a person",
                f"after {took_s:.0f} s; worker {idle_mb:.0f} MB before",
            )
        ]
        rows.append(("while they are kept in memory", await _at_rest(measured, worker)))
        await measured.until("SELECT count(*) FROM run_driver", 0)  # ten minutes after the last of them has asked
        rows.append(("when they are put aside", await _at_rest(measured, worker)))
        ids = await submit(measured.client, slow("Stream", 400), active)
        driven = "SELECT count(*) FROM run WHERE team_name = 'Stream' AND state = 'running'"
        most, most_mb = 0, 0.0
        while True:
            ((ended, seconds, _),) = await measured.ask(ENDED_RUNS, name="Stream")
            if ended == len(ids):
                break
            ((now,),) = await measured.ask(driven)
            assert isinstance(now, int)
            most, most_mb = max(most, now), max(most_mb, own_mb(pid_of(worker)))
            await asyncio.sleep(1)
        rows.append(
            (
                f"{active} runs that stream for {400 * WORD_S:.0f} s beside them",
                f"up to {most} at once, all ended after {float(str(seconds)):.0f} s; worker up to {most_mb:.0f} MB",
            )
        )
        return rows


async def _at_rest(measured: Measured, worker: StudioProcess) -> str:
    """What a worker and the database take while nothing happens."""
    before_s, database_s, began = cpu_s(pid_of(worker)), measured.database_cpu_s(), time.monotonic()
    await asyncio.sleep(REST_S)
    passed_s = time.monotonic() - began
    worker_part, database_part = (
        100 * (now_s - then_s) / passed_s
        for now_s, then_s in ((cpu_s(pid_of(worker)), before_s), (measured.database_cpu_s(), database_s))
    )
    return f"worker {own_mb(pid_of(worker)):.0f} MB, {worker_part:.1f} % of a core; PostgreSQL {database_part:.1f} %"


async def streams(readers: int, runs: int) -> Sequence[Row]:
    """How much one replica sends to so many readers."""
    with Measured.begin() as measured:
        worker = measured.fleet.worker()
        ids = await submit(measured.client, slow("Stream", 300), runs)
        (replica,) = [pid for pid in _studio_pids() if pid != pid_of(worker)]
        clients = [
            _patient(measured.client, f"127.0.0.{2 + number}") for number in range(-(-readers // READERS_OF_AN_ADDRESS))
        ]
        before, began = cpu_s(replica), time.monotonic()

        async def read(number: int) -> int:
            seen, client = 0, clients[number // READERS_OF_AN_ADDRESS]
            async with client.stream("GET", f"/api/runs/{ids[number % runs]}/stream") as response:
                async for line in response.aiter_lines():
                    if line.startswith("data: "):
                        said: object = json.loads(line.removeprefix("data: "))
                        seen += len(cast("list[object]", said)) if isinstance(said, list) else 1
            return seen

        seen = await asyncio.gather(*(read(number) for number in range(readers)))
        seconds = time.monotonic() - began
        return [
            (
                f"{readers} readers of {runs} runs at one replica",
                f"{sum(seen) / seconds:,.0f} pieces/s for {seconds:.0f} s; replica "
                f"{100 * (cpu_s(replica) - before) / seconds:.0f} % of a core, {own_mb(replica):.0f} MB",
            )
        ]


def _studio_pids() -> Sequence[int]:
    """Of this script's processes, without what only forks them."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if b"forkserver" in (entry / "cmdline").read_bytes():
                children = (entry / "task" / entry.name / "children").read_text().split()
                found += map(int, children)
        except OSError:
            continue
    return found


async def takeover(runs: int) -> Sequence[Row]:
    """How long runs wait for another worker when theirs is killed."""
    with Measured.begin() as measured:
        workers = [measured.fleet.worker(), measured.fleet.worker()]
        await submit(measured.client, slow("Stream", 1200), runs)
        await measured.until("SELECT count(*) FROM run WHERE state = 'running'", runs)
        lost = pid_of(workers[0])
        whose = (
            "SELECT run_id, epoch FROM run_driver JOIN worker ON worker.id = worker_id JOIN run ON run.id = run_id "
            "WHERE name LIKE '%:' || :pid"
        )
        epochs = {str(run_id): epoch for run_id, epoch in await measured.ask(whose, pid=str(lost))}
        workers[0].signal(signal.SIGKILL)
        killed_at, after_s = time.monotonic(), dict[str, float]()
        while len(after_s) < len(epochs):
            for run_id, epoch in await measured.ask("SELECT id, epoch FROM run"):
                if epochs.get(str(run_id), epoch) != epoch:
                    after_s.setdefault(str(run_id), time.monotonic() - killed_at)
            await asyncio.sleep(0.05)
        parts = quantiles(after_s.values(), n=100)
        return [
            (
                f"takeover of {len(epochs)} runs of a killed worker",
                f"p50 {parts[49]:.1f} s, p99 {parts[98]:.1f} s, last {max(after_s.values()):.1f} s",
            )
        ]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["throughput", "parked", "streams", "takeover"])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--parked", type=int, default=5000)
    parser.add_argument("--active", type=int, default=500)
    parser.add_argument("--readers", type=int, default=500)
    given = parser.parse_args()
    parts: Mapping[str, Callable[[], Awaitable[Sequence[Row]]]] = {
        "throughput": lambda: throughput(given.runs),
        "parked": lambda: parked(given.parked, given.active),
        "streams": lambda: streams(given.readers, min(50, given.readers)),
        "takeover": lambda: takeover(given.runs),
    }
    print("| | |\n|---|---|")
    for name, measure in parts.items():
        if given.only in (None, name):
            for what, found in await measure():
                print(f"| {what} | {found} |", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
