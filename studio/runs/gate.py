"""The gate before each pull. While it is closed nobody asks the team for its next message, so nothing moves."""

from __future__ import annotations

import asyncio

from studio.messages import BaseMessage, Explanation
from studio.runs.debugging.stepping import Step, StepKind
from studio.runs.state import PauseReason


class Gate:
    """Open at first. Closing it never interrupts what is under way: the message being made still comes."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self._reason: PauseReason = "user"
        self._step: Step | None = None
        self._last: BaseMessage | None = None
        self._told: Explanation | None = None
        self._held = 0
        self.detail = ""
        """More about why it was closed last, in words."""

    @property
    def is_open(self) -> bool:
        return self._open.is_set()

    @property
    def is_stepping(self) -> bool:
        """Whether it closes again by itself."""
        return self._step is not None

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
        self._open.clear()

    def resume(self) -> None:
        """Let the run go on."""
        self._step = None
        self._open.set()

    def step(self, kind: StepKind = "event") -> None:
        """Let the run go on until so much has come."""
        self._step = Step(kind, self._last, self._told)
        self._open.set()

    def came(self, item: BaseMessage) -> None:
        """Tell the gate of a message or event; with the last one of a step it closes."""
        self._last = item
        if self._step is not None and self._step.came(item):
            self.pause("step")

    def told(self, what: Explanation) -> bool:
        """Tell the gate of an explanation; whether a step ends here, where else none does."""
        self._told = what
        if self._step is None or not self._step.told(what):
            return False
        self.pause("step")
        return True

    async def opened(self) -> None:
        """Wait here until the gate is open."""
        self._held += 1
        try:
            await self._open.wait()
        finally:
            self._held -= 1
