"""A server that is killed at any moment, several times in one run: the run goes on, and nothing is done again.

`STUDIO_CRASHES=200 pytest tests/runs/replay/test_crashes.py` kills so many runs; a few are enough every day.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from studio.runs import LogEntry, RunState
from studio.store import open_store
from tests.extended import times
from tests.fakes.openai_server import OpenAIServer
from tests.runs.replay.driving import said_in, whole_log
from tests.runs.replay.generated import answer, digest_of, generated_team

ROOT = Path(__file__).parents[3]
RUNS = int(os.environ.get("STUDIO_CRASHES", times(3, 8)))
MAX_KILLS = 5
UNBROKEN = 10**9


class Lives:
    """Servers, one after the other, on the folder of one run."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def live(self, folder: Path, team: object, steps: int) -> bool:
        """Whether that life was ended by force."""
        assert self._process.stdin
        assert self._process.stdout
        order = {"folder": str(folder), "team": team, "steps": steps}
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        told = json.loads(await self._process.stdout.readline())
        assert told["killed"] or told["code"] == 0, told
        return bool(told["killed"])


@asynccontextmanager
async def lives() -> AsyncGenerator[Lives]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.runs.replay.crashing",
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "OPENAI_API_KEY": "key"},
        limit=1 << 24,
    )
    try:
        yield Lives(process)
    finally:
        process.kill()
        await process.communicate()


async def log_in(folder: Path) -> tuple[list[LogEntry], RunState]:
    async with open_store(folder) as store:
        (run,) = await store.runs.list()
        return await whole_log(store, run.id), run.status.state


def answered(log: list[LogEntry]) -> Counter[tuple[int, int]]:
    """Which requests to a model have their answers in the log."""
    results = [entry.body["result"] for entry in log if entry.body.get("effect") == "model"]
    found: Counter[tuple[int, int]] = Counter()
    for result in results:
        assert isinstance(result, dict)
        usage = result["usage"]
        assert isinstance(usage, dict)
        found[int(str(usage["prompt_tokens"])), int(str(usage["completion_tokens"]))] += 1
    return found


@pytest.mark.slow
@pytest.mark.timeout(60 + 20 * RUNS)
async def test_a_run_survives_the_death_of_its_server(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.always(answer)
    kills = 0
    async with lives() as servers:
        for seed in range(RUNS):
            kills += await one_run(servers, openai_server, tmp_path / str(seed), seed)
    assert kills > RUNS


async def one_run(servers: Lives, server: OpenAIServer, folder: Path, seed: int) -> int:
    """Kill one run some times; how often that was."""
    random, team = Random(seed), generated_team(seed, server.url)
    whole, broken = folder / "whole", folder / "broken"
    for each in (whole, broken):
        each.mkdir(parents=True)
    assert not await servers.live(whole, team, UNBROKEN)
    kills, asked, known = 0, server.request_count, Counter[tuple[int, int]]()
    while await servers.live(broken, team, random.randint(2, 16) if kills < MAX_KILLS else UNBROKEN):
        kills += 1
        repeated = Counter(digest_of(request.body) for request in server.requests[asked:])
        log, _ = await log_in(broken) if (broken / "studio.db").exists() else ([], None)
        assert_nothing_asked_again(known, repeated, answered(log))
        asked, known = server.request_count, answered(log)
    log, state = await log_in(broken)
    repeated = Counter(digest_of(request.body) for request in server.requests[asked:])
    assert_nothing_asked_again(known, repeated, answered(log))
    original, _ = await log_in(whole)
    assert state is RunState.FINISHED
    assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
    assert sorted(said_in(log)) == sorted(said_in(original)), f"team {seed}"
    written = Counter((broken / "ledger.txt").read_text().split() if (broken / "ledger.txt").exists() else [])
    in_doubt = sum(entry.body.get("state") == "paused" and "outcome is unknown" in str(entry.body) for entry in log)
    assert sum(count - 1 for count in written.values()) <= in_doubt
    return kills


def assert_nothing_asked_again(
    known: Counter[tuple[int, int]], asked: Counter[tuple[int, int]], now: Counter[tuple[int, int]]
) -> None:
    """A request whose answer was in the log is only made again if the run has come to another one like it."""
    for digest, count in asked.items():
        assert known[digest] == 0 or now[digest] >= known[digest] + count, "an answer that was recorded was asked again"
