"""Sessions: a team that goes on with another task and still knows the ones before."""

from __future__ import annotations

import asyncio

from pydantic import JsonValue

from studio.components.readable_json import well_formed_json
from studio.errors import Conflict, RunFailed
from studio.runs.journal.log import Changes, JsonObject, NewRun, RunRecord, RunStore
from studio.runs.replay.fork import inherited_log
from studio.runs.replay.reexecute import reexecute
from studio.runs.state import RunState
from studio.runs.tasks import task_text

CONTINUABLE = frozenset({RunState.FINISHED, RunState.STOPPED})


def session_of(record: RunRecord) -> str:
    """The session that a run belongs to: the id of its first run."""
    return record.session_id or record.id


async def next_of(store: RunStore, record: RunRecord, task: JsonValue) -> NewRun:
    """What a run is started with that goes on where another one has ended, with another task.

    What the team remembers is worked out of the log: nothing need be saved at the end of each run for it.

    Raises:
        InvalidTask: There is nothing to do.
        Conflict: The run has not come to an end, or its team does something else now than was recorded.
    """
    if record.status.state not in CONTINUABLE:
        raise Conflict(
            "Only a run that has finished or was stopped can continue with another task.", fix="Fork it instead."
        )
    task = well_formed_json(task)
    return NewRun(
        record.component,
        task,
        task_text(task),
        record.team_id,
        record.team_name,
        session_id=session_of(record),
        team_revision=record.team_revision,
        changes=await asyncio.to_thread(
            Changes, initial_state=await _remembered(store, record), continues=record.id, mocks=record.changes.mocks
        ),
    )


async def _remembered(store: RunStore, record: RunRecord) -> JsonObject:
    past = inherited_log(store, record)
    found = await reexecute(
        record.component,
        record.task,
        past.entries,
        run_id=record.namespace,
        match=past.match,
        edits=past.edits,
        with_state=True,
        initial_state=record.changes.initial_state,
        to_end=True,
    )
    if found.error is not None:
        raise RunFailed("The memory of the team cannot be restored from the log.") from found.error
    if found.divergence is not None:
        raise Conflict("The team now behaves differently than recorded.", fix="Start a new run of the team.")
    return dict(found.state)
