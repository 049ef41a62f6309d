"""Lets all else that waits have its turn, in a loop that waits for nothing itself."""

from __future__ import annotations

import asyncio

LONGEST_SPELL_S = 0.005
"""How long a run whose models answer at once, or what happens again from a log, may go on without it."""


class Rest:
    """Taken once for each round; it rests only when the last time is long ago."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._taken_at = self._clock()

    async def taken(self) -> None:
        if self._clock() - self._taken_at > LONGEST_SPELL_S:
            await asyncio.sleep(0)
            self._taken_at = self._clock()
