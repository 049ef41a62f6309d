"""Python source in bounds, wherever it stands in a document or a script: parsed, never executed."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field

MAX_CHARACTERS = 500_000
"""A script of a thousand agents has about half of it."""
MAX_TOKENS = 200_000
"""A syntax tree takes some hundred bytes for each."""
NO_FILE = "/dev/null/source"
"""To quote a line that is no Python, the parser reads the file of this name; there can be none."""
MAX_FORMATTED = 20_000
"""Characters of one f-string, which Python 3.11 reads in quadratic time."""
MAX_FORMATTED_TOGETHER = MAX_FORMATTED**2
"""The squares of their lengths, of all f-strings in a document or script: about a second of Python 3.11."""
FORMATTED_FREE = 1_000
"""Characters of an f-string that costs no more than other text of its length."""

THIS_PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
"""Whose syntax is read: a source may be valid in a newer version only."""

_STRING = re.compile(
    r"""\#[^\n]*+|(?P<prefix>\b[a-z]{1,2})?(?:"{3}(?:[^\\]|\\.)*?(?:"{3}|\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)""",
    re.IGNORECASE | re.DOTALL,
)
"""Comments and strings, also those that do not end, so that each character is looked at once."""
_FORMATTED = frozenset({"f", "fr", "rf"})


@dataclass
class _Spent:
    """What the f-strings of a document have cost so far."""

    cost: int = 0
    kept: set[str] = field(default_factory=set[str])
    """Sources that are parsed once, however often they stand there."""


_spent: ContextVar[_Spent | None] = ContextVar("studio_python_spent", default=None)


@contextmanager
def bounded_together() -> Generator[None]:
    """All sources that are parsed in this block share one bound; an inner block belongs to the outer one."""
    if _spent.get() is not None:
        yield
        return
    token = _spent.set(_Spent())
    try:
        yield
    finally:
        _spent.reset(token)


class CostlyPython(ValueError):
    """A source that would cost the parser more than its length tells.

    Args:
        fix: What to do about it.
        line: Where, counted from 1, as is the column.
    """

    def __init__(self, message: str, fix: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.fix = fix
        self.line = line
        self.column = column


def parsed(text: str, *, is_kept: bool = False) -> ast.Module:
    """The syntax tree of a source.

    Args:
        is_kept: Whether the caller remembers what it made of the source, so that it costs once.

    Raises:
        ValueError: It costs too much (`CostlyPython`), or has half a character or a null byte.
        SyntaxError: It is not Python, or only that of a newer version.
        RecursionError: It is nested too deeply; also MemoryError.
    """
    if len(text) > FORMATTED_FREE:
        plain = re.sub(r"\r\n?", "\n", text)
        require_cheap(plain, is_kept=is_kept)
        if len(text) > MAX_FORMATTED:  # a shorter one can do no harm
            for _ in _comments_in(plain):
                pass
    return syntax_tree(text)


def require_cheap(text: str, *, is_kept: bool = False) -> None:
    """See that the f-strings of a source, with those of the document around it, are within their bounds.

    Args:
        is_kept: As for `parsed`.

    Raises:
        CostlyPython: They are not.
    """
    spent = _spent.get() or _Spent()
    if len(text) <= FORMATTED_FREE or text in spent.kept:
        return
    for found in _STRING.finditer(text):
        length = found.end() - found.start()
        if length <= FORMATTED_FREE or (found["prefix"] or "").lower() not in _FORMATTED:
            continue
        spent.cost += length**2
        if spent.cost > MAX_FORMATTED_TOGETHER:
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            long = f"A formatted string has more than {MAX_FORMATTED:,} characters"
            many = "All formatted strings together are too long"
            raise CostlyPython(f"{long if length > MAX_FORMATTED else many}.", "Write plain text.", line, column)
    if is_kept:
        spent.kept.add(text)


def syntax_tree(text: str) -> ast.Module:
    """As `parsed`, of a source that `comments_in` has seen to its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as an invalid escape sequence in a string: not ours to tell
        return ast.parse(text, NO_FILE)


def comments_in(text: str) -> Iterator[tuple[int, int]]:
    """Line and column of each comment, counted from 1.

    Raises:
        CostlyPython: On the way there is what costs the parser too much.
    """
    require_cheap(text)
    return _comments_in(text)


def _comments_in(text: str) -> Iterator[tuple[int, int]]:
    if len(text) > MAX_CHARACTERS:
        message = f"The source has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}."
        raise CostlyPython(message, "Split it.")
    with suppress(tokenize.TokenError, SyntaxError):  # the parser says it better
        for count, token in enumerate(tokenize.generate_tokens(io.StringIO(text).readline)):
            line, column = token.start
            if count > MAX_TOKENS:
                raise CostlyPython(f"The source has more than {MAX_TOKENS:,} words.", "Split it.", line)
            if token.type == tokenize.COMMENT:
                yield line, column + 1
