"""Which entry of a list is which entry of another, so that inserting one does not look as if all had changed."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import cast

from pydantic import JsonValue

from studio.components.base import JsonObject
from studio.components.findings import is_envelope

SIMILAR = 0.5
"""Share of equal fields from which an entry with another name is the same one, renamed."""
LONGEST_WORD = 60
"""Characters of a text that is its own identity, such as the name in a list of handoffs."""

Key = Callable[[JsonValue], Hashable | None]


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether both are the same JSON, whatever the order of keys; 1, 1.0 and true are three values."""
    return one == other and _text(one) == _text(other)


def match(before: Sequence[JsonValue], after: Sequence[JsonValue]) -> dict[int, int]:
    """Pairs of entries: by name, then by content, then what was renamed or changed where it stood.

    Returns:
        The index in `after` by the index in `before`, for all entries that are in both.
    """
    found: dict[int, int] = {}
    if len(before) == len(after) and same(list(before), list(after)):
        return {index: index for index in range(len(before))}
    for key in (name_of, _text):
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


def is_component(value: object) -> bool:
    return is_envelope(value) and isinstance(cast("JsonObject", value).get("config"), dict)


def name_of(item: JsonValue) -> str | None:
    """What an entry of a list is called, if anything tells it from its neighbours."""
    if isinstance(item, str):
        return item if len(item) <= LONGEST_WORD and not any(map(str.isspace, item)) else None
    if not isinstance(item, dict):
        return None
    holder = item.get("config") if is_component(item) else item
    name = (holder.get("name") or holder.get("id")) if isinstance(holder, dict) else None
    return name if isinstance(name, str) else None


def _text(item: JsonValue) -> str:
    return json.dumps(item, sort_keys=True)


def _unnamed_provider(item: JsonValue) -> Hashable | None:
    return str(cast("JsonObject", item)["provider"]) if is_component(item) and name_of(item) is None else None


def _match_by(key: Key, before: Sequence[JsonValue], after: Sequence[JsonValue], found: dict[int, int]) -> None:
    """Pair what has the same key: the first with the first, the second with the second."""
    taken = set(found.values())
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for index, item in enumerate(after):
        if index not in taken and (its := key(item)) is not None:
            waiting[its].append(index)
    for index, item in enumerate(before):
        if index not in found and (its := key(item)) is not None and waiting[its]:
            found[index] = waiting[its].pop(0)


def _match_renamed(before: Sequence[JsonValue], after: Sequence[JsonValue], found: dict[int, int]) -> None:
    taken = set(found.values())
    old = [index for index, item in enumerate(before) if index not in found and is_component(item)]
    new = [index for index, item in enumerate(after) if index not in taken and is_component(item)]
    candidates = sorted(
        (-likeness, abs(here - there), here, there)
        for here in old
        for there in new
        if (likeness := _likeness(before[here], after[there])) >= SIMILAR
    )
    for _, _, here, there in candidates:
        if here not in found and there not in taken:
            found[here] = there
            taken.add(there)


def _likeness(one: JsonValue, other: JsonValue) -> float:
    """Share of equal fields of two named components of one provider, their names apart."""
    if name_of(one) is None or name_of(other) is None:
        return 0
    first, second = cast("JsonObject", one), cast("JsonObject", other)
    if first["provider"] != second["provider"]:
        return 0
    old, new = cast("JsonObject", first["config"]), cast("JsonObject", second["config"])
    fields = (old.keys() | new.keys()) - {"name", "id"}
    equal = [field for field in fields if field in old and field in new and same(old[field], new[field])]
    return len(equal) / len(fields) if fields else SIMILAR


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
