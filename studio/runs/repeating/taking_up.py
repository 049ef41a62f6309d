"""Taking up a run that nobody drives: after a stop of the server, or one that has waited long for a person."""

from __future__ import annotations

from contextvars import Context
from typing import NamedTuple

from studio.errors import StudioError
from studio.runs.admission import NotApproved
from studio.runs.live import Ending, LiveRun
from studio.runs.log import Draft, RunStatus, RunStore
from studio.runs.prepare import PreparedRun, Sources, prepare_resume
from studio.runs.repeating.forking import past_of
from studio.runs.repeating.past import Past
from studio.runs.state import RunState

NEVER_BEGUN = Ending(RunState.INTERRUPTED, "killed", "The server was killed before the run began.")


class TakenUp(NamedTuple):
    """A run that can be driven over its log."""

    run: LiveRun
    prepared: PreparedRun
    past: Past


def goes_on_by_itself(status: RunStatus) -> bool:
    """Whether a run that nobody drives goes on at the start of the server; others wait for a person."""
    if status.state is RunState.PAUSED:
        has_deadline = status.pending is not None and bool(status.pending.details.get("until"))
        return has_deadline or status.reason == "shutdown"
    return status.state is RunState.RUNNING


async def take_up(sources: Sources, run_id: str, context: Context, *, by: str = "") -> TakenUp:
    """Become the owner of a run and make it ready to go on; one that does not wait for a person is told to.

    Raises:
        NotFound: There is no such run.
        InvalidComponent, NotApproved, NoJail: As for `prepare_resume`.
    """
    record = await sources.store.get(run_id)
    prepared = await prepare_resume(sources, record, context)
    lease, status = await sources.store.take_over(run_id)
    run = LiveRun(lease, sources.store, status, last_seq=record.last_seq, namespace=record.namespace)
    past = Past(run, past_of(sources.store, record))
    told = Draft("command", {"command": "continue", "by": by, "after": status.reason})
    if status.state is RunState.RUNNING:
        await run.write(told)
    elif status.state is RunState.INTERRUPTED or status.reason == "shutdown":
        await run.change(RunState.RUNNING, "resume", before=[told])
    return TakenUp(run, prepared, past)


async def hold_back(store: RunStore, run_id: str, error: StudioError) -> None:
    """Let a run wait that cannot be taken up; a person may try again."""
    lease, status = await store.take_over(run_id)
    summary = await store.summary(run_id)
    run = LiveRun(lease, store, status, last_seq=summary.last_seq)
    reason = "approval" if isinstance(error, NotApproved) else "shutdown"
    await run.change(RunState.PAUSED, reason, detail=str(error))


async def end_unbegun(store: RunStore, run_id: str) -> None:
    """End a run of which nothing is in the log: nobody was told that there is one."""
    lease, status = await store.take_over(run_id)
    await LiveRun(lease, store, status).end(NEVER_BEGUN)
