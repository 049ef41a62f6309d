"""Expressions in Power Fx, as Agent Framework's YAML has them, as expressions over our context variables."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field

from studio.importers.expressions import Expressions, Known, Unsupported, cel, escaped, path_of, short
from studio.importers.names import word

_TOKEN = re.compile(
    r'(?P<text>"(?:[^"]|"")*+")|(?P<operator><>|<=|>=|&&|\|\||[=!&])|(?P<word>[A-Za-z_]\w*+)|(?P<other>[\s\S])'
)
_OPERATORS = {"<>": "!=", "=": "==", "&&": " and ", "||": " or ", "!": " not ", "&": " + "}
_SAME = ("MessageText", "UserMessage", "AgentMessage", "Text", "Trim", "Value")
"""Functions that change only the form of a value."""
_CASE = ("Upper", "Lower", "Proper")
_SCOPES = ("local", "global", "topic", "inputs")
_PLACE = re.compile(r"\{([A-Za-z_][^{}\n]{0,200})\}")
_TAKEN = ("state", "workflow", "workflow_input", "message", "result", "len", "str")
MAX_EXPRESSION = 1_000


@dataclass
class PowerFx:
    """Reads expressions and texts.

    Args:
        last: The variable that keeps what the user said last.
        fields: The fields that expressions read, by variable.
        numbers: Variables with which an expression calculates.
    """

    last: str
    fields: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    numbers: set[str] = field(default_factory=set[str])

    def condition(self, text: str) -> str:
        """A condition on context variables.

        Raises:
            Unsupported: It cannot be one.
        """
        tree = self._tree(text)
        return self._expressions().condition(tree)

    def expression(self, text: str) -> str:
        """A value that is written as a text, or as an expression behind `=`.

        Raises:
            Unsupported: It cannot be one.
        """
        tree = self._tree(text) if text.lstrip().startswith("=") else ast.Constant(text)
        return self._expressions().expression(tree)

    def template(self, text: str) -> str:
        """A text with `{name}` for variables: written with `{Local.name}`, or as an expression behind `=`.

        Raises:
            Unsupported: It cannot be one.
        """
        if text.lstrip().startswith("="):
            tree = self._tree(text)
            return self._expressions().template(tree)
        pieces: list[str] = []
        end = 0
        for found in _PLACE.finditer(text):
            tree = self._tree(found[1])
            pieces += [escaped(text[end : found.start()]), self._expressions().template(tree)]
            end = found.end()
        return "".join([*pieces, escaped(text[end:])])

    def variable(self, path: str) -> str:
        """The variable of a path such as `Local.Name`; empty where it is none."""
        scope, _, name = path.strip().removeprefix("=").strip().partition(".")
        first = name.split(".")[-1] if scope.lower() == "workflow" else name.partition(".")[0]
        return self._named(first) if first else ""

    def _named(self, name: str) -> str:
        found = word(name)
        if found in _TAKEN:
            found = f"{found}_"
        if found:
            self.fields.setdefault(found, set())
        return found

    def _expressions(self) -> Expressions:
        names = {*self.fields, self.last}
        return Expressions(variable_of=lambda node: node, names={name: Known(name) for name in names})

    def _tree(self, text: str) -> ast.expr:
        if len(text) > MAX_EXPRESSION:
            raise Unsupported("the expression is too long")
        return self._read(cel(_as_python(text.strip().removeprefix("=").strip())))

    def _read(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(node, name, arguments)
            case ast.Name(id="True" | "False" | "None"):
                return node
            case ast.Name() | ast.Attribute():
                return self._path(node)
            case ast.BoolOp(op=op, values=values):
                return ast.BoolOp(op, [self._read(each) for each in values])
            case ast.UnaryOp(op=op, operand=part):
                return ast.UnaryOp(op, self._read(part))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return ast.Compare(self._read(left), ops, [self._read(each) for each in others])
            case ast.BinOp(left=left, op=op, right=right):
                sides = [self._read(left), self._read(right)]
                if any(isinstance(each, ast.Constant) and isinstance(each.value, int | float) for each in sides):
                    self.numbers |= {each.id for each in sides if isinstance(each, ast.Name)}
                return ast.BinOp(sides[0], op, sides[1])
            case ast.Constant():
                return node
            case _:
                raise Unsupported(f"`{short(node)}` cannot be read")

    def _call(self, node: ast.expr, name: str, arguments: list[ast.expr]) -> ast.expr:
        match name, arguments:
            case "IsBlank", [ast.Call(func=ast.Name(id="Find"), args=[wanted, whole])]:
                return ast.Compare(self._read(wanted), [ast.NotIn()], [self._read(whole)])
            case "IsBlank", [part]:
                return ast.UnaryOp(ast.Not(), self._read(part))
            case "CountRows", [part]:
                return ast.Call(ast.Name("len"), [self._read(part)], [])
            case (("Concat" | "Concatenate"), [first, *others]):
                whole = self._read(first)
                for each in others:
                    whole = ast.BinOp(whole, ast.Add(), self._read(each))
                return whole
            case (("And" | "Or"), [_, _, *_]):
                parts = [self._read(each) for each in arguments]
                return ast.BoolOp(ast.And() if name == "And" else ast.Or(), parts)
            case _, [part] if name in _SAME or name in _CASE:
                return self._read(part)
            case _:
                raise Unsupported(f"`{short(node)}` cannot be read")

    def _path(self, node: ast.expr) -> ast.expr:
        root, steps = path_of(node)
        scope = root.lower()
        if scope == "system" and steps[:1] in (["LastMessage"], ["LastMessageText"]):
            return ast.Name(self.last)
        if scope == "workflow" and len(steps) > 1 and steps[0].lower() in ("inputs", "outputs"):
            scope, steps = "local", steps[1:]
        if scope not in _SCOPES or not steps or not (name := self._named(steps[0])):
            raise Unsupported(f"`{short(node)}` is not known here")
        if len(steps) > 1:
            self.fields[name].add(steps[1])
        found: ast.expr = ast.Name(name)
        for each in steps[1:]:
            found = ast.Attribute(found, each)
        return found


def ignores_case(text: str) -> bool:
    """Whether an expression compares texts in upper or lower case, which ours leave as they are."""
    return any(f"{name}(" in text for name in _CASE)


def _as_python(text: str) -> str:
    """Power Fx with Python's operators; texts have quotes doubled there."""
    pieces: list[str] = []
    before = ""
    for found in _TOKEN.finditer(text):
        whole = found[0]
        if found["text"]:
            piece = repr(whole[1:-1].replace('""', '"'))
        elif found["operator"]:
            piece = _OPERATORS.get(whole, whole)
        elif found["word"]:
            piece = _word(whole, before)
        else:
            piece = " " if whole.isspace() else whole
        pieces.append(piece)
        before = whole if not whole.isspace() else before
    return "".join(pieces).strip()


def _word(whole: str, before: str) -> str:
    is_infix = bool(re.match(r"[\w)\"\]]", before[-1:]))
    if whole == "Not":
        return " not "
    if whole in ("And", "Or") and is_infix:
        return f" {whole.lower()} "
    return {"true": "True", "false": "False"}.get(whole, whole) if before != "." else whole
