"""Which entry of a list is which entry of another, so that inserting one does not look as if all had changed."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise, product
from typing import cast

from pydantic import JsonValue

from studio.components.base import JsonObject
from studio.components.titles import is_component, name_of

SIMILAR = 0.5
"""Share of equal fields from which an entry with another name is the same one, renamed."""
MAX_COMPARED = 500_000
"""Fields that are compared to find out what was renamed; of more, entries are only compared where they stand."""

Key = Callable[[JsonValue], Hashable | None]


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether both are the same JSON, whatever the order of keys; 1, 1.0 and true are three values."""
    return one == other and text_of(one) == text_of(other)


def match(before: Sequence[JsonValue], after: Sequence[JsonValue]) -> dict[int, int]:
    """Pairs of entries: by name, then by content, then what was renamed or changed where it stood.

    Returns:
        The index in `after` by the index in `before`, for all entries that are in both.
    """
    found: dict[int, int] = {}
    if len(before) == len(after) and same(list(before), list(after)):
        return {index: index for index in range(len(before))}
    for key in (name_of, text_of):
        _match_by(key, before, after, found)
    _match_renamed(before, after, found)
    _match_by(_unnamed_provider, before, after, found)
    _match_in_gaps(before, after, found)
    return found


def moved(pairs: dict[int, int]) -> list[tuple[int, int]]:
    """The pairs that changed their order: all but a longest run of pairs that stayed in order."""
    ordered = sorted(pairs.items())
    tails: list[int] = []
    positions: list[int] = []
    for _, target in ordered:
        position = bisect_left(tails, target)
        tails[position : position + 1] = [target]
        positions.append(position)
    wanted = len(tails) - 1
    found: list[tuple[int, int]] = []
    for pair, position in zip(reversed(ordered), reversed(positions), strict=True):
        if position == wanted:
            wanted -= 1
        else:
            found.append(pair)
    return found[::-1]


def text_of(item: JsonValue) -> str:
    """What is equal for the same JSON and for no other."""
    return json.dumps(item, sort_keys=True)


def _unnamed_provider(item: JsonValue) -> Hashable | None:
    return str(cast("JsonObject", item)["provider"]) if is_component(item) and name_of(item) is None else None


def _match_by(key: Key, before: Sequence[JsonValue], after: Sequence[JsonValue], found: dict[int, int]) -> None:
    """Pair what has the same key: the first with the first, the second with the second."""
    taken = set(found.values())
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for index, item in enumerate(after):
        if index not in taken and (its := key(item)) is not None:
            waiting[its].append(index)
    for index, item in enumerate(before):
        if index not in found and (its := key(item)) is not None and waiting[its]:
            found[index] = waiting[its].popleft()


def _match_renamed(before: Sequence[JsonValue], after: Sequence[JsonValue], found: dict[int, int]) -> None:
    taken = set(found.values())
    old = {index: _fields(item) for index, item in enumerate(before) if index not in found and _has_name(item)}
    new = {index: _fields(item) for index, item in enumerate(after) if index not in taken and _has_name(item)}
    few = len(old) * sum(map(len, new.values())) <= MAX_COMPARED
    candidates = sorted(
        (-likeness, abs(here - there), here, there)
        for here, there in (product(old, new) if few else zip(old, new, strict=False))
        if (likeness := _likeness(old[here], new[there])) >= SIMILAR
    )
    for _, _, here, there in candidates:
        if here not in found and there not in taken:
            found[here] = there
            taken.add(there)


def _has_name(item: JsonValue) -> bool:
    return is_component(item) and name_of(item) is not None


def _fields(item: JsonValue) -> dict[str, str]:
    """Provider and config of a component as texts, its name apart."""
    component = cast("JsonObject", item)
    config = cast("JsonObject", component["config"])
    fields = {f"/{key}": text_of(value) for key, value in config.items() if key not in {"name", "id"}}
    return {"": str(component["provider"]), **fields}


def _likeness(one: Mapping[str, str], other: Mapping[str, str]) -> float:
    """Share of equal fields of two named components of one provider."""
    if one[""] != other[""]:
        return 0
    count = len(one.keys() | other.keys()) - 1
    return (len(one.items() & other.items()) - 1) / count if count else SIMILAR


def _match_in_gaps(before: Sequence[JsonValue], after: Sequence[JsonValue], found: dict[int, int]) -> None:
    """Pair plain values that were changed where they stood: between the same neighbours, and as many as before."""
    out_of_order = {old for old, _ in moved(found)}
    anchors = [(old, new) for old, new in sorted(found.items()) if old not in out_of_order]
    taken = set(found.values())
    edges = [(-1, -1), *anchors, (len(before), len(after))]
    for (old_start, new_start), (old_end, new_end) in pairwise(edges):
        old = [index for index in range(old_start + 1, old_end) if index not in found]
        new = [index for index in range(new_start + 1, new_end) if index not in taken]
        if len(old) == len(new):
            found.update((a, b) for a, b in zip(old, new, strict=True) if _is_plain_pair(before[a], after[b]))


def _is_plain_pair(one: JsonValue, other: JsonValue) -> bool:
    nameless = name_of(one) is None and name_of(other) is None
    return nameless and type(one) is type(other) and not is_component(one) and not is_component(other)
