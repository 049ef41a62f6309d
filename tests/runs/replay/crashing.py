"""A server that kills itself at a place that a test chooses. Started once; each life of it is a fork of that process.

It reads one JSON object per line and prints one when that life is over: `{"status": ..., "run_id": ...}`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import openai
from pydantic import JsonValue

from studio.components import JsonObject
from studio.egress.clients import http_client
from studio.egress.guard import Guard
from studio.runs import Draft, Lease, LogEntry, RunStatus, RunSupervisor
from studio.store import open_store
from studio.store.runs import Runs
from tests.runs.replay import generated
from tests.runs.replay.driving import Everything, to_its_end


class Countdown:
    """Kills the process at the n-th step."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class DeadlyRuns(Runs):
    """Counts each append, before it is made and after it is in the log."""

    countdown: Countdown

    def append(self, lease: Lease, drafts: Sequence[Draft], status: RunStatus) -> asyncio.Future[Sequence[LogEntry]]:
        self.countdown.step()
        written = super().append(lease, drafts, status)
        written.add_done_callback(lambda _: self.countdown.step())
        return written


async def live(order: Mapping[str, Any]) -> None:
    """One life: go on with what is there, or begin, and serve to the end of all runs."""
    countdown = Countdown(int(order["steps"]))
    ledger = Path(order["folder"], "ledger.txt")

    def note(arguments: Mapping[str, JsonValue]) -> None:
        countdown.step()
        with ledger.open("a") as file:
            file.write(f"{arguments['text']}\n")
        countdown.step()

    generated.noted = note
    async with open_store(Path(order["folder"])) as store:
        deadly = DeadlyRuns.__new__(DeadlyRuns)
        vars(deadly).update(vars(store.runs))
        deadly.countdown = countdown
        async with RunSupervisor(deadly, Everything(), store.secrets) as supervisor:
            known = [run.id for run in await store.runs.list()]
            team = cast("JsonObject", order["team"])
            run_id = known[0] if known else await supervisor.start(team, "Go.")
            await to_its_end(supervisor, run_id)


async def load_all() -> None:
    """What each life would load for itself."""
    assert openai.AsyncOpenAI(api_key="key").chat.completions
    assert http_client(Guard())
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder)):
            pass
    gc.collect()
    gc.freeze()


def serve_lives() -> None:
    """Fork for each order."""
    asyncio.run(load_all())
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            asyncio.run(live(json.loads(line)))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        print(json.dumps({"killed": os.WIFSIGNALED(status), "code": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    serve_lives()
