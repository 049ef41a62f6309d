"""What differs between two texts, word by word, for as long as that is quick."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_WORDS = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
"""A word with the blanks after it: blanks by themselves would all look like each other."""
_LINES = re.compile(r"[^\n.!?]*[\n.!?]+\s*|[^\n.!?]+")
"""Lines and sentences."""
MAX_STEPS = 8_000_000
"""Of all comparisons that share a `WordDiff`; in the worst case a matcher needs the cube of the words."""
MIN_COMMON_LENGTH = 0.3
"""Share of the shorter text; of texts that have less in common, all is told to be another one."""
QUICK_STEPS = 1_000_000
"""Of one comparison; longer texts are first compared line by line."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text; one that was removed stands in the first text only, one that was added in the second."""

    state: Literal["kept", "removed", "added"]
    text: str


class WordDiff:
    """Compares texts until it has done as much as a page may ask for; then it tells only that they differ."""

    def __init__(self, max_steps: int = MAX_STEPS) -> None:
        self._left = max_steps

    def pieces(self, before: str, after: str) -> list[Piece]:
        """The two texts in one, in order."""
        head = _same_start(before, after)
        tail = _same_start(before[head:][::-1], after[head:][::-1])
        head, tail = _at_word_ends(before, after, head, tail)
        old, new = before[head : len(before) - tail], after[head : len(after) - tail]
        ends = [Piece("kept", before[len(before) - tail :])] if tail else []
        middle = list(self._compared(old, new))
        pieces = _joined([Piece("kept", before[:head]), *middle, *ends])
        kept = sum(len(piece.text) for piece in pieces if piece.state == "kept")
        if kept < MIN_COMMON_LENGTH * min(len(before), len(after)):
            return _joined([Piece("removed", before), Piece("added", after)])
        return pieces

    def _compared(self, old: str, new: str) -> Iterator[Piece]:
        """Words where they are few, else lines, and words within the lines that differ."""
        words = _Cut(_WORDS.findall(old), _WORDS.findall(new))
        if words.cost <= min(QUICK_STEPS, self._left):
            self._left -= words.cost
            yield from words.pieces()
            return
        lines = _Cut(_LINES.findall(old), _LINES.findall(new))
        is_one_line = len(lines.old) <= 1 and len(lines.new) <= 1
        if is_one_line or lines.cost > self._left:
            yield from (Piece("removed", old), Piece("added", new))
            return
        self._left -= lines.cost
        yield from self._words_in(list(lines.pieces()))

    def _words_in(self, pieces: list[Piece]) -> Iterator[Piece]:
        """Lines that were put in the place of others, compared word by word."""
        at = 0
        while at < len(pieces):
            here, following = pieces[at], pieces[at + 1] if at + 1 < len(pieces) else None
            if here.state == "removed" and following and following.state == "added" and here.text and following.text:
                words = _Cut(_WORDS.findall(here.text), _WORDS.findall(following.text))
                is_quick = words.cost <= min(QUICK_STEPS, self._left)
                self._left -= words.cost if is_quick else 0
                yield from words.pieces() if is_quick else (here, following)
                at += 2
            else:
                yield here
                at += 1


@dataclass(frozen=True, slots=True)
class _Cut:
    """Two texts in parts."""

    old: list[str]
    new: list[str]

    @property
    def cost(self) -> int:
        """About how many steps a matcher takes; it looks at all places of a part again for each stretch it finds."""
        there = Counter(self.new)
        return sum(there[part] for part in self.old) * min(len(self.old), len(self.new)) // 8 + len(self.old)

    def pieces(self) -> Iterator[Piece]:
        for tag, old_start, old_end, new_start, new_end in SequenceMatcher(
            None, self.old, self.new, autojunk=False
        ).get_opcodes():
            if tag == "equal":
                yield Piece("kept", "".join(self.old[old_start:old_end]))
                continue
            yield Piece("removed", "".join(self.old[old_start:old_end]))
            yield Piece("added", "".join(self.new[new_start:new_end]))


def _same_start(one: str, other: str) -> int:
    shortest = min(len(one), len(other))
    low, high = 0, shortest
    while low < high:  # the longest that is equal, by halves: comparing slices is fast
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _at_word_ends(before: str, after: str, head: int, tail: int) -> tuple[int, int]:
    """A word that differs in its middle differs as a whole."""
    while head and before[head - 1].isalnum() and (_is_word(before, head) or _is_word(after, head)):
        head -= 1
    while tail and before[-tail].isalnum() and (_is_word(before, -tail - 1) or _is_word(after, -tail - 1)):
        tail -= 1
    return head, tail


def _is_word(text: str, at: int) -> bool:
    return -len(text) <= at < len(text) and text[at].isalnum()


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Without empty pieces; neighbours of one state are one, what was removed stands before what was added.

    Marks between two changes belong to them: a comma that both texts have somewhere tells nobody anything.
    """
    found: list[Piece] = []
    removed, added = "", ""
    whole = [piece for piece in pieces if piece.text]
    for index, piece in enumerate(whole):
        is_between = 0 < index < len(whole) - 1 and whole[index + 1].state != "kept"
        if piece.state == "removed":
            removed += piece.text
        elif piece.state == "added":
            added += piece.text
        elif is_between and (removed or added) and not any(map(str.isalnum, piece.text)):
            removed, added = removed + piece.text, added + piece.text
        else:
            found += [Piece("removed", removed), Piece("added", added), piece]
            removed, added = "", ""
    found += [Piece("removed", removed), Piece("added", added)]
    return [piece for piece in found if piece.text]
