"""What the expressions of a script make: JSON values that know where each part of them was written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from studio.code.findings import Position
from studio.code.functions import ScriptFunction
from studio.components import Component, JsonObject
from studio.components.pointers import steps_of

NODE_COST = 8
"""Characters that count for a value beside its text; see `Made.cost`."""
MAX_COST = 4_000_000
"""A variable that is used twice stands in the JSON twice, so short scripts can mean endless JSON."""


@dataclass(frozen=True, eq=False, slots=True)
class ParsedValue:
    """One value of a script.

    Args:
        at: Where it is written.
        value: A plain value; None where there are entries.
        entries: What a list or object holds; objects are JSON objects, whatever class they were made of.
        cls: The component's class, where it is one.
        function: The function of the script that stands here, as a tool.
        graph_steps: The `GraphSteps` of the graph builder that stands here.
        secret_at: Where a secret is named in it that nobody has asked for yet.
        is_broken: Whether it could not be read; a finding tells why.
        outside: Full name of what it is in another file, or of another value that is not known; a field may have a
            stand-in for it.
        why: Why that is not known, or what stands in a text for what is not.
        cost: Size of its JSON.
    """

    at: Position
    value: str | int | float | bool | None = None
    entries: Mapping[str, ParsedValue] | Sequence[ParsedValue] | None = None
    cls: type[Component] | None = None
    function: ScriptFunction | None = None
    graph_steps: object | None = None
    secret_at: Position | None = None
    is_broken: bool = False
    outside: str = ""
    why: str = ""
    cost: int = field(default=NODE_COST)

    def used_at(self, place: Position) -> ParsedValue:
        """The same value where a variable stands for it."""
        return replace(self, at=place)


def plain(value: str | int | float | bool | None, at: Position) -> ParsedValue:
    """A value without parts."""
    return ParsedValue(at, value, cost=NODE_COST + (len(value) if isinstance(value, str) else 0))


def secret(reference: str, at: Position) -> ParsedValue:
    """A reference to a secret."""
    return ParsedValue(at, reference, secret_at=at, cost=NODE_COST + len(reference))


def broken(at: Position) -> ParsedValue:
    """What stands in for a value that could not be read."""
    return ParsedValue(at, is_broken=True)


def listed(items: Sequence[ParsedValue], at: Position) -> ParsedValue:
    """A list; a tuple is one too."""
    cost = NODE_COST + sum(item.cost for item in items)
    return ParsedValue(at, entries=items, secret_at=_first_secret(items), cost=cost)


def keyed(entries: Mapping[str, ParsedValue], at: Position, cls: type[Component] | None = None) -> ParsedValue:
    """An object."""
    cost = NODE_COST + sum(len(key) + item.cost for key, item in entries.items())
    return ParsedValue(at, entries=entries, cls=cls, secret_at=_first_secret(entries.values()), cost=cost)


def _first_secret(items: Iterable[ParsedValue]) -> Position | None:
    return next((item.secret_at for item in items if item.secret_at is not None), None)


def not_known(dotted: str, why: str, at: Position) -> ParsedValue:
    """What a field may have a stand-in for."""
    return ParsedValue(at, outside=dotted, why=why)


def written(value: JsonValue, at: Position) -> ParsedValue:
    """A JSON value that stands nowhere in the script by itself, such as a default."""
    if isinstance(value, dict):
        return keyed({key: written(item, at) for key, item in value.items()}, at)
    if isinstance(value, list):
        return listed([written(item, at) for item in value], at)
    return plain(value, at)


def envelope(cls: type[Component], config: Mapping[str, ParsedValue], at: Position) -> ParsedValue:
    """A component."""
    head: JsonObject = {
        "provider": cls.provider,
        "component_type": cls.component_type,
        "version": cls.component_version,
        "component_version": cls.component_version,
    }
    parts = {name: written(value, at) for name, value in head.items()}
    return replace(keyed({**parts, "config": keyed(config, at)}, at, cls), secret_at=None)


def as_json(made: ParsedValue) -> JsonValue:
    """The value as JSON; what could not be read is null."""
    if isinstance(made.entries, Mapping):
        return {key: as_json(item) for key, item in made.entries.items()}
    if made.entries is not None:
        return [as_json(item) for item in made.entries]
    return made.value


def place_of(made: ParsedValue, pointer: str) -> Position:
    """Where the value at a JSON pointer is written, or what is around it."""
    here = made
    for key in steps_of(pointer):
        entries = here.entries
        if isinstance(entries, Mapping):
            found = entries.get(key)
        else:
            is_index = entries is not None and re.fullmatch(r"\d{1,6}", key) and int(key) < len(entries)
            found = entries[int(key)] if entries is not None and is_index else None
        if found is None:
            break
        here = found
    return here.at


def parts_of(made: ParsedValue) -> Iterator[ParsedValue]:
    """The values directly inside."""
    if isinstance(made.entries, Mapping):
        yield from made.entries.values()
    elif made.entries is not None:
        yield from made.entries
