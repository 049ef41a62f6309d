"""Source text to syntax tree, in bounds: a hostile script costs no more than a long one."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NoReturn

from studio.code.findings import CodeFinding, InvalidPython, Position
from studio.components.python_text import MAX_CHARACTERS as MAX_CHARACTERS
from studio.components.python_text import THIS_PYTHON, CostlyPython, comments_in, syntax_tree
from studio.errors import TooLarge


@dataclass(frozen=True)
class Source:
    """A parsed script.

    Args:
        lines: As Python counts them, each with its line end.
        comments: Where comments begin.
        name: Of a file beside the script; empty for the script itself.
    """

    tree: ast.Module
    lines: tuple[str, ...] = field(repr=False)
    comments: tuple[Position, ...] = ()
    name: str = ""
    _starts: dict[int, list[int]] = field(default_factory=dict[int, list[int]], repr=False)
    """Bytes before each character, of lines that are not ASCII."""

    def place(self, node: ast.AST) -> Position:
        """Where a node begins."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return Position(line, column + 1, self.name)
        if line not in self._starts:  # Python counts bytes, people count characters
            sizes = (len(letter.encode("utf-8", "surrogatepass")) for letter in text)
            self._starts[line] = list(accumulate(sizes, initial=0))
        return Position(line, bisect_left(self._starts[line], column) + 1, self.name)


def parse_source(text: str, name: str = "") -> Source:
    """Parse a script; nothing of it is executed.

    Args:
        text: The script.
        name: Of a file beside the script that is read.

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
    tree, comments = _parsed(plain)
    return Source(tree, tuple(f"{line}\n" for line in plain.split("\n")), comments, name)


def _parsed(text: str) -> tuple[ast.Module, tuple[Position, ...]]:
    """The syntax tree, and where comments begin."""
    try:
        comments = tuple(Position(line, column) for line, column in comments_in(text))
        return syntax_tree(text), comments
    except CostlyPython as error:
        _refuse("too_large", str(error), error.fix, Position(error.line, error.column))
    except SyntaxError as error:
        place = Position(max(error.lineno or 1, 1), max(error.offset or 1, 1))
        _refuse("syntax", f"This is not valid {THIS_PYTHON}: {error.msg}.", "Correct the marked code.", place)
    except (RecursionError, MemoryError):
        _refuse("too_deep", "The script is nested too deeply.", "Assign inner parts to variables.")
    except ValueError as error:  # half a character, or a null byte
        _refuse("syntax", f"Syntax error: {error}.", "Remove characters that are not text.")


def _refuse(code: str, message: str, fix: str, place: Position = Position(1)) -> NoReturn:  # noqa: B008 -- frozen
    raise InvalidPython([CodeFinding(code, message, fix, place)]) from None
