"""Who is told what a run does, to count turns and time."""

from __future__ import annotations

from typing import Protocol

from studio.runs.state import RunState


class Watch(Protocol):
    """Told of everything before it is in the log."""

    def came(self, source: str) -> None:
        """Of each message, with who says it."""
        ...

    def turned(self, state: RunState) -> None:
        """Of each new state."""
        ...
