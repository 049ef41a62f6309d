"""Brings two changes of one document together, and tells where a person has to choose. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal, cast

from pydantic import JsonValue

from studio.components.comparison.changes import diff
from studio.components.comparison.lines import merge_lines
from studio.components.comparison.matching import match, same
from studio.components.pointers import escape
from studio.components.titles import is_component, name_of, noun_of, spoken, title_of

Side = Literal["mine", "theirs"]


class Absent(Enum):
    """Where one side has no value at all; null is a value."""

    ABSENT = auto()


ABSENT = Absent.ABSENT
Part = JsonValue | Absent


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A place that both sides changed, each in its own way.

    `id` names the place for `choices` and stays the same while base and mine do; `where` points into the merge.
    """

    id: str
    where: str
    label: str
    base: Part
    mine: Part
    theirs: Part

    def as_json(self) -> dict[str, JsonValue]:
        """A side without a value is left out; `changes` are sentences, what a side did to a component."""
        sides: dict[str, Part] = {"base": self.base, "mine": self.mine, "theirs": self.theirs}
        values = {name: value for name, value in sides.items() if value is not ABSENT}
        changes: dict[str, JsonValue] = {name: [*self._changes(sides[name])] for name in ("mine", "theirs")}
        return {"id": self.id, "where": self.where, "label": self.label, **values, "changes": changes}

    def _changes(self, side: Part) -> list[str]:
        if self.base is ABSENT or side is ABSENT or not (is_component(self.base) and is_component(side)):
            return []
        return [change.sentence for change in diff(self.base, side)]


@dataclass(frozen=True, slots=True)
class Merged:
    """The merge. Where conflicts are left, it holds theirs; what only one side removed is still there."""

    value: JsonValue
    conflicts: tuple[MergeConflict, ...]


def merge(base: JsonValue, mine: JsonValue, theirs: JsonValue, choices: Mapping[str, Side] | None = None) -> Merged:
    """Three-way merge of component documents, or of any JSON.

    Args:
        base: What both sides began with.
        choices: Which side to take where they conflict, by the `id` of the conflict.
    """
    merger = _Merger(choices or {})
    value = merger.part(base, mine, theirs, _Location())
    conflicts = [conflict for conflict in merger.conflicts if conflict.id not in merger.choices]
    return Merged(None if value is ABSENT else value, tuple(conflicts))


@dataclass(frozen=True, slots=True)
class _Location:
    """A place in the merge: `id` by identity, `where` by position, and the words that lead there."""

    id: str = ""
    where: str = ""
    owner: tuple[str, ...] = ()
    words: str = ""
    provider: str = ""
    """Of the component whose config this is, which knows what its fields are called."""

    def key(self, name: str, holder: JsonValue) -> _Location:
        step = escape(name)
        there = f"{self.id}/{step}", f"{self.where}/{step}"
        if is_component(holder):
            inside = self.owner if not self.words else (*self.owner, self.words)
            provider = str(cast("dict[str, JsonValue]", holder)["provider"])
            return (
                _Location(*there, inside, "", provider) if name == "config" else _Location(*there, inside, spoken(name))
            )
        return _Location(*there, self.owner, f"{self.words} {spoken(name, self.provider)}".strip())

    def entry(self, identity: str, index: int, item: Part) -> _Location:
        words = _entry_words(item, self.words)
        return _Location(f"{self.id}/{identity}", f"{self.where}/{index}", self.owner, words)

    @property
    def label(self) -> str:
        return ": ".join(filter(None, ["’s ".join(self.owner), self.words])) or "The whole team"


@dataclass
class _Merger:
    choices: Mapping[str, Side]
    conflicts: list[MergeConflict] = field(default_factory=list[MergeConflict])

    def part(self, base: Part, mine: Part, theirs: Part, place: _Location) -> Part:
        if _same(mine, theirs) or _same(base, theirs):
            return mine
        if _same(base, mine):
            return theirs
        if base is ABSENT or base is None:
            base = _nothing_like(mine, theirs, base)
        if isinstance(base, dict) and isinstance(mine, dict) and isinstance(theirs, dict):
            if _provider(base) == _provider(mine) == _provider(theirs):
                return self._object(base, mine, theirs, place)
        elif isinstance(base, list) and isinstance(mine, list) and isinstance(theirs, list):
            return self._list(base, mine, theirs, place)
        if isinstance(base, str) and isinstance(mine, str) and isinstance(theirs, str):
            text = merge_lines(base, mine, theirs)
            return self._choose(base, mine, theirs, place) if text is None else text
        return self._choose(base, mine, theirs, place)

    def _choose(self, base: Part, mine: Part, theirs: Part, place: _Location) -> Part:
        self.conflicts.append(MergeConflict(place.id, place.where, place.label, base, mine, theirs))
        side = self.choices.get(place.id)
        if side is None:
            return mine if theirs is ABSENT else theirs
        return mine if side == "mine" else theirs

    def _object(
        self, base: dict[str, JsonValue], mine: dict[str, JsonValue], theirs: dict[str, JsonValue], place: _Location
    ) -> JsonValue:
        merged: dict[str, JsonValue] = {}
        for key in _in_order(list(theirs), list(mine)):
            parts = base.get(key, ABSENT), mine.get(key, ABSENT), theirs.get(key, ABSENT)
            value = self.part(*parts, place.key(key, theirs))
            if value is not ABSENT:
                merged[key] = value
        return merged

    def _list(
        self, base: list[JsonValue], mine: list[JsonValue], theirs: list[JsonValue], place: _Location
    ) -> JsonValue:
        entries = _Entries.from_lists(base, mine, theirs)
        order = self._order(entries, place)
        merged: list[JsonValue] = []
        for key in order:
            parts = entries.base.get(key, ABSENT), entries.mine.get(key, ABSENT), entries.theirs.get(key, ABSENT)
            shown = next(part for part in (parts[2], parts[1], parts[0]) if part is not ABSENT)
            value = self.part(*parts, place.entry(key, len(merged), shown))
            if value is not ABSENT:
                merged.append(value)
        return merged

    def _order(self, entries: _Entries, place: _Location) -> list[str]:
        """Theirs, unless only we moved something; what only one side has comes after what it follows there."""
        common = entries.mine.keys() & entries.theirs.keys()
        of_mine, of_theirs, of_base = (
            [key for key in side if key in common and key in entries.base]
            for side in (entries.mine, entries.theirs, entries.base)
        )
        side: Side = "theirs"
        if of_mine not in (of_theirs, of_base):
            side = "mine"
            if of_theirs != of_base:
                side = self._choose_order(entries, [of_base, of_mine, of_theirs], place)
        first, second = (entries.mine, entries.theirs) if side == "mine" else (entries.theirs, entries.mine)
        return _in_order(list(first), list(second))

    def _choose_order(self, entries: _Entries, orders: list[list[str]], place: _Location) -> Side:
        named: list[JsonValue] = [[_entry_words(entries.base[key], "") for key in order] for order in orders]
        conflict_id = f"{place.id}/order"
        label = f"{place.label} order" if place.words else "Order"
        self.conflicts.append(MergeConflict(conflict_id, place.where, label, *named))
        return self.choices.get(conflict_id, "theirs")


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of three lists by what they are, each in the order of its list."""

    base: dict[str, JsonValue]
    mine: dict[str, JsonValue]
    theirs: dict[str, JsonValue]

    @classmethod
    def from_lists(cls, base: list[JsonValue], mine: list[JsonValue], theirs: list[JsonValue]) -> _Entries:
        keys_of_mine, keys_of_theirs = _keys(base, mine, "mine"), _keys(base, theirs, "theirs")
        added = [index for index, key in enumerate(keys_of_mine) if key.startswith("mine")]
        others = [index for index, key in enumerate(keys_of_theirs) if key.startswith("theirs")]
        for ours, other in match([mine[index] for index in added], [theirs[index] for index in others]).items():
            if _is_same_thing(mine[added[ours]], theirs[others[other]]):
                keys_of_theirs[others[other]] = keys_of_mine[added[ours]]
        return cls(
            {f"base{index}": item for index, item in enumerate(base)},
            dict(zip(keys_of_mine, mine, strict=True)),
            dict(zip(keys_of_theirs, theirs, strict=True)),
        )


def _keys(base: list[JsonValue], side: list[JsonValue], name: str) -> list[str]:
    source = {index: old for old, index in match(base, side).items()}
    return [f"base{source[index]}" if index in source else f"{name}{index}" for index in range(len(side))]


def _is_same_thing(one: JsonValue, other: JsonValue) -> bool:
    """Whether two additions are one: the same, or of the same name. Others both stay."""
    return same(one, other) or (name_of(one) is not None and name_of(one) == name_of(other))


def _in_order(first: Sequence[str], second: Iterable[str]) -> list[str]:
    """All of both: the first as it is, and what only the second has after what it follows there."""
    known, shared = set(first), set[str]()
    following: dict[str, list[str]] = defaultdict(list)
    anchor = ""  # before the first key that both have
    for key in second:
        if key in known:
            shared.add(key)
            anchor = f"/{key}"
        else:
            following[anchor].append(key)
    merged: list[str] = []
    anchor = ""
    for key in first:
        if key in shared:
            merged += following[anchor]
            anchor = f"/{key}"
        merged.append(key)
    return merged + following[anchor]


def _nothing_like(mine: Part, theirs: Part, base: Part) -> Part:
    """Where both began with nothing, each entry that they added is a change of its own."""
    if isinstance(mine, list) and isinstance(theirs, list):
        return []
    are_plain = (
        isinstance(mine, dict) and isinstance(theirs, dict) and not is_component(mine) and not is_component(theirs)
    )
    return {} if are_plain else base


def _same(one: Part, other: Part) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    return same(one, other)


def _provider(value: dict[str, JsonValue]) -> JsonValue:
    return value["provider"] if is_component(value) else None


def _entry_words(item: Part, field_words: str) -> str:
    if is_component(item):
        component = cast("JsonValue", item)
        return title_of(component) if name_of(component) else f"{noun_of(component)} {title_of(component)}"
    name = None if item is ABSENT else name_of(item)
    return f"{field_words} {name or 'entry'}".strip()
