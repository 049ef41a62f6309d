"""Texts of a canvas in which references have their places, as templates and expressions over context variables."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from studio.importers.expressions import Unsupported, escaped


@dataclass(frozen=True)
class Path:
    """A context variable, or what is inside of it."""

    name: str
    steps: tuple[str, ...] = ()

    @property
    def expression(self) -> str:
        """It as an expression."""
        return self.name + "".join(f"[{step}]" if _is_number(step) else f"[{step!r}]" for step in self.steps)

    @property
    def placeholder(self) -> str:
        """It as a place in a template.

        Raises:
            Unsupported: A template cannot name it.
        """
        if any(not re.fullmatch(r"\w+", step) for step in self.steps):
            raise Unsupported("a name in it cannot stand in a text")
        return f"{{{self.name}{''.join(f'[{step}]' for step in self.steps)}}}"


Resolve = Callable[[str], Path | str]
"""What a reference stands for: a variable, or a fixed text.

Raises:
    Unsupported: It is not known.
"""


def _is_number(step: str) -> bool:
    return re.fullmatch(r"-?\d{1,9}", step, re.ASCII) is not None


def template(text: str, places: re.Pattern[str], resolve: Resolve, missed: Callable[[str, str], None]) -> str:
    """A text with places for context variables; unknown references stay as they are written, and are told.

    Args:
        places: What a reference looks like; its first group is what it refers to.
        missed: Is told an unknown reference, and why it is.
    """
    pieces: list[str] = []
    end = 0
    for place in places.finditer(text):
        pieces.append(escaped(text[end : place.start()]))
        end = place.end()
        try:
            found = resolve(place[1])
            pieces.append(found.placeholder if isinstance(found, Path) else escaped(found))
        except Unsupported as error:
            missed(place[1], str(error))
            pieces.append(escaped(place[0]))
    return "".join([*pieces, escaped(text[end:])])


def expression(text: str, places: re.Pattern[str], resolve: Resolve) -> str:
    """A text as an expression: the value itself where it is one reference.

    Raises:
        Unsupported: A reference in it is not known.
    """
    found: list[str] = []
    end = 0
    for place in places.finditer(text):
        found += [repr(text[end : place.start()])] if text[end : place.start()] else []
        end = place.end()
        value = resolve(place[1])
        found.append(value.expression if isinstance(value, Path) else repr(value))
    found += [repr(text[end:])] if text[end:] else []
    return " + ".join(found) or "''"
