"""Runs that wait at a breakpoint, and what their models were told."""

from __future__ import annotations

from pydantic import JsonValue

from studio.runs import Breakpoint, RunState
from studio.runs.replay import entries_of, reexecute
from tests.runs.scripted import Studio
from tests.runs.tooling import agent, started, team

AFTER = Breakpoint(id="b", on="agent", when="after", name="writer")


PAIR = team(agent("writer", "One.", "Three."), agent("critic", "Two.", "Four."), turns=2)


async def held_at(studio: Studio, document: JsonValue) -> tuple[str, str]:
    """A run that waits behind the writer's first message, and the id of that message."""
    run_id = await started(studio, document, breakpoints=[AFTER])
    view = (await studio.until(run_id, RunState.PAUSED)).view
    assert view.editable_id
    return run_id, view.editable_id


async def prompts(studio: Studio, run_id: str) -> list[str]:
    """What the models were told, as the log lets it be recomputed."""
    record = await studio.store.runs.get(run_id)
    told: list[str] = []
    entries = entries_of(studio.store.runs, run_id)
    found = await reexecute(
        record.component,
        record.task,
        entries,
        run_id=record.namespace,
        look=lambda request, _: told.append(str(request.body)) if request.kind == "model" else None,
    )
    assert found.divergence is None
    return told
