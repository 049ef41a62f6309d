"""Two files side by side: text by word, tables by cell."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import islice
from typing import Literal

from studio.files import PICTURES, is_text, named_type
from studio.runs.comparing.word_diff import Piece, WordDiff
from studio.store import Files
from studio.store.tables import File

MAX_BYTES = 200 * 1024
"""Of each file."""
MAX_STEPS = 2_000_000
MAX_TABLE_ROWS = 1_000
MAX_CHANGED_ROWS = 200
MAX_COLUMNS = 40
SEPARATORS = {"text/csv": ",", "text/tab-separated-values": "\t"}

Kind = Literal["same", "text", "table", "picture", "other"]
Row = Sequence[str]


@dataclass(frozen=True)
class ChangedRow:
    """A row that differs: `before` and `after` hold its cells, and one of them is None where the row was added or
    removed. `number` counts the rows of the table that has it, from 1 below the head."""

    number: int
    before: Row | None
    after: Row | None


@dataclass(frozen=True)
class FileComparison:
    """What differs. `is_cut`: only the beginning was compared or is shown."""

    kind: Kind
    pieces: Sequence[Piece] = ()
    head: Row = ()
    rows: Sequence[ChangedRow] = field(default_factory=tuple[ChangedRow, ...])
    is_cut: bool = False


async def compare_files(files: Files, before: tuple[str, File], after: tuple[str, File]) -> FileComparison:
    """Compare two files, each with its name.

    Raises:
        NotFound: One was deleted meanwhile.
    """
    (_, one), (_, other) = before, after
    if one.sha256 == other.sha256:
        return FileComparison("same")
    if {one.media_type, other.media_type} <= PICTURES:
        return FileComparison("picture")
    if not (is_text(one.media_type) and is_text(other.media_type)):
        return FileComparison("other")
    texts = [(await files.read_whole(file, MAX_BYTES)).decode("utf-8", "ignore") for file in (one, other)]
    is_cut = max(one.size, other.size) > MAX_BYTES
    types = {named_type(file.media_type, name) for name, file in (before, after)}
    separator = SEPARATORS.get(types.pop()) if len(types) == 1 else None
    if separator is not None:
        return await asyncio.to_thread(_compare_tables, texts[0], texts[1], separator, is_cut)
    pieces = await asyncio.to_thread(WordDiff(MAX_STEPS).pieces, texts[0], texts[1])
    return FileComparison("text", pieces, is_cut=is_cut)


def _compare_tables(before: str, after: str, separator: str, is_cut: bool) -> FileComparison:
    one, other = _rows(before, separator), _rows(after, separator)
    is_cut = is_cut or max(len(one), len(other)) > MAX_TABLE_ROWS
    changed = list(islice(_changed(one[:MAX_TABLE_ROWS], other[:MAX_TABLE_ROWS]), MAX_CHANGED_ROWS + 1))
    head = (other or one or [()])[0]
    return FileComparison(
        "table", head=head, rows=changed[:MAX_CHANGED_ROWS], is_cut=is_cut or len(changed) > MAX_CHANGED_ROWS
    )


def _rows(text: str, separator: str) -> list[tuple[str, ...]]:
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        return [tuple(row[:MAX_COLUMNS]) for row in islice(reader, MAX_TABLE_ROWS + 1)]
    except csv.Error:  # a field of more than 131,072 characters
        return [tuple(line.split(separator)[:MAX_COLUMNS]) for line in text.splitlines()[: MAX_TABLE_ROWS + 1]]


def _changed(before: Sequence[Row], after: Sequence[Row]) -> Iterator[ChangedRow]:
    for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        paired = min(end - start, new_end - new_start)
        for place in range(paired):
            yield ChangedRow(new_start + place, before[start + place], after[new_start + place])
        for place in range(start + paired, end):
            yield ChangedRow(place, before[place], None)
        for place in range(new_start + paired, new_end):
            yield ChangedRow(place, None, after[place])
