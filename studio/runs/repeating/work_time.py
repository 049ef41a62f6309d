"""How long a run has been at work, by the times in its log: not while it waited, nor while no server was there."""

from __future__ import annotations

from datetime import datetime

from studio.effects import Recorded
from studio.runs.state import RunState


class WorkTime:
    """Adds up the time between entries, given in the order of the log, as long as the run is at work."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._is_working = False
        self._last: datetime | None = None

    def note(self, entry: Recorded) -> None:
        """Take up the next entry of the run's own."""
        if entry.at is None:
            return
        is_taken_up = entry.name == "command" and entry.body.get("command") == "continue"
        if self._is_working and self._last is not None and not is_taken_up:
            self.seconds += max((entry.at - self._last).total_seconds(), 0.0)
        if entry.name == "state":
            self._is_working = entry.body.get("state") == RunState.RUNNING.value
        self._last = entry.at
