"""The newest entries of a run under way, kept so that pages that keep up cost the database nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

from studio.runs.log import SHOWN, EntryKind, LogEntry

KEPT = 300


class Recent:
    """Committed entries of the kinds that pages show, without a gap after `_after`.

    Others are large and asked for by nobody who follows a run.
    """

    def __init__(self) -> None:
        self._entries: deque[LogEntry] = deque()
        self._after = 0
        self._last = 0

    def add(self, entries: Sequence[LogEntry]) -> None:
        """Take entries that were committed. After a gap, left by a writer who did not wait, it begins anew."""
        if not entries or entries[-1].seq <= self._last:
            return
        if entries[0].seq != self._last + 1:
            self._entries.clear()
            self._after = entries[0].seq - 1
        self._last = entries[-1].seq
        self._entries.extend(entry for entry in entries if entry.kind in SHOWN)
        while len(self._entries) > KEPT:
            self._after = self._entries.popleft().seq

    def since(self, seq: int, kinds: Collection[EntryKind]) -> Sequence[LogEntry] | None:
        """All entries after `seq`; None when the log must be asked for them."""
        if seq < self._after or not SHOWN.issuperset(kinds):
            return None
        newer: list[LogEntry] = []
        for entry in reversed(self._entries):
            if entry.seq <= seq:
                break
            newer.append(entry)
        return [entry for entry in reversed(newer) if entry.kind in kinds]
