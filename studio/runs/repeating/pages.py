"""The log of a run as a tape: read in pages, oldest first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from studio.effects import Recorded
from studio.runs.log import LogEntry, RunLog
from studio.runs.log_pages import Entries as Entries
from studio.runs.log_pages import read_log


def entries_of(log: RunLog, run_id: str, *, until: int | None = None) -> Entries:
    """Pages of a run's log, of all kinds, up to the entry `until`."""
    return read_log(log, run_id, until=until)


async def tape_pages(entries: Entries, *, until: int | None = None) -> AsyncIterator[Sequence[Recorded]]:
    """The same as a tape takes them, up to the entry `until`."""
    async for page in entries:
        yield [_recorded(entry) for entry in page if until is None or entry.seq <= until]


def _recorded(entry: LogEntry) -> Recorded:
    if entry.kind == "effect":
        return Recorded(entry.seq, "effect", entry.body, entry.kind, entry.at)
    is_item = entry.kind in ("message", "event")
    return Recorded(entry.seq, "item" if is_item else "other", entry.body, entry.kind, entry.at)
