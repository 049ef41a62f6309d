"""A log read from one entry up to another, in pages that are bounded in entries and in bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator, Sequence

from studio.errors import TooLarge
from studio.runs.journal.log import MAX_PAGE_BYTES, EntryKind, LogEntry, RunLog

PAGE_SIZE = 500
MAX_WHOLE_BYTES = 64 * 1024 * 1024
"""Of what entries say, where a caller needs all of them at once."""

Entries = AsyncIterator[Sequence[LogEntry]]


async def read_log(
    log: RunLog, run_id: str, *, after: int = 0, until: int | None = None, kinds: Collection[EntryKind] | None = None
) -> Entries:
    """Pages of a run's log, oldest first, behind the entry `after` up to the entry `until`."""
    place = after
    while until is None or place < until:
        limit = PAGE_SIZE if until is None or kinds is not None else min(PAGE_SIZE, until - place)
        page = await log.read(run_id, after=place, limit=limit, kinds=kinds)
        if not page:
            return
        place = page[-1].seq
        if until is not None and place > until:
            page = [entry for entry in page if entry.seq <= until]
        if page:
            yield page


async def read_beginning(
    log: RunLog,
    run_id: str,
    *,
    until: int | None = None,
    kinds: Collection[EntryKind] | None = None,
    max_entries: int,
    max_bytes: int = MAX_WHOLE_BYTES,
) -> tuple[list[LogEntry], bool]:
    """All of them at once, as far as they find room; and whether some did not."""
    entries: list[LogEntry] = []
    async for page in read_log(log, run_id, until=until, kinds=kinds):
        for entry in page:
            max_bytes -= len(entry.body_json)
            if len(entries) == max_entries or max_bytes < 0:
                return entries, True
            entries.append(entry)
    return entries, False


async def read_whole(log: RunLog, run_id: str, *, max_entries: int, max_bytes: int = MAX_WHOLE_BYTES) -> list[LogEntry]:
    """All of them at once.

    Raises:
        TooLarge: They are too many, or say too much.
    """
    entries, is_cut = await read_beginning(log, run_id, max_entries=max_entries, max_bytes=max_bytes)
    if is_cut:
        most = f"{max_entries:,} entries or {max_bytes / 2**20:.0f} MB"
        raise TooLarge(f"The log of the run has more than {most}.", fix="Choose a shorter run.")
    return entries


def in_pages(entries: Sequence[LogEntry]) -> Iterator[Sequence[LogEntry]]:
    """The entries in pages of at most `MAX_PAGE_BYTES`, or of one."""
    first, size = 0, 0
    for place, entry in enumerate(entries):
        taken = len(entry.text) if place > first else 0
        if place > first and size + taken > MAX_PAGE_BYTES:
            yield entries[first:place]
            first, size = place, 0
        size += taken or len(entry.text)
    if entries:
        yield entries[first:]
