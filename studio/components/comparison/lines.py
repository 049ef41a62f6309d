"""Two changes of one text brought together by lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

MAX_LINES = 5_000
"""Of one side; a match takes time that grows with the square of them."""


def merge_lines(base: str, mine: str, theirs: str) -> str | None:
    """The text with both changes, or None where both changed the same or neighbouring lines, each in its own way.

    A text of one line is one value, which two people did not edit in different places. Neighbours count as the same
    place: two changes side by side were seldom made in knowledge of each other.
    """
    sides = [text.splitlines(keepends=True) for text in (base, mine, theirs)]
    if len(sides[0]) < 2 or max(map(len, sides)) > MAX_LINES:
        return None
    merged: list[str] = []
    done = 0
    for start, end, replaced in _both(sides):
        if replaced is None:
            return None
        merged += [*sides[0][done:start], *replaced]
        done = end
    return "".join([*merged, *sides[0][done:]])


Edit = tuple[int, int, list[str]]
"""From line, to line (not included) of the base, and what stands there now."""


def _both(sides: Sequence[list[str]]) -> Iterator[tuple[int, int, list[str] | None]]:
    """The edits of both sides in order; None for lines that both edited."""
    base, mine, theirs = sides
    ours, others = _edits(base, mine), _edits(base, theirs)
    while ours or others:
        if ours and others and _touch(ours[0], others[0]):
            is_same = ours[0] == others[0]
            start, end, lines = ours.pop(0)
            others.pop(0)
            yield start, end, lines if is_same else None
        else:
            yield (ours if not others or (ours and ours[0][:2] < others[0][:2]) else others).pop(0)


def _edits(base: list[str], side: list[str]) -> list[Edit]:
    matcher = SequenceMatcher(None, base, side, autojunk=False)
    return [(start, end, side[low:high]) for tag, start, end, low, high in matcher.get_opcodes() if tag != "equal"]


def _touch(one: Edit, other: Edit) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
