"""Two runs side by side: which act of the one is which of the other, and where they first part. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from studio.runs.comparing.steps import RunStep

MAX_CELLS = 400_000
"""Pairs of steps that are weighed against each other at once; longer stretches are paired as they stand."""
MAX_SIMILAR_CELLS = 40_000
"""Up to so many pairs the words are looked at, too."""
LOOK_AHEAD = 40
"""Acts that are looked through for the next common one in a stretch that is too long to be weighed."""
CONTEXT_ROWS = 2
"""Equal rows that are shown beside one that differs."""
MIN_FOLDED_ROWS = 4
"""A fold hides at least so many rows; it takes room itself."""

State = Literal["same", "changed", "before", "after"]
Pair = tuple[int | None, int | None]

SAME = 3.0
SIMILAR = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """A step of the first run beside its twin in the second; `before` and `after` are steps of one run only."""

    index: int
    before: RunStep | None
    after: RunStep | None

    @property
    def state(self) -> State:
        if self.before is None:
            return "after"
        if self.after is None:
            return "before"
        return "same" if self.before.what == self.after.what else "changed"


@dataclass(frozen=True, slots=True)
class Fold:
    """Equal rows that are left out: `count` from `start` on."""

    start: int
    count: int


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two runs part, and how, in a sentence."""

    index: int
    words: str


@dataclass(frozen=True, slots=True)
class Window:
    """Some rows; `following` is the index from which to go on, None at the end."""

    items: tuple[Row | Fold, ...]
    following: int | None


def align(before: Sequence[RunStep], after: Sequence[RunStep]) -> list[Row]:
    """Pair the steps of two runs by who did what sort of thing, in their order; what says the same is paired first."""
    pairs = list(_pairs(before, after))
    return [
        Row(index, None if old is None else before[old], None if new is None else after[new])
        for index, (old, new) in enumerate(pairs)
    ]


def divergence(rows: Sequence[Row]) -> Divergence | None:
    """The first row in which two runs differ; None when they did the same."""
    first = next((row for row in rows if row.state != "same"), None)
    return Divergence(first.index, _words_of(rows, first)) if first else None


def differences(rows: Sequence[Row]) -> list[int]:
    """The indexes of all rows that differ."""
    return [row.index for row in rows if row.state != "same"]


def counts(rows: Sequence[Row]) -> dict[State, int]:
    """How many rows there are of each state."""
    found = Counter(row.state for row in rows)
    return {"same": found["same"], "changed": found["changed"], "before": found["before"], "after": found["after"]}


def window(rows: Sequence[Row], start: int, limit: int, *, folded: bool = True) -> Window:
    """At most `limit` rows and folds from `start` on.

    Args:
        folded: Whether long stretches of equal rows become a fold.
    """
    items: list[Row | Fold] = []
    at = start
    while at < len(rows) and len(items) < limit:
        hidden = _equal_from(rows, at) if folded else 0
        if hidden >= MIN_FOLDED_ROWS:
            items.append(Fold(at, hidden))
            at += hidden
        else:
            items.append(rows[at])
            at += 1
    return Window(tuple(items), at if at < len(rows) else None)


def _equal_from(rows: Sequence[Row], at: int) -> int:
    """How many rows from here on may be hidden: equal, and not beside one that differs."""
    if any(row.state != "same" for row in rows[max(0, at - CONTEXT_ROWS) : at + 1]):
        return 0
    end = next((index for index in range(at, len(rows)) if rows[index].state != "same"), None)
    return len(rows) - at if end is None else end - CONTEXT_ROWS - at


def _words_of(rows: Sequence[Row], first: Row) -> str:
    if first.before is not None and first.after is not None:
        return f"{_who(first.before)} has a different {first.before.noun}."
    if first.before is not None:
        other = next((row.after for row in rows[first.index :] if row.after is not None), None)
        here = f"The first run has a {first.before.noun} of {_who(first.before)}"
    else:
        assert first.after is not None
        other = next((row.before for row in rows[first.index :] if row.before is not None), None)
        here = f"The second run has a {first.after.noun} of {_who(first.after)}"
    which = "second" if first.before is not None else "first"
    there = f"a {other.noun} of {_who(other)}" if other else "nothing more"
    return f"{here}, the {which} has {there}."


def _who(step: RunStep) -> str:
    return step.source or "somebody"


def _pairs(before: Sequence[RunStep], after: Sequence[RunStep]) -> Iterator[Pair]:
    old_from = new_from = 0
    for old_to, new_to in [*_anchors(before, after), (len(before), len(after))]:
        stretch = _weighed(before[old_from:old_to], after[new_from:new_to])
        yield from (_moved(pair, old_from, new_from) for pair in stretch)
        if old_to < len(before) and new_to < len(after):
            yield old_to, new_to
        old_from, new_from = old_to + 1, new_to + 1


def _moved(pair: Pair, old_by: int, new_by: int) -> Pair:
    old, new = pair
    return None if old is None else old + old_by, None if new is None else new + new_by


def _anchors(before: Sequence[RunStep], after: Sequence[RunStep]) -> list[tuple[int, int]]:
    """Acts that are equal and stand once in each run, as many as keep their order: all else lies between them."""
    old, new = _once(before), _once(after)
    common = sorted((old[what], new[what]) for what in old.keys() & new.keys())
    return _in_order([*_ends(before, after), *common])


def _once(steps: Sequence[RunStep]) -> dict[tuple[str, str, str], int]:
    number = Counter((*step.key, step.what) for step in steps)
    return {it: index for index, step in enumerate(steps) if number[it := (*step.key, step.what)] == 1}


def _ends(before: Sequence[RunStep], after: Sequence[RunStep]) -> list[tuple[int, int]]:
    """What is equal from the start on; a common end is found by weighing."""
    same = zip(before, after, strict=False)
    length = next((at for at, (old, new) in enumerate(same) if not _is_same(old, new)), min(len(before), len(after)))
    return [(at, at) for at in range(length)]


def _in_order(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest part of the pairs that rises on both sides."""
    pairs = sorted(set(pairs))
    tails: list[int] = []
    ends: list[int] = []
    links: list[int] = []
    for index, (_, new) in enumerate(pairs):
        place = bisect_left(tails, new)
        links.append(ends[place - 1] if place else -1)
        tails[place : place + 1] = [new]
        ends[place : place + 1] = [index]
    found: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = links[at]
    return found[::-1]


def _is_same(one: RunStep, other: RunStep) -> bool:
    return one.key == other.key and one.what == other.what


def _weighed(old: Sequence[RunStep], new: Sequence[RunStep]) -> Iterator[Pair]:
    """The pairing of two stretches that is worth most; of equal ones that which pairs earlier."""
    if len(old) * len(new) > MAX_CELLS:
        yield from _as_they_stand(old, new)
        return
    with_words = len(old) * len(new) <= MAX_SIMILAR_CELLS
    worth = _worth(old, new, with_words)
    here = there = 0
    while here < len(old) and there < len(new):
        paired = _value(old[here], new[there], with_words)
        if paired and paired + worth[here + 1][there + 1] >= max(worth[here + 1][there], worth[here][there + 1]):
            yield here, there
            here, there = here + 1, there + 1
        elif worth[here + 1][there] >= worth[here][there + 1]:
            yield here, None
            here += 1
        else:
            yield None, there
            there += 1
    yield from ((at, None) for at in range(here, len(old)))
    yield from ((None, at) for at in range(there, len(new)))


def _worth(old: Sequence[RunStep], new: Sequence[RunStep], with_words: bool) -> list[list[float]]:
    """For each two places, the value of the best pairing of all that follows."""
    worth = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for here in range(len(old) - 1, -1, -1):
        row, below = worth[here], worth[here + 1]
        step = old[here]
        for there in range(len(new) - 1, -1, -1):
            best = max(below[there], row[there + 1])
            paired = _value(step, new[there], with_words)
            row[there] = max(best, paired + below[there + 1]) if paired else best
    return worth


def _value(old: RunStep, new: RunStep, with_words: bool) -> float:
    if old.key != new.key:
        return 0.0
    if old.what == new.what:
        return SAME
    if not with_words or not (either := len(old.words | new.words)):
        return SIMILAR
    return SIMILAR + len(old.words & new.words) / either


def _as_they_stand(old: Sequence[RunStep], new: Sequence[RunStep]) -> Iterator[Pair]:
    """Pair one after the other; where the sorts differ, leave out as little as leads to the next common one."""
    here = there = 0
    while here < len(old) and there < len(new):
        if old[here].key == new[there].key:
            yield here, there
            here, there = here + 1, there + 1
            continue
        skip_old, skip_new = _next_common(old[here : here + LOOK_AHEAD], new[there : there + LOOK_AHEAD])
        yield from ((at, None) for at in range(here, here + skip_old))
        yield from ((None, at) for at in range(there, there + skip_new))
        here, there = here + skip_old, there + skip_new
    yield from ((at, None) for at in range(here, len(old)))
    yield from ((None, at) for at in range(there, len(new)))


def _next_common(old: Sequence[RunStep], new: Sequence[RunStep]) -> tuple[int, int]:
    places = {step.key: index for index, step in reversed(list(enumerate(new)))}
    found = [(index, places[step.key]) for index, step in enumerate(old) if step.key in places]
    return min(found, key=sum, default=(len(old), len(new)))
