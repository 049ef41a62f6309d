"""Text to JSON value, with bounds, so that a hostile document is refused before anything walks it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, ClassVar, NoReturn, cast

import yaml
from pydantic import JsonValue

from studio.components.findings import escape
from studio.errors import InvalidDocument, TooLarge

MAX_BYTES = 20 * 1024 * 1024
MAX_YAML_BYTES = 2 * 1024 * 1024
"""YAML is read a hundred times slower than JSON; no team that a person wrote is as long."""
MAX_DEPTH = 200
"""Levels of lists and objects; a team nested ten times in itself needs about forty."""
MAX_POINTER = 2000
"""Characters of all keys on the way to a value, so that naming every place of a document stays cheap."""
MAX_INT_BITS = 1024
"""As large as the largest float; Python refuses to write numbers of more than 4300 digits."""


def parse_document(text: str | bytes, *, max_bytes: int = MAX_BYTES) -> JsonValue:
    """Read JSON, or YAML without aliases, into plain values; half characters become U+FFFD.

    A megabyte of YAML takes seconds: call it in a thread.

    Raises:
        TooLarge: More than `max_bytes`, or YAML of more than `MAX_YAML_BYTES`.
        InvalidDocument: Not JSON or YAML, or beyond the bounds.
    """
    text = _decoded(text, max_bytes)
    return _bounded(_parse_json(text) if text.lstrip()[:1] in ("{", "[", '"') else _parse_yaml(text))


def parse_json(text: str | bytes, *, max_bytes: int = MAX_BYTES) -> JsonValue:
    """Read JSON and nothing else; same values and errors as `parse_document`."""
    return _bounded(_parse_json(_decoded(text, max_bytes)))


@dataclass(slots=True)
class _Opened:
    """A list or object that is being walked: its key in its parent, and what is left of it."""

    key: str
    pointer_length: int
    entries: Iterator[tuple[object, object]]


def check_bounds(value: object) -> None:
    """Refuse values that are too deep (a cycle is infinitely deep) or hold what JSON cannot.

    Raises:
        InvalidDocument: With the JSON pointer of the place.
    """
    opened = [_Opened("", -1, iter([("", value)]))]
    while opened:
        top = opened[-1]
        for key, item in top.entries:  # goes on where it was left
            length = top.pointer_length + 1 + len(str(key))
            if problem := _problem(item, len(opened) - 1, length):
                path = [*(each.key for each in opened[2:]), str(key)] if len(opened) > 1 else []
                where = "".join(f"/{escape(step[:200])}" for step in path[:40])[:200]
                raise InvalidDocument(problem[0], fix=problem[1], where=where)
            if isinstance(item, dict | list):
                opened.append(_Opened(str(key), length, _entries(cast("dict[object, object] | list[object]", item))))
                break
        else:
            opened.pop()


def _entries(item: dict[object, object] | list[object]) -> Iterator[tuple[object, object]]:
    return iter(item.items()) if isinstance(item, dict) else enumerate(item)


def _problem(item: object, depth: int, pointer_length: int) -> tuple[str, str] | None:
    """What is wrong with a value, and what to do about it."""
    if depth > MAX_DEPTH:
        return (
            f"The document is nested more than {MAX_DEPTH} levels deep, or contains itself.",
            "A team is rarely deeper than 40 levels; check how the file was made.",
        )
    if pointer_length > MAX_POINTER:
        return f"The keys on the way to this place have more than {MAX_POINTER} characters.", "Use shorter keys."
    if isinstance(item, float) and not math.isfinite(item):
        return "NaN and Infinity are not JSON.", ""
    if isinstance(item, int) and item.bit_length() > MAX_INT_BITS:
        return "A whole number has more than 308 digits.", "Write it as text."
    if not isinstance(item, str | int | float | bool | dict | list | None):
        return f"A {type(item).__name__} is not JSON.", ""
    return None


def _decoded(text: str | bytes, max_bytes: int) -> str:
    if len(text) > max_bytes:
        raise TooLarge(
            f"The document has {len(text) / 1e6:.0f} MB; the limit is {max_bytes / 1e6:.0f} MB.",
            fix="Split it, or remove what does not belong to a team.",
        )
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidDocument("The file is not text in UTF-8.", fix="Choose a JSON or YAML file.") from error


def _bounded(value: JsonValue) -> JsonValue:
    check_bounds(value)
    return _whole_characters(value)


def _whole_characters(value: JsonValue) -> JsonValue:
    """The value with U+FFFD in place of half characters, which JSON takes and no database does."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return value


def _parse_json(text: str) -> JsonValue:
    def no_constant(name: str) -> NoReturn:
        raise InvalidDocument(f"{name} is not JSON.", fix="Use a number or null.")

    try:
        return json.loads(text, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        raise InvalidDocument(
            f"Not JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
            fix="Check for a missing comma or quote just before that place.",
        ) from error
    except ValueError as error:  # a number of more than 4300 digits
        message = f"Not JSON: {str(error).partition(';')[0]}."
        raise InvalidDocument(message, fix="Write such a number as text.") from error
    except RecursionError as error:
        raise InvalidDocument(
            f"The document is nested more than {MAX_DEPTH} levels deep.",
            fix="A team is rarely deeper than 40 levels; check how the file was made.",
        ) from error


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases, which allow cycles and files that grow a million times when read, and without dates."""

    yaml_implicit_resolvers: ClassVar[Any] = {
        first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for first, pairs in cast("dict[str, list[tuple[str, object]]]", yaml.SafeLoader.yaml_implicit_resolvers).items()
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: object = self.peek_event()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- no types
        if isinstance(event, yaml.AliasEvent):
            raise InvalidDocument("YAML aliases (`*name`) are not read.", fix="Write the value out where it is used.")
        return super().compose_node(parent, index)


def _parse_yaml(text: str) -> JsonValue:
    if len(text) > MAX_YAML_BYTES:
        raise TooLarge(
            f"The document has {len(text) / 1e6:.0f} MB; the limit for YAML is {MAX_YAML_BYTES / 1e6:.0f} MB.",
            fix="Convert it to JSON.",
        )
    try:
        value: object = yaml.load(text, Loader=_PlainLoader)
    except yaml.YAMLError as error:
        raise InvalidDocument(f"Neither JSON nor YAML: {error}".splitlines()[0], fix="Choose another file.") from error
    except RecursionError as error:
        raise InvalidDocument(f"The document is nested more than {MAX_DEPTH} levels deep.") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:  # such as `!!int x`: PyYAML does not check
        raise InvalidDocument(f"The YAML holds a value that cannot be read: {error}.", fix="Mend it.") from error
    if not isinstance(value, dict | list):
        raise InvalidDocument("The text is neither JSON nor YAML of a component.", fix="Paste the whole JSON.")
    return _plain(cast("object", value))


def _plain(value: object) -> JsonValue:
    if isinstance(value, dict):
        return {str(key): _plain(child) for key, child in cast("dict[object, object]", value).items()}
    if isinstance(value, list):
        return [_plain(child) for child in cast("list[object]", value)]
    if isinstance(value, datetime | date):
        return value.isoformat()
    return cast("JsonValue", value)
