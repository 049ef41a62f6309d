"""Cuts the text of a document into passages: within a page, at headings and paragraphs, of bounded size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

MAX_PASSAGE_CHARS = 1_200
"""About 300 tokens: five of them fit any prompt, and one still holds a whole thought."""
MIN_PASSAGE_CHARS = 200
"""A heading begins a new passage only after so many, or a list of headings would become a list of passages."""
MAX_HEADING_CHARS = 120
_BLOCK = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*\s*")
"""Lines up to the next empty one, with the space after them."""
_MARKDOWN_HEADING = re.compile(r"#{1,6}[ \t]+(\S[^\n]*)")
_NUMBERED_HEADING = re.compile(
    r"(?:chapter|section|part|appendix)[ \t]+[\w.]{1,8}\b[^\n]*|\d{1,3}(?:\.\d{1,3}){0,4}\.?[ \t]+[^\W\d][^\n]*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+|\n")


class Passage(NamedTuple):
    """A part of a document. Those of a document stand one after the other: together they are its text.

    `number` counts from 1; `page` is None where the document has no pages; `heading` is its first, or the last before.
    """

    number: int
    page: int | None
    heading: str
    start: int
    end: int
    text: str


def cut_passages(text: str, page_starts: Sequence[int] = ()) -> Sequence[Passage]:
    """The passages of a text.

    Args:
        text: All of the document.
        page_starts: Where each page begins, the first at 0; empty where there are none.
    """
    bounds = [*page_starts, len(text)] if page_starts else [0, len(text)]
    found, heading = list[Passage](), ""
    for page, (page_start, page_end) in enumerate(pairwise(bounds), 1):
        start, end, above, has_own = page_start, page_start, heading, False
        for block_start, block_end in _blocks(text, page_start, page_end):
            own = heading_of(text[block_start:block_end])
            is_full = end > start and block_end - start > MAX_PASSAGE_CHARS
            if is_full or (own is not None and end - start >= MIN_PASSAGE_CHARS):
                found.append(_passage(found, page if page_starts else None, above, text, start, end))
                start, above, has_own = end, heading, False
            if own is not None:
                heading = own
                above, has_own = (above, True) if has_own else (own, True)
            end = block_end
        if text[start:end].strip():
            found.append(_passage(found, page if page_starts else None, above, text, start, end))
    return found


def _passage(before: Sequence[Passage], page: int | None, heading: str, text: str, start: int, end: int) -> Passage:
    return Passage(len(before) + 1, page, heading, start, end, text[start:end])


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Paragraphs, none longer than a passage; of a long one, parts that end with a sentence, a line or a word."""
    at = start
    for block in _BLOCK.finditer(text, start, end):
        stop = block.end()
        while stop - at > MAX_PASSAGE_CHARS:
            cut = _cut_before(text, at, at + MAX_PASSAGE_CHARS)
            yield at, cut
            at = cut
        if at < stop:
            yield at, stop
            at = stop


def _cut_before(text: str, start: int, most: int) -> int:
    half = start + (most - start) // 2
    ends = [match.end() for match in _SENTENCE_END.finditer(text, half, most)]
    if ends:
        return ends[-1]
    space = max(text.rfind(" ", half, most), text.rfind("\t", half, most))
    return space + 1 if space >= 0 else most


def heading_of(block: str) -> str | None:
    """The heading that a block begins with."""
    line = block.lstrip().partition("\n")[0].rstrip()
    if len(line) > MAX_HEADING_CHARS:
        return None
    if found := _MARKDOWN_HEADING.fullmatch(line):
        return found[1].strip(" #*_")
    return line if _NUMBERED_HEADING.fullmatch(line) and not line.endswith((".", ",", ";", ":")) else None
