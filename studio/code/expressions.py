"""Expressions of a script: literals, names and the calls of constructors. Everything else is refused with its place."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from studio.code.findings import Position, Problems
from studio.code.functions import ScriptFunction, script_function
from studio.code.other_files import Modules
from studio.code.parsed import MAX_COST, ParsedValue, broken, envelope, keyed, listed, plain, secret
from studio.code.scope import Binding, Defined, Function, Imported, Scope, Unread
from studio.code.source import Source
from studio.code.vocabulary import CONSTANTS, find_type, is_of_another_file, suggest
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

    def __init__(
        self, source: Source, problems: Problems, read_call: CallReader, modules: Modules, *, passes_over: bool = False
    ) -> None:
        self._passes_over = passes_over
        self._modules = modules
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
        node = self._awaited(node, scope)
        if (text := self._text(node, scope, place)) is not None:
            return text
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

    def _text(self, node: ast.expr, scope: Scope, place: Position) -> ParsedValue | None:
        """An f-string, or texts that are added; None for anything else.

        In a script that was written to be run, placeholders stand for values that are not known.
        """
        is_composed = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add))
        unknown: dict[str, None] = {}
        known = self._known_value(node, scope, unknown) if is_composed else None
        if not isinstance(known, str):
            return None
        names = ", ".join(f"`{name}`" for name in list(unknown)[:5])
        why = f"The text has placeholders for values that are not known here: {names}." if unknown else ""
        return replace(plain(known, place), why=why)

    def _formatted(self, parts: Sequence[ast.expr], scope: Scope, unknown: dict[str, None]) -> str | None:
        """An f-string with the texts and numbers of the script; None where it has others."""
        values: list[str | int | float] = []
        for part in parts:
            is_plain = not isinstance(part, ast.FormattedValue) or (part.conversion == -1 and not part.format_spec)
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            value = self._known_value(inner, scope, unknown) if is_plain else None
            value = self._placeholder(inner, unknown) if value is None and self._passes_over else value
            if value is None:
                return None
            values.append(value)
        return self._joined_text(values)

    def _placeholder(self, node: ast.expr, unknown: dict[str, None]) -> str:
        name = _name_of(node.func if isinstance(node, ast.Call) else node)
        unknown[name] = None
        return f"{{{name}}}"

    def _added(self, node: ast.BinOp, scope: Scope, unknown: dict[str, None]) -> str | None:
        """Two texts, one behind the other."""
        sides = [self._known_value(side, scope, unknown) for side in (node.left, node.right)]
        if self._passes_over and any(isinstance(side, str) for side in sides):
            nodes = (node.left, node.right)
            sides = [
                self._placeholder(each, unknown) if side is None else side
                for each, side in zip(nodes, sides, strict=True)
            ]
        return self._joined_text(sides) if all(isinstance(side, str) for side in sides) else None

    def _joined_text(self, parts: Sequence[object]) -> str | None:
        """One text; None once a script has made more than a team may hold: a few lines could fill the memory."""
        texts = [str(part) for part in parts]
        self._composed += sum(map(len, texts))
        return "".join(texts) if self._composed <= MAX_COST else None

    def _known_value(self, node: ast.expr, scope: Scope, unknown: dict[str, None]) -> str | int | float | None:
        """A text or a number that can be told without running anything; takes what it has placeholders for."""
        match node:
            case ast.Constant(value=str() | int() | float() as value) if not isinstance(value, bool):
                return value
            case ast.JoinedStr(values=parts):
                return self._formatted(parts, scope, unknown)
            case ast.BinOp(op=ast.Add()):
                return self._added(node, scope, unknown)
            case ast.Name(id=name) if isinstance(found := scope.look(name), ParsedValue):
                scope.find(name)
                return self._plain_value(found, name, unknown)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if isinstance(
                found := scope.look(name), ParsedValue
            ):
                scope.find(name)
                return self._plain_value(field_of(found, attribute), f"{name}.{attribute}", unknown)
            case ast.Call() if self._passes_over:
                with self._problems.tried():
                    made = self._read_call(node, scope)
                return self._plain_value(made, _name_of(node.func), unknown)
            case _:
                return None

    def _plain_value(self, made: ParsedValue | None, name: str, unknown: dict[str, None]) -> str | int | float | None:
        """A text or a number; None for anything else."""
        is_plain = made is not None and made.entries is None and made.function is None and made.secret_at is None
        if made is None or not is_plain or made.is_broken or isinstance(made.value, bool):
            return None
        if made.why and not made.outside:
            unknown[name] = None
        return made.value

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
        return self._bound(name, scope.find(name), place)

    def _bound(self, name: str, found: Binding | None, place: Position) -> ParsedValue:
        """What a name stands for where it is used."""
        match found:
            case ParsedValue():
                return found.used_at(place)
            case Defined(node=node, home=home):
                return ParsedValue(place, function=home.function(node))
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

    def function(self, node: Function, scope: Scope) -> ScriptFunction:
        """A function of the file, read once; `scope` has the names around it."""
        known = self._functions.get(id(node))
        if known is None:
            known = self._functions[id(node)] = script_function(node, self._source.lines)
            self._modules.names_of[id(known)] = scope
        return known

    def _attribute(self, node: ast.Attribute, scope: Scope, place: Position) -> ParsedValue:
        dotted = self.dotted(node, scope) or ""
        if (found := self._modules.find(dotted, place)) is not None:
            return self._bound(dotted, found, place)
        if self._passes_over and is_of_another_file(dotted):
            return ParsedValue(place, outside=dotted)
        held = scope.look(node.value.id) if isinstance(node.value, ast.Name) else None
        if (
            self._passes_over
            and isinstance(held, ParsedValue)
            and (part := field_of(held, node.attr)) is not None
            and part.cls is None
        ):
            self.made(node.value, scope)
            return part.used_at(place)
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

    def binding(self, node: ast.expr, scope: Scope) -> Binding | None:
        """What a name stands for, also one of another file with dots."""
        found = scope.find(node.id) if isinstance(node, ast.Name) else None
        if found is not None and not isinstance(found, Imported):
            return found
        dotted = self.dotted(node, scope) if isinstance(node, ast.Attribute) else None
        return self._modules.find(dotted, self._source.place(node)) if dotted else found

    def _awaited(self, node: ast.expr, scope: Scope) -> ast.expr:
        """The call inside of `await`, of a function of the script or of one that makes tools."""
        match node:
            case ast.Await(value=ast.Call(func=func) as call):
                is_read = isinstance(self.binding(func, scope), Defined) or self.dotted(func, scope) == SERVER_TOOLS
                return call if is_read else node
            case _:
                return node

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


def field_of(made: ParsedValue, name: str) -> ParsedValue | None:
    """A plain field of a component, such as the name of an agent; None where there is none."""
    config = made.entries.get("config") if made.cls and isinstance(made.entries, Mapping) else None
    found = config.entries.get(name) if config is not None and isinstance(config.entries, Mapping) else None
    return found if found is not None and found.entries is None and found.secret_at is None else None


def _name_of(node: ast.expr) -> str:
    """A name with its dots, as it is written; "this" for anything else."""
    steps: list[str] = []
    while isinstance(node, ast.Attribute):
        steps.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(steps)])[:80] if isinstance(node, ast.Name) else "this"
