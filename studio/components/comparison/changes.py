"""What changed from one component document to another, as sentences a person reads. Pure: documents in, changes out."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, cast

from pydantic import JsonValue

from studio.components.comparison.matching import match, moved, same, text_of
from studio.components.pointers import escape, unescape
from studio.components.titles import is_component, name_of, noun_of, quoted, quoted_pair, spoken, title_of

_NODE = re.compile(r"/config/graph/nodes/([^/]+)$")
_EDGES = re.compile(r"/config/graph/nodes/([^/]+)/edges$")

Kind = Literal["added", "removed", "moved", "renamed", "changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs.

    `where` points into the document after, `where_before` into the one before; "" is also its root. Of what was added
    `before` is None, of what was removed `after`; of what was moved they are its places, of what was renamed its names.
    """

    kind: Kind
    where: str
    where_before: str
    owner: tuple[str, ...]
    """Who it is in, from the outside in: ("critic", "model client"); empty for the outermost component."""
    field: str
    """The field in words, or what was added, removed, moved or renamed: "temperature", "agent critic"."""
    before: JsonValue
    after: JsonValue

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.owner, self.field)

    @property
    def place(self) -> str:
        """Whose it is: "critic’s model client"; "" for the outermost component."""
        return "’s ".join(self.owner)

    @property
    def has_long_text(self) -> bool:
        """Whether its texts are better shown line by line."""
        texts = [text for text in (self.before, self.after) if isinstance(text, str)]
        return self.kind == "changed" and any("\n" in text or len(text) > 60 for text in texts)

    @property
    def sentence(self) -> str:
        """Such as "critic: temperature 0.2 → 0.7"."""
        return f"{self.place}: {self.text}" if self.place else self.text

    @property
    def text(self) -> str:
        """The sentence without the place."""
        match self.kind:
            case "added" if node := _NODE.search(self.where):
                return f"{unescape(node[1])} joined the graph"
            case "removed" if node := _NODE.search(self.where_before):
                return f"{unescape(node[1])} left the graph"
            case "added":
                return f"{self.field} added"
            case "removed":
                return f"{self.field} removed"
            case "renamed":
                return f"{self.before} renamed to {self.after}"
            case "moved" if isinstance(self.before, str):
                return f"{self.field} moved from {self.before} to {self.after}"
            case "moved":
                return f"{self.field} moved from place {self.before} to {self.after}"
            case "changed":
                return self._value_text()

    def _value_text(self) -> str:
        if self.has_long_text:
            return f"{self.field} {'changed' if self.before and self.after else 'added' if self.after else 'cleared'}"
        if self.before is None and self.after is None:
            return f"{self.field} unset in another way"
        old, new = quoted_pair(self.before, self.after)
        if self.before is None:
            return f"{self.field} set to {new}"
        if self.after is None:
            return f"{self.field} no longer set (was {old})"
        return f"{self.field} {old} → {new}" if old != new else f"{self.field} changed"


def diff(before: JsonValue, after: JsonValue) -> list[Change]:
    """Every change between two component documents, in the order of the second; equal documents have none."""
    return _with_moves(list(_compare(before, after, "", "", (), "")))


def summary(changes: list[Change], *, most: int = 1) -> str:
    """The first changes in one line: "critic: temperature 0.2 → 0.7, and 2 more"."""
    shown = "; ".join(change.sentence for change in changes[:most])
    more = len(changes) - most
    return f"{shown}, and {more} more" if more > 0 else shown


def _compare(
    old: JsonValue, new: JsonValue, where_old: str, where: str, owner: tuple[str, ...], field: str
) -> Iterator[Change]:
    if same(old, new):
        return
    if is_component(old) and is_component(new):
        yield from _compare_components(cast("dict[str, JsonValue]", old), new, where_old, where, owner, field)
    elif isinstance(old, dict) and isinstance(new, dict) and not is_component(old) and not is_component(new):
        yield from _compare_objects(old, new, where_old, where, owner, field)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _compare_lists(old, new, where_old, where, owner, field)
    else:
        yield _of_value(old, new, where_old, where, owner, field)


def _of_value(old: JsonValue, new: JsonValue, where_old: str, where: str, owner: tuple[str, ...], field: str) -> Change:
    """A value that has another one now; a component where there was none was added."""
    if old is None and is_component(new):
        return Change("added", where, where_old, owner, f"{field} {title_of(new)}".strip(), None, new)
    if new is None and is_component(old):
        return Change("removed", where, where_old, owner, f"{field} {title_of(old)}".strip(), old, None)
    if _NODE.search(where) and (old is None) != (new is None):
        return Change("added" if old is None else "removed", where, where_old, owner, field, old, new)
    return Change("changed", where, where_old, owner, field or "type", old, new)


def _compare_components(
    old: dict[str, JsonValue], new: JsonValue, where_old: str, where: str, owner: tuple[str, ...], field: str
) -> Iterator[Change]:
    fresh = cast("dict[str, JsonValue]", new)
    inside = (*owner, field) if field else owner
    if old["provider"] != fresh["provider"]:
        yield Change("changed", where, where_old, owner, field or "type", old, fresh)
        return
    names = name_of(old), name_of(fresh)
    if None not in names and names[0] != names[1]:
        yield Change("renamed", where, where_old, owner, noun_of(fresh), names[0], names[1])
    yield from _compare_config(old, fresh, where_old, where, inside, None in names)
    outer, fresh_outer = ({key: value for key, value in each.items() if key != "config"} for each in (old, fresh))
    yield from _compare_objects(outer, fresh_outer, where_old, where, inside, "")


def _compare_config(
    old: dict[str, JsonValue],
    new: dict[str, JsonValue],
    where_old: str,
    where: str,
    inside: tuple[str, ...],
    with_name: bool,
) -> Iterator[Change]:
    """The fields of a component; its name was told already."""
    first, second = cast("dict[str, JsonValue]", old["config"]), cast("dict[str, JsonValue]", new["config"])
    if not with_name:
        first, second = ({key: value for key, value in each.items() if key != "name"} for each in (first, second))
    provider = str(new["provider"])
    yield from _compare_objects(first, second, f"{where_old}/config", f"{where}/config", inside, "", provider)


def _compare_objects(
    old: dict[str, JsonValue],
    new: dict[str, JsonValue],
    where_old: str,
    where: str,
    owner: tuple[str, ...],
    field: str,
    provider: str = "",
) -> Iterator[Change]:
    for key in _keys(old, new):
        step, words = escape(key), f"{field} {spoken(key, provider)}".strip()
        if old.get(key) is new.get(key) is None and (key in old) != (key in new):
            yield Change("changed", f"{where}/{step}", f"{where_old}/{step}", owner, words, None, None)
        yield from _compare(old.get(key), new.get(key), f"{where_old}/{step}", f"{where}/{step}", owner, words)


def _compare_lists(
    old: list[JsonValue], new: list[JsonValue], where_old: str, where: str, owner: tuple[str, ...], field: str
) -> Iterator[Change]:
    pairs = match(old, new)
    if node := _EDGES.search(where):
        field = unescape(node[1])
    from_old = {new_index: old_index for old_index, new_index in pairs.items()}
    shifted = {new_index for _, new_index in moved(pairs)}
    for index, item in enumerate(old):
        if index not in pairs:
            yield Change("removed", where, f"{where_old}/{index}", owner, _entry(item, field), item, None)
    for index, item in enumerate(new):
        place, source = f"{where}/{index}", from_old.get(index)
        if source is None:
            yield Change("added", place, where_old, owner, _entry(item, field), None, item)
            continue
        if index in shifted:
            yield Change("moved", place, f"{where_old}/{source}", owner, _entry(item, field), source + 1, index + 1)
        words = title_of(item) if is_component(item) else field
        yield from _compare(old[source], item, f"{where_old}/{source}", place, owner, words)


def _entry(item: JsonValue, field: str) -> str:
    """An entry of a list in words: "agent critic", "handoffs writer", "edge writer → critic"."""
    if is_component(item):
        return f"{noun_of(item)} {title_of(item)}".strip()
    if isinstance(item, dict) and isinstance(target := item.get("target"), str):
        return f"edge {field} → {target}"
    return f"{field} {name_of(item) or quoted(item)}".strip()


def _keys(old: dict[str, JsonValue], new: dict[str, JsonValue]) -> list[str]:
    return [*new, *(key for key in old if key not in new)]


def _with_moves(changes: list[Change]) -> list[Change]:
    """What was taken out of one place and put into another was moved."""
    gone: dict[str, deque[Change]] = defaultdict(deque)
    for change in changes:
        if change.kind == "removed" and is_component(change.before):
            gone[text_of(change.before)].append(change)
    twins: dict[int, Change] = {}
    for change in changes:
        if change.kind == "added" and is_component(change.after) and (waiting := gone[text_of(change.after)]):
            twins[id(change)] = waiting.popleft()
    left = {id(twin) for twin in twins.values()}
    return [
        _move_of(twins[id(change)], change) if id(change) in twins else change
        for change in changes
        if id(change) not in left
    ]


def _move_of(gone: Change, come: Change) -> Change:
    places = gone.place or "the team", come.place or "the team"
    return replace(come, kind="moved", owner=(), where_before=gone.where_before, before=places[0], after=places[1])
