"""The newest entries of a run under way are kept, but not without a bound."""

from __future__ import annotations

from datetime import UTC, datetime

from studio.runs.journal.buffers import MAX_RECENT, MAX_RECENT_BYTES, RecentEntries
from studio.runs.journal.log import SHOWN, LogEntry


def entries(*texts: str) -> list[LogEntry]:
    return [LogEntry("run", seq, datetime.now(UTC), "message", text) for seq, text in enumerate(texts, 1)]


def test_large_entries_make_room_for_newer_ones():
    large = f'"{"x" * (MAX_RECENT_BYTES // 4)}"'
    recent = RecentEntries()
    for entry in entries(*[large] * 10):
        recent.add([entry])
    assert [entry.seq for entry in recent.since(7, SHOWN) or ()] == [8, 9, 10]
    assert recent.since(6, SHOWN) is None


def test_the_newest_entry_stays_however_large_it_is():
    recent = RecentEntries()
    recent.add(entries("1", f'"{"x" * 2 * MAX_RECENT_BYTES}"'))
    assert [entry.seq for entry in recent.since(1, SHOWN) or ()] == [2]
    assert recent.since(0, SHOWN) is None


def test_small_entries_are_bounded_by_their_number():
    recent = RecentEntries()
    recent.add(entries(*["1"] * (MAX_RECENT + 5)))
    assert len(recent.since(5, SHOWN) or ()) == MAX_RECENT
    assert recent.since(4, SHOWN) is None
