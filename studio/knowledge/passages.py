"""Cuts the text of a document into passages: within a page, at headings and paragraphs, of bounded size.

In Markdown each section is a passage of its own, however short, with the headings that it stands under.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

MAX_PASSAGE_CHARS = 1_200
"""About 300 tokens: five of them fit any prompt, and one still holds a whole thought."""
MIN_PASSAGE_CHARS = 200
"""A heading begins a new passage only after so many, or a list of headings would become a list of passages."""
MIN_SECTION_CHARS = 40
"""The same in Markdown, where a heading means what it says."""
MAX_SECTIONS = 10_000
"""Of a document with more headings, short sections are passages together: the rows of one document are bounded."""
MAX_HEADING_CHARS = 120
MAX_PATH_CHARS = 300
PATH_MARK = " › "
_BLOCK = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*\s*")
"""Lines up to the next empty one, with the space after them."""
_MARKDOWN_HEADING = re.compile(r"(#{1,6})[ \t]+(\S[^\n]*)")
_HEADING_LINE = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)", re.MULTILINE)
_NUMBERED_HEADING = re.compile(
    r"(?:chapter|section|part|appendix)[ \t]+[\w.]{1,8}\b[^\n]*|\d{1,3}(?:\.\d{1,3}){0,4}\.?[ \t]+[^\W\d][^\n]*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+|\n")


class Passage(NamedTuple):
    """A part of a document. Those of a document stand one after the other: together they are its text.

    `number` counts from 1; `page` is None where the document has no pages; `heading` is its first, or the last before;
    in Markdown, with those above it.
    """

    number: int
    page: int | None
    heading: str
    start: int
    end: int
    text: str


def cut_passages(text: str, page_starts: Sequence[int] = (), *, is_markdown: bool = False) -> Sequence[Passage]:
    """The passages of a text.

    Args:
        text: All of the document.
        page_starts: Where each page begins, the first at 0; empty where there are none.
        is_markdown: Whether lines that begin with "#" are headings, also of short sections.
    """
    bounds = [*page_starts, len(text)] if page_starts else [0, len(text)]
    found, heading, outline = list[Passage](), "", _Outline() if is_markdown else None
    has_many = is_markdown and len(_HEADING_LINE.findall(text)) > MAX_SECTIONS
    least = MIN_SECTION_CHARS if is_markdown and not has_many else MIN_PASSAGE_CHARS
    for page, (page_start, page_end) in enumerate(pairwise(bounds), 1):
        start, end, above, has_own = page_start, page_start, heading, False
        for block_start, block_end in _blocks(text, page_start, page_end, at_headings=is_markdown):
            block = text[block_start:block_end]
            own = outline.path_of(block) if outline else heading_of(block)
            is_full = end > start and block_end - start > MAX_PASSAGE_CHARS
            if is_full or (own is not None and end - start >= least):
                found.append(_passage(found, page if page_starts else None, above, text, start, end))
                start, above, has_own = end, heading, False
            if own is not None:
                heading = own
                if not has_own or own.startswith(above + PATH_MARK):  # a heading right below a heading
                    above, has_own = own, True
            end = block_end
        if text[start:end].strip():
            found.append(_passage(found, page if page_starts else None, above, text, start, end))
    return found


def _passage(before: Sequence[Passage], page: int | None, heading: str, text: str, start: int, end: int) -> Passage:
    return Passage(len(before) + 1, page, heading, start, end, text[start:end])


class _Outline:
    """The headings of Markdown that the text read so far stands under."""

    def __init__(self) -> None:
        self._above = list[tuple[int, str]]()
        self._is_code = False

    def path_of(self, block: str) -> str | None:
        """The headings that a block stands under, its own last, if it begins with one. Blocks come in order."""
        was_code = self._is_code
        self._is_code ^= len(_FENCE.findall(block)) % 2 == 1
        line = block.lstrip().partition("\n")[0].rstrip()
        found = _MARKDOWN_HEADING.fullmatch(line) if not was_code else None
        if found is None:
            return None
        level = len(found[1])
        self._above = [each for each in self._above if each[0] < level]
        self._above.append((level, found[2].strip(" #*_")[:MAX_HEADING_CHARS]))
        names = [name for _, name in self._above]
        while len(names) > 1 and len(PATH_MARK.join(names)) > MAX_PATH_CHARS:
            del names[0]
        return PATH_MARK.join(names)


def _blocks(text: str, start: int, end: int, *, at_headings: bool) -> Iterator[tuple[int, int]]:
    """Paragraphs, none longer than a passage; of a long one, parts that end with a sentence, a line or a word."""
    at = start
    for stop in _block_ends(text, start, end, at_headings=at_headings):
        while stop - at > MAX_PASSAGE_CHARS:
            cut = _cut_before(text, at, at + MAX_PASSAGE_CHARS)
            yield at, cut
            at = cut
        if at < stop:
            yield at, stop
            at = stop


def _block_ends(text: str, start: int, end: int, *, at_headings: bool) -> Iterator[int]:
    """Where each paragraph ends; if wanted, also before a line that is a heading without an empty line before it."""
    for block in _BLOCK.finditer(text, start, end):
        if at_headings:
            for heading in _HEADING_LINE.finditer(text, block.start() + 1, block.end()):
                yield heading.start()
        yield block.end()


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
        return found[2].strip(" #*_")
    return line if _NUMBERED_HEADING.fullmatch(line) and not line.endswith((".", ",", ";", ":")) else None
