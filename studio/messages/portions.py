"""What is made of all messages of a long conversation, while others have their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")

PORTION = 500
"""Messages at a time: a few milliseconds."""


async def in_portions(given: Sequence[Given], make: Callable[[Sequence[Given]], Iterable[Result]]) -> list[Result]:
    """What `make` gives for all portions. What is given must not change meanwhile."""
    made: list[Result] = []
    for first in range(0, len(given), PORTION):
        if first:
            await asyncio.sleep(0)
        made += make(given[first : first + PORTION])
    return made
