"""A text as it is shown to whoever must decide about it: Python in colours, and nothing that hides itself."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from studio.components import hidden_characters

Look = Literal["", "comment", "string", "number", "keyword", "name", "code", "hidden"]
Position = tuple[int, int]


class Span(NamedTuple):
    """A piece of a line, and how it looks."""

    look: Look
    text: str


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line; `number` from 1."""

    number: int
    spans: tuple[Span, ...]


def python_lines(source: str) -> list[SourceLine]:
    """The lines of a program, coloured as far as it can be read. Nothing of it is executed."""
    lines = source.split("\n")
    looks: list[list[tuple[int, int, Look]]] = [[] for _ in lines]
    for look, start, end in _coloured(source):
        for row in range(start[0], min(end[0], len(lines)) + 1):
            first = start[1] if row == start[0] else 0
            last = end[1] if row == end[0] else len(lines[row - 1])
            looks[row - 1].append((first, last, look))
    return [SourceLine(number, tuple(_spans(text, looks[number - 1]))) for number, text in _numbered(lines)]


def plain_lines(text: str) -> list[SourceLine]:
    """The lines of any other text."""
    return [SourceLine(number, tuple(_spans(line, []))) for number, line in _numbered(text.split("\n"))]


def visible(text: str) -> tuple[Span, ...]:
    """A sentence, with `code` in backticks; characters that cannot be seen, or turn it round, are written out."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return tuple(_in_one_line("", text))
    return tuple(span for index, part in enumerate(parts) for span in _in_one_line("code" if index % 2 else "", part))


def _in_one_line(look: Look, text: str) -> Iterator[Span]:
    """What belongs into one line; a line end in it would part it."""
    first, *others = re.split("([\n\t])", text)
    yield from _shown(look, first)
    for index, part in enumerate(others):
        yield from _shown(look, part) if index % 2 else (Span("hidden", hidden_characters.code_point(part)),)


def all_visible(text: str) -> tuple[Span, ...]:
    """One line of a text, as it is, in which no character hides."""
    return tuple(_shown("", text))


def as_said(text: str) -> tuple[Span, ...]:
    """What somebody said or was told, lines and all."""
    return tuple(_shown("", text.replace("\r\n", "\n"), is_prose=True))


def _numbered(lines: list[str]) -> Iterator[tuple[int, str]]:
    kept = lines[:-1] if len(lines) > 1 and lines[-1] == "" else lines
    return enumerate((line.removesuffix("\r") for line in kept), 1)


def _coloured(source: str) -> Iterator[tuple[Look, Position, Position]]:
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            look = _look(token, before)
            if look:
                yield look, token.start, token.end
            before = token.string
    except (tokenize.TokenError, SyntaxError, ValueError):
        return  # no Python, or not to its end: the rest is shown plain


def _look(token: tokenize.TokenInfo, before: str) -> Look:
    name = tokenize.tok_name[token.type]
    if name == "COMMENT":
        return "comment"
    if name == "STRING" or name.startswith("FSTRING"):
        return "string"
    if name == "NUMBER":
        return "number"
    if name != "NAME":
        return ""
    return "keyword" if keyword.iskeyword(token.string) else "name" if before in ("def", "class") else ""


def _spans(text: str, looks: list[tuple[int, int, Look]]) -> Iterator[Span]:
    place = 0
    for first, last, look in looks:
        yield from _shown("", text[place:first])
        yield from _shown(look, text[max(first, place) : last])
        place = max(place, last)
    yield from _shown("", text[place:])


def _shown(look: Look, text: str, *, is_prose: bool = False) -> Iterator[Span]:
    for part, hides in hidden_characters.parts(text, is_prose=is_prose):
        yield Span("hidden", hidden_characters.code_point(part)) if hides else Span(look, part)
