"""What a turn costs does not grow with the conversation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from studio.components import JsonObject
from studio.runs import LogEntry, RunState
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


async def test_a_late_turn_writes_as_much_into_the_log_as_an_early_one(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        document = team(buffered("ann"), buffered("bob"), turns=TURNS)
        run_id = await studio.supervisor.start(document, "Talk.")
        await studio.until(run_id, RunState.FINISHED)
        log = await studio.store.runs.read(run_id, limit=10 * TURNS)
    ends = [index for index, entry in enumerate(log) if entry.kind == "message"]
    assert len(ends) == TURNS + 1
    early, late = (log[ends[turn] : ends[turn + 20]] for turn in (10, TURNS - 20))
    assert len(early) == len(late)
    assert size_of(late) <= 1.2 * size_of(early)
