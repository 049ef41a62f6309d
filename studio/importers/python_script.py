"""Python of a source: what its names stand for, and where. It is parsed, never executed or imported."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from textwrap import dedent

from pydantic import JsonValue

from studio.code.findings import InvalidPython
from studio.code.source import Source, parse_source
from studio.components import JsonObject
from studio.importers.bundle import Bundle
from studio.importers.findings import Location
from studio.importers.notebook import is_cell, modules_in, without_magics
from studio.tools.signature import read_signature

Function = ast.FunctionDef | ast.AsyncFunctionDef
MAX_DEPTH = 20
"""Names that stand for names."""
MAX_LENGTH = 2_000_000
"""Characters of one value: names that stand for lists of names can double at each step."""
PART = 20
"""Characters that each part of a value counts as, however short it is."""


class NotPlain(ValueError):
    """A value that only running the script would tell."""


@dataclass(frozen=True)
class Text:
    """A text of the script.

    Args:
        value: With `{name}` in place of what is not known, and then with braces of its own twice.
        unknown: The expressions that are not known.
    """

    value: str
    unknown: tuple[str, ...] = ()


class PythonScript:
    """The modules of a bundle as one: a name is looked up in all of them."""

    def __init__(self, bundle: Bundle) -> None:
        """Parse the modules; `unread` are the cells of notebooks that are not Python.

        Raises:
            InvalidPython: A script is not Python, also with the branches filled in that an export leaves empty.
            TooLarge: One is too long.
        """
        self.values: dict[str, ast.expr] = {}
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.imports: dict[str, str] = {}
        self.trees: list[ast.Module] = []
        self.unread: list[Location] = []
        self._left = MAX_LENGTH
        self._places: dict[int, tuple[str, Source]] = {}
        for name, text in modules_in(bundle):
            try:
                self._read(name, _parsed_cell(text) if is_cell(name) else _parsed(text))
            except InvalidPython:
                if not is_cell(name):
                    raise
                self.unread.append(Location(name, 1, 1))

    def _read(self, file: str, source: Source) -> None:
        self.trees.append(source.tree)
        for node in ast.walk(source.tree):
            self._places[id(node)] = file, source
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self.functions.setdefault(node.name, node)
                case ast.ClassDef():
                    self.classes.setdefault(node.name, node)
                case ast.Import(names=names):
                    for each in names:
                        bound = each.asname or each.name.partition(".")[0]
                        self.imports.setdefault(bound, ast.unparse(ast.Import([each])))
                case ast.ImportFrom(module=module, names=names, level=0):
                    for each in names:
                        self.imports.setdefault(each.asname or each.name, f"from {module} import {ast.unparse(each)}")
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.values.setdefault(name, value)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self.values.setdefault(name, value)
                case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
                    self.values.setdefault(name, value)
                case _:
                    pass

    def place(self, node: ast.AST) -> Location:
        file, source = self._places[id(node)]
        at = source.place(node)
        return Location(file, at.line, at.column)

    def place_like(self, made: ast.AST, node: ast.AST) -> None:
        """Give a node that is not in the files the place of one that is."""
        self._places[id(made)] = self._places[id(node)]

    def imports_from(self, *packages: str) -> bool:
        """Whether a module imports one of these packages."""
        words = re.compile(r"(?:from|import)\s+(?:" + "|".join(map(re.escape, packages)) + r")\b")
        return any(words.match(statement) for statement in self.imports.values())

    def resolved(self, node: ast.expr) -> ast.expr:
        """What a name stands for; other expressions are themselves."""
        for _ in range(MAX_DEPTH):
            if not isinstance(node, ast.Name) or node.id not in self.values:
                break
            node = self.values[node.id]
        return node

    def value(self, node: ast.expr) -> JsonValue:
        """The plain value of an expression; an environment variable is `env:NAME`.

        Raises:
            NotPlain: Only running the script would tell, or it is too long.
        """
        self._left = MAX_LENGTH
        return self._value(node, 0)

    def _value(self, node: ast.expr, depth: int) -> JsonValue:
        self._left -= PART
        if depth > MAX_DEPTH * 5 or self._left < 0:
            raise NotPlain("nested too deeply, or too long")
        match self.resolved(node):
            case ast.Constant(value=str() | int() | float() | None as value) if value not in (inf, -inf):
                self._left -= len(value) if isinstance(value, str) else 0
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self._value(each, depth + 1) for each in items]
            case ast.Dict(keys=keys, values=values):
                found: JsonObject = {}
                for key, item in zip(keys, values, strict=True):
                    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                        raise NotPlain(short(node))
                    found[key.value] = self._value(item, depth + 1)
                return found
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))):
                return f"env:{name}"
            case (
                ast.Call(func=ast.Attribute(attr="getenv" | "get"), args=[ast.Constant(value=str(name)), *_]) as call
            ) if "environ" in ast.unparse(call.func) or "getenv" in ast.unparse(call.func):
                return f"env:{name}"
            case ast.JoinedStr() | ast.BinOp() as texts:
                text = self._text(texts)
                if text.unknown:
                    raise NotPlain(", ".join(text.unknown))
                return text.value
            case other:
                raise NotPlain(short(other))

    def value_or_none(self, node: ast.expr | None) -> JsonValue:
        """The plain value of an expression; None where only running the script would tell."""
        try:
            return None if node is None else self.value(node)
        except NotPlain:
            return None

    def text(self, node: ast.expr) -> Text:
        """The text of an expression, with places for what is not known."""
        self._left = MAX_LENGTH
        return self._text(node)

    def _text(self, node: ast.expr) -> Text:
        pieces = list(self._pieces(node, 0))
        unknown = tuple(piece for piece, is_known in pieces if not is_known)
        if not unknown:
            return Text("".join(piece for piece, _ in pieces))
        texts = [
            piece.replace("{", "{{").replace("}", "}}")
            if is_known
            else f"{{{re.sub(r'[^0-9A-Za-z]+', '_', piece).strip('_') or 'value'}}}"
            for piece, is_known in pieces
        ]
        return Text("".join(texts), unknown)

    def _pieces(self, node: ast.expr, depth: int) -> Iterator[tuple[str, bool]]:
        self._left -= PART
        if depth > MAX_DEPTH or self._left < 0:
            yield "value", False
            return
        match self.resolved(node):
            case ast.Constant(value=value):
                text = value if isinstance(value, str) else str(value)
                self._left -= len(text)
                yield text, True
            case ast.JoinedStr(values=values):
                for each in values:
                    yield from self._pieces(each.value if isinstance(each, ast.FormattedValue) else each, depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                yield from self._pieces(left, depth + 1)
                yield from self._pieces(right, depth + 1)
            case ast.Call() as call if (text := _trimmed(call)) is not None:
                yield text, True
            case other:
                yield short(other), False

    def schema(self, name: str) -> JsonObject | None:
        """The JSON schema of a class of Pydantic models or data; None where it cannot be read."""
        if name not in self.classes:
            return None
        classes = "\n".join(ast.unparse(each) for each in self.classes.values())
        try:
            parameters = read_signature(f"{classes}\ndef read(value: {name}) -> str: ...\n").parameters
        except ValueError:
            return None
        properties = parameters.get("properties")
        found = properties.get("value") if isinstance(properties, dict) else None
        return found if isinstance(found, dict) and isinstance(found.get("properties"), dict) else None

    def is_standard(self, statement: str) -> bool:
        """Whether an import statement names a module of the standard library."""
        return statement.split()[1].partition(".")[0] in sys.stdlib_module_names


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    """The named arguments of a call."""
    return {each.arg: each.value for each in call.keywords if each.arg is not None}


def called(node: ast.AST) -> str:
    """The last name of what a call calls, without type parameters; empty where it is no call."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _trimmed(call: ast.Call) -> str | None:
    """The text of `"…".strip()` and `dedent("…")`; None for other calls."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="strip"), args=[], keywords=[]):
            return text.strip()
        case ast.Call(args=[ast.Constant(value=str(text))], keywords=[]) if called(call) == "dedent":
            return dedent(text)
        case _:
            return None


def short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _parsed(text: str) -> Source:
    try:
        return parse_source(text)
    except InvalidPython:
        filled = _with_bodies(text)
        if filled == text:
            raise
        return parse_source(filled)


def _parsed_cell(text: str) -> Source:
    try:
        return parse_source(text)
    except InvalidPython:
        plain = without_magics(text)
        if not plain:
            raise
        return parse_source(plain)


def _with_bodies(text: str) -> str:
    """The text with `pass` in branches without a body, at the end of the line that opens them: lines stay in place."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if not re.match(r"\s*(?:if|elif|else|while|for|with|try|except|finally|async)\b.*:\s*$", line):
            continue
        after = next((each for each in lines[at + 1 :] if each.strip() and not each.strip().startswith("#")), "")
        if _indent(after) <= _indent(line):
            lines[at] = f"{line.rstrip()} pass"
    return "\n".join(lines) + "\n"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
