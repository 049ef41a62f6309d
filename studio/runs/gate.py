"""The gate before each pull. While it is closed nobody asks the team for its next message, so nothing moves."""

from __future__ import annotations

import asyncio

from studio.messages import BaseMessage, Explanation
from studio.runs.state import PauseReason
from studio.runs.stepping import Step, StepKind


class Gate:
    """Open at first. Closing it never interrupts what is under way: the message being made still comes."""

    def __init__(self) -> None:
        self.is_open = True
        self.is_free = True
        """Whether it is open, and does not close by itself at anything that may come."""
        self._is_watched = False
        self._opened = asyncio.Event()
        self._opened.set()
        self._reason: PauseReason = "user"
        self._step: Step | None = None
        self.last: BaseMessage | None = None
        """The newest message or event."""
        self.explanation: Explanation | None = None
        """The newest; None where that was one of the team that is run, of which no event was made."""
        self._held = 0
        self.detail = ""
        """More about why it was closed last, in words."""

    @property
    def is_held(self) -> bool:
        """Whether the run has arrived and waits here."""
        return self._held > 0

    @property
    def reason(self) -> PauseReason:
        """Why it was closed last."""
        return self._reason

    def pause(self, reason: PauseReason = "user", detail: str = "") -> None:
        """Hold the run when it comes here next."""
        self._reason = reason
        self.detail = detail
        self._step = None
        self.is_open = self.is_free = False
        self._opened.clear()

    def resume(self) -> None:
        """Let the run go on."""
        self._open(None)

    def step(self, kind: StepKind = "event") -> None:
        """Let the run go on until so much has come."""
        self._open(Step(kind, self.last, self.explanation))

    def set_watched(self, is_watched: bool) -> None:
        """Tell whether there are breakpoints."""
        self._is_watched = is_watched
        self.is_free = self.is_open and self._step is None and not is_watched

    def _open(self, step: Step | None) -> None:
        self._step = step
        self.is_open = True
        self.is_free = step is None and not self._is_watched
        self._opened.set()

    def note_item(self, item: BaseMessage) -> None:
        """Tell the gate of a message or event; with the last one of a step it closes."""
        self.last = item
        if self._step is not None and self._step.note_item(item):
            self.pause("step")

    def note_explanation(self, what: Explanation) -> bool:
        """Tell the gate of an explanation; whether a step ends here, where else none does."""
        self.explanation = what
        if self._step is None or not self._step.note_explanation(what):
            return False
        self.pause("step")
        return True

    async def wait_open(self) -> None:
        """Wait here until the gate is open."""
        self._held += 1
        try:
            await self._opened.wait()
        finally:
            self._held -= 1
