"""Expressions of a workflow as expressions over our context variables. They are read as syntax, never evaluated."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.components.python_text import parsed
from studio.tools.expression import VariableCondition, VariableExpression

INPUT = "input_as_text"
"""The variable of the user's message."""
_CALLS_OF_RESULTS = ("final_output_as", "json", "model_dump", "model_dump_json", "dict", "str")
_CEL = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|&&|\|\||!(?!=)|\btrue\b|\bfalse\b|\bnull\b""")
_AG2 = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\$\{\s*(\w+)\s*\}|(?<![&|])([&|])(?![&|])""")
_PYTHON_WORDS = {"&&": " and ", "||": " or ", "!": " not ", "true": "True", "false": "False", "null": "None"}
_STEP = re.compile(r"\w+")


class Unsupported(ValueError):
    """An expression that context variables cannot express; its text says what in it."""


@dataclass(frozen=True)
class Answer:
    """The result of a node: its answer is in the variable `name`, once that is kept."""

    node: str


@dataclass(frozen=True)
class Known:
    """A name that stands for an expression of ours, or for an object of them."""

    value: str | Mapping[str, str]


Named = Answer | Known


@dataclass
class Expressions:
    """Reads expressions where these names are known.

    Args:
        names: What the names of the source stand for.
        variable_of: Gives the variable that keeps the answer of a node, and sees that it is kept.
    """

    variable_of: Callable[[str], str]
    names: dict[str, Named] = field(default_factory=dict[str, Named])

    def condition(self, node: ast.expr) -> str:
        """A condition on context variables.

        Raises:
            Unsupported: It cannot be one.
        """
        text = ast.unparse(self._read(node))
        return _accepted(text, VariableCondition)

    def expression(self, node: ast.expr) -> str:
        """An expression over context variables.

        Raises:
            Unsupported: It cannot be one.
        """
        return _accepted(ast.unparse(self._read(node)), VariableExpression)

    def template(self, node: ast.expr) -> str:
        """A text with `{name}` for variables.

        Raises:
            Unsupported: It is no text that is made of variables.
        """
        return "".join(self._pieces(node))

    def _pieces(self, node: ast.expr) -> list[str]:
        match node:
            case ast.Constant(value=value):
                return [escaped(value if isinstance(value, str) else str(value))]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return [*self._pieces(left), *self._pieces(right)]
            case ast.JoinedStr(values=values):
                return [piece for value in values for piece in self._pieces(value)]
            case ast.FormattedValue(value=value, format_spec=None):
                return self._pieces(value)
            case _:
                match self._read(node):
                    case ast.Constant(value=str(text)):
                        return [escaped(text)]
                    case found:
                        return [_placeholder(found)]

    def _read(self, node: ast.expr) -> ast.expr:  # noqa: C901  one arm for each kind of syntax
        match node:
            case ast.Constant(value=str() | int() | float() | None):
                return node
            case ast.Name(id="True" | "False" | "None"):
                return node
            case ast.Compare(left=left, ops=ops, comparators=others):
                return ast.Compare(self._read(left), ops, [self._read(each) for each in others])
            case ast.BoolOp(op=op, values=values):
                return ast.BoolOp(op, [self._read(each) for each in values])
            case ast.UnaryOp(op=op, operand=operand):
                return ast.UnaryOp(op, self._read(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(self._read(left), op, self._read(right))
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return ast.List([self._read(each) for each in items], ast.Load())
            case ast.Dict(keys=keys, values=values):
                return ast.Dict(keys, [self._read(each) for each in values])
            case ast.Call(func=ast.Name(id="len"), args=[part]):
                return ast.Call(ast.Name("len"), [self._read(part)], [])
            case ast.Call(func=ast.Attribute(value=part, attr="size"), args=[]):
                return ast.Call(ast.Name("len"), [self._read(part)], [])
            case ast.Call(func=ast.Attribute(value=part, attr="contains"), args=[item]):
                return ast.Compare(self._read(item), [ast.In()], [self._read(part)])
            case ast.Call(func=ast.Name(id="str"), args=[part]):
                return self._read(part)
            case ast.JoinedStr() | ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
                return self._named(node)
            case _:
                raise Unsupported(f"`{short(node)}` cannot be read")

    def _named(self, node: ast.expr) -> ast.expr:
        """A variable, and what is in it."""
        if isinstance(node, ast.JoinedStr):
            return self._joined(node)
        root, steps = path_of(node)
        match root, steps:
            case "state", [name, *rest]:
                return _field(ast.Name(_variable(name)), rest)
            case "workflow" | "workflow_input", [] | ["input_as_text"]:
                return ast.Name(INPUT)
            case _:
                return self._of_result(node, root, steps)

    def _of_result(self, node: ast.expr, root: str, steps: Sequence[str]) -> ast.expr:
        known = self.names.get(root)
        if isinstance(known, Answer):
            rest = list(steps)
            if rest[:1] in (["output_text"], ["output_parsed"], ["final_output"]):
                rest = rest[1:]
            return _field(ast.Name(self.variable_of(known.node)), rest)
        if isinstance(known, Known):
            if isinstance(known.value, str):
                return _field(_tree(known.value), steps)
            if not steps:
                items = {name: _tree(text) for name, text in known.value.items()}
                return ast.Dict([ast.Constant(name) for name in items], list(items.values()))
            if steps[0] in known.value:
                return _field(_tree(known.value[steps[0]]), steps[1:])
        raise Unsupported(f"`{short(node)}` is not known here")

    def _joined(self, node: ast.JoinedStr) -> ast.expr:
        whole: ast.expr | None = None
        for value in node.values:
            inner = value.value if isinstance(value, ast.FormattedValue) else value
            part = self._read(inner)
            whole = part if whole is None else ast.BinOp(whole, ast.Add(), part)
        return whole if whole is not None else ast.Constant("")


def path_of(node: ast.expr) -> tuple[str, list[str]]:
    """A name and the fields behind it: `a["b"].c` is a, [b, c]; calls that only change a result's form are left out.

    Raises:
        Unsupported: It is something else.
    """
    match node:
        case ast.Name(id=name):
            return name, []
        case ast.Attribute(value=inner, attr=name):
            root, steps = path_of(inner)
            return root, [*steps, name]
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(name))):
            root, steps = path_of(inner)
            return root, [*steps, name]
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _CALLS_OF_RESULTS:
            return path_of(inner)
        case _:
            raise Unsupported(f"`{short(node)}` cannot be read")


def cel(text: str) -> ast.expr:
    """An expression of the Common Expression Language, as Python's parser reads it.

    Raises:
        Unsupported: It is empty or none that can be read.
    """
    plain = _CEL.sub(lambda found: found[1] or _PYTHON_WORDS[found[0]], text.strip())
    if not plain:
        raise Unsupported("the expression is empty")
    return _tree(plain)


def ag2_condition(text: str) -> str:
    """A condition of AG2 on context variables, such as `${tries} > 2 & !${is_done}`, as ours.

    Raises:
        Unsupported: It cannot be one.
    """
    plain = _AG2.sub(lambda found: found[1] or found[2] or found[3] * 2, text)
    return _accepted(ast.unparse(cel(plain)), VariableCondition)


def literal(text: str) -> str | None:
    """The text that an expression of the Common Expression Language is; None if it is no literal."""
    try:
        node = cel(text)
    except Unsupported:
        return None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def escaped(text: str) -> str:
    """A text as a template has it."""
    return text.replace("{", "{{").replace("}", "}}")


def negated(condition: str) -> str:
    return f"not ({condition})"


def are_exclusive(conditions: Sequence[str]) -> bool:
    """Whether no two can hold at once: each compares the same variable with another text or number."""
    sides: set[str] = set()
    values: list[object] = []
    for condition in conditions:
        match _tree(condition):
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=value)]):
                sides.add(ast.unparse(left))
                values.append(value)
            case _:
                return False
    return len(sides) == 1 and len({repr(value) for value in values}) == len(values)


def short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _tree(text: str) -> ast.expr:
    try:
        body = parsed(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unsupported(f"`{text[:80]}` cannot be read") from error
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise Unsupported(f"`{text[:80]}` is no expression")
    return body[0].value


def _accepted(text: str, kind: type[VariableExpression]) -> str:
    try:
        kind(text)
    except ValueError as error:
        raise Unsupported(str(error)) from error
    return text


def _variable(name: str) -> str:
    if not name.isidentifier():
        raise Unsupported(f"{name!r} cannot be the name of a variable")
    return name


def _field(node: ast.expr, steps: Sequence[str]) -> ast.expr:
    for name in steps:
        node = ast.Subscript(node, ast.Constant(name)) if not name.isidentifier() else ast.Attribute(node, name)
    return node


def _placeholder(node: ast.expr) -> str:
    """`{name[field]}` of a variable."""
    root, steps = path_of(node)
    if any(not _STEP.fullmatch(name) for name in steps):
        raise Unsupported(f"`{short(node)}` cannot stand in a text")
    return f"{{{root}{''.join(f'[{name}]' for name in steps)}}}"
