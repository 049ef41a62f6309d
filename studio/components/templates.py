"""Texts with placeholders that the author of a team may write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from string import Formatter
from typing import NamedTuple, cast

from studio.errors import ConfigError

MAX_CHARACTERS = 20_000_000
"""Of what a template is filled to."""
MAX_WIDTH = 999
"""Of a place, and of the digits behind a point."""
_MAX_SPEC = 50
_FIELD = re.compile(r"([^.\[\]]*)((?:\[[^\[\]]+\])*)")
_KEY = re.compile(r"\[([^\[\]]+)\]")
_CONVERSIONS: Mapping[str, Callable[[object], str]] = {"s": str, "r": repr, "a": ascii}


def unknown_placeholders(template: str, known: tuple[str, ...]) -> list[str]:
    """Placeholders of a template that nobody will fill; a template that cannot be read counts as one."""
    try:
        return [field for _, field, _, _ in Formatter().parse(template) if field is not None and field not in known]
    except ValueError as error:
        return [str(error)]


def unreadable(template: str) -> list[str]:
    """What is wrong with a template, whatever its placeholders are called."""
    try:
        _pieces(template)
    except ValueError as error:
        return [str(error)]
    return []


def fill_in(template: str, what: str, /, **values: object) -> str:
    """Put values in their places.

    A place is a name, with the keys and indices of `str.format` for what is inside a dict or list, `!r` for how Python
    writes the value, and a format such as `:.2f`. Attributes are refused, and so are formats that are wide or made of
    other places: a template comes from a file, and `{result:>300000000}` would make a text of that length.

    Args:
        template: `{name}` is a place, `{{` and `}}` are braces.
        what: Name of the template for the error, such as "selector_prompt".

    Raises:
        ConfigError: The template has other placeholders, braces that are none, or becomes too long.
    """
    return _filled(template, what, values, str)


def fill_in_variables(template: str, what: str, variables: Mapping[str, object]) -> str:
    """The same with context variables, of which objects and lists are written as JSON.

    Raises:
        ConfigError: As for `fill_in`.
    """
    return _filled(template, what, variables, _as_json)


def _filled(template: str, what: str, values: Mapping[str, object], as_text: Callable[[object], str]) -> str:
    try:
        texts, places = _pieces(template)
        filled, left = texts.copy(), MAX_CHARACTERS
        for place in places:
            value = values[place.name]
            filled[place.at] = text = as_text(value) if place.is_plain else place.written(value, as_text)
            left -= len(text)
            if left < 0:
                raise ValueError(f"it would be longer than {MAX_CHARACTERS:,} characters")
        return "".join(filled)
    except (LookupError, TypeError, ValueError) as error:
        names = ", ".join(f"{{{name}}}" for name in values)
        raise ConfigError(
            f"`{what}` cannot be filled in: {error}.",
            fix=f"It may hold {names}; write other braces twice.",
        ) from error


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


class _Placeholder(NamedTuple):
    at: int
    name: str
    keys: tuple[str, ...]
    convert: Callable[[object], str] | None
    spec: str
    is_plain: bool

    def written(self, value: object, as_text: Callable[[object], str]) -> str:
        for key in self.keys:
            if isinstance(value, list):
                value = cast("list[object]", value)[int(key)]
            elif isinstance(value, dict):
                value = cast("dict[str | int, object]", value)[int(key) if key.isdecimal() else key]
            else:
                raise ValueError(f"there is no {key!r} in {self.name!r}")
        if self.convert is not None:
            value = self.convert(value)
        return format(value, self.spec) if self.spec else as_text(value)


@lru_cache
def _pieces(template: str) -> tuple[list[str], list[_Placeholder]]:
    """The texts of a template, an empty one at each place; and the places."""
    texts: list[str] = []
    places: list[_Placeholder] = []
    for literal, field, spec, conversion in Formatter().parse(template):
        texts.append(literal)
        if field is not None:
            name, *keys = _path(field)
            is_plain = not (keys or conversion or spec)
            convert = _conversion(conversion)
            places.append(_Placeholder(len(texts), name, tuple(keys), convert, _checked(spec or ""), is_plain))
            texts.append("")
    return texts, places


def _path(field: str) -> list[str]:
    if (found := _FIELD.fullmatch(field)) is None:
        raise ValueError(f"the placeholder {field[:50]!r} is not supported")
    return [found[1], *_KEY.findall(found[2])]


def _conversion(name: str | None) -> Callable[[object], str] | None:
    if name is not None and name not in _CONVERSIONS:
        raise ValueError(f"the conversion {name!r} is unknown")
    return _CONVERSIONS[name] if name else None


def _checked(spec: str) -> str:
    if "{" in spec or len(spec) > _MAX_SPEC or any(int(number) > MAX_WIDTH for number in re.findall(r"\d+", spec)):
        raise ValueError(f"the format {spec[:20]!r} is not supported")
    return spec
