"""Expressions of a script: literals, names and the calls of constructors. Everything else is refused with its place."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Sequence

from studio.code.findings import Position, Problems
from studio.code.functions import ScriptFunction, script_function
from studio.code.parsed import MAX_COST, ParsedValue, broken, envelope, keyed, listed, plain, secret
from studio.code.scope import Defined, Imported, Scope, Unread
from studio.code.source import Source
from studio.code.vocabulary import AUTOGEN, CONSTANTS, find_type, suggest
from studio.components import is_reference
from studio.conditions import AndTerminationCondition, OrTerminationCondition, TerminationCondition

MAX_NESTING = 120
"""Brackets in brackets; each takes a few frames of Python's stack."""
MAX_INT_BITS = 1024
"""As in JSON documents."""

_KINDS: dict[type[ast.expr], str] = {
    ast.Lambda: "A lambda",
    ast.ListComp: "A comprehension",
    ast.SetComp: "A comprehension",
    ast.DictComp: "A comprehension",
    ast.GeneratorExp: "A generator",
    ast.IfExp: "A conditional expression",
    ast.BoolOp: "`and` or `or`",
    ast.Compare: "A comparison",
    ast.Await: "`await`",
    ast.Starred: "`*` before a value",
    ast.Set: "A set",
    ast.NamedExpr: "`:=`",
    ast.BinOp: "A calculation",
    ast.UnaryOp: "A calculation",
    ast.Subscript: "`[...]` after a value",
}
SERVER_TOOLS = "autogen_ext.tools.mcp.mcp_server_tools"
"""Gives the tools of a server, each as an adapter of its own; read as a workbench, which has the same ones."""
NO_VALUE = "Scripts are parsed, never executed. Write the value itself."

CallReader = Callable[[ast.Call, Scope], ParsedValue]


class Expressions:
    """Reads expressions; calls are left to `read_call`."""

    def __init__(self, source: Source, problems: Problems, read_call: CallReader, *, passes_over: bool = False) -> None:
        self._passes_over = passes_over
        self._source = source
        self._problems = problems
        self._read_call = read_call
        self._depth = 0
        self._composed = 0
        """Characters of texts that were put together."""
        self._functions: dict[int, ScriptFunction] = {}
        """By the identity of their nodes, which the source keeps."""

    def made(self, node: ast.expr, scope: Scope) -> ParsedValue:
        """What an expression stands for; broken, with a finding, if that cannot be told."""
        place = self._source.place(node)
        if self._depth >= MAX_NESTING:
            return self.refuse("too_deep", "This is nested too deeply.", "Assign inner parts to variables.", place)
        self._depth += 1
        found = self._read(node, scope, place)
        self._depth -= 1
        if found.cost > MAX_COST:
            fix = "Use fewer copies of the same part."
            return self.refuse(
                "too_large", "With all copies written out, this exceeds the size limit of a team.", fix, place
            )
        return found

    def refuse(self, code: str, message: str, fix: str, place: Position) -> ParsedValue:
        """A finding, and what stands in for the value."""
        self._problems.error(code, message, fix, place)
        return broken(place)

    def _read(self, node: ast.expr, scope: Scope, place: Position) -> ParsedValue:
        node = _awaited(node, scope)
        if (text := self._text(node, scope)) is not None:
            return plain(text, place)
        match node:
            case ast.Call():
                return self._read_call(node, scope)
            case ast.Constant(value=value):
                return self._constant(value, place)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return listed([self.made(item, scope) for item in items], place)
            case ast.Dict(keys=keys, values=values):
                return self._object(keys, values, scope, place)
            case ast.Name(id=name):
                return self._named(name, scope, place)
            case ast.JoinedStr():
                return self.refuse("not_literal", "An f-string with fields is not supported here.", NO_VALUE, place)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as number)):
                return self._constant(-number if isinstance(sign, ast.USub) else +number, place)
            case ast.BinOp(op=ast.BitOr() | ast.BitAnd()):
                return self._joined(node, scope, place)
            case ast.Attribute():
                return self._attribute(node, scope, place)
            case ast.Subscript(slice=ast.Constant(value=str(name))) if self.dotted(
                node.value, scope
            ) == "os.environ" and is_reference(f"env:{name}"):
                return secret(f"env:{name}", place)
            case _:
                kind = _KINDS.get(type(node), f"{type(node).__name__} as a value")
                return self.refuse("not_literal", f"{kind} is not supported here.", NO_VALUE, place)

    def _text(self, node: ast.expr, scope: Scope) -> str | None:
        """An f-string, or texts that are added; None for anything else."""
        is_composed = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add))
        known = self._known_value(node, scope) if is_composed else None
        return known if isinstance(known, str) else None

    def _formatted(self, parts: Sequence[ast.expr], scope: Scope) -> str | None:
        """An f-string whose fields are texts and numbers of the script; None where it has others."""
        values: list[str | int | float] = []
        for part in parts:
            if isinstance(part, ast.FormattedValue) and (part.conversion != -1 or part.format_spec):
                return None
            value = self._known_value(part.value if isinstance(part, ast.FormattedValue) else part, scope)
            if value is None:
                return None
            values.append(value)
        return self._joined_text(values)

    def _added(self, node: ast.BinOp, scope: Scope) -> str | None:
        """Two texts, one behind the other."""
        sides = [self._known_value(side, scope) for side in (node.left, node.right)]
        return self._joined_text(sides) if all(isinstance(side, str) for side in sides) else None

    def _joined_text(self, parts: Sequence[object]) -> str | None:
        """One text; None once a script has made more than a team may hold: a few lines could fill the memory."""
        texts = [str(part) for part in parts]
        self._composed += sum(map(len, texts))
        return "".join(texts) if self._composed <= MAX_COST else None

    def _known_value(self, node: ast.expr, scope: Scope) -> str | int | float | None:
        """A text or a number that can be told without running anything."""
        match node:
            case ast.Constant(value=str() | int() | float() as value) if not isinstance(value, bool):
                return value
            case ast.JoinedStr(values=parts):
                return self._formatted(parts, scope)
            case ast.BinOp(op=ast.Add()):
                return self._added(node, scope)
            case ast.Name(id=name) if isinstance(found := scope.look(name), ParsedValue):
                is_plain = found.entries is None and found.function is None and found.secret_at is None
                if not is_plain or found.is_broken or isinstance(found.value, bool):
                    return None
                scope.find(name)
                return found.value
            case _:
                return None

    def _constant(self, value: object, place: Position) -> ParsedValue:
        if isinstance(value, float) and not math.isfinite(value):
            return self.refuse("not_literal", "This number is too large.", "Write a smaller one.", place)
        if isinstance(value, int) and value.bit_length() > MAX_INT_BITS:
            return self.refuse("not_literal", "A whole number has more than 308 digits.", "Write it as text.", place)
        if isinstance(value, str):
            # Half a character, which a literal can say and no database takes, becomes U+FFFD as in JSON.
            return plain(value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), place)
        if isinstance(value, bool | int | float | None):
            return plain(value, place)
        kind = "..." if value is ... else f"A {type(value).__name__}"
        return self.refuse("not_literal", f"{kind} cannot be written as JSON.", "Write text or a number.", place)

    def _object(
        self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], scope: Scope, place: Position
    ) -> ParsedValue:
        entries: dict[str, ParsedValue] = {}
        for key, value in zip(keys, values, strict=True):
            made = self.made(value, scope)
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                entries[str(self._constant(key.value, place).value)] = made
            else:
                at = self._source.place(key or value)
                self.refuse("not_literal", "The keys of an object must be text.", "Write each key in quotes.", at)
        return keyed(entries, place)

    def _named(self, name: str, scope: Scope, place: Position) -> ParsedValue:
        found = scope.find(name)
        match found:
            case ParsedValue():
                return found.used_at(place)
            case Defined(node=node):
                return ParsedValue(place, function=self.function(node))
            case Unread(message=message, fix=fix):
                return self.refuse("not_read", message, fix, place)
            case Imported(dotted=dotted) if self._passes_over and is_of_another_file(dotted):
                return ParsedValue(place, outside=dotted)
            case Imported(dotted=dotted):
                message = f"`{name}` is `{dotted}`, not a value."
                return self.refuse("not_literal", message, "Call it, or write the value itself.", place)
            case None:
                message = f"`{name}` is not defined above this line."
                return self.refuse("unknown_name", message, "Define it above, or check its spelling.", place)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ScriptFunction:
        """A function of the script, read once."""
        known = self._functions.get(id(node))
        if known is None:
            known = self._functions[id(node)] = script_function(node, self._source.lines)
        return known

    def _attribute(self, node: ast.Attribute, scope: Scope, place: Position) -> ParsedValue:
        dotted = self.dotted(node, scope) or ""
        holder = find_type(dotted.rpartition(".")[0])
        value = vars(holder).get(node.attr) if holder in CONSTANTS.values() else None
        if isinstance(value, str):
            return plain(value, place)
        return self.refuse("not_literal", f"`.{node.attr}` is not supported here.", NO_VALUE, place)

    def _joined(self, node: ast.BinOp, scope: Scope, place: Position) -> ParsedValue:
        """`a | b` and `a & b`."""
        sides = [self.made(node.left, scope), self.made(node.right, scope)]
        if any(side.is_broken for side in sides):
            return broken(place)
        if not all(side.cls and issubclass(side.cls, TerminationCondition) for side in sides):
            message = "`|` and `&` join termination conditions only."
            return self.refuse("not_literal", message, NO_VALUE, place)
        cls = OrTerminationCondition if isinstance(node.op, ast.BitOr) else AndTerminationCondition
        return envelope(cls, {"conditions": listed(sides, place)}, place)

    # --- names of other modules ---

    def dotted(self, node: ast.expr, scope: Scope) -> str | None:
        """Full name of what was imported; None for what was not."""
        steps: list[str] = []
        while isinstance(node, ast.Attribute):
            steps.append(node.attr)
            node = node.value
        found = scope.find(node.id) if isinstance(node, ast.Name) else None
        return ".".join([found.dotted, *reversed(steps)]) if isinstance(found, Imported) else None

    def type_called(self, node: ast.expr, scope: Scope) -> type | None:
        """The class that is called, or None with a finding."""
        place, dotted = self._source.place(node), self.dotted(node, scope)
        if dotted and (found := find_type(dotted)):
            return found
        text = _name_of(node)
        holder = scope.look(text.partition(".")[0])
        if isinstance(holder, Unread) and "." in text:
            self.refuse("not_read", holder.message, holder.fix, place)
            return None
        close = "" if self._problems.are_enough else suggest(text.rpartition(".")[2])
        if dotted:
            fix = (
                f"Did you mean `{close}`?"
                if close
                else "Only components and the classes of their fields can be called."
            )
            self.refuse("unknown_class", f"`{dotted}` is no component that the studio knows.", fix, place)
        else:
            hint = f"Import `{close}` first." if close == text else f"Did you mean `{close}`?"
            self.refuse("not_constructor", f"Calling `{text}` is not supported.", hint if close else NO_VALUE, place)
        return None


def is_of_another_file(dotted: str) -> bool:
    """Whether a full name may be of a module of the script's author: of no package that a script has otherwise."""
    root = dotted.partition(".")[0]
    return "." in dotted and root not in ("studio", *AUTOGEN) and root not in sys.stdlib_module_names


def _awaited(node: ast.expr, scope: Scope) -> ast.expr:
    """The call inside of `await`, of a function of the script or of one that makes tools."""
    match node:
        case ast.Await(value=ast.Call(func=ast.Name(id=name)) as call):
            found = scope.look(name)
            is_read = isinstance(found, Defined) or (isinstance(found, Imported) and found.dotted == SERVER_TOOLS)
            return call if is_read else node
        case _:
            return node


def _name_of(node: ast.expr) -> str:
    """A name with its dots, as it is written; "this" for anything else."""
    steps: list[str] = []
    while isinstance(node, ast.Attribute):
        steps.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(steps)])[:80] if isinstance(node, ast.Name) else "this"
