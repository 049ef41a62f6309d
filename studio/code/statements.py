"""Statements of a script: imports, assignments, functions, and the lines that start a run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from studio.code.calls import Calls
from studio.code.dialect import RUN
from studio.code.findings import Position, Problems
from studio.code.parsed import ParsedValue, broken, parts_of
from studio.code.scope import Defined, Scope, import_bindings_of
from studio.code.source import Source

MAX_CALLS_DEEP = 20
"""Functions of the script that call one another."""
RUNS = ("run", "run_stream", "dump_component")
ENDS = ("close", "reset", "stop")
WRAPPERS = ("asyncio.run", "json.dumps", "studio.console.Console", "autogen_agentchat.ui.Console")
ASKS_FOR_TASK = next(ast.dump(node.value) for node in ast.walk(ast.parse(RUN)) if isinstance(node, ast.Assign))
ONE_COMPONENT = "Return one component from `build_team()`, or define exactly one team in the script."

_KINDS: dict[type[ast.stmt], str] = {
    ast.ClassDef: "A class",
    ast.For: "A loop",
    ast.AsyncFor: "A loop",
    ast.While: "A loop",
    ast.If: "`if`",
    ast.Try: "`try`",
    ast.With: "`with`",
    ast.AsyncWith: "`with`",
    ast.Delete: "`del`",
    ast.AugAssign: "A calculation",
    ast.Raise: "`raise`",
    ast.Assert: "`assert`",
    ast.Match: "`match`",
    ast.Global: "`global`",
    ast.Nonlocal: "`nonlocal`",
    ast.Return: "`return` outside of a function",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
NOT_EXECUTED = "Scripts are parsed, never executed. Write components, values and functions for tools."


class Script:
    """Reads the statements of a module, and functions when they are called."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self._source = source
        self._problems = problems
        self._calls = Calls(source, problems, self._run)
        self._expressions = self._calls.expressions
        self._module = Scope()
        self._scopes = [self._module]
        self._results: dict[str, ParsedValue] = {}
        self._running: list[str] = []
        self._ran: list[ParsedValue] = []

    def component(self) -> ParsedValue | None:
        """The component that the script is about; None, with a finding, if there is none."""
        self._statements(self._source.tree.body, self._module)
        functions = {name: found.node for name, found in self._module.names.items() if isinstance(found, Defined)}
        if (main := functions.pop("main", None)) and self._is_plain(main):
            self._scopes.append(Scope(self._module))
            self._statements(main.body, self._scopes[-1])
        builder = next((name for name in functions if name.startswith("build_")), "")
        if not self._ran and builder:
            self._ran.append(self._run(functions[builder], self._source.place(functions[builder])))
        found = self._chosen(_distinct(self._ran) or list(self._outermost()))
        self._tell_unused(functions.values(), found)
        return found

    def kept_lines(self) -> list[range]:
        """Lines of functions that are tools; these are kept as they are written."""
        named = [found.node for found in self._module.names.values() if isinstance(found, Defined)]
        tools = [node for node in named if node.name != "main" and node.name not in self._results]
        sources = [(node, self._expressions.function(node).source) for node in tools]
        return [range(node.lineno, node.lineno + source.count("\n")) for node, source in sources]

    def _chosen(self, candidates: Sequence[ParsedValue]) -> ParsedValue | None:
        chosen = [made for made in candidates if made.cls and made.cls.component_type == "team"]
        chosen = chosen if len(candidates) > 1 and chosen else candidates
        if any(made.is_broken for made in chosen) or (not chosen and self._problems.are_in_the_way):
            return None
        if len(chosen) == 1 and chosen[0].cls is not None:
            return chosen[0]
        names = ", ".join(f"`{made.cls.__name__}`" for made in chosen[:5] if made.cls)
        message = f"The script has several components: {names}." if len(chosen) > 1 else "The script has no component."
        self._refuse("no_component", message, ONE_COMPONENT, chosen[-1].at if chosen else Position(1))
        return None

    def _outermost(self) -> Iterator[ParsedValue]:
        """Components of variables that are not inside another one."""
        values = _distinct(
            made for scope in self._scopes for made in scope.names.values() if isinstance(made, ParsedValue)
        )
        inside = _held_by(values)
        yield from (made for made in values if made.cls and id(made.entries) not in inside)

    def _tell_unused(self, functions: Iterable[Function], found: ParsedValue | None) -> None:
        for function in functions:
            if function.name not in self._module.used and function.name not in self._results:
                message = f"The function `{function.name}` is no tool of any agent."
                fix = "Give it to an agent as a tool, or remove it."
                self._refuse("unused_function", message, fix, self._source.place(function))
        for scope in self._scopes:
            for name, place in scope.unused():
                value = scope.names[name]
                if found is None or not isinstance(value, ParsedValue) or value.entries is not found.entries:
                    message = f"`{name}` is not part of the component, so it is not kept."
                    self._problems.warn("unused_variable", message, "Use it, or remove it.", place)

    def _refuse(self, code: str, message: str, fix: str, place: Position) -> ParsedValue:
        return self._expressions.refuse(code, message, fix, place)

    # --- functions of the script ---

    def _run(self, function: Function, place: Position) -> ParsedValue:
        """What a function without parameters returns; read once, however often it is called."""
        name = function.name
        if name in self._running or len(self._running) >= MAX_CALLS_DEEP:
            return self._refuse("too_deep", f"`{name}` calls itself.", "Write the components out.", place)
        if name not in self._results:
            self._running.append(name)
            self._results[name] = self._returned(function, place) if self._is_plain(function) else broken(place)
            self._running.pop()
        return self._results[name].used_at(place)

    def _is_plain(self, function: Function) -> bool:
        arguments = function.args
        has_any = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        if any(has_any) or function.decorator_list:
            message = f"`{function.name}` has parameters or a decorator; only tools may."
            self._refuse("not_read", message, "Write the components out.", self._source.place(function))
            return False
        return True

    def _returned(self, function: Function, place: Position) -> ParsedValue:
        self._scopes.append(scope := Scope(self._module))
        last = function.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            message = f"`{function.name}` returns no component at its end."
            return self._refuse("no_component", message, "End it with `return`.", place)
        self._statements(function.body[:-1], scope)
        return self._expressions.made(last.value, scope)

    # --- statements ---

    def _statements(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self._statement(statement, scope)

    def _statement(self, statement: ast.stmt, scope: Scope) -> None:
        match statement:
            case ast.Import() | ast.ImportFrom(level=0) if all(alias.name != "*" for alias in statement.names):
                for name, imported in import_bindings_of(statement):
                    scope.names[name] = imported
            case ast.FunctionDef() | ast.AsyncFunctionDef() if scope is self._module:
                scope.names[statement.name] = Defined(statement)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(name, value, scope)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._assign(name, value, scope)
            case ast.Expr(value=value):
                self._line(value, scope)
            case ast.Try(body=[ast.Expr(value=value)], orelse=[], finalbody=[]) if self._is_run(value, scope):
                pass  # what is said of an error of the run is no part of the component
            case ast.If(test=test, body=body, orelse=[]) if _is_program(test) and scope is self._module:
                self._statements(body, scope)
            case ast.Pass():
                pass
            case _:
                place = self._source.place(statement)
                self._refuse("not_read", f"{_kind(statement)} is not supported here.", NOT_EXECUTED, place)

    def _assign(self, name: str, value: ast.expr, scope: Scope) -> None:
        is_task = name == "task" and isinstance(value, ast.BoolOp) and ast.dump(value) == ASKS_FOR_TASK
        if not is_task and not self._is_run(value, scope):
            scope.assign(name, self._expressions.made(value, scope), self._source.place(value))

    def _line(self, value: ast.expr, scope: Scope) -> None:
        """An expression that stands alone: a docstring, or what starts, shows and ends a run."""
        is_docstring = isinstance(value, ast.Constant) and isinstance(value.value, str)
        if not is_docstring and not self._is_run(value, scope):
            message = "Only code that builds components is supported."
            self._refuse("not_read", message, NOT_EXECUTED, self._source.place(value))

    def _is_run(self, value: ast.expr, scope: Scope) -> bool:
        """Whether the line runs a component, or prints its JSON; then that is what the script is about."""
        call = self._unwrapped(value, scope)
        match call:
            case ast.Call(func=ast.Name(id="main"), args=[], keywords=[]):
                return call is not value
            case ast.Call(func=ast.Attribute(value=target, attr=name)) if name in (*RUNS, *ENDS):
                made = self._expressions.made(target, scope)
                if name in RUNS:
                    self._ran.append(made)
                for inner in ast.walk(call):
                    if isinstance(inner, ast.Name):
                        scope.find(inner.id)
                return True
            case _:
                return False

    def _unwrapped(self, value: ast.expr, scope: Scope) -> ast.expr:
        """The call inside `await`, `asyncio.run(...)`, `Console(...)` and `print(json.dumps(...))`."""
        while True:
            match value:
                case ast.Await(value=inner):
                    value = inner
                case ast.Call(func=func, args=[inner, *_]) if self._wraps(func, scope):
                    value = inner
                case _:
                    return value

    def _wraps(self, func: ast.expr, scope: Scope) -> bool:
        is_print = isinstance(func, ast.Name) and func.id == "print" and scope.find("print") is None
        return is_print or self._expressions.dotted(func, scope) in WRAPPERS


def _distinct(values: Iterable[ParsedValue]) -> list[ParsedValue]:
    """The values, each component once."""
    return list({id(made.entries) if made.cls else id(made): made for made in values}.values())


def _held_by(values: Iterable[ParsedValue]) -> set[int]:
    """The entries of everything inside the values, by identity; each is looked into once, however often it is used."""
    seen: set[int] = set()
    todo = [part for made in values for part in parts_of(made)]
    while todo:
        part = todo.pop()
        if part.entries is not None and id(part.entries) not in seen:
            seen.add(id(part.entries))
            todo.extend(parts_of(part))
    return seen


def _is_program(test: ast.expr) -> bool:
    """Whether this is the test of `if __name__ == "__main__":`."""
    match test:
        case ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]):
            return True
        case _:
            return False


def _kind(statement: ast.stmt) -> str:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return "A function inside a function"
        case ast.Import() | ast.ImportFrom():
            return "A wildcard or relative import"
        case ast.Assign() | ast.AnnAssign():
            return "An assignment to anything other than one name"
        case _:
            return _KINDS.get(type(statement), "This statement")
