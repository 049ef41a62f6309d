"""Statements of a script: imports, assignments, functions, and the lines that start a run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from studio.code.calls import Calls
from studio.code.choices import Names, several
from studio.code.dialect import RUN
from studio.code.expressions import NO_VALUE
from studio.code.findings import CodeFinding, Position, Problems
from studio.code.functions import ScriptFunction
from studio.code.graph_steps import is_of_builder
from studio.code.new_names import names_set_by
from studio.code.other_files import Modules, OtherFiles
from studio.code.parsed import ParsedValue, broken, not_known, parts_of
from studio.code.passing_over import changed_names, required_of
from studio.code.schemas import is_model
from studio.code.scope import Arguments, Defined, Function, Scope, ScriptClass, Unread
from studio.code.source import Source
from studio.code.stand_ins import STAND_IN
from studio.code.vocabulary import find_type
from studio.components import Component
from studio.memory import Memory

MAX_TAKEN_BACK = 20
MAX_CALLS = 1_000
"""Of functions of the script, all together."""
MAX_CALLS_DEEP = 20
"""Functions of the script that call one another."""
RUNS = ("run", "run_stream", "dump_component")
ENDS = ("close", "reset", "stop")
WRAPPERS = ("asyncio.run", "json.dumps", "studio.console.Console", "autogen_agentchat.ui.Console")
ASKS_FOR_TASK = next(ast.dump(node.value) for node in ast.walk(ast.parse(RUN)) if isinstance(node, ast.Assign))
ONE_COMPONENT = "Return one component from `build_team()`, or define exactly one team in the script."
CHOOSE = "Choose one by its name, or return one from `build_team()`."

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
NOT_EXECUTED = "Scripts are parsed, never executed. Write components, values and functions for tools."


@dataclass
class _Program:
    """What all files of a script have in common."""

    problems: Problems
    passes_over: bool
    environment: Mapping[str, str] | None
    files: OtherFiles | None
    taken_back: list[CodeFinding] = field(default_factory=list[CodeFinding])
    """Why values could not be told that nothing has needed so far."""
    calls_made: int = 0
    running: list[int] = field(default_factory=list[int])
    entered: set[int] = field(default_factory=set[int])
    ran: list[ParsedValue] = field(default_factory=list[ParsedValue])
    scopes: list[Scope] = field(default_factory=list[Scope])
    names: Names = field(default_factory=Names)
    of_other_files: set[int] = field(default_factory=set[int])
    """Scopes, by identity, of which only that counts which the script imports."""

    def __post_init__(self) -> None:
        self.modules = Modules(self.files, self._read, self.problems)

    def _read(self, source: Source, scope: Scope) -> None:
        Script(source, self, scope).read_as_module()


class Script:
    """Reads the statements of a file, and functions when they are called.

    Args:
        source: The file.
        program: What it has in common with the others.
        module: Takes the names of the file.
    """

    def __init__(self, source: Source, program: _Program, module: Scope) -> None:
        self.module = module
        self._source = source
        self._program = program
        self._problems = program.problems
        self._passes_over = program.passes_over
        self._calls = Calls(
            source,
            program.problems,
            program.modules,
            passes_over=program.passes_over,
            environment=program.environment,
        )
        self._expressions = self._calls.expressions
        self._results: dict[int, ParsedValue] = {}
        """By the identity of the functions' nodes."""
        program.scopes.append(module)

    @property
    def name(self) -> str:
        """Of the file; empty for the script itself."""
        return self._source.name

    @classmethod
    def alone(
        cls,
        source: Source,
        problems: Problems,
        *,
        passes_over: bool = False,
        environment: Mapping[str, str] | None = None,
        files: OtherFiles | None = None,
    ) -> Script:
        """The script itself, which may import from other files.

        Args:
            source: The script.
            problems: Takes what is wrong.
            passes_over: Whether statements that make no components are passed over and named, as in a script that was
                written to be run, and not refused, as in an editor, which would lose them.
            environment: Values of environment variables, for texts that are read from them.
            files: Files that it may import from.
        """
        return cls(source, _Program(problems, passes_over, environment, files), Scope())

    def read_as_module(self) -> None:
        """Read the file as one that others import from: what is wrong in it only matters to what uses that."""
        self._program.of_other_files.add(id(self.module))
        with self._problems.tried() as wrong:
            self._statements(self._source.tree.body, self.module)
        for name, found in self.module.names.items():
            why = f"`{name}` of {self.name} is not read"
            if isinstance(found, ParsedValue) and wrong and _is_broken_inside(found):
                why = f"{why}: line {wrong[0].place.line}: {wrong[0].message}"
                self.module.names[name] = not_known(name, why, wrong[0].place)
            elif isinstance(found, Unread) and not isinstance(found, ScriptClass):
                self.module.names[name] = not_known(name, f"{why}: {found.message}", found.place or Position(1))

    def component(self, wanted: str = "") -> ParsedValue | None:
        """The component that the script is about; None, with a finding, if there is none.

        Args:
            wanted: Name of one of several.

        Raises:
            SeveralComponents: None of these was chosen.
        """
        self._statements(self._source.tree.body, self.module)
        functions = {found.node.name: found.node for found in self._own_functions()}
        functions.pop("main", None)
        if isinstance(main := self.module.names.get("main"), Defined):
            main.home.enter(main.node, ([], {}))
        builder = next((name for name in functions if name.startswith("build_")), "")
        if not self._program.ran and builder:
            self._program.ran.append(self.run(functions[builder], ([], {}), self._source.place(functions[builder])))
        if self._passes_over and not self._program.ran:
            self._try_functions(functions.values())
        if self._passes_over and not self._program.ran and not self._has_runnable():
            self._try_programs(functions.values())
        ran = _distinct(
            made for made in self._program.ran if not made.outside and (not made.is_broken or not self._passes_over)
        )
        found = self._chosen(ran, wanted)
        is_what_runs = found is not None and (bool(ran) or (found.cls and found.cls.component_type == "team"))
        if not is_what_runs and self._program.taken_back:  # one of these may have been it
            for each in self._program.taken_back[:MAX_TAKEN_BACK]:
                self._problems.add(each)
        if found is None:
            self._problems.make_errors_of("not_kept")  # a person looks for it among these
        self._tell_unused(functions.values(), found)
        return found

    def kept_lines(self) -> list[range]:
        """Lines of functions that are tools; these are kept as they are written."""
        named = [found.node for found in self._own_functions()]
        tools = [node for node in named if node.name != "main" and id(node) not in self._results]
        sources = [(node, self.function(node).source) for node in tools]
        return [range(node.lineno, node.lineno + source.count("\n")) for node, source in sources]

    def function(self, node: Function) -> ScriptFunction:
        """A function of the file, as a tool."""
        return self._expressions.function(node, self.module)

    def _own_functions(self) -> list[Defined]:
        return [found for found in self.module.names.values() if isinstance(found, Defined) and found.home is self]

    def _chosen(self, ran: Sequence[ParsedValue], wanted: str) -> ParsedValue | None:
        candidates = ran or list(self._outermost())
        chosen = [made for made in candidates if made.cls and made.cls.component_type == "team"]
        chosen = chosen if len(candidates) > 1 and chosen else candidates
        if any(made.is_broken for made in chosen) or (not chosen and self._problems.are_in_the_way):
            return None
        names = self._program.names
        if wanted and chosen:
            everything = _distinct([*chosen, *self._outermost()])
            if (found := names.choose(chosen, wanted) or names.choose(everything, wanted)) is not None:
                return found
            raise several(everything, names, wanted, CHOOSE, self._problems.errors)
        if len(chosen) == 1 and chosen[0].cls is not None:
            return chosen[0]
        if len(chosen) > 1:
            raise several(chosen, names, wanted, CHOOSE, self._problems.errors)
        self._refuse("no_component", "The script has no component.", ONE_COMPONENT, Position(1))
        return None

    def _has_runnable(self) -> bool:
        return any(made.cls and made.cls.component_type in ("team", "agent") for made in self._outermost())

    def _outermost(self) -> Iterator[ParsedValue]:
        """Components of variables that are not inside another one."""
        values = _distinct(
            made
            for scope in self._program.scopes
            if id(scope) not in self._program.of_other_files
            for made in scope.names.values()
            if isinstance(made, ParsedValue)
        )
        inside = _held_by(values)
        yield from (made for made in values if made.cls and id(made.entries) not in inside)

    def _tell_unused(self, functions: Iterable[Function], found: ParsedValue | None) -> None:
        for function in functions:
            if function.name not in self.module.used and id(function) not in self._results:
                message = f"The function `{function.name}` is no tool of any agent."
                fix = "Give it to an agent as a tool, or remove it."
                tell = self._problems.warn if self._passes_over else self._problems.error
                tell("unused_function", message, fix, self._source.place(function))
        for scope in self._program.scopes:
            for name, place in scope.unused():
                if place.file:
                    continue
                value = scope.names[name]
                if found is None or not isinstance(value, ParsedValue) or value.entries is not found.entries:
                    message = f"`{name}` is not part of the component, so it is not kept."
                    self._problems.warn("unused_variable", message, "Use it, or remove it.", place)

    def _refuse(self, code: str, message: str, fix: str, place: Position) -> ParsedValue:
        return self._expressions.refuse(code, message, fix, place)

    # --- functions of the script ---

    def run(self, function: Function, given: Arguments, place: Position) -> ParsedValue:
        """What a function returns; read once where it is given nothing, however often it is called."""
        name, running = function.name, self._program.running
        is_too_often = len(running) >= MAX_CALLS_DEEP or self._program.calls_made >= MAX_CALLS
        if id(function) in running or is_too_often:
            return self._refuse("too_deep", f"`{name}` calls itself.", "Write the components out.", place)
        if any(given) and not self._passes_over:
            message = f"`{name}` is called with arguments, which is not supported."
            return self._refuse("not_literal", message, "Write the components out.", place)
        known = self._results.get(id(function))
        if known is None or any(given):
            self._program.calls_made += 1
            running.append(id(function))
            scope = self._bound(function, given)
            known = self._results[id(function)] = (
                broken(place) if scope is None else self._returned(function, scope, place)
            )
            running.pop()
            self._program.names.add(known, name, self._source.place(function))
        return known.used_at(place)

    def _bound(self, function: Function, given: Arguments, *, is_program: bool = False) -> Scope | None:
        """The names that a function begins with; None, with a finding, where it cannot be called."""
        arguments, (values, named) = function.args, given
        is_decorated = bool(function.decorator_list) and not is_program
        if not self._passes_over or arguments.vararg or arguments.kwarg or is_decorated:
            return Scope(self.module) if self._is_plain(function) else None
        scope = Scope(self.module)
        for parameter, default in self._defaults(function):
            scope.names[parameter] = default
        places = [*arguments.posonlyargs, *arguments.args]
        for parameter, value in [*zip((each.arg for each in places), values, strict=False), *named.items()]:
            scope.names[parameter] = value
        return scope

    def _defaults(self, function: Function) -> Iterator[tuple[str, ParsedValue | Unread]]:
        """All parameters, each with its default."""
        arguments = function.args
        places = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(places) - len(arguments.defaults)) + [*arguments.defaults]
        for each, default in zip([*places, *arguments.kwonlyargs], [*defaults, *arguments.kw_defaults], strict=True):
            message = f"`{each.arg}` is a parameter of `{function.name}`, which is called with no value for it here."
            unknown = Unread(message, "Write its value.", self._source.place(each))
            yield each.arg, self._tried(default, self.module) if default is not None else unknown

    def _tried(self, value: ast.expr, scope: Scope) -> ParsedValue | Unread:
        """What an expression stands for; where that cannot be told, why, for whatever needs it."""
        with self._problems.tried() as wrong:
            made = self._expressions.made(value, scope)
        self._program.taken_back += wrong
        return Unread(wrong[0].message, wrong[0].fix, wrong[0].place) if wrong else made

    def _try_functions(self, functions: Iterable[Function]) -> None:
        """Read functions that nothing calls: one of them may make the team."""
        for function in functions:
            returns = any(isinstance(each, ast.Return) and each.value for each in function.body)
            if id(function) in self._results or not returns or function.name in self.module.used:
                continue
            given = self._not_given(function)
            with self._problems.tried() as wrong:
                made = self.run(function, ([], given), self._source.place(function))
            self._program.taken_back += wrong
            if wrong or made.cls is None:
                del self._results[id(function)]
            else:
                self._program.ran.append(made)

    def _try_programs(self, functions: Iterable[Function]) -> None:
        """Read functions that nothing calls as programs, such as those that a web framework calls."""
        for function in functions:
            if id(function) in self._results or function.name in self.module.used:
                continue
            count = len(self._program.scopes)
            with self._problems.tried() as wrong:
                self.enter(function, ([], self._not_given(function)))
            self._program.taken_back += wrong
            if wrong:
                del self._program.scopes[count:]

    def _not_given(self, function: Function) -> dict[str, ParsedValue]:
        """Values for the parameters of a function that nothing calls."""
        return {
            each.arg: not_known(
                f"{function.name}.{each.arg}",
                f"`{each.arg}` is a parameter of `{function.name}`, which nothing calls.",
                self._source.place(each),
            )
            for each in required_of(function)
        }

    def enter(self, function: Function, given: Arguments) -> None:
        """Read a function that is the program, or a part of it, as `main` is."""
        if id(function) in self._program.entered or len(self._program.entered) >= MAX_CALLS_DEEP:
            return
        self._program.entered.add(id(function))
        self._results.setdefault(id(function), broken(self._source.place(function)))
        scope = self._bound(function, given, is_program=True)
        if scope is not None:
            self._program.scopes.append(scope)
            self._statements(function.body, scope)

    def _is_plain(self, function: Function) -> bool:
        arguments = function.args
        has_any = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        if any(has_any) or function.decorator_list:
            message = f"`{function.name}` has parameters or a decorator; only tools may."
            self._refuse("not_read", message, "Write the components out.", self._source.place(function))
            return False
        return True

    def _returned(self, function: Function, scope: Scope, place: Position) -> ParsedValue:
        self._program.scopes.append(scope)
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
            case ast.Import() | ast.ImportFrom() if self._imports(statement, scope):
                pass
            case ast.FunctionDef() | ast.AsyncFunctionDef() if scope is self.module:
                scope.names[statement.name] = Defined(statement, self)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(name, value, scope)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._assign(name, value, scope)
            case ast.Expr(value=value):
                self._line(value, scope)
            case ast.Try(body=[ast.Expr(value=value)], orelse=[], finalbody=[]) if self._is_run(value, scope):
                pass  # what is said of an error of the run is no part of the component
            case ast.If(test=test, body=body, orelse=[]) if _is_program(test) and scope is self.module:
                self._statements(body, scope)
            case ast.Pass():
                pass
            case _ if self._passes_over:
                self._pass_over(statement, scope)
            case _:
                place = self._source.place(statement)
                self._refuse("not_read", f"{_kind(statement)} is not supported here.", NOT_EXECUTED, place)

    def _imports(self, statement: ast.Import | ast.ImportFrom, scope: Scope) -> bool:
        """Whether the names that the statement binds are known."""
        is_relative = isinstance(statement, ast.ImportFrom) and statement.level > 0
        if is_relative and not self._passes_over:
            return False
        found = self._program.modules.bindings(statement, self._source)
        scope.names.update(found)
        return bool(found) or all(alias.name != "*" for alias in statement.names)

    def _assign(self, name: str, value: ast.expr, scope: Scope) -> None:
        is_task = name == "task" and isinstance(value, ast.BoolOp) and ast.dump(value) == ASKS_FOR_TASK
        if is_task:
            return
        if self._passes_over:
            self._assign_if_told(name, value, scope)
        elif not self._is_run(value, scope):
            self._bind(name, self._expressions.made(value, scope), scope, self._source.place(value))

    def _bind(self, name: str, made: ParsedValue, scope: Scope, place: Position) -> None:
        self._program.names.add(made, name, place)
        scope.assign(name, made, place)

    def _assign_if_told(self, name: str, value: ast.expr, scope: Scope) -> None:
        """Remember what a name stands for, or why that cannot be told."""
        place, call = self._source.place(value), self._unwrapped(value, scope)
        made = self._expressions.made(call, scope) if self._makes_component(call, scope) else self._tried(call, scope)
        if isinstance(made, ParsedValue):
            self._bind(name, made, scope, place)
        elif not self._calls_function(value, scope) and self._is_run(value, scope):
            scope.names[name] = Unread(f"`{name}` is what a run gives.", NO_VALUE, place)
        elif not self._is_in_the_way(value, scope):
            scope.names[name] = made

    def _line(self, value: ast.expr, scope: Scope) -> None:
        """An expression that stands alone: a docstring, or what starts, shows and ends a run."""
        is_docstring = isinstance(value, ast.Constant) and isinstance(value.value, str)
        if is_docstring or self._is_run(value, scope, is_alone=True):
            return
        if self._passes_over and self._fills_memory(value, scope):
            return
        if self._passes_over and is_of_builder(value, scope):
            self._expressions.made(value, scope)
            return
        if self._passes_over:
            self._pass_over(ast.copy_location(ast.Expr(value), value), scope)
        else:
            message = "Only code that builds components is supported."
            self._refuse("not_read", message, NOT_EXECUTED, self._source.place(value))

    def _fills_memory(self, value: ast.expr, scope: Scope) -> bool:
        """Whether the line adds to a memory, which is no part of what was read of it."""
        match self._unwrapped(value, scope):
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="add" | "clear")) if (
                isinstance(found := scope.look(name), ParsedValue) and found.cls and issubclass(found.cls, Memory)
            ):
                message = f"What is added to `{name}` here is not kept."
                fix = "Give it to the memory where it is made, or add it in the studio."
                self._problems.warn(STAND_IN, message, fix, self._source.place(value))
                return True
            case _:
                return False

    def _is_run(self, value: ast.expr, scope: Scope, *, is_alone: bool = False) -> bool:
        """Whether the line runs a component, or prints its JSON; then that is what the script is about.

        Args:
            value: The line, or what it assigns.
            scope: Where it stands.
            is_alone: Whether nothing is done with what it gives, so that a function of the script that is called is a
                part of the program.
        """
        call = self._unwrapped(value, scope)
        match call:
            case ast.Call(func=ast.Name(id="main"), args=[], keywords=[]):
                return call is not value
            case ast.Call(func=ast.Name(id=name)) if (is_alone or call is not value) and self._calls_program(
                name, scope
            ):
                with self._problems.tried():  # what it is given may be unknown
                    given = self._calls.arguments(call, scope)
                found = scope.find(name)
                if isinstance(found, Defined):
                    found.home.enter(found.node, given)
                return True
            case ast.Call(func=ast.Attribute(value=target, attr=name)) if name in (*RUNS, *ENDS):
                made = self._expressions.made(target, scope)
                if name in RUNS:
                    self._program.ran.append(made)
                for inner in ast.walk(call):
                    if isinstance(inner, ast.Name):
                        scope.find(inner.id)
                return True
            case _:
                return False

    def _makes_component(self, value: ast.expr, scope: Scope) -> bool:
        """Whether a component is made here: what keeps it from being read is an error, then."""
        dotted = self._expressions.dotted(value.func, scope) if isinstance(value, ast.Call) else None
        found = find_type(dotted) if dotted else None
        return found is not None and issubclass(found, Component)

    def _calls_function(self, value: ast.expr, scope: Scope) -> bool:
        """Whether this is what a function of the script gives; it was read already."""
        call = self._unwrapped(value, scope)
        return (
            isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and self._calls_program(call.func.id, scope)
        )

    def _calls_program(self, name: str, scope: Scope) -> bool:
        return self._passes_over and isinstance(scope.look(name), Defined)

    # --- what is passed over ---

    def _pass_over(self, statement: ast.stmt, scope: Scope) -> None:
        """Read what may stand inside; of the rest only note what it sets and runs."""
        match statement:
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    self._open(item, scope)
                self._statements(body, scope)
            case ast.Try(body=body, orelse=orelse, finalbody=finalbody):
                self._statements([*body, *orelse, *finalbody], scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                scope.names[statement.name] = Defined(statement, self)
            case ast.ClassDef():
                self._define_class(statement, scope)
            case ast.Return(value=value):
                made = self._tried(value, scope) if value is not None else None
                if isinstance(made, ParsedValue) and made.cls is not None:
                    self._program.ran.append(made)
            case _:
                self._leave_out(statement, scope)

    def _define_class(self, node: ast.ClassDef, scope: Scope) -> None:
        """A class is not executed. A model may be a schema, and agents and conditions have stand-ins."""
        place = self._source.place(node)
        message = f"`{node.name}` is set in line {place.line} by what is not read."
        is_schema = is_model(node, scope)
        scope.names[node.name] = ScriptClass(message, NO_VALUE, place, node, scope)
        if not is_schema and not self._source.name:
            self._problems.warn("not_kept", "A class makes no component, so it is passed over.", "", place)

    def _open(self, item: ast.withitem, scope: Scope) -> None:
        value, place = item.context_expr, self._source.place(item.context_expr)
        made = (
            self._expressions.made(value, scope) if self._makes_component(value, scope) else self._tried(value, scope)
        )
        if isinstance(item.optional_vars, ast.Name):
            if isinstance(made, ParsedValue):
                scope.assign(item.optional_vars.id, made, place)
            else:
                scope.names[item.optional_vars.id] = made

    def _is_in_the_way(self, node: ast.stmt | ast.expr, scope: Scope) -> bool:
        """Whether it may change a component, which is refused. Another list is not known afterwards."""
        names, place = changed_names(node, scope), self._source.place(node)
        if not names:  # as nearly always; what follows looks at all components
            return False
        read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        values = {name: made for name in read if isinstance(made := scope.look(name), ParsedValue)}
        parts = _held_by(
            made
            for each in self._program.scopes
            for made in each.names.values()
            if isinstance(made, ParsedValue) and made.cls
        )
        risky = {name for name, made in values.items() if _holds_component(made) or id(made.entries) in parts}
        if (names - values.keys() and risky) or names & risky:
            named = ", ".join(f"`{name}`" for name in sorted(names & risky or risky))
            message = f"What was made above may be changed here: {named}."
            if id(scope) in self._program.of_other_files:  # only in the way of what uses it
                for name in names & risky or risky:
                    scope.names[name] = Unread(message, NOT_EXECUTED, place)
                return False
            self._refuse("not_read", message, NOT_EXECUTED, place)
            return True
        for name in names & values.keys():
            scope.names[name] = Unread(
                f"`{name}` is changed in line {place.line} by what is not read.", NO_VALUE, place
            )
        return False

    def _leave_out(self, statement: ast.stmt, scope: Scope) -> None:
        place, kind = self._source.place(statement), _kind(statement)
        if self._is_in_the_way(statement, scope):
            return
        for call in ast.walk(statement):
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in RUNS:
                    if isinstance(found := scope.find(name), ParsedValue):
                        self._program.ran.append(found)
                case ast.Call(func=ast.Name(id=name)) if isinstance(found := scope.look(name), Defined):
                    scope.find(name)
                    found.home.enter(found.node, ([], {}))
                case _:
                    pass
        for name in names_set_by(statement):
            message = f"`{name}` is set in line {place.line} by what is not read."
            scope.names[name] = Unread(message, NO_VALUE, place)
        if not self._source.name:  # what another file has besides is of no interest
            self._problems.warn("not_kept", f"{kind} makes no component, so it is passed over.", "", place)

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


def _holds_component(made: ParsedValue) -> bool:
    todo = [made]
    while todo:
        part = todo.pop()
        if part.cls is not None:
            return True
        todo.extend(parts_of(part))
    return False


def _is_broken_inside(made: ParsedValue) -> bool:
    seen: set[int] = set()
    todo = [made]
    while todo:
        part = todo.pop()
        if part.is_broken:
            return True
        if part.entries is not None and id(part.entries) not in seen:
            seen.add(id(part.entries))
            todo.extend(parts_of(part))
    return False


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
        case ast.Expr():
            return "This line"
        case ast.Import() | ast.ImportFrom():
            return "A wildcard or relative import"
        case ast.Assign() | ast.AnnAssign():
            return "An assignment to anything other than one name"
        case _:
            return _KINDS.get(type(statement), "This statement")
