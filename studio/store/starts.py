"""The row of what a run was started with, written in a thread: a team of very many agents, or what it remembers."""

from __future__ import annotations

import asyncio

from pydantic import JsonValue

from studio.components import JsonObject
from studio.runs import Changes
from studio.store.json_text import JsonText, to_json


async def start_row(run_id: str, component: JsonObject, task: JsonValue, changes: Changes) -> dict[str, object]:
    """By the columns of `RunStart`, documents as text."""
    return await asyncio.to_thread(_start_row, run_id, component, task, changes)


def _start_row(run_id: str, component: JsonObject, task: JsonValue, changes: Changes) -> dict[str, object]:
    return {
        "run_id": run_id,
        "component": JsonText(to_json(component)),
        "task": JsonText(to_json(task)),
        "changes": JsonText(to_json(changes.model_dump(mode="json", exclude_defaults=True))),
    }
