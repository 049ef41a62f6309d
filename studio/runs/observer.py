"""Who is told what a run does, to count turns and time."""

from __future__ import annotations

from typing import Protocol

from studio.runs.journal.log import JsonObject
from studio.runs.state import RunState


class RunObserver(Protocol):
    """Told of everything before it is in the log."""

    def message_added(self, source: str) -> None:
        """Of each message, with who says it."""
        ...

    def state_changed(self, state: RunState) -> None:
        """Of each new state."""
        ...

    def effect_repeated(self, effect: JsonObject) -> None:
        """Of each effect of the run's own that happens again, when it is led over its log."""
        ...

    def add_elapsed(self, seconds: float) -> None:
        """How long the run had been at work when it was left."""
        ...
