"""Python source in bounds, wherever it stands in a document or a script: parsed, never executed."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import suppress

MAX_CHARACTERS = 500_000
"""A script of a thousand agents has about half of it."""
MAX_TOKENS = 200_000
"""A syntax tree takes some hundred bytes for each."""
NO_FILE = "/dev/null/source"
"""To quote a line that is no Python, the parser reads the file of this name; there can be none."""
MAX_FORMATTED = 20_000
"""Characters of one f-string, which Python 3.11 reads in quadratic time."""

_FORMATTED = re.compile(r"(f|rf|fr)['\"]", re.IGNORECASE)


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


def parsed(text: str) -> ast.Module:
    """The syntax tree of a source.

    Raises:
        ValueError: It costs too much (`CostlyPython`), or has half a character or a null byte.
        SyntaxError: It is not Python.
        RecursionError: It is nested too deeply; also MemoryError.
    """
    if len(text) > MAX_FORMATTED:  # a shorter one can do no harm
        for _ in comments_in(re.sub(r"\r\n?", "\n", text)):
            pass
    return syntax_tree(text)


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
            elif len(token.string) > MAX_FORMATTED and _FORMATTED.match(token.string):
                message = f"A formatted string has more than {MAX_FORMATTED:,} characters."
                raise CostlyPython(message, "Write plain text.", line, column + 1)
