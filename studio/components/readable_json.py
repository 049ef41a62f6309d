"""JSON that every reader takes: models, tools and servers answer with NaN, half a character or 300 lists at times."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from types import NoneType
from typing import Any, Final, cast

from pydantic import JsonValue

from studio.components.document import MAX_DEPTH, MAX_INT_BITS

MAX_LEVELS = MAX_DEPTH - 20
"""Levels of lists and objects in an answer. What holds it, such as a saved run, has some, too."""
MAX_STORED_LEVELS = MAX_DEPTH + 20
"""The same of what is read from the database, such as the document of a team."""
TOO_DEEP = "[nested too deeply]"
_TOO_LARGE = 1 << MAX_INT_BITS
MAX_NAME = 64
"""Characters of the name of a tool or agent that a model is told."""
_LOOKED_INTO = (dict, list, float)
_NO_NAME = re.compile("[^a-zA-Z0-9_-]")
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)


def well_formed(text: str) -> str:
    """Put U+FFFD in place of each half of a surrogate pair that stands alone, as `toWellFormed` of JavaScript does."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_well_formed(text: str) -> bool:
    """Whether it holds no half of a surrogate pair; a tenth of the time that looking for one takes."""
    if text.isascii():
        return True
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return False
    return True


def usable_name(name: str) -> str:
    """The name with what services of models do not take in one replaced by `_`."""
    return _NO_NAME.sub("_", name)[:MAX_NAME] or "_"


def well_formed_json(value: JsonValue, levels: int = MAX_LEVELS) -> JsonValue:
    """The value with all text well formed; the very same object where nothing is to be changed.

    A number that JSON does not have, a value of another type, and a whole number that no float can hold become text.
    What is nested too deeply, or contains itself, is left out.
    """
    return value if _is_well_formed(value, type(value), levels) else _repaired(value, levels)


DAMAGED: Final = {"damaged": "This cannot be read: it is not JSON."}
"""What is read in place of stored JSON that is broken."""


def stored_json(text: str | bytes) -> JsonValue:
    """Read JSON that was stored by any version, also one that kept what is not well formed."""
    return well_formed_json(_parsed(text), MAX_STORED_LEVELS)


def stored_document(text: str | bytes) -> JsonValue:
    """The same of a person's document, whose text stays as it is, half characters included."""
    value = _parsed(text)
    return value if _is_readable(value, MAX_STORED_LEVELS) else well_formed_json(value, MAX_STORED_LEVELS)


def _parsed(text: str | bytes) -> JsonValue:
    try:
        return cast("JsonValue", json.loads(text))
    except RecursionError:
        return cast("JsonValue", json.loads(_cut(text if isinstance(text, str) else text.decode())))


def _is_readable(value: JsonValue, levels: int) -> bool:
    """Whether JSON has such numbers, and no more levels. A large document comes through here while others wait."""
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, dict | list):
        return True
    if levels <= 0:
        return False
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, _LOOKED_INTO) and not _is_readable(item, levels - 1):
            return False
    return True


def stored_text(text: str) -> str:
    """Such JSON as text that a database can look into, also where it is broken."""
    try:
        return json.dumps(stored_json(text))
    except ValueError:
        return json.dumps(DAMAGED)


def _is_well_formed(value: Any, kind: type[Any], levels: int) -> bool:
    """Every answer of a recorded run comes through here: what is in a list or object takes no call of its own."""
    items: Iterable[Any] = value if kind is list else (value,)
    if kind is dict:
        items = value.values()
        try:
            names = "".join(value)
        except TypeError:
            return False
        if not names.isascii() and not is_well_formed(names):
            return False
    for item in items:
        found: type[Any] = type(item)  # pyright: ignore[reportUnknownVariableType] -- narrowed to what is not known
        if (
            (found is str and (item.isascii() or is_well_formed(item)))
            or (found is int and -_TOO_LARGE < item < _TOO_LARGE)
            or found is bool
            or found is NoneType
            or ((found is dict or found is list) and levels > 1 and _is_well_formed(item, found, levels - 1))
            or (found is float and math.isfinite(item))
        ):
            continue
        return False
    return True


def _repaired(value: JsonValue, levels: int) -> JsonValue:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict | list):
        if levels <= 0:
            return TOO_DEEP
        if isinstance(value, list):
            return [_repaired(item, levels - 1) for item in value]
        return {well_formed(str(key)): _repaired(item, levels - 1) for key, item in value.items()}
    if _is_well_formed(value, type(value), 0):
        return value
    return hex(value) if isinstance(value, int) else well_formed(str(value))


def _cut(text: str) -> str:
    """JSON text without what is nested too deeply, for a parser that would not come to its end."""
    levels, kept, begin = 0, list[str](), 0
    for part in _PARTS.finditer(text):
        if part[0] in "[{":
            levels += 1
            if levels == MAX_STORED_LEVELS + 1:
                kept += (text[begin : part.start()], json.dumps(TOO_DEEP))
        elif part[0] in "]}":
            levels -= 1
            if levels == MAX_STORED_LEVELS:
                begin = part.end()
    return "".join((*kept, text[begin:]))
