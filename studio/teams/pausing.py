"""Holding a team's run from a program."""

from __future__ import annotations

import asyncio

from pydantic import PrivateAttr

from studio.agents import ChatAgent
from studio.messages import CancellationToken
from studio.teams.fields import TeamFields


class PausableTeam(TeamFields):
    """A team whose run can be held between two items."""

    _was_used: bool = PrivateAttr(default=False)
    _resumed: asyncio.Event | None = PrivateAttr(default=None)

    async def pause(self) -> None:
        """Hold the run in progress before its next item, until `resume`.

        Raises:
            RuntimeError: The team has not been used yet.
        """
        if not self._was_used:
            raise RuntimeError("The group chat has not been initialized. It must be run before it can be paused.")
        self._resumed = self._resumed or asyncio.Event()
        for participant in self.participants:
            if isinstance(participant, ChatAgent):
                await participant.on_pause(CancellationToken())

    async def resume(self) -> None:
        """Let a paused run go on.

        Raises:
            RuntimeError: The team has not been used yet.
        """
        if not self._was_used:
            raise RuntimeError("The group chat has not been initialized. It must be run before it can be resumed.")
        self._end_pause()
        for participant in self.participants:
            if isinstance(participant, ChatAgent):
                await participant.on_resume(CancellationToken())

    def _end_pause(self) -> None:
        """Also at the end of a run: nobody resumes one that is over, and the next one must not wait for that."""
        if self._resumed is not None:
            self._resumed.set()
            self._resumed = None

    async def _while_paused(self) -> None:
        if self._resumed is not None:
            await self._resumed.wait()
