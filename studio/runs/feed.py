"""What a page reads of a run: entries from a number on, unfinished messages, and the status."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from studio.runs.concurrency import Notifier
from studio.runs.journal.buffers import ChunkBuffer, ChunkUpdate, RecentEntries, utf16_length
from studio.runs.journal.log import SHOWN, EntryKind, LogEntry, RunLog
from studio.runs.view import RunView

PAGE_SIZE = 500


@dataclass(frozen=True, slots=True)
class Batch:
    """What is new: entries first, then the pieces of unfinished messages, then the status after them.

    `last_seq` is the place from which to go on after a lost connection.
    `is_view_news`: whether the reader does not know the status yet.
    """

    entries: Sequence[LogEntry]
    chunks: Sequence[ChunkUpdate]
    view: RunView
    last_seq: int
    is_view_news: bool = True


class FollowedRun(Protocol):
    """A run under way, here or elsewhere. Whoever follows it is woken, and then looks."""

    id: str
    notifier: Notifier
    chunks: ChunkBuffer
    recent: RecentEntries
    is_gone: bool

    @property
    def view(self) -> RunView: ...


async def follow(
    run: FollowedRun, log: RunLog, after_seq: int = 0, kinds: Collection[EntryKind] = SHOWN
) -> AsyncGenerator[Batch]:
    """Follow a run that is under way to its end.

    The reader goes at its own pace: it is only woken, and then reads from its own place, in the log when the run's
    memory does not reach back so far. So the run waits for no reader, and one that was slow or away misses nothing.
    """
    place = max(after_seq, 0)
    seen: dict[str, int] = {}
    shown: RunView | None = None
    while True:
        changed = run.notifier.wait_handle()
        view = run.view
        pieces = run.chunks.since(seen)  # before the entries: a piece is never shown ahead of what came before it
        entries: Sequence[LogEntry] = ()
        is_whole = True
        if view.last_seq > place:
            recent = run.recent.since(place, kinds)
            entries = await log.read(run.id, after=place, limit=PAGE_SIZE, kinds=kinds) if recent is None else recent
            is_whole = recent is not None or _is_end(entries, view)
        place = max(place, view.last_seq if is_whole else 0, entries[-1].seq if entries else 0)
        chunks = _still_unfinished(pieces, entries) if is_whole else []
        active = run.chunks.message_ids()
        seen = {key: offset for key, offset in seen.items() if key in active}
        seen.update({chunk.message_id: end for chunk, end in chunks})
        is_news = bool(entries) or shown is None or not _look_alike(view, shown)
        shown = view
        if is_news or chunks:
            yield Batch(entries, [chunk for chunk, _ in chunks], view, place, is_news)
        if not is_whole:
            continue
        if view.state.is_final or run.is_gone:
            return
        await changed.wait()


def _look_alike(one: RunView, other: RunView) -> bool:
    """Whether pages know no difference. By the number of the last entry they tell the newer of two: one that they are
    not sent is no news."""
    return one is other or one.as_json() | {"last_seq": 0} == other.as_json() | {"last_seq": 0}


async def read_finished(
    log: RunLog, run_id: str, view: RunView, after_seq: int = 0, kinds: Collection[EntryKind] = SHOWN
) -> AsyncGenerator[Batch]:
    """Read a run that nobody drives any more, page by page."""
    place = max(after_seq, 0)
    is_first = True
    while True:
        entries = await log.read(run_id, after=place, limit=PAGE_SIZE, kinds=kinds)
        is_whole = _is_end(entries, view)
        if entries:  # perhaps newer ones than the view tells of: somebody drives the run by now
            place = entries[-1].seq
        if is_whole:
            place = max(place, view.last_seq)
        if entries or is_first:
            yield Batch(entries, [], view, place)
        if is_whole:
            return
        is_first = False


def _is_end(entries: Sequence[LogEntry], view: RunView) -> bool:
    """Whether no entry follows a page of the log that was read after the status."""
    return not entries or entries[-1].seq >= view.last_seq


def _still_unfinished(
    pieces: Sequence[tuple[ChunkUpdate, int]], entries: Sequence[LogEntry]
) -> list[tuple[ChunkUpdate, int]]:
    """The pieces of messages that are not among the entries, with the offset up to which the reader now knows each."""
    if not pieces:
        return []
    ended_at = {str(entry.body.get("source")): entry.seq for entry in entries if entry.kind in ("message", "event")}
    return [
        (chunk, chunk.offset + utf16_length(chunk.text))
        for chunk, began_after in pieces
        if ended_at.get(chunk.source, 0) <= began_after
    ]
