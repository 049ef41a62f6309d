"""Reads entries of logs, a page at a time: each bounded in entries and in bytes, and not parsed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, cast

from sqlalchemy import Text
from sqlalchemy import cast as sql_cast
from sqlalchemy import select as columns
from sqlmodel import col

from studio.runs import EntryKind, LogEntry
from studio.runs.journal.log import MAX_PAGE_BYTES
from studio.store.database import Database
from studio.store.lineage import LogRange, entries_in
from studio.store.tables import RunEvent

FIRST_ROWS = 32
"""What is read at first: how large entries are is known only then."""
GROWTH = 4
_COLUMNS = (col(RunEvent.seq), col(RunEvent.at), col(RunEvent.kind), sql_cast(col(RunEvent.body), Text))


class LogPage(NamedTuple):
    """Some entries, oldest first; `is_last` says that no more follow in the direction of reading."""

    entries: list[LogEntry]
    is_last: bool


_Row = tuple[int, datetime, EntryKind, str]


async def read_page(
    database: Database,
    spans: Sequence[LogRange],
    run_id: str,
    *,
    after: int = 0,
    before: int | None = None,
    limit: int,
    kinds: Collection[EntryKind] | None = None,
    newest: bool = False,
) -> LogPage:
    """Entries between two numbers, both left out, oldest first; with `newest` the last ones of them.

    At most `limit`, and at most `MAX_PAGE_BYTES` or one entry.
    """
    seq = col(RunEvent.seq)
    query = columns(*_COLUMNS).where(entries_in(spans)).order_by(seq.desc() if newest else seq)
    if kinds is not None:
        query = query.where(col(RunEvent.kind).in_(sorted(kinds)))
    rows: list[_Row] = []
    size, at_once, is_last = 0, min(FIRST_ROWS, limit), False
    async with database.read() as session:
        connection = await session.connection()
        while at_once:
            low, high = (after, rows[-1][0]) if newest and rows else (rows[-1][0] if rows else after, before)
            page = query.where(seq > low) if high is None else query.where(seq > low, seq < high)
            found = cast("Sequence[_Row]", (await connection.execute(page.limit(at_once))).all())
            taken = list(_within(found, MAX_PAGE_BYTES - size, is_first=not rows))
            rows += taken
            size += sum(len(row[3]) for row in taken)
            is_last = len(taken) == len(found) < at_once
            if is_last or len(taken) < len(found):
                break
            largest = max(len(row[3]) for row in found)
            at_once = min(limit - len(rows), at_once * GROWTH, (MAX_PAGE_BYTES - size) // max(largest, 1))
    return LogPage([LogEntry(run_id, *row) for row in (reversed(rows) if newest else rows)], is_last)


def _within(rows: Sequence[_Row], max_bytes: int, *, is_first: bool) -> Iterator[_Row]:
    """The rows that find room; the first one of a page in any case."""
    for row in rows:
        max_bytes -= len(row[3])
        if max_bytes < 0 and not is_first:
            return
        is_first = False
        yield row
