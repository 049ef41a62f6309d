"""Texts of Langflow: prompts with places for what other components give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from studio.errors import TooLarge
from studio.importers.expressions import INPUT, escaped
from studio.importers.workflow import START

MAX_PIECES = 2_000
MAX_LENGTH = 1_000_000
"""Characters of one text, whatever prompts are put into prompts."""
_PLACE = re.compile(r"(\{\{|\}\}|\{\w[^{}\n]{0,100}\})")
_MUSTACHE = re.compile(r"(\{\{\s{0,20}\w[^{}\n]{0,100}\}\})")


@dataclass(frozen=True)
class Said:
    """What a participant answers; `START` is the user."""

    node: str


@dataclass(frozen=True)
class Variable:
    """The value of a context variable."""

    name: str


Piece = str | Said | Variable
Text = tuple[Piece, ...]
"""Fixed texts, and what is only known in a run."""
USER: Text = (Said(START),)


def joined(texts: Iterable[Text]) -> Text:
    """Several texts as one; no more of them are made than fit.

    Raises:
        TooLarge: It would be too long.
    """
    found: list[Piece] = []
    length = 0
    for text in texts:
        found += [piece for piece in text if piece != ""]
        length += sum(len(piece) for piece in text if isinstance(piece, str))
        if len(found) > MAX_PIECES or length > MAX_LENGTH:
            raise TooLarge("A prompt of the flow is too long with what is put into it.", fix="Shorten the prompts.")
    return tuple(found)


def filled(template: str, value_of: Callable[[str], Text | None], *, is_mustache: bool = False) -> Text:
    """A prompt with its variables; a place whose value is None stays as it is written.

    Args:
        is_mustache: Whether places are written `{{name}}` and not `{name}`.
    """
    return joined(_filled(template, value_of, _MUSTACHE if is_mustache else _PLACE))


def _filled(template: str, value_of: Callable[[str], Text | None], places: re.Pattern[str]) -> Iterator[Text]:
    end = 0
    for found in places.finditer(template):
        yield (template[end : found.start()],)
        end, piece = found.end(), found[0]
        is_brace = piece in ("{{", "}}")
        value = None if is_brace else value_of(piece.strip("{}").strip())
        yield (piece[0] if is_brace else piece,) if value is None else value
    yield (template[end:],)


def as_template(text: Text, variable_of: Callable[[str], str]) -> str:
    """A text with places for context variables."""
    return "".join(escaped(piece) if isinstance(piece, str) else f"{{{_named(piece, variable_of)}}}" for piece in text)


def as_expression(text: Text, variable_of: Callable[[str], str]) -> str:
    """A text as an expression over context variables."""
    return " + ".join(repr(piece) if isinstance(piece, str) else _named(piece, variable_of) for piece in text) or "''"


def _named(piece: Said | Variable, variable_of: Callable[[str], str]) -> str:
    if isinstance(piece, Variable):
        return piece.name
    return INPUT if piece.node == START else variable_of(piece.node)


def only_speaker(text: Text) -> str | None:
    """The participant whose answer a text is, with nothing around it; `START` is the user."""
    return text[0].node if len(text) == 1 and isinstance(text[0], Said) else None


def is_fixed(text: Sequence[Piece]) -> bool:
    """Whether nothing in it depends on the run."""
    return all(isinstance(piece, str) for piece in text)
