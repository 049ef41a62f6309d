"""What was made of stored documents: each once for a state of it, and those that are not known yet read together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, TypeVar

Row = TypeVar("Row")
Value = TypeVar("Value")

READ_AT_ONCE = 50
"""Documents are large: so many are in memory at a time."""
MAX_KNOWN = 20_000


class DocumentCache(Generic[Row, Value]):
    """Values by the id of what they were made of.

    Args:
        read: Gives the rows with these ids, as far as they are there.
        make: Gives the id, the state and the value of a row; called in a thread.
    """

    def __init__(
        self,
        read: Callable[[Sequence[str]], Awaitable[Sequence[Row]]],
        make: Callable[[Row], tuple[str, object, Value]],
    ) -> None:
        self._read = read
        self._make = make
        self._known: dict[str, tuple[object, Value]] = {}
        self._turn = asyncio.Lock()

    async def get_many(self, states: Mapping[str, object]) -> Mapping[str, Value]:
        """The values of these ids in these states or newer ones. What was deleted meanwhile is left out."""
        found = self._as_known(states)
        unknown = [key for key in states if key not in found]
        for first in range(0, len(unknown), READ_AT_ONCE):
            some = unknown[first : first + READ_AT_ONCE]
            async with self._turn:  # so that what several ask for is made once
                found |= self._as_known({key: states[key] for key in some})
                rows = await self._read([key for key in some if key not in found])
                for key, state, value in await asyncio.to_thread(self._make_all, rows):
                    found[key] = self._known[key] = (state, value)
        while len(self._known) > MAX_KNOWN:
            self._known.pop(next(iter(self._known)))
        return {key: found[key][1] for key in states if key in found}

    def _as_known(self, states: Mapping[str, object]) -> dict[str, tuple[object, Value]]:
        return {key: known for key, state in states.items() if (known := self._known.get(key)) and known[0] == state}

    def _make_all(self, rows: Sequence[Row]) -> list[tuple[str, object, Value]]:
        return [self._make(row) for row in rows]
