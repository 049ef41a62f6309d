"""What is made of all messages of a long conversation, while others have their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")

PORTION = 500
"""Messages at a time: a few milliseconds."""
MAX_TEXT = 1 << 16
"""Letters that are split into words at a time."""


async def in_portions(given: Sequence[Given], make: Callable[[Sequence[Given]], Iterable[Result]]) -> list[Result]:
    """What `make` gives for all portions. What is given must not change meanwhile."""
    made: list[Result] = []
    for first in range(0, len(given), PORTION):
        if first:
            await asyncio.sleep(0)
        made += make(given[first : first + PORTION])
    return made


async def give_way(done: int, every: int = 100) -> None:
    """Let others have their turn after each so many of what is done one by one."""
    if done and done % every == 0:
        await asyncio.sleep(0)


def count_words(text: str) -> int:
    """What `len(text.split())` is, without all words of a long text at once: those take three times as long."""
    count = 0
    for first in range(0, len(text), MAX_TEXT):
        count += len(text[first : first + MAX_TEXT].split())
        if first and not text[first - 1].isspace() and not text[first].isspace():
            count -= 1  # one word in two portions
    return count
