"""Source text to syntax tree, in bounds: a hostile script costs no more than a long one."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NoReturn

from studio.code.findings import CodeFinding, InvalidPython, Place
from studio.errors import TooLarge

MAX_CHARACTERS = 500_000
"""A script of a thousand agents has about half of it."""
MAX_TOKENS = 200_000
"""A syntax tree takes some hundred bytes for each."""
MAX_FORMATTED = 20_000
"""Characters of one f-string, which Python 3.11 reads in quadratic time."""


@dataclass(frozen=True)
class Source:
    """A parsed script.

    Args:
        lines: As Python counts them, each with its line end.
        comments: Where comments begin.
    """

    tree: ast.Module
    lines: tuple[str, ...] = field(repr=False)
    comments: tuple[Place, ...] = ()
    _starts: dict[int, list[int]] = field(default_factory=dict[int, list[int]], repr=False)
    """Bytes before each character, of lines that are not ASCII."""

    def place(self, node: ast.AST) -> Place:
        """Where a node begins."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return Place(line, column + 1)
        if line not in self._starts:  # Python counts bytes, people count characters
            sizes = (len(letter.encode("utf-8", "surrogatepass")) for letter in text)
            self._starts[line] = list(accumulate(sizes, initial=0))
        return Place(line, bisect_left(self._starts[line], column) + 1)


def parse_source(text: str) -> Source:
    """Parse a script; nothing of it is executed.

    Raises:
        TooLarge: More than `MAX_CHARACTERS`.
        InvalidPython: Not Python, or beyond the bounds.
    """
    if len(text) > MAX_CHARACTERS:
        raise TooLarge(
            f"The script has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}.",
            fix="Split it, or load the team from JSON.",
        )
    plain = re.sub(r"\r\n?", "\n", text.removeprefix("\ufeff"))
    comments = tuple(_comments(plain))
    lines = tuple(plain.split("\n"))
    return Source(_parsed(plain), tuple(f"{line}\n" for line in lines), comments)


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as an invalid escape sequence in a string: not ours to tell
        try:
            return ast.parse(text)
        except SyntaxError as error:
            place = Place(max(error.lineno or 1, 1), max(error.offset or 1, 1))
            _refuse("syntax", f"This is not Python: {error.msg}.", "Mend it where the mark is.", place)
        except (RecursionError, MemoryError):
            _refuse("too_deep", "The script is nested too deeply.", "Give inner parts a variable of their own.")
        except ValueError as error:  # half a character, or a null byte
            _refuse("syntax", f"This is not Python: {error}.", "Remove what is no text.")


def _comments(text: str) -> Iterator[Place]:
    """Where comments begin; what costs the parser too much is refused on the way."""
    with suppress(tokenize.TokenError, SyntaxError):  # the parser says it better
        for count, token in enumerate(tokenize.generate_tokens(io.StringIO(text).readline)):
            line, column = token.start
            if count > MAX_TOKENS:
                _refuse("too_large", f"The script has more than {MAX_TOKENS:,} words.", "Split it.", Place(line))
            if token.type == tokenize.COMMENT:
                yield Place(line, column + 1)
            elif len(token.string) > MAX_FORMATTED and "f" in token.string[:2].lower():
                message = f"A formatted string has more than {MAX_FORMATTED:,} characters."
                _refuse("too_large", message, "Write plain text.", Place(line, column + 1))


def _refuse(code: str, message: str, fix: str, place: Place = Place(1)) -> NoReturn:  # noqa: B008 -- frozen
    raise InvalidPython([CodeFinding(code, message, fix, place)]) from None
