"""One person after the other: what is costly for the server is done once at a time for each of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from studio.errors import StudioError

MAX_WAITING = 20
"""What one person may have waiting or under way."""


class TooManyAtOnce(StudioError):
    """One person asks for more at once than is kept waiting."""

    code = "too_many_at_once"


@dataclass
class RequestQueue:
    """The turns of one kind of work.

    Args:
        work: What it is called, in the plural.
    """

    work: str
    _turns: dict[str, _Turn] = field(default_factory=lambda: dict[str, _Turn]())

    @asynccontextmanager
    async def wait_turn(self, person: str) -> AsyncGenerator[None]:
        """The person's turn, which ends with the block.

        Raises:
            TooManyAtOnce: The person waits for too many already.
        """
        turn = self._turns.setdefault(person, _Turn())
        if turn.count >= MAX_WAITING:
            raise TooManyAtOnce(f"{turn.count} {self.work} already in progress.", fix="Wait until one has finished.")
        turn.count += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.count -= 1
            if not turn.count:
                del self._turns[person]


@dataclass
class _Turn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    count: int = 0
