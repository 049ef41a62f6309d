"""The gate before each pull. While it is closed nobody asks the team for its next message, so nothing moves."""

from __future__ import annotations

import asyncio

from studio.runs.state import PauseReason


class Gate:
    """Open at first. Closing it never interrupts what is under way: the message being made still comes."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self._reason: PauseReason = "user"
        self._single = False
        self.is_held = False
        """Whether the run has arrived and waits here."""

    @property
    def is_open(self) -> bool:
        return self._open.is_set()

    @property
    def reason(self) -> PauseReason:
        """Why it was closed last."""
        return self._reason

    def pause(self, reason: PauseReason = "user") -> None:
        """Hold the run when it comes here next."""
        self._reason = reason
        self._single = False
        self._open.clear()

    def resume(self) -> None:
        """Let the run go on."""
        self._single = False
        self._open.set()

    def step(self) -> None:
        """Let the run go on until one entry was made."""
        self._single = True
        self._open.set()

    def entry_made(self) -> None:
        """Tell the gate that a message or event is in the log; after a step it closes."""
        if self._single:
            self.pause("step")

    async def opened(self) -> None:
        """Wait here until the gate is open."""
        self.is_held = True
        try:
            await self._open.wait()
        finally:
            self.is_held = False
