"""Questions of a run to its person. One is open at a time; its answer is bound to its id and used once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from studio.effects import HumanQuestion
from studio.errors import Conflict
from studio.runs.log import PendingInput


class HumanPort:
    """Where the engine asks and a command answers.

    Args:
        announce: Called before waiting; writes into the log that the run waits.
    """

    def __init__(self, announce: Callable[[PendingInput], Awaitable[None]]) -> None:
        self._announce = announce
        self._turn = asyncio.Lock()
        self._open: tuple[str, asyncio.Future[str]] | None = None

    async def ask(self, question: HumanQuestion) -> str:
        """Put a question of the team; see `put`."""
        return await self.put(
            PendingInput(request_id=question.request_id, source=question.source, prompt=question.prompt)
        )

    async def put(self, question: PendingInput) -> str:
        """Wait for the answer; cancelling the caller ends the wait at once."""
        async with self._turn:
            answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            self._open = (question.request_id, answer)
            try:
                await self._announce(question)
                return await answer
            finally:
                self._open = None

    @property
    def open_question(self) -> str | None:
        """Id of the question that somebody waits on now."""
        return None if self._open is None or self._open[1].done() else self._open[0]

    def answer(self, request_id: str, text: str) -> None:
        """Hand the answer to whoever asked.

        Raises:
            Conflict: Nobody waits for an answer to this question, or no longer.
        """
        if self._open is None or self.open_question != request_id:
            raise Conflict(
                f"Nobody waits for an answer to {request_id!r}.", fix="It may have been answered in another tab."
            )
        self._open[1].set_result(text)
