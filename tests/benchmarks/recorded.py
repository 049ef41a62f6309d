"""What it costs to record a run: the same team driven by the supervisor, its log in SQLite, and without any of that.

A recorded run explains its decisions. So there are two others to hold it against: one that tells nothing but its
messages, and one that gives the same explanations to a loop that throws them away.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from studio.components import JsonObject, load_component
from studio.messages import explained
from studio.runs import RunSupervisor
from studio.store import open_store
from studio.teams import Team
from tests.benchmarks.studio import TASK, two_agents

FIRST_TURNS = 50


async def recorded(turns: int) -> dict[str, float]:
    """CPU time of a turn in microseconds, recorded, unrecorded and explained, in this process one after the other.

    A turn's is that of a run of so many and the first ones more, without that of a run of the first ones alone: to
    begin a run, for which its document is read and checked, is no part of a turn. What is imported and built at first
    use is not counted, as in the other scenarios.
    """
    await _recorded_us(_document(FIRST_TURNS + turns, FIRST_TURNS))
    gc.freeze()  # as the server does at its start
    recorded_us = await _turn_us(_recorded_us, turns)
    unrecorded_us = await _turn_us(_unrecorded_us, turns)
    explained_us = await _turn_us(_explained_us, turns)
    return {
        "unrecorded_us": unrecorded_us,
        "explained_us": explained_us,
        "recorded_us": recorded_us,
        "ratio": recorded_us / unrecorded_us,
        "ratio_to_explained": recorded_us / explained_us,
    }


async def _turn_us(run: Callable[[JsonObject], Awaitable[float]], turns: int) -> float:
    last = FIRST_TURNS + turns
    await run(_document(last, FIRST_TURNS))
    return (await run(_document(last, last)) - await run(_document(last, FIRST_TURNS))) / turns


def _document(replies: int, turns: int) -> JsonObject:
    """Of two agents with so many replies, of whom so many turns are wanted."""
    document = two_agents(replies, "replay").dump_component()
    return {**document, "config": {**cast("JsonObject", document["config"]), "max_turns": turns}}


async def _recorded_us(document: JsonObject) -> float:
    with TemporaryDirectory() as folder:
        async with (
            open_store(Path(folder)) as store,
            RunSupervisor(store.runs, store.approvals, store.secrets) as supervisor,
        ):
            gc.collect()
            began = time.process_time()
            run_id = await supervisor.start(document, TASK)
            async for _ in supervisor.subscribe(run_id):
                pass
            return (time.process_time() - began) * 1e6


async def _unrecorded_us(document: JsonObject) -> float:
    team = load_component(document, Team)
    gc.collect()
    began = time.process_time()
    await team.run(task=TASK)
    return (time.process_time() - began) * 1e6


async def _explained_us(document: JsonObject) -> float:
    team = load_component(document, Team)
    gc.collect()
    began = time.process_time()
    with explained():
        async for _ in team.run_stream(task=TASK):
            pass
    return (time.process_time() - began) * 1e6
