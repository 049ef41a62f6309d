"""Text to JSON value, with bounds, so that a hostile document is refused before anything walks it."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from typing import Any, NoReturn, cast

import yaml
from pydantic import JsonValue

from studio.errors import InvalidDocument, TooLarge

MAX_BYTES = 20 * 1024 * 1024
MAX_DEPTH = 200
"""Levels of lists and objects; a team nested ten times in itself needs about forty."""


def parse_document(text: str | bytes, *, max_bytes: int = MAX_BYTES) -> JsonValue:
    """Read JSON, or YAML without aliases, into plain values.

    Raises:
        TooLarge: More than `max_bytes`.
        InvalidDocument: Not JSON or YAML, or deeper than `MAX_DEPTH` levels.
    """
    if len(text) > max_bytes:
        raise TooLarge(
            f"The document has {len(text) / 1e6:.0f} MB; the limit is {max_bytes / 1e6:.0f} MB.",
            fix="Split it, or remove what does not belong to a team.",
        )
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidDocument("The file is not text in UTF-8.", fix="Choose a JSON or YAML file.") from error
    value = _parse_json(text) if text.lstrip()[:1] in ("{", "[", '"') else _parse_yaml(text)
    check_bounds(value)
    return value


def check_bounds(value: object) -> None:
    """Refuse values that are too deep (a cycle is infinitely deep) or hold what JSON cannot.

    Raises:
        InvalidDocument: With the JSON pointer of the place.
    """
    stack: list[tuple[object, str, int]] = [(value, "", 0)]
    while stack:
        item, where, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise InvalidDocument(
                f"The document is nested more than {MAX_DEPTH} levels deep, or contains itself.",
                fix="A team is rarely deeper than 40 levels; check how the file was made.",
                where=where[:200],
            )
        if isinstance(item, dict):
            children = cast("dict[object, object]", item)
            stack.extend((child, f"{where}/{key}", depth + 1) for key, child in children.items())
        elif isinstance(item, list):
            entries = cast("list[object]", item)
            stack.extend((child, f"{where}/{index}", depth + 1) for index, child in enumerate(entries))
        elif isinstance(item, float) and not math.isfinite(item):
            raise InvalidDocument("NaN and Infinity are not JSON.", where=where[:200])
        elif not isinstance(item, str | int | float | bool | None):
            raise InvalidDocument(f"A {type(item).__name__} is not JSON.", where=where[:200])


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
    except RecursionError as error:
        raise InvalidDocument(
            f"The document is nested more than {MAX_DEPTH} levels deep.",
            fix="A team is rarely deeper than 40 levels; check how the file was made.",
        ) from error


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases: they allow cycles, and files that grow a million times when read."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: object = self.peek_event()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- no types
        if isinstance(event, yaml.AliasEvent):
            raise InvalidDocument("YAML aliases (`*name`) are not read.", fix="Write the value out where it is used.")
        return super().compose_node(parent, index)


def _parse_yaml(text: str) -> JsonValue:
    try:
        value: object = yaml.load(text, Loader=_PlainLoader)
    except yaml.YAMLError as error:
        raise InvalidDocument(f"Neither JSON nor YAML: {error}".splitlines()[0], fix="Choose another file.") from error
    except RecursionError as error:
        raise InvalidDocument(f"The document is nested more than {MAX_DEPTH} levels deep.") from error
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
