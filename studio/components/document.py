"""Text to JSON value, with bounds, so that a hostile document is refused before anything walks it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from json import decoder, scanner
from typing import Any, NamedTuple, NoReturn, cast

from pydantic import JsonValue

from studio.components.pointers import escape
from studio.errors import InvalidDocument, TooLarge

MAX_BYTES = 20 * 1024 * 1024
MAX_DEPTH = 200
"""Levels of lists and objects; a team nested ten times in itself needs about forty."""
MAX_POINTER = 2000
"""Characters of all keys on the way to a value, so that naming every place of a document stays cheap."""
LARGE = 250_000
"""Characters of JSON that are read in some 5 ms."""
MAX_INT_BITS = 1024
"""As large as the largest float; Python refuses to write numbers of more than 4300 digits."""


def parse_document(text: str | bytes, *, max_bytes: int = MAX_BYTES) -> JsonValue:
    """Read JSON, or YAML without aliases, into plain values; half characters become U+FFFD.

    A megabyte of YAML takes seconds: call it in a thread.

    Raises:
        TooLarge: More than `max_bytes`, or YAML of more than 2 MB.
        InvalidDocument: Not JSON or YAML, or beyond the bounds.
    """
    text = _decoded(text, max_bytes)
    if text[:1000].lstrip()[:1] in ("{", "[", '"'):
        return _bounded_json(text)
    from studio.components.plain_yaml import parse_yaml  # a program that reads no YAML need not wait for its import

    value = parse_yaml(text)
    check_bounds(value)
    return _whole_characters(value)


def parse_json(text: str | bytes, *, max_bytes: int = MAX_BYTES) -> JsonValue:
    """Read JSON and nothing else; same values and errors as `parse_document`."""
    return _bounded_json(_decoded(text, max_bytes))


class _Opened(NamedTuple):
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
            "Check how the file was made: a team is rarely deeper than 40 levels.",
        )
    if pointer_length > MAX_POINTER:
        return f"The path to this value has more than {MAX_POINTER} characters.", "Use shorter keys."
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
        raise InvalidDocument("The file is not UTF-8 text.", fix="Choose a JSON or YAML file.") from error


def _bounded_json(text: str) -> JsonValue:
    value = _parse_json(text)
    check_bounds(value)
    return value if text.isascii() and "\\u" not in text else _whole_characters(value)


def _whole_characters(value: JsonValue) -> JsonValue:
    """The value, changed in place, with U+FFFD for half characters, which JSON takes and no database does."""
    holder: JsonValue = [value]
    opened: list[JsonValue] = [holder]
    while opened:
        item = opened.pop()
        if isinstance(item, dict):
            if not all(map(_is_whole, item)):
                entries = [(_whole(key), each) for key, each in item.items()]
                item.clear()
                item.update(entries)
            places: Iterable[tuple[str, JsonValue] | tuple[int, JsonValue]] = item.items()
        else:
            places = enumerate(cast("list[JsonValue]", item))
        for place, each in places:
            if isinstance(each, str):
                if not _is_whole(each):
                    cast("dict[str | int, JsonValue]", item)[place] = _whole(each)
            elif isinstance(each, dict | list):
                opened.append(each)
    return holder[0]


def _is_whole(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole(text: str) -> str:
    """Two halves that belong together become one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _YieldingDecoder(json.JSONDecoder):
    """Lets other threads have their turn at each value; the default one holds Python's lock to the end of the text.

    It is made of what `json` itself uses where its C code is missing.
    """

    def __init__(self, *, parse_constant: Callable[[str], NoReturn]) -> None:
        super().__init__(parse_constant=parse_constant)
        parts, scanning = cast("tuple[Any, Any]", (decoder, scanner))
        vars(self).update(parse_object=parts.JSONObject, parse_array=parts.JSONArray)
        vars(self).update(scan_once=scanning.py_make_scanner(self))


def _parse_json(text: str) -> JsonValue:
    def no_constant(name: str) -> NoReturn:
        raise InvalidDocument(f"{name} is not JSON.", fix="Use a number or null.")

    kind = json.JSONDecoder if len(text) < LARGE else _YieldingDecoder
    try:
        return kind(parse_constant=no_constant).decode(text)
    except json.JSONDecodeError as error:
        raise InvalidDocument(
            f"Not JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
            fix="Check for a missing comma or quote just before that position.",
        ) from error
    except ValueError as error:  # a number of more than 4300 digits
        message = f"Not JSON: {str(error).partition(';')[0]}."
        raise InvalidDocument(message, fix="Write such a number as text.") from error
    except RecursionError as error:
        raise InvalidDocument(
            f"The document is nested more than {MAX_DEPTH} levels deep.",
            fix="Check how the file was made: a team is rarely deeper than 40 levels.",
        ) from error
