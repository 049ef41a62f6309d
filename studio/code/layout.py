"""Python expressions as a small tree, and their text laid out to fit the line.

Nothing here evaluates anything. Leaves are made with `literal`, which only takes plain values, so that the text of a
config can never become code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LINE_LENGTH = 100
INDENT = "    "


@dataclass(frozen=True)
class Name:
    """A variable, or anything else that is written as it stands."""

    text: str


@dataclass(frozen=True)
class Text:
    """A string literal."""

    value: str


@dataclass(frozen=True)
class Items:
    """A list or tuple."""

    items: tuple[Expression, ...]
    brackets: str = "[]"


@dataclass(frozen=True)
class Pairs:
    """A dictionary."""

    pairs: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True)
class Call:
    """A call: arguments by position first, then by name, below comments of which each is a line.

    Args:
        then: What follows on the closing parenthesis, such as `.build()`.
    """

    function: str
    args: tuple[Expression, ...] = ()
    named: tuple[tuple[str, Expression], ...] = ()
    comments: tuple[str, ...] = ()
    then: str = ""


Expression = Name | Text | Items | Pairs | Call


def quoted(text: str) -> str:
    """A Python literal of the text, in double quotes where that needs no more escapes."""
    plain = repr(text)
    if plain[0] == '"' or text.count('"') > text.count("'"):
        return plain
    return '"' + plain[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


def one_line(expression: Expression) -> str:
    """The expression without line breaks."""
    match expression:
        case Name(text):
            return text
        case Text(value):
            return quoted(value)
        case Items(items, brackets):
            inside = ", ".join(one_line(item) for item in items)
            comma = "," if brackets == "()" and len(items) == 1 else ""
            return f"{brackets[0]}{inside}{comma}{brackets[1]}"
        case Pairs(pairs):
            return "{" + ", ".join(f"{one_line(key)}: {one_line(value)}" for key, value in pairs) + "}"
        case Call(function, args, named, then=then):
            parts = [*map(one_line, args), *(f"{name}={one_line(value)}" for name, value in named)]
            return f"{function}({', '.join(parts)}){then}"


def laid_out(expression: Expression, *, indent: str = "", before: str = "", after: str = "") -> str:
    """`before` + expression + `after`, broken over lines where it does not fit.

    Args:
        indent: White space at the start of the current line; not written before the first line.
        before: What stands on the first line already, such as `name = `.
        after: What follows on the last line, such as a comma.
    """
    flat = one_line(expression)
    is_text_of_lines = isinstance(expression, Text) and "\n" in expression.value[:-1]
    if _fits(f"{indent}{before}{flat}{after}") and not is_text_of_lines and not has_comments(expression):
        return f"{before}{flat}{after}"
    opening, lines, closing = _broken(expression, indent + INDENT)
    if not lines:
        return f"{before}{flat}{after}"
    body = "".join(f"{indent}{INDENT}{line}\n" for line in lines)
    return f"{before}{opening}\n{body}{indent}{closing}{after}"


def has_comments(expression: Expression) -> bool:
    """Whether something is said in it, which needs lines of its own."""
    match expression:
        case Call(_, args, named, comments):
            return bool(comments) or any(map(has_comments, [*args, *(value for _, value in named)]))
        case Items(items):
            return any(map(has_comments, items))
        case Pairs(pairs):
            return any(has_comments(value) for _, value in pairs)
        case _:
            return False


def comment_lines(text: str, indent: str = "") -> list[str]:
    """A text as comments that fit the line; no letter of it can end them."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return [f"# {line}" for line in textwrap.wrap(plain, max(LINE_LENGTH - len(indent) - 2, 20))]


def _fits(line: str) -> bool:
    return len(line) <= LINE_LENGTH


def _broken(expression: Expression, indent: str) -> tuple[str, list[str], str]:
    """Opening, inner lines (without `indent`) and closing of an expression over several lines."""
    match expression:
        case Name():
            return "", [], ""
        case Text(value):
            width = LINE_LENGTH - len(indent)
            lines = [quoted(piece) for piece in _pieces(value, width)]
            return "(", lines if len(lines) > 1 or (lines and len(lines[0]) <= width) else [], ")"
        case Items(items, brackets):
            return brackets[0], [laid_out(item, indent=indent, after=",") for item in items], brackets[1]
        case Pairs(pairs):
            lines = [laid_out(value, indent=indent, before=f"{one_line(key)}: ", after=",") for key, value in pairs]
            return "{", lines, "}"
        case Call(function, args, named, comments, then):
            lines = [laid_out(arg, indent=indent, after=",") for arg in args]
            lines += [laid_out(value, indent=indent, before=f"{name}=", after=",") for name, value in named]
            said = [line for comment in comments for line in comment_lines(comment, indent)]
            # What is said within an argument needs lines of its own too.
            is_spread = any(map(has_comments, [*args, *(value for _, value in named)]))
            inside = lines if said or is_spread else _hugged(lines, args, named, indent)
            return f"{function}(", [*said, *inside], f"){then}"


def _hugged(
    lines: list[str], args: Sequence[Expression], named: Sequence[tuple[str, Expression]], indent: str
) -> list[str]:
    """All arguments on one inner line when they fit there; otherwise one to a line."""
    flat = ", ".join([*map(one_line, args), *(f"{name}={one_line(value)}" for name, value in named)])
    simple = len(named) <= 1 and not any("\n" in line for line in lines)
    return [flat] if simple and flat and _fits(indent + flat) else lines


def _pieces(text: str, width: int) -> Iterator[str]:
    """Cut after line ends and, where a line is longer than `width` once quoted, after spaces."""
    for line in text.splitlines(keepends=True):
        piece = ""
        for word in re.findall(r"\S*\s*|\s+", line):
            if piece and len(quoted(piece + word)) > width:
                yield piece
                piece = ""
            piece += word
        if piece:
            yield piece
