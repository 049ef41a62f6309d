"""Where the run of a team stands."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from studio.messages import CancellationToken

Rest = Awaitable[None] | None
"""What is still to be waited for. Mostly there is nothing, and to make a coroutine takes longer than what it does."""


@dataclass(slots=True)
class Course:
    """What changes with each turn. It is no component, whose attributes take much longer to read and to set."""

    speakers: Sequence[str] = ()
    """Who has the word, or had it last."""
    order: Sequence[str] = ()
    """The names of the participants, in their order."""
    place: int = 0
    """Of the participant who speaks next, where all speak in order."""
    turns: int = 0
    """Of the run in progress so far."""
    reason: str | None = None
    """Why the run in progress ends, or the last one ended."""
    stop_asked: str | None = None
    """Why it should end after the turn in progress."""
    token: CancellationToken | None = None
    """Of the run in progress; a model that chooses who speaks is asked with it."""

    @property
    def is_over(self) -> bool:
        """Whether nobody speaks any more in this run."""
        return self.reason is not None or self.stop_asked is not None
