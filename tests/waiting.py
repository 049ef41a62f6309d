"""Waits of tests that share a loop with what they look at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

MAX_S = 10.0
"""Far longer than anything takes that comes at all."""


async def until(holds: Callable[[], bool]) -> None:
    """Let others move until this holds, however many turns of the loop they need.

    Raises:
        TimeoutError: It did not come to hold.
    """
    async with asyncio.timeout(MAX_S):
        while not holds():  # noqa: ASYNC110 (what is looked at tells nobody)
            await asyncio.sleep(0)
