"""Taking up a run that nobody drives: after a stop of the server, or one that has waited long for a person."""

from __future__ import annotations

from contextvars import Context
from typing import NamedTuple

from studio.errors import StudioError
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.admission import NotApproved
from studio.runs.journal.log import Draft, LogEntry, RunStatus, RunStore
from studio.runs.journal.pages import read_log
from studio.runs.prepare import PreparedRun, RunDependencies, prepare_resume
from studio.runs.replay.fork import inherited_log
from studio.runs.replay.source import ReplaySource
from studio.runs.state import PauseReason, RunState

DIED_TWICE = "The server crashed twice during this run. Resume it to try again, or cancel it."
MAX_CRASHES = 5
"""How often a run goes on by itself although the server died while it was under way, until a person continues it."""

NEVER_BEGUN = Ending(RunState.INTERRUPTED, "killed", "The server crashed before the run started.")


class ResumedRun(NamedTuple):
    """A run that can be driven over its log."""

    run: ActiveRun
    prepared: PreparedRun
    past: ReplaySource


def is_auto_resumable(status: RunStatus) -> bool:
    """Whether a run that nobody drives goes on at the start of the server; others wait for a person."""
    if status.state is RunState.PAUSED:
        has_deadline = status.pending is not None and bool(status.pending.details.get("until"))
        return has_deadline or status.reason == "shutdown"
    return status.state is RunState.RUNNING


async def has_killed_server(store: RunStore, run_id: str) -> bool:
    """Whether a run that was under way when the server died may be why: it was so before, and got no further since; or
    it was so many times."""
    last_seq = (await store.summary(run_id)).last_seq
    last = await store.read(run_id, after=last_seq - 1)
    if last and _is_after_crash(last[-1]):
        return True
    count = 0
    async for page in read_log(store, run_id, kinds=("command",)):
        for entry in page:
            is_continued = entry.body.get("command") == "continue"
            count = count + 1 if _is_after_crash(entry) else 0 if is_continued else count
    return count >= MAX_CRASHES


def _is_after_crash(entry: LogEntry) -> bool:
    return entry.kind == "command" and (entry.body.get("command"), entry.body.get("after")) == ("continue", "killed")


async def resume_run(
    sources: RunDependencies, run_id: str, context: Context, *, by: str = "", by_itself: bool = False
) -> ResumedRun:
    """Become the owner of a run and make it ready to go on; one that does not wait for a person is told to.

    Raises:
        NotFound: There is no such run.
        InvalidComponent, NotApproved, JailUnavailable: As for `prepare_resume`.
    """
    record = await sources.store.get(run_id)
    prepared = await prepare_resume(sources, record, context)
    lease, status = await sources.store.take_over(run_id)
    last_seq = (await sources.store.summary(run_id)).last_seq  # only now does nobody else write
    run = ActiveRun(lease, sources.store, status, last_seq=last_seq, namespace=record.namespace)
    past = ReplaySource(run, inherited_log(sources.store, record))
    has_crashed = by_itself and status.state is RunState.RUNNING
    command = Draft("command", {"command": "continue", "by": by, "after": "killed" if has_crashed else status.reason})
    if status.state is RunState.RUNNING:
        await run.write(command)
    elif status.state is RunState.INTERRUPTED or status.reason == "shutdown":
        await run.change_state(RunState.RUNNING, "resume", before=[command])
    return ResumedRun(run, prepared, past)


async def park_run(store: RunStore, run_id: str, reason: PauseReason, detail: str) -> None:
    """Let a run wait that cannot be taken up; a person may try again."""
    lease, status = await store.take_over(run_id)
    summary = await store.summary(run_id)
    run = ActiveRun(lease, store, status, last_seq=summary.last_seq)
    await run.change_state(RunState.PAUSED, reason, detail=detail)


def parking_reason(error: Exception) -> tuple[PauseReason, str]:
    """Why a run waits that could not be taken up, and what its viewers are told."""
    if isinstance(error, NotApproved):
        return "approval", str(error)
    if isinstance(error, StudioError):
        return "shutdown", str(error)  # it is tried again at the next start
    return "error", f"The run could not be resumed after a restart. {type(error).__name__}: {error}"


async def discard_unstarted(store: RunStore, run_id: str) -> None:
    """End a run of which nothing is in the log: nobody was told that there is one."""
    lease, status = await store.take_over(run_id)
    await ActiveRun(lease, store, status).end(NEVER_BEGUN)
