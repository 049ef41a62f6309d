"""What a turn costs does not grow with the conversation."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, cast

from studio.components import JsonObject
from studio.runs import LogEntry, RunState
from studio.runs.live import LiveRun
from studio.runs.log_pages import read_whole
from tests.runs.scripted import OpenStudio
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
        self.at_turns: list[int] = []
        """How many there were when each answer of a model was recorded."""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        del argument
        self.count += event in ("call", "c_call")
        if event == "call" and frame.f_code is LiveRun.record_effect.__code__:
            self.at_turns.append(self.count)


async def test_a_late_turn_costs_what_an_early_one_does(open_studio: OpenStudio) -> None:
    """What it writes into the log, and what is done for it."""
    async with open_studio() as studio:
        document = team(buffered("ann"), buffered("bob"), turns=TURNS)
        work, before = Work(), sys.getprofile()
        sys.setprofile(work)
        try:
            run_id = await studio.supervisor.start(document, "Talk.")
            await studio.until(run_id, RunState.FINISHED)
        finally:
            sys.setprofile(before)
        log = await read_whole(studio.store.runs, run_id, max_entries=10 * TURNS)
    ends = [index for index, entry in enumerate(log) if entry.kind == "message"]
    assert len(ends) == TURNS + 1
    early, late = (log[ends[turn] : ends[turn + 20]] for turn in (10, TURNS - 20))
    assert len(early) == len(late)
    assert size_of(late) <= 1.2 * size_of(early)

    assert len(work.at_turns) == TURNS
    early_work, late_work = (work.at_turns[turn + 100] - work.at_turns[turn] for turn in (20, TURNS - 101))
    assert late_work <= 1.1 * early_work
