"""The states of a run, and the one table that says which may follow which, and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, get_args

from studio.errors import Conflict


class RunState(StrEnum):
    """Where a run is in its life."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        """Whether nothing follows by itself. Only one that was interrupted can be continued."""
        return self not in (RunState.CREATED, RunState.RUNNING, RunState.PAUSED)


PauseReason = Literal["user", "step", "breakpoint", "input", "approval", "budget", "shutdown", "killed", "error"]
"""Why a run waits. After `killed` and `error` it was not taken up again by itself: a person continues it."""
EndReason = Literal["condition", "end", "user", "error", "shutdown", "killed"]
Reason = PauseReason | EndReason | Literal["start", "resume", "answer", "step", "stop"]

_PAUSES: frozenset[Reason] = frozenset(get_args(PauseReason))
_RESUMES: frozenset[Reason] = frozenset({"resume", "answer", "step", "stop"})
_BREAKS: Mapping[RunState, frozenset[Reason]] = {
    RunState.CANCELLED: frozenset({"user"}),
    RunState.FAILED: frozenset({"error"}),
    RunState.INTERRUPTED: frozenset({"shutdown", "killed"}),
}
_ENDS: Mapping[RunState, frozenset[Reason]] = {
    RunState.FINISHED: frozenset({"condition", "end"}),
    RunState.STOPPED: frozenset({"user"}),
    **_BREAKS,
}

TRANSITIONS: Mapping[RunState, Mapping[RunState, frozenset[Reason]]] = {
    RunState.CREATED: {RunState.RUNNING: frozenset({"start"}), **_BREAKS},
    RunState.RUNNING: {RunState.PAUSED: _PAUSES, **_ENDS},
    # From paused to paused only the reason changes: an answer came in while the user holds the run.
    RunState.PAUSED: {RunState.RUNNING: _RESUMES, RunState.PAUSED: _PAUSES, **_ENDS},
    RunState.FINISHED: {},
    RunState.STOPPED: {},
    RunState.CANCELLED: {},
    RunState.FAILED: {},
    RunState.INTERRUPTED: {RunState.RUNNING: frozenset({"resume"})},
}


class IllegalTransition(Conflict):
    """A run cannot go from its state to that one for that reason."""

    code = "illegal_transition"


class RunAlreadyEnded(Conflict):
    """The run has ended; it takes no more commands."""

    code = "run_already_ended"


def check_transition(before: RunState, after: RunState, reason: Reason) -> None:
    """Raise when the table does not allow this.

    Raises:
        IllegalTransition: Always a mistake of the studio, never of its user.
    """
    if reason not in TRANSITIONS[before].get(after, frozenset()):
        raise IllegalTransition(f"A run cannot go from {before.value!r} to {after.value!r} because of {reason!r}.")
