"""Values of YAML and JSON with their places. YAML is read without tags, dates and Python objects, within bounds."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, cast

import yaml
from pydantic import JsonValue

from studio.components import parse_document
from studio.components.pointers import escape
from studio.errors import InvalidDocument, TooLarge
from studio.importers.findings import Location

MAX_LENGTH = 300_000
"""Characters of all files together: a megabyte of YAML takes ten seconds."""
MAX_PARTS = 20_000
"""Values of all files together, where an alias counts as all that it stands for."""
MAX_LEVELS = 60
MAX_ALIASES = 1_000
_MERGE = "tag:yaml.org,2002:merge"
_COMMENT = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_TOKEN = re.compile(rf'"(?:[^"\\]|\\.)*+"?|{_COMMENT}|,(?=\s*+(?:(?:{_COMMENT})\s*+)*+[\]}}])', re.DOTALL)


@dataclass(frozen=True, eq=False)
class Part:
    """A value in a file.

    Args:
        value: A text, a number, true, false or null.
        items: Those of a list.
        entries: Those of an object.
        node: The expression that it is, in a script.
        scope: What names in this expression stand for; only the reader of the script knows what is in it.
    """

    place: Location
    value: str | int | float | bool | None = None
    items: tuple[Part, ...] | None = None
    entries: Mapping[str, Part] | None = None
    node: ast.expr | None = None
    scope: object = None

    @property
    def text(self) -> str:
        """The text that it is; empty where it is none."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def is_off(self) -> bool:
        """Whether it is null, false or empty."""
        is_nothing = self.node is None and not self.items and not self.entries
        return is_nothing and self.value in (None, False, "", 0)

    def number(self, low: float, high: float) -> int | None:
        """The whole number that it is, where it is one within these bounds."""
        value = self.value
        return value if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high else None

    def plain(self, depth: int = 0) -> JsonValue:
        """The value without places; what only running a script would tell is null."""
        if depth > MAX_LEVELS:
            return None
        if self.entries is not None:
            return {name: each.plain(depth + 1) for name, each in self.entries.items()}
        if self.items is not None:
            return [each.plain(depth + 1) for each in self.items]
        return self.value

    def get(self, *names: str) -> Part | None:
        """What is at the end of a path of keys."""
        found: Part | None = self
        for name in names:
            found = found.entries.get(name) if found is not None and found.entries is not None else None
        return found

    def nearest(self, *names: str) -> Part:
        """What is at the end of a path of keys and positions, or the last part on the way that is there."""
        found = self
        for name in names:
            items = dict(zip(map(str, range(len(found.items))), found.items, strict=True)) if found.items else {}
            inner = (found.entries or items).get(name)
            if inner is None:
                break
            found = inner
        return found

    def entries_or_none(self) -> Iterator[tuple[str, Part]]:
        """The entries of an object; none of anything else."""
        yield from (self.entries or {}).items()

    def all_of(self) -> Iterator[Part]:
        """The items of a list; a value alone counts as a list of one."""
        if self.items is not None:
            yield from self.items
        elif not self.is_off:
            yield self


@dataclass
class Budget:
    """What is left of the bounds of a bundle."""

    length: int = MAX_LENGTH
    parts: int = MAX_PARTS

    def spend(self, name: str, length: int = 0) -> None:
        """Count a value, or a file of this length.

        Raises:
            TooLarge: There is nothing left.
        """
        self.length -= length
        self.parts -= 1
        if self.length < 0:
            what = f"With {name!r}, the YAML and JSON of the files have more than {MAX_LENGTH / 1e3:.0f} kB."
            raise TooLarge(what, fix="Import the files of one team.")
        if self.parts < 0:
            what = f"With {name!r}, the YAML and JSON of the files have more than {MAX_PARTS:,} values."
            raise TooLarge(what, fix="Import the files of one team.")


# --- YAML ---


class _Loader(yaml.SafeLoader):
    """Composes nodes with marks; no node is made an object."""

    def __init__(self, name: str, text: str, budget: Budget) -> None:
        super().__init__(text)
        self._file, self._budget = name, budget
        self._levels = self._aliases = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = cast("Any", self.peek_event())  # pyright: ignore[reportUnknownMemberType] -- PyYAML has no types
        if isinstance(event, yaml.AliasEvent):
            self._aliases += 1
            if self._aliases > MAX_ALIASES:
                raise TooLarge(f"The YAML has more than {MAX_ALIASES:,} aliases.", fix="Write the values out.")
        elif getattr(event, "tag", None) not in (None, "!"):
            _refuse(f"The YAML tag {str(event.tag)[:100]!r} is not read.", event, "Remove the tag.")
        self._budget.spend(self._file)
        self._levels += 1
        if self._levels > MAX_LEVELS:
            _refuse(f"The YAML is nested more than {MAX_LEVELS} levels deep.", event, "Import a smaller part of it.")
        try:
            return super().compose_node(parent, index)
        finally:
            self._levels -= 1


def yaml_part(name: str, text: str, budget: Budget) -> Part:
    """The value of a YAML file.

    Raises:
        TooLarge: It is too long, or becomes too long with its aliases.
        InvalidDocument: It is not YAML, or has tags.
    """
    budget.spend(name, len(text))
    try:
        root = cast("Any", _Loader(name, text, budget).get_single_node())  # pyright: ignore[reportUnknownMemberType] -- as above
    except yaml.YAMLError as error:
        raise InvalidDocument(f"{name!r} is not YAML: {_said(error)}.", fix="Correct the file.") from error
    except RecursionError as error:
        raise InvalidDocument(f"{name!r} is nested too deeply.", fix="Import a smaller part of it.") from error
    return _Reader(name, budget).read(root, 0) if root is not None else Part(Location(name, 1, 1))


def _said(error: yaml.YAMLError) -> str:
    """What is wrong, with the place, on one line."""
    mark = getattr(error, "problem_mark", None)
    where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
    return f"{getattr(error, 'problem', None) or str(error).splitlines()[0]}"[:200] + where


def _refuse(what: str, event: Any, fix: str) -> NoReturn:
    mark = event.start_mark
    raise InvalidDocument(what, fix=fix, where=f"line {mark.line + 1}, column {mark.column + 1}")


@dataclass
class _Reader:
    """Makes parts of nodes."""

    name: str
    budget: Budget

    def read(self, node: Any, depth: int) -> Part:
        self.budget.spend(self.name)
        place = Location(self.name, node.start_mark.line + 1, node.start_mark.column + 1)
        if depth > MAX_LEVELS:
            what = f"{self.name!r} is nested more than {MAX_LEVELS} levels deep, or contains itself."
            raise InvalidDocument(what, fix="Write the values out.")
        if isinstance(node, yaml.MappingNode):
            return Part(place, entries=self._entries(node, depth))
        if isinstance(node, yaml.SequenceNode):
            return Part(place, items=tuple(self.read(each, depth + 1) for each in cast("list[Any]", node.value)))
        return Part(place, _scalar(node))

    def _entries(self, node: Any, depth: int) -> Mapping[str, Part]:
        merged: dict[str, Part] = {}
        own: dict[str, Part] = {}
        for key, value in cast("list[tuple[Any, Any]]", node.value):
            if not isinstance(key, yaml.ScalarNode):
                mark: Any = key.start_mark
                what = f"A key in {self.name!r} at line {mark.line + 1}, column {mark.column + 1} is not a text."
                raise InvalidDocument(
                    what, fix="Write a template's places, such as {{name}}, in quotes, or fill them in."
                )
            read = self.read(value, depth + 1)
            if str(key.tag) == _MERGE:
                for each in reversed([read] if read.items is None else read.items):
                    merged |= each.entries or {}
            else:
                own[str(key.value)] = read
        return merged | own


def _scalar(node: Any) -> str | int | float | bool | None:
    """The value of a node, of which PyYAML knows the kind; dates are texts."""
    kind, text = str(node.tag).rpartition(":")[2], str(node.value)
    try:
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() in ("yes", "true", "on")
        if kind == "int":
            number = int(text.replace("_", ""), 0)
            return number if number.bit_length() <= 64 else text
        if kind == "float":
            value = float(text.replace("_", ""))
            return value if math.isfinite(value) else text
    except ValueError:  # numbers such as 1:30 or 010
        return text
    return text


# --- JSON ---


def json_part(name: str, text: str, budget: Budget) -> Part:
    """The value of a JSON file, which may have comments and commas at ends.

    Raises:
        InvalidDocument: It is not JSON.
    """
    budget.spend(name, len(text))
    plain = _TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    return part_of(parse_document(plain), Location(name), budget)


def part_of(value: JsonValue, place: Location, budget: Budget) -> Part:
    """A value of JSON with its pointers."""
    budget.spend(place.file)
    if isinstance(value, dict):
        inner = ((key, each, _below(place, key)) for key, each in value.items())
        return Part(place, entries={key: part_of(each, at, budget) for key, each, at in inner})
    if isinstance(value, list):
        return Part(place, items=tuple(part_of(each, _below(place, str(at)), budget) for at, each in enumerate(value)))
    return Part(place, value)


def _below(place: Location, key: str) -> Location:
    return Location(place.file, pointer=f"{place.pointer}/{escape(key)}")
