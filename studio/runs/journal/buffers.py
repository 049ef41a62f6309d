"""Text of messages that are still being written. It is shown, never logged: the whole message is logged at its end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import attrgetter
from typing import cast

from pydantic import BaseModel, ConfigDict

from studio.runs.journal.log import MAX_PAGE_BYTES, SHOWN, Body, EntryKind, JsonObject, LogEntry, text_of


class ChunkUpdate(BaseModel):
    """A piece of a message from `offset` on, counted in UTF-16 units, as a browser counts the length of a text."""

    model_config = ConfigDict(frozen=True)

    message_id: str
    source: str
    offset: int
    text: str


@dataclass
class _Stream:
    message_id: str
    source: str
    began_after: int
    length: int = 0
    pieces: list[str] = field(default_factory=list[str])
    offsets: list[int] = field(default_factory=list[int])

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.offsets.append(self.length)
        self.length += utf16_length(text)

    def since(self, offset: int) -> ChunkUpdate:
        """The text from `offset` on, which is where some piece begins."""
        first = bisect_right(self.offsets, offset) - 1
        return ChunkUpdate(
            message_id=self.message_id, source=self.source, offset=offset, text="".join(self.pieces[first:])
        )


class ChunkBuffer:
    """The unfinished messages of one run; each source writes at most one at a time.

    Readers keep their own place, so any number of them, slow or gone, costs the run nothing.
    """

    def __init__(self) -> None:
        self._streams: dict[str, _Stream] = {}

    def add(self, source: str, message_id: str | None, text: str, *, last_seq: int) -> None:
        """Take the next piece of what `source` writes; `last_seq` is the log's newest number now."""
        stream = self._streams.get(source)
        if stream is None or message_id not in (None, stream.message_id):
            stream = _Stream(message_id or f"{source}@{last_seq}", source, last_seq)
            self._streams[source] = stream
        if text:
            stream.add(text)

    def written(self) -> list[JsonObject]:
        """All unfinished messages as far as they go, for other processes."""
        return [
            {"source": each.source, "id": each.message_id, "after": each.began_after, "text": "".join(each.pieces)}
            for each in self._streams.values()
        ]

    def update(self, written: Sequence[JsonObject]) -> None:
        """Take what another process says is written of each unfinished message; of what it does not name, none is."""
        by_source = {str(each["source"]): each for each in written}
        for source in self._streams.keys() - by_source.keys():
            del self._streams[source]
        for source, each in by_source.items():
            text, message_id = str(each["text"]), str(each["id"])
            stream = self._streams.get(source)
            known = sum(map(len, stream.pieces)) if stream and stream.message_id == message_id else 0
            if len(text) < known:  # begun anew: the model was asked again
                del self._streams[source]
                known = 0
            self.add(source, message_id, text[known:], last_seq=int(str(each["after"])))

    @property
    def is_empty(self) -> bool:
        """Whether nobody is writing a message."""
        return not self._streams

    def drop(self, source: str) -> None:
        """Forget what `source` was writing: it is in the log now."""
        self._streams.pop(source, None)

    def clear(self) -> None:
        self._streams.clear()

    def since(self, seen: Mapping[str, int]) -> list[tuple[ChunkUpdate, int]]:
        """What a reader lacks who has seen that much of each message, and the seq after which each was begun."""
        return [
            (stream.since(seen.get(stream.message_id, 0)), stream.began_after)
            for stream in self._streams.values()
            if seen.get(stream.message_id, 0) < stream.length
        ]

    def message_ids(self) -> set[str]:
        return {stream.message_id for stream in self._streams.values()}


def utf16_length(text: str) -> int:
    """Length as JavaScript counts it: characters beyond the basic plane count twice."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


MAX_RECENT = 300
MAX_RECENT_BYTES = 2 * MAX_PAGE_BYTES
"""Of all of them, for each run under way; the newest is kept in any case."""

_seq = cast("Callable[[LogEntry], int]", attrgetter("seq"))
_kind = cast("Callable[[LogEntry], EntryKind]", attrgetter("kind"))
_said = cast("Callable[[LogEntry], Body]", attrgetter("body_json"))
_TEXTS = frozenset((str,))


class RecentEntries:
    """Committed entries of the kinds that pages show, without a gap after `_after`.

    Others are large and asked for by nobody who follows a run.

    Args:
        last_seq: Number of the last entry that is in the log already.
    """

    def __init__(self, last_seq: int = 0) -> None:
        self._entries: list[LogEntry] = []
        self._sizes: list[int] = []
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
        bodies = [*map(_said, shown)]
        sizes = [*map(len, bodies if _TEXTS.issuperset(map(type, bodies)) else map(text_of, bodies))]
        self._sizes += sizes
        self._size += sum(sizes)
        surplus = max(0, len(self._sizes) - MAX_RECENT)
        self._size -= sum(self._sizes[:surplus])
        while self._size > MAX_RECENT_BYTES and surplus < len(self._sizes) - 1:
            self._size -= self._sizes[surplus]
            surplus += 1
        if surplus:
            self._after = self._entries[surplus - 1].seq
            del self._entries[:surplus], self._sizes[:surplus]

    def since(self, seq: int, kinds: Collection[EntryKind]) -> Sequence[LogEntry] | None:
        """All entries after `seq`; None when the log must be asked for them."""
        if seq < self._after or not SHOWN.issuperset(kinds):
            return None
        newer = self._entries[bisect_right(self._entries, seq, key=_seq) :]
        return newer if SHOWN.issubset(kinds) else [entry for entry in newer if entry.kind in kinds]
