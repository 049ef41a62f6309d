"""What it costs to record a run: the same team driven by the supervisor, its log in SQLite, and without any of that."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from studio.components import JsonObject
from studio.runs import RunSupervisor
from studio.store import open_store
from studio.teams import Team
from tests.benchmarks.studio import TASK, two_agents


async def recorded(turns: int) -> dict[str, float]:
    """CPU time of a turn in microseconds, unrecorded and recorded, in this process one after the other.

    As in the other scenarios, what is imported and built at first use is not counted.
    """
    for count in (2, turns):
        found = await _compared(count)
    return found


async def _compared(turns: int) -> dict[str, float]:
    document = two_agents(turns, "replay").dump_component()
    team = two_agents(turns, "replay")
    unrecorded_us = await _unrecorded_us(team) / turns
    with TemporaryDirectory() as folder:
        recorded_us = await _recorded_us(Path(folder), document) / turns
    return {"unrecorded_us": unrecorded_us, "recorded_us": recorded_us, "ratio": recorded_us / unrecorded_us}


async def _recorded_us(folder: Path, document: JsonObject) -> float:
    async with (
        open_store(folder) as store,
        RunSupervisor(store.runs, store.approvals, store.secrets) as supervisor,
    ):
        gc.collect()
        began = time.process_time()
        run_id = await supervisor.start(document, TASK)
        async for _ in supervisor.subscribe(run_id):
            pass
        return (time.process_time() - began) * 1e6


async def _unrecorded_us(team: Team) -> float:
    gc.collect()
    began = time.process_time()
    await team.run(task=TASK)
    return (time.process_time() - began) * 1e6
