"""`python -m tests.kills [--signal KILL|TERM] [--runs N] [--seed N] [--fleet]`: ends a server again and again.

A set of runs of all kinds is made twice: once on a server that nobody ends, and once on one that is ended at random
moments while clients watch, answer and reconnect. What differs is printed, and what was asked of the models twice.

With `--fleet` the second set is made on two replicas and two workers on PostgreSQL. A worker is killed, ended, frozen
or cut off from the database for longer than it may be silent, or its clock is turned; a replica is killed; the database
crashes or its disk is full. Clients go to another replica with each request, and `--watchers` look on besides. With
`--rounds` each of these happens so often, in a random order; without, they happen until all runs have ended.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, repeat
from pathlib import Path
from random import Random
from typing import Any, Protocol, cast

import httpx

from studio.runs import LogEntry
from studio.runs.replay import entries_of
from studio.store import Store, open_store
from studio.store.worker_lease import SILENT_S
from tests.kills.diary import Asked, DiaryServer, by_key
from tests.kills.faults import Faults
from tests.kills.fleet import Fleet
from tests.kills.studio import Studio, Watched, follow, make_team, start_run
from tests.kills.teams import KINDS, TOKENS, as_compared
from tests.kills.watchers import Watchers

AT_ONCE = 9
"""Runs under way."""
BETWEEN_S = 1.0, 6.0
"""How long a server lives."""
BETWEEN_FAULTS_S = 2.0, 6.0
"""The same for a fleet, of which only one part fails at a time."""


SEEN_WITHIN_S = 10.0
"""After which whoever looks on has been told of the end of the last run."""
TAKEN_OVER_S = SILENT_S + 2.0
SPENT = "SELECT sum(calls)::bigint, sum(prompt_tokens + completion_tokens)::bigint FROM spending WHERE kind = 'model'"


@dataclass(frozen=True)
class Found:
    """One set of runs, by the name of each."""

    watched: dict[str, Watched]
    logs: dict[str, list[LogEntry]]
    diary: Sequence[Asked]
    ended: Sequence[tuple[float, float]]
    """When the server was told to end, and when it was gone."""
    problems: Sequence[str] = ()
    """What is wrong whatever an unbroken set is like."""


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

    faults = _Faults(repeat(fault) if number else (), partial(random.uniform, *BETWEEN_S))

    async def close() -> None:
        await studio.end(signal.SIGTERM)

    await studio.start()
    opening = partial(open_store, folder / "data")
    found = await _made(studio, count, faults, close, opening)
    return replace(found, ended=studio.ended[:-1])


async def one_set_of_fleet(folder: Path, count: int, random: Random, rounds: int, watchers: int) -> Found:
    """The same on a fleet, whose parts fail: each of them so many times, or at random until the runs have ended."""
    fleet = await Fleet(folder, disk=bool(rounds)).open()
    faults = Faults(fleet, random)
    opening = partial(open_store, folder / "data", fleet.url)
    happening = (partial(faults.happen, name) for name in faults.names(rounds))
    every = len(faults.kinds) * rounds
    between_s = partial(random.uniform, *BETWEEN_FAULTS_S)
    try:
        found = await _made(
            fleet, count, _Faults(happening, between_s, every), fleet.end_processes, opening, (watchers, random)
        )
        told = await fleet.ask(SPENT)
    except BaseException:
        print(fleet.printed(), file=sys.stderr)
        raise
    finally:
        await fleet.close()
    answered = len({asked.key for asked in found.diary if asked.answered_at is not None})
    print(f"faults: {dict(Counter(faults.happened))}", file=sys.stderr)
    print(f"  taken over after, in seconds: {[round(each, 1) for each in sorted(faults.takeovers_s)]}")
    print(f"  in the ledger: {told[0]} calls and tokens; answered by the model server: {answered} requests")
    wrong = [] if told == [(answered, answered * TOKENS)] else ["the ledger is not what the model server counted"]
    wrong += [f"runs were taken over after {each:.1f} s" for each in faults.takeovers_s if each > TAKEN_OVER_S]
    return replace(found, problems=[*found.problems, *wrong])


@dataclass(frozen=True)
class _Faults:
    """What happens, after which time each, and how many there will be; 0 of what has no end."""

    happening: Iterable[Callable[[], Awaitable[None]]]
    between_s: Callable[[], float]
    count: int = 0


async def _made(
    studio: Served,
    count: int,
    faults: _Faults,
    close: Callable[[], Awaitable[None]],
    opening: Callable[[], AbstractAsyncContextManager[Store]],
    watching: tuple[int, Random] = (0, Random()),
) -> Found:
    with DiaryServer() as models:
        watched: dict[str, Watched] = {}
        watchers = Watchers(watched, watching[1])
        async with studio.client() as client, asyncio.TaskGroup() as group:
            teams = {kind: await make_team(client, KINDS[kind], models.url) for kind in KINDS}
            room, alone = asyncio.Semaphore(AT_ONCE), asyncio.Lock()
            admitted = asyncio.Semaphore(0 if faults.count else count)

            async def one_run(name: str, kind: str) -> None:
                await admitted.acquire()
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
            lookers = [group.create_task(watchers.look_on(client)) for _ in range(watching[0])]
            for number, fault in enumerate(faults.happening, 1):
                if faults.count:  # some runs are under way at each
                    for _ in range(count * number // faults.count - count * (number - 1) // faults.count):
                        admitted.release()
                await asyncio.wait(runs, timeout=faults.between_s())
                if not faults.count and all(run.done() for run in runs):
                    break
                async with alone:
                    await fault()
                print(f"{len(studio.ended)} ends, {sum(run.done() for run in runs)} runs done", file=sys.stderr)
            await asyncio.wait(runs)
            await asyncio.sleep(SEEN_WITHIN_S if lookers else 0)
            for each in lookers:
                each.cancel()
        await close()
        async with opening() as store:
            logs = {
                name: [entry async for page in entries_of(store.runs, each.run_id) for entry in page]
                for name, each in watched.items()
            }
        print(f"  {len(watchers.saw)} times somebody watched a run besides", file=sys.stderr)
        return Found(watched, logs, models.diary, list(studio.ended), watchers.problems(logs))


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
    for problem in broken.problems:
        print(f"  {problem}")
    wrong += len(broken.problems)
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
    parser.add_argument("--rounds", type=int, default=0, help="how often each part of a fleet fails")
    parser.add_argument("--watchers", type=int, default=0, help="how many look on besides")
    parser.add_argument("--folder", type=Path, default=None, help="where the data is left; a temporary one if left out")
    options = parser.parse_args(arguments)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="kills-"))
    for each in ("whole", "broken"):
        (folder / each).mkdir(parents=True)
    whole = await one_set(folder / "whole", options.runs, None, Random(options.seed))
    number = signal.Signals[f"SIG{options.signal}"]
    if options.fleet:
        broken = await one_set_of_fleet(
            folder / "broken", options.runs, Random(options.seed), options.rounds, options.watchers
        )
    else:
        broken = await one_set(folder / "broken", options.runs, number, Random(options.seed))
    return report(whole, broken)


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main()) else 0)
