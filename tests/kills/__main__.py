"""`python -m tests.kills [--signal KILL|TERM] [--runs N] [--seed N] [--fleet]`: ends a server again and again.

A set of runs of all kinds is made twice: once on a server that nobody ends, and once on one that is ended at random
moments while clients watch, answer and reconnect. What differs is printed, and what was asked of the models twice.

With `--fleet` the second set is made on two replicas and two workers on PostgreSQL. At random moments a worker is
killed, ended or frozen for longer than it may be silent, a replica is killed, or the database crashes; clients go to
another replica with each request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Protocol, cast

import httpx

from studio.runs import LogEntry
from studio.runs.replay import entries_of
from studio.store import Store, open_store
from tests.kills.diary import Asked, DiaryServer, by_key
from tests.kills.fleet import Fleet
from tests.kills.studio import Studio, Watched, follow, make_team, start_run
from tests.kills.teams import KINDS, as_compared

AT_ONCE = 9
"""Runs under way."""
BETWEEN_S = 1.0, 6.0
"""How long a server lives."""
BETWEEN_FAULTS_S = 10.0, 25.0
"""The same for a fleet, whose workers take a while to start, and are to get somewhere."""


@dataclass(frozen=True)
class Found:
    """One set of runs, by the name of each."""

    watched: dict[str, Watched]
    logs: dict[str, list[LogEntry]]
    diary: Sequence[Asked]
    ended: Sequence[tuple[float, float]]
    """When the server was told to end, and when it was gone."""


class Served(Protocol):
    """What runs are made on."""

    ended: list[tuple[float, float]]

    def client(self) -> httpx.AsyncClient: ...


async def one_set(folder: Path, count: int, number: signal.Signals | None, random: Random) -> Found:
    """Make all runs to their end, on one server that is ended by the signal at random moments."""
    studio = Studio(folder / "data", folder / "server.txt")

    async def fault() -> None:
        assert number
        await studio.end(number)
        await studio.start()

    async def close() -> None:
        await studio.end(signal.SIGTERM)

    await studio.start()
    opening = partial(open_store, folder / "data")
    found = await _made(studio, count, fault if number else None, close, opening, partial(random.uniform, *BETWEEN_S))
    return replace(found, ended=studio.ended[:-1])


async def one_set_of_fleet(folder: Path, count: int, random: Random) -> Found:
    """The same on a fleet, whose parts fail at random moments."""
    fleet = await Fleet(folder, random).open()
    opening = partial(open_store, folder / "data", fleet.url)

    async def close() -> None:
        await fleet.end_processes()

    try:
        found = await _made(fleet, count, fleet.fault, close, opening, partial(random.uniform, *BETWEEN_FAULTS_S))
    finally:
        await fleet.close()
    print(f"faults: {dict(Counter(fleet.happened))}", file=sys.stderr)
    return found


async def _made(
    studio: Served,
    count: int,
    fault: Callable[[], Awaitable[None]] | None,
    close: Callable[[], Awaitable[None]],
    opening: Callable[[], AbstractAsyncContextManager[Store]],
    between_s: Callable[[], float],
) -> Found:
    with DiaryServer() as models:
        watched: dict[str, Watched] = {}
        async with studio.client() as client, asyncio.TaskGroup() as group:
            teams = {kind: await make_team(client, KINDS[kind], models.url) for kind in KINDS}
            room, alone = asyncio.Semaphore(AT_ONCE), asyncio.Lock()

            async def one_run(name: str, kind: str) -> None:
                async with room:
                    async with alone:  # what is started while the server ends may be there and nobody knows its id
                        run_id = await start_run(client, teams[kind], f"Task {name}.")
                    watched[name] = Watched(run_id, kind)
                    await follow(client, watched[name])

            kinds = list(KINDS)
            runs = [
                group.create_task(one_run(f"{place} {kinds[place % len(kinds)]}", kinds[place % len(kinds)]))
                for place in range(count)
            ]
            while fault is not None and not all(run.done() for run in runs):
                await asyncio.wait(runs, timeout=between_s())
                async with alone:
                    await fault()
                print(f"{len(studio.ended)} ends, {sum(run.done() for run in runs)} runs done", file=sys.stderr)
        await close()
        async with opening() as store:
            logs = {
                name: [entry async for page in entries_of(store.runs, each.run_id) for entry in page]
                for name, each in watched.items()
            }
        return Found(watched, logs, models.diary, list(studio.ended))


def said(log: Sequence[LogEntry]) -> list[str]:
    """What was said and done in a run, without what people and servers did to it."""
    return [_in_short(entry) for entry in log if entry.kind in ("message", "event")]


def answers(log: Sequence[LogEntry]) -> list[str]:
    """What the world answered. Side by side, an answer may be there before or after another's message."""
    return sorted(_in_short(entry) for entry in log if entry.kind == "effect" and entry.body.get("effect") != "clock")


def _in_short(entry: LogEntry) -> str:
    body = entry.body
    if entry.kind == "effect":
        result = body.get("result")
        shown = result.get("content") if isinstance(result, dict) else result
        return as_compared(f"effect {body.get('effect')} {body.get('source')} {json.dumps(shown)[:90]}")
    return as_compared(f"{entry.kind} {body.get('type')} {body.get('source')} {json.dumps(body.get('content'))[:90]}")


def questions(log: Sequence[LogEntry]) -> int:
    """How many questions a person has answered. Others depend on when the server ended: what became of a call that was
    under way, and a limit, which is raised as often as it is reached."""
    kinds = {each["request_id"]: each["kind"] for entry in log if (each := _pending(entry))}
    told = (entry.body for entry in log if entry.kind == "command")
    return sum(
        body.get("command") in ("answer", "decide") and kinds.get(body.get("request_id")) in ("approval", "input")
        for body in told
    )


def _pending(entry: LogEntry) -> dict[str, Any] | None:
    return cast("dict[str, Any] | None", entry.body.get("pending")) if entry.kind == "state" else None


@dataclass(frozen=True)
class Again:
    """A request that was made again although it had been answered in full before the server ended."""

    model: str
    age_s: float
    """How long before the signal the answer had been sent; below 0 for one that was sent after it."""


def paid_twice(found: Found) -> list[Again]:
    """What was asked again in a later life of the server than that in which it was answered."""
    again: list[Again] = []
    for requests in by_key(found.diary):
        for before, after in pairwise(requests):
            ends = [(told, gone) for told, gone in found.ended if before.at < gone < after.at]
            if before.answered_at is not None and ends and before.answered_at < ends[0][1]:
                told, _ = ends[0]
                again.append(Again(before.model, told - before.answered_at))
    return again


def report(whole: Found, broken: Found) -> int:
    """Print what differs; how many things do that must not."""
    wrong = 0
    needed = len({asked.key for asked in whole.diary})
    print(
        f"{len(broken.ended)} ends of the server, {len(broken.watched)} runs, "
        f"{sum(map(len, broken.logs.values()))} entries, {len(broken.diary)} requests ({needed} needed)"
    )
    states = Counter(each.state for each in broken.watched.values())
    print(f"  states {dict(states)}; unbroken {dict(Counter(each.state for each in whole.watched.values()))}")
    for name, watched in broken.watched.items():
        problems = problems_of(name, watched, whole, broken)
        wrong += len(problems)
        for problem in problems:
            print(f"  {name} ({watched.run_id}): {problem}")
    again = sorted(paid_twice(broken), key=lambda each: -each.age_s)
    sent = [each for each in again if each.age_s > 0]
    print(f"  answered in full and asked again: {len(sent)} before the signal, {len(again) - len(sent)} after it")
    for each in again:
        print(f"    {each.model}: {each.age_s * 1000:.0f} ms before the signal")
    return wrong


def problems_of(name: str, watched: Watched, whole: Found, broken: Found) -> list[str]:
    """What is not as in the unbroken run."""
    log, true_log = broken.logs[name], whole.logs[name]
    problems: list[str] = []
    if watched.state != whole.watched[name].state:
        problems.append(f"{watched.state}: {watched.detail}")
    if [entry.seq for entry in log] != list(range(1, len(log) + 1)):
        problems.append("the numbers of its log are not dense")
    mine, true = said(log), said(true_log)
    if mine != true:
        place = next((place for place, pair in enumerate(zip(mine, true, strict=False)) if pair[0] != pair[1]), 0)
        what = "the order of its log" if sorted(mine) == sorted(true) else "its log"
        problems.append(f"{what} differs:\n      {mine[place : place + 4]}\n      {true[place : place + 4]}")
    if twice := watched.shown_twice():
        problems.append(f"shown twice: {twice}")
    if watched.asked_again:
        problems.append(f"asked again: {watched.asked_again}")
    if answers(log) != answers(true_log):
        problems.append("the world's answers in its log differ")
    if questions(log) != questions(true_log):
        problems.append(f"a person answered {questions(log)} times instead of {questions(true_log)}")
    return problems


async def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--signal", choices=["KILL", "TERM"], default="KILL")
    parser.add_argument("--runs", type=int, default=27)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fleet", action="store_true", help="two replicas and two workers on PostgreSQL")
    parser.add_argument("--folder", type=Path, default=None, help="where the data is left; a temporary one if left out")
    options = parser.parse_args(arguments)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="kills-"))
    for each in ("whole", "broken"):
        (folder / each).mkdir(parents=True)
    whole = await one_set(folder / "whole", options.runs, None, Random(options.seed))
    number = signal.Signals[f"SIG{options.signal}"]
    if options.fleet:
        broken = await one_set_of_fleet(folder / "broken", options.runs, Random(options.seed))
    else:
        broken = await one_set(folder / "broken", options.runs, number, Random(options.seed))
    return report(whole, broken)


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main()) else 0)
