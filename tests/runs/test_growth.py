"""What a turn costs does not grow with the conversation."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, cast

import pytest

from studio.components import JsonObject
from studio.runs import LogEntry, RunState
from studio.runs.journal.pages import read_whole
from tests.runs.scripted import OpenStudio, Studio
from tests.runs.tooling import agent, team

TURNS = 2_000
SAME = "The same sentence every time."


def buffered(name: str) -> JsonObject:
    """An agent that reads the last messages only, as one in a long conversation must."""
    made = cast("JsonObject", agent(name, *([SAME] * TURNS), tools=()))
    context: JsonObject = {
        "provider": "autogen_core.model_context.BufferedChatCompletionContext",
        "component_type": "chat_completion_context",
        "config": {"buffer_size": 6},
    }
    return {**made, "config": {**cast("JsonObject", made["config"]), "model_context": context}}


def size_of(entries: Sequence[LogEntry]) -> int:
    return sum(len(json.dumps(entry.body)) for entry in entries)


class Work:
    """Counts the calls of functions, Python's and C's, that this thread makes while it is in force."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        del frame, argument
        self.count += event in ("call", "c_call")


async def talk(studio: Studio, turns: int) -> tuple[Sequence[LogEntry], int]:
    """A run of so many turns.

    Returns:
        Its log, and how many calls of functions it took.
    """
    document = team(buffered("ann"), buffered("bob"), turns=turns)
    work, before = Work(), sys.getprofile()
    sys.setprofile(work)
    try:
        run_id = await studio.supervisor.start(document, "Talk.")
        await studio.until(run_id, RunState.FINISHED)
    finally:
        sys.setprofile(before)
    return await read_whole(studio.store.runs, run_id, max_entries=10 * turns), work.count


@pytest.mark.slow
async def test_a_late_turn_costs_what_an_early_one_does(open_studio: OpenStudio) -> None:
    """What it writes into the log, and what is done for it."""
    async with open_studio() as studio:
        _, once = await talk(studio, TURNS // 4)  # what is done once, and for the first turns
        _, half = await talk(studio, TURNS // 2)
        log, whole = await talk(studio, TURNS)
    ends = [index for index, entry in enumerate(log) if entry.kind == "message"]
    assert len(ends) == TURNS + 1
    early, late = (log[ends[turn] : ends[turn + 20]] for turn in (10, TURNS - 20))
    assert len(early) == len(late)
    assert size_of(late) <= 1.2 * size_of(early)

    assert whole - half <= 1.1 * 2 * (half - once)
