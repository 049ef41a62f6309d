"""What a run has recorded, in the order in which it happened, a page at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from itertools import islice
from typing import Literal, NamedTuple

from studio.components import JsonObject

LOOK_AHEAD = 100
"""Entries that are known ahead of their turn, where there are so many."""
NEAR = 32
"""Items ahead that are looked at by those who choose what comes next."""


class Recorded(NamedTuple):
    """One entry: an effect, an item that the run gave, or something else, which happens by itself in its place."""

    seq: int
    kind: Literal["effect", "item", "other"]
    body: JsonObject
    name: str = ""
    """What kind of entry it is to whoever keeps the log."""
    at: datetime | None = None
    """When it was recorded, where that is known."""


Pages = AsyncIterator[Sequence[Recorded]]


def _nobody(entry: Recorded) -> None:
    del entry


def _nothing() -> None:
    pass


class ReplayCursor:
    """Entries that have not happened again yet.

    Args:
        pages: All entries, oldest first.
        seen: Told of entries of other kinds as soon as nothing but they stands before the next effect or item.
        passed: Told of them when the run has come to what stands behind them, or to the end.
        over: Called when everything has happened again.
    """

    def __init__(
        self,
        pages: Pages,
        *,
        seen: Callable[[Recorded], None] = _nobody,
        passed: Callable[[Recorded], None] = _nobody,
        over: Callable[[], None] = _nothing,
    ) -> None:
        self._pages = pages
        self._seen = seen
        self._passed = passed
        self._over = over
        self._entries: deque[Recorded] = deque()
        self._before: list[Recorded] = []
        self._is_read = False
        self._loading = asyncio.Lock()
        self._moved = asyncio.Event()
        self.is_over = False
        """Whether everything has happened again."""
        self.last_seq = 0
        """Number of the last entry that has happened again."""

    def recorded_order(self) -> Sequence[Recorded]:
        """Some of the items that come next, as far as they are known."""
        return list(islice((entry for entry in self._entries if entry.kind == "item"), NEAR))

    @property
    def is_at_last_item(self) -> bool:
        """Whether one item is all that has not happened again."""
        left = [entry for entry in self._entries if entry.kind != "other"] if len(self._entries) < LOOK_AHEAD else ()
        return self._is_read and len(left) == 1 and left[0].kind == "item"

    def moved(self) -> asyncio.Event:
        """Set when something has happened again after this was asked for."""
        return self._moved

    async def head(self) -> Recorded | None:
        """The next effect or item; None when there is no other."""
        while not self._is_read and len(self._entries) < LOOK_AHEAD:
            await self._load()
        if not self._entries and not self.is_over:
            self._end()
        return self._entries[0] if self._entries else None

    async def next_item(self) -> Recorded | None:
        """The next item, which effects may still stand before."""
        await self.head()
        while True:
            if (item := next((entry for entry in self._entries if entry.kind == "item"), None)) is not None:
                return item
            if self._is_read:
                return None
            await self._load()

    def take_effect(self, entry: Recorded) -> None:
        """Note that an effect or item has happened again."""
        is_first = self._entries[0] is entry
        self._entries.remove(entry)
        self.last_seq = max(self.last_seq, entry.seq)
        if is_first:
            self._pass()
            self._pass_others()
        if self._is_read and not self._entries:
            self._end()
        self._moved.set()
        self._moved = asyncio.Event()

    async def _load(self) -> None:
        async with self._loading:
            if self._is_read:
                return
            page = await anext(self._pages, None)
            if page is None:
                self._is_read = True
            else:
                self._entries.extend(page)
            self._pass_others()

    def _pass_others(self) -> None:
        """Take what stands before the next effect or item."""
        while self._entries and self._entries[0].kind == "other":
            entry = self._entries.popleft()
            self._before.append(entry)
            self._seen(entry)

    def _pass(self) -> None:
        before, self._before = self._before, []
        for entry in before:
            self.last_seq = max(self.last_seq, entry.seq)
            self._passed(entry)

    def _end(self) -> None:
        self._pass_others()
        if not self._entries:
            self._pass()
            self.is_over = True
            self._over()
