"""What differs between two documents of a team, as sentences and as the rows of a comparison."""

from __future__ import annotations

import asyncio
import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import JsonValue

from studio.components import Change, JsonObject, diff

ON_THE_CANVAS = ("mocks", "notes", "groups")
"""What people keep beside a team, and would miss."""
MAX_SENTENCES = 20
MAX_ROWS = 500
MAX_LINES = 1_000
"""Lines of one text that are shown."""
MAX_STEPS = 5_000_000
"""Of comparing texts line by line, in one comparison."""
KEPT_LINES = 2
"""Unchanged lines that are shown on either side of a change of a long text."""


class TeamLike(Protocol):
    """A team, a version of one, or what a page holds."""

    @property
    def name(self) -> str: ...
    @property
    def component(self) -> JsonObject: ...
    @property
    def layout(self) -> JsonObject: ...


@dataclass(frozen=True)
class DiffLine:
    """One line of a long text; `state` says whether it was kept, added, removed, or stands for lines left out."""

    state: Literal["kept", "added", "removed", "skipped"]
    text: str


SKIPPED = DiffLine("skipped", "")


@dataclass(frozen=True)
class ChangeRow:
    kind: str
    text: str
    where: str
    lines: list[DiffLine]


@dataclass(frozen=True)
class ChangeGroup:
    """The changes in one component; `place` is "" for the team itself."""

    place: str
    rows: list[ChangeRow]


@dataclass(frozen=True)
class Comparison:
    groups: list[ChangeGroup]
    moved_card_count: int
    left_out_count: int = 0
    """Changes beyond those that anybody reads."""

    @property
    def count(self) -> int:
        return sum(len(group.rows) for group in self.groups) + self.left_out_count


async def is_addition(before: TeamLike, after: TeamLike) -> list[str]:
    """What the second has that the first has not, as sentences."""
    comparison = await compare(before, after)
    said = [
        f"{group.place}: {row.text}" if group.place else row.text for group in comparison.groups for row in group.rows
    ]
    cards = [] if said or not comparison.moved_card_count else [cards_moved(comparison.moved_card_count)]
    more = [f"and {comparison.count - MAX_SENTENCES} more"] if len(said) > MAX_SENTENCES else []
    return [*said[:MAX_SENTENCES], *more, *cards]


async def compare(before: TeamLike, after: TeamLike) -> Comparison:
    return await asyncio.to_thread(_compare, before, after)


def changed_lines(before: str, after: str) -> list[DiffLine]:
    """What differs between two texts, line by line."""
    return _LineByLine().between(before, after)


def cards_moved(count: int) -> str:
    return f"{count} card{'' if count == 1 else 's'} moved"


def _compare(before: TeamLike, after: TeamLike) -> Comparison:
    changes = diff(before.component, after.component)
    renamed = before.name != after.name
    if renamed:  # the label repeats the name
        changes = [change for change in changes if change.where != "/label"]
    rows: dict[str, list[ChangeRow]] = {"": []}
    if renamed:
        rows[""].append(ChangeRow("renamed", f"{before.name} renamed to {after.name}", "", []))
    rows[""] += [
        ChangeRow("changed", f"{key.capitalize()} changed", "", [])
        for key in ON_THE_CANVAS
        if before.layout.get(key) != after.layout.get(key)
    ]
    compared = _LineByLine()
    for change in changes[:MAX_ROWS]:
        rows.setdefault(change.place, []).append(compared.row(change))
    groups = [ChangeGroup(place, found) for place, found in rows.items() if found]
    return Comparison(groups, _moved_cards(before.layout, after.layout), len(changes[MAX_ROWS:]))


class _LineByLine:
    """Compares long texts for as long as that is quick: in the worst case a matcher needs the cube of their lines."""

    def __init__(self) -> None:
        self._left = MAX_STEPS

    def row(self, change: Change) -> ChangeRow:
        lines = self.between(_text(change.before), _text(change.after)) if change.has_long_text else []
        return ChangeRow(change.kind, change.text, change.where, lines)

    def between(self, before: str, after: str) -> list[DiffLine]:
        lines = list(self._lines(before, after))
        return [*lines[:MAX_LINES], SKIPPED] if len(lines) > MAX_LINES else lines

    def _lines(self, before: str, after: str) -> Iterator[DiffLine]:
        old, new = _without_same_ends(before.splitlines(), after.splitlines())
        there = Counter(new)
        cost = sum(there[line] for line in old) * min(len(old), len(new))
        if cost > self._left:
            yield from (DiffLine("removed", text) for text in old[: MAX_LINES // 2])
            yield from (DiffLine("added", text) for text in new[: MAX_LINES // 2])
            yield SKIPPED
            return
        self._left -= cost
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for index, group in enumerate(matcher.get_grouped_opcodes(KEPT_LINES)):
            if index:
                yield SKIPPED
            for tag, old_start, old_end, new_start, new_end in group:
                if tag == "equal":
                    yield from (DiffLine("kept", text) for text in old[old_start:old_end])
                    continue
                yield from (DiffLine("removed", text) for text in old[old_start:old_end])
                yield from (DiffLine("added", text) for text in new[new_start:new_end])


def _without_same_ends(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Two texts from shortly before the first line that differs to shortly after the last."""
    shortest = min(len(old), len(new))
    head = next((at for at in range(shortest) if old[at] != new[at]), shortest)
    tail = next((at for at in range(shortest - head) if old[-1 - at] != new[-1 - at]), shortest - head)
    start, end = max(head - KEPT_LINES, 0), max(tail - KEPT_LINES, 0)
    return old[start : len(old) - end], new[start : len(new) - end]


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _moved_cards(before: JsonObject, after: JsonObject) -> int:
    old, new = _pins(before), _pins(after)
    return sum(old.get(name) != new.get(name) for name in old.keys() | new.keys())


def _pins(layout: JsonObject) -> JsonObject:
    pins = layout.get("pins")
    return pins if isinstance(pins, dict) else {}
