"""Texts with placeholders that the author of a team may write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from string import Formatter

from studio.errors import ConfigError

_CONVERSIONS: Mapping[str | None, Callable[[object], str]] = {None: str, "s": str, "r": repr, "a": ascii}


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

    A place is a name, with `!r` for how Python writes the value. The format specs, attributes and indices of
    `str.format` are refused: a template comes from a file, and `{result:>300000000}` would make a text of that length.

    Args:
        template: `{name}` is a place, `{{` and `}}` are braces.
        what: Name of the template for the error, such as "selector_prompt".

    Raises:
        ConfigError: The template has other placeholders, or braces that are none.
    """
    try:
        texts, places = _pieces(template)
        filled = texts.copy()
        for index, name, as_written in places:
            filled[index] = as_written(values[name])
        return "".join(filled)
    except (KeyError, ValueError) as error:
        names = ", ".join(f"{{{name}}}" for name in values)
        raise ConfigError(
            f"`{what}` cannot be filled in: {error}.",
            fix=f"It may hold {names}; write other braces twice.",
        ) from error


@lru_cache
def _pieces(template: str) -> tuple[list[str], list[tuple[int, str, Callable[[object], str]]]]:
    """The texts of a template, an empty one at each place; and the places: index, name, how the value is written."""
    texts: list[str] = []
    places: list[tuple[int, str, Callable[[object], str]]] = []
    for literal, field, spec, conversion in Formatter().parse(template):
        texts.append(literal)
        if spec:
            raise ValueError(f"the format {spec[:20]!r} is not taken")
        if field is not None:
            places.append((len(texts), field, _written(conversion)))
            texts.append("")
    return texts, places


def _written(conversion: str | None) -> Callable[[object], str]:
    if (found := _CONVERSIONS.get(conversion)) is None:
        raise ValueError(f"the conversion {conversion!r} is not known")
    return found
