"""Holds a release against recorded calls. Its team repeats each, which asks nothing and costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from studio.components import JsonObject
from studio.errors import NotFound, StudioError
from studio.runs import RunState
from studio.runs.replay.fork import inherited_log
from studio.runs.replay.reexecute import Reexecution, reexecute
from studio.store import Store
from studio.store.deployment_tables import Deployment

MAX_CALLS = 20
"""The newest ones; a page has no room for more."""
LOOKED_AT = 200
"""Newest calls among which they are found."""

ReplayOutcome = Literal["same", "differs", "unreadable"]


@dataclass(frozen=True)
class ReplayedCall:
    """What the team of a release does with a recorded call.

    Args:
        id: Of the call.
        task: Its beginning.
        outcome: The same up to its end, or something else from the entry `seq` on; or it cannot be repeated.
        seq: Number of the entry in the log of the call.
        detail: What is different, or why it cannot be repeated.
    """

    id: str
    task: str
    outcome: ReplayOutcome
    seq: int | None = None
    detail: str = ""


async def recorded_calls(store: Store, deployment: Deployment) -> Sequence[str]:
    """IDs of the newest calls that finished and began a thread: later ones depend on what their team remembered."""
    calls = await store.calls.list(deployment.id, limit=LOOKED_AT)
    finished = RunState.FINISHED.value
    found = [each.call.id for each in calls if each.call.position == 1 and each.run and each.run.state == finished]
    return found[:MAX_CALLS]


async def replay_calls(store: Store, component: JsonObject, ids: Sequence[str]) -> Sequence[ReplayedCall]:
    """Repeat calls with this team, each up to its first difference. What was deleted meanwhile is left out.

    Takes as long as the engine takes for the runs: call it where other work can wait.
    """
    found: list[ReplayedCall] = []
    for call_id in ids:
        try:
            found.append(await _replayed(store, component, call_id))
        except NotFound:
            continue
    return found


async def _replayed(store: Store, component: JsonObject, call_id: str) -> ReplayedCall:
    record = await store.runs.get(call_id)
    past, task = inherited_log(store.runs, record), record.task_text
    try:
        repeated = await reexecute(
            component, record.task, past.entries, run_id=record.namespace, edits=past.edits, to_end=True
        )
    except StudioError as error:
        return ReplayedCall(call_id, task, "unreadable", detail=error.what)
    difference = _difference(repeated)
    return ReplayedCall(call_id, task, "differs", *difference) if difference else ReplayedCall(call_id, task, "same")


def _difference(repeated: Reexecution) -> tuple[int, str] | None:
    """The entry from which on the team does something else, and what."""
    if (met := repeated.divergence) is not None:
        if met.expected == met.actual:
            what = f"{met.expected[:1].upper()}{met.expected[1:]} has other content than the recorded one."
        else:
            what = f"Recorded: {met.expected}. Now: {met.actual}."
        return met.seq, f"{what} {met.note}".rstrip()
    if repeated.error is not None:
        return repeated.last_seq, f"The team fails: {repeated.error}"
    if not repeated.has_ended:
        return repeated.last_seq, "The team continues where the call ended."
    if repeated.rest_seq is not None:
        return repeated.rest_seq, "The team ends before this entry."
    return None
