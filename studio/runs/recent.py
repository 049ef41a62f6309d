"""The newest entries of a run under way, kept so that pages that keep up cost the database nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Sequence
from itertools import compress
from operator import attrgetter
from typing import cast

from studio.runs.log import MAX_PAGE_BYTES, SHOWN, EntryKind, LogEntry

KEPT = 300
KEPT_BYTES = 2 * MAX_PAGE_BYTES
"""Of all of them, for each run under way; the newest is kept in any case."""

_seq = cast("Callable[[LogEntry], int]", attrgetter("seq"))
_kind = cast("Callable[[LogEntry], EntryKind]", attrgetter("kind"))


class Recent:
    """Committed entries of the kinds that pages show, without a gap after `_after`.

    Others are large and asked for by nobody who follows a run.

    Args:
        last_seq: Number of the last entry that is in the log already.
    """

    def __init__(self, last_seq: int = 0) -> None:
        self._entries: list[LogEntry] = []
        self._sizes: deque[int] = deque()
        self._size = 0
        self._after = self._last = last_seq

    def add(self, entries: Sequence[LogEntry]) -> None:
        """Take entries that were committed. After a gap, left by a writer who did not wait, it begins anew."""
        if not entries or entries[-1].seq <= self._last:
            return
        if entries[0].seq != self._last + 1:
            self._entries.clear()
            self._sizes.clear()
            self._size = 0
            self._after = entries[0].seq - 1
        self._last = entries[-1].seq
        shown = list(compress(entries, map(SHOWN.__contains__, map(_kind, entries))))
        self._entries += shown
        sizes = [len(said if isinstance(said := entry.said, str) else entry.text) for entry in shown]
        self._sizes += sizes
        self._size += sum(sizes)
        surplus = 0
        while len(self._sizes) > KEPT or (self._size > KEPT_BYTES and len(self._sizes) > 1):
            self._size -= self._sizes.popleft()
            surplus += 1
        if surplus:
            self._after = self._entries[surplus - 1].seq
            del self._entries[:surplus]

    def since(self, seq: int, kinds: Collection[EntryKind]) -> Sequence[LogEntry] | None:
        """All entries after `seq`; None when the log must be asked for them."""
        if seq < self._after or not SHOWN.issuperset(kinds):
            return None
        newer = self._entries[bisect_right(self._entries, seq, key=_seq) :]
        return newer if SHOWN.issubset(kinds) else [entry for entry in newer if entry.kind in kinds]
