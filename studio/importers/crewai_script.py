"""Crews in Python: what `Agent(...)`, `Task(...)` and `Crew(...)` of a script are given, read as syntax."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import dedent

from studio.errors import TooLarge
from studio.importers.crewai_crews import LOST_CONFIG, Crew, CrewAgent, CrewTask
from studio.importers.crewai_documents import CrewDocuments, agent_of
from studio.importers.findings import Location
from studio.importers.names import word
from studio.importers.parts import Part
from studio.importers.python_script import PART, Function, PythonScript, called, keywords, short
from studio.importers.workflow import MAX_NODES

PACKAGE = "crewai"
AGENT, TASKS, CREW = "Agent", ("Task", "ConditionalTask"), "Crew"
KICKOFFS = ("kickoff", "kickoff_async", "akickoff", "kickoff_for_each", "kickoff_for_each_async", "akickoff_for_each")
MAX_HOPS = 20
"""Names and calls that stand for others."""
MAX_TEXT = 2_000_000
"""Characters of all values of a script together: names that stand for lists of names can double at each step."""
_AROUND = ("before_kickoff", "after_kickoff")
_METHODS = ("tools", "llm", "output_json", "output_pydantic", "response_model")
"""Settings in YAML that name methods of the class."""
_LISTENERS = ("start", "listen", "router")


@dataclass(frozen=True, eq=False)
class Scope:
    """Where an expression is.

    Args:
        function: The function that it is in.
        owner: The class of this function.
        values: Arguments of the call that led there.
    """

    function: ast.AST | None = None
    owner: ast.ClassDef | None = None
    values: Mapping[str, Found] = field(default_factory=dict[str, "Found"])


@dataclass(frozen=True, eq=False)
class Found:
    """What an expression stands for, and the last name on the way there."""

    node: ast.expr
    scope: Scope
    name: str = ""

    @property
    def key(self) -> tuple[int, ...]:
        """The same for each mention of one object."""
        return id(self.node), *sorted(id(each.node) for each in self.scope.values.values())


class CrewScript:
    """The crews of a script."""

    def __init__(self, script: PythonScript, documents: CrewDocuments) -> None:
        self.script = script
        self._documents = documents
        self._left = MAX_TEXT
        self._inside: dict[int, Scope] = {}
        self._values: dict[tuple[int, str], ast.expr] = {}
        self._methods: dict[int, dict[str, Function]] = {}
        self._fields: dict[tuple[int, str], ast.expr] = {}
        self._calls: list[ast.Call] = []
        for tree in script.trees:
            self._note(tree)
        self._names = {id(value): name for name, value in script.values.items()}
        self._agents: dict[tuple[int, ...], CrewAgent] = {}
        self._tasks: dict[tuple[int, ...], CrewTask] = {}
        self._making: set[tuple[int, ...]] = set()

    def _note(self, tree: ast.Module) -> None:
        """Note for each call and name the function and class that it is in."""
        todo: list[tuple[ast.AST, Scope]] = [(tree, Scope(tree))]
        while todo:
            node, scope = todo.pop()
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    if scope.owner is not None and isinstance(scope.function, ast.Module):
                        self._methods.setdefault(id(scope.owner), {})[node.name] = node
                    scope = Scope(node, scope.owner)
                case ast.ClassDef():
                    scope = Scope(tree, node)
                case ast.Call():
                    self._inside[id(node)] = scope
                    self._calls.append(node)
                case _:
                    self._note_value(node, scope)
            todo += [(each, scope) for each in reversed(list(ast.iter_child_nodes(node)))]

    def _note_value(self, node: ast.AST, scope: Scope) -> None:
        owner = id(scope.owner)
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.withitem(context_expr=value, optional_vars=ast.Name(id=name))
            ):
                if scope.owner is not None and isinstance(scope.function, ast.Module):
                    self._fields.setdefault((owner, name), value)
                self._values.setdefault((id(scope.function), name), value)
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                self._fields.setdefault((owner, name), value)
            case _:
                pass

    # --- what expressions stand for ---

    def found(self, node: ast.expr, scope: Scope, name: str = "") -> Found:
        """What an expression stands for; others are themselves."""
        at = Found(node, scope)
        for _ in range(MAX_HOPS):
            after = self._hop(at)
            if after is None:
                break
            name = after.name or name
            at = after
        return replace(at, name=name)

    def _hop(self, at: Found) -> Found | None:
        self._spend(PART)
        node, scope = at.node, at.scope
        match node:
            case ast.Name(id=name) if name in scope.values:
                return scope.values[name]
            case ast.Name(id=name):
                value = self._values.get((id(scope.function), name)) or self.script.values.get(name)
                return Found(value, scope, name) if value is not None and value is not node else None
            case ast.Await(value=value):
                return Found(value, scope)
            case ast.Attribute(value=owner, attr=name):
                cls = self._class_of(owner, scope)
                value = self._fields.get((id(cls), name)) if cls is not None else None
                return Found(value, Scope(scope.function, cls, scope.values), name) if value is not None else None
            case ast.Call() if called(node) not in (AGENT, *TASKS, CREW):
                return self._returned(node, scope)
            case _:
                return None

    def _returned(self, call: ast.Call, scope: Scope) -> Found | None:
        """What a function or method of the script returns."""
        name, cls = called(call), None
        function: Function | None = None
        if isinstance(call.func, ast.Attribute):
            cls = self._class_of(call.func.value, scope)
            function = self._methods.get(id(cls), {}).get(name) if cls is not None else None
        elif name in self.script.functions and name not in self.script.classes:
            function = self.script.functions[name]
        returned = next(_returns(function), None) if function is not None else None
        if function is None or returned is None:
            return None
        positional = [each.arg for each in (*function.args.posonlyargs, *function.args.args) if each.arg != "self"]
        given = {**dict(zip(positional, call.args, strict=False)), **keywords(call)}
        values = {each: self.found(value, scope) for each, value in given.items()}
        return Found(returned, Scope(function, cls, values), function.name)

    def _class_of(self, node: ast.expr, scope: Scope) -> ast.ClassDef | None:
        """The class of the script that an expression is an object of, or is."""
        if isinstance(node, ast.Name) and node.id in ("self", "cls"):
            return scope.owner
        at = Found(node, scope)
        for _ in range(MAX_HOPS):
            if isinstance(at.node, ast.Call) and called(at.node) in self.script.classes:
                return self.script.classes[called(at.node)]
            if isinstance(at.node, ast.Name) and at.node.id in self.script.classes:
                return self.script.classes[at.node.id]
            is_self = isinstance(at.node, ast.Attribute) and isinstance(at.node.value, ast.Name)
            after = self._hop(at) if isinstance(at.node, ast.Name) or is_self else None
            if after is None:
                return None
            at = after
        return None

    def part(self, node: ast.expr, scope: Scope, depth: int = 0) -> Part:
        """The value of an expression, with its place.

        Raises:
            TooLarge: The values of the script are too long together.
        """
        self._spend(PART)
        at = self.found(node, scope)
        place = self.script.place(at.node)
        made = Part(place, node=at.node, scope=at.scope)
        if depth > MAX_HOPS:
            return made
        match at.node:
            case ast.Constant(value=str() | int() | float() | None as value):
                self._spend(len(value) if isinstance(value, str) else 0)
                return replace(made, value=value, node=None)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return replace(made, items=tuple(self._items(items, at.scope, depth)))
            case ast.BinOp(left=left, op=ast.Add(), right=right) if self._is_list(left, at.scope):
                sides = (self.part(left, at.scope, depth + 1), self.part(right, at.scope, depth + 1))
                items = [item for each in sides for item in (each.items if each.items is not None else (each,))]
                return replace(made, items=tuple(items))
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                named = [(key.value, each) for key, each in pairs if isinstance(key, ast.Constant)]
                entries = {str(key): self.part(each, at.scope, depth + 1) for key, each in named}
                return replace(made, entries=entries)
            case ast.JoinedStr() | ast.BinOp() | ast.Call() as text:
                return self._text_part(text, at.scope, made)
            case ast.Subscript():
                return self._config(at.node, at.scope) or replace(made, value=self._environment(at.node))
            case _:
                return made

    def _items(self, items: Sequence[ast.expr], scope: Scope, depth: int) -> Iterator[Part]:
        for each in items:
            if isinstance(each, ast.Starred):
                inner = self.part(each.value, scope, depth + 1)
                yield from inner.items if inner.items is not None else (inner,)
            else:
                yield self.part(each, scope, depth + 1)

    def _is_list(self, node: ast.expr, scope: Scope) -> bool:
        inner = self.found(node, scope).node
        for _ in range(MAX_HOPS):
            if not isinstance(inner, ast.BinOp):
                break
            inner = self.found(inner.left, scope).node
        return isinstance(inner, ast.List)

    def _spend(self, length: int) -> None:
        self._left -= length
        if self._left < 0:
            raise TooLarge("The values of the script are too long together.", fix="Import a part of it.")

    # --- texts ---

    def _text_part(self, node: ast.expr, scope: Scope, made: Part) -> Part:
        """A text that is put together, or the expression where it is none."""
        text = self._text(node, scope, 0)
        if text is not None:
            return replace(made, value=text, node=None)
        return replace(made, value=self._environment(node))

    def _text(self, node: ast.expr, scope: Scope, depth: int) -> str | None:
        self._spend(PART)
        at = self.found(node, scope)
        if depth > MAX_HOPS:
            return None
        match at.node:
            case ast.Constant(value=str() | int() | float() as value):
                self._spend(len(str(value)))
                return str(value)
            case ast.JoinedStr(values=values):
                texts = [self._piece(each, at.scope, depth + 1) for each in values]
                return "".join(texts)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first = self._text(left, at.scope, depth + 1)
                second = self._text(right, at.scope, depth + 1) if first is not None else None
                return f"{first}{second}" if first is not None and second is not None else None
            case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[]):
                text = self._text(inner, at.scope, depth + 1)
                return text.strip() if text is not None else None
            case ast.Call(args=[inner]) if called(at.node) in ("dedent", "cleandoc"):
                text = self._text(inner, at.scope, depth + 1)
                return dedent(text) if text is not None else None
            case _:
                return None

    def _piece(self, node: ast.expr, scope: Scope, depth: int) -> str:
        """A piece of an f-string; the name of what only a run would tell is a variable."""
        inner = node.value if isinstance(node, ast.FormattedValue) else node
        text = self._text(inner, scope, depth)
        if text is not None:
            return text
        return f"{{{word(short(inner)) or 'value'}}}"

    def _environment(self, node: ast.expr) -> str | None:
        """`env:NAME` for what reads an environment variable."""
        value = self.script.value_or_none(node) if isinstance(node, ast.Call | ast.Subscript) else None
        return value if isinstance(value, str) and value.startswith("env:") else None

    def _config(self, node: ast.Subscript, scope: Scope) -> Part | None:
        """What `self.agents_config["x"]` is in the YAML files."""
        keys: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Subscript) and len(keys) < MAX_HOPS:
            if not isinstance(inner.slice, ast.Constant) or not isinstance(inner.slice.value, str):
                return None
            keys.insert(0, inner.slice.value)
            inner = inner.value
        written = ast.unparse(inner) if isinstance(inner, ast.Name | ast.Attribute) else ""
        kind = next((each for each in ("agents", "tasks") if each in written), "")
        if not kind:
            return None
        named = self._fields.get((id(scope.owner), f"{kind}_config")) if scope.owner is not None else None
        path = self.script.value_or_none(named)
        near = self.script.place(node).file
        found = self._documents.config(kind, near, path if isinstance(path, str) else f"config/{kind}.yaml", keys[0])
        return found.get(*keys[1:]) if found is not None else None

    # --- crews ---

    def crews(self) -> list[Crew]:
        """The crews of the script: those that it begins first, then the others.

        Raises:
            TooLarge: There are more than `MAX_NODES`.
        """
        made = [call for call in self._calls if called(call) == CREW]
        if max(len(made), len([each for each in self._calls if called(each) in (AGENT, *TASKS)])) > MAX_NODES:
            raise TooLarge(f"The files define more than {MAX_NODES} agents or tasks.", fix="Import a part of them.")
        begun = self._begun()
        order = sorted(made, key=lambda call: begun[id(call)][0] if id(call) in begun else len(self._calls))
        return [self._crew(call, begun.get(id(call), (0, None, None))) for call in order]

    def _begun(self) -> dict[int, tuple[int, ast.Call | None, Found | None]]:
        """By crew, the call that begins it: where it comes, the call, and what the crew is found as."""
        found: dict[int, tuple[int, ast.Call | None, Found | None]] = {}
        for at, call in enumerate(self._calls):
            if called(call) in KICKOFFS and isinstance(call.func, ast.Attribute):
                crew = self.found(call.func.value, self._inside[id(call)])
                found.setdefault(id(crew.node), (at, call, crew))
        return found

    def _crew(self, call: ast.Call, begun: tuple[int, ast.Call | None, Found | None]) -> Crew:
        found = begun[2] or Found(call, self._inside[id(call)])
        scope = found.scope if found.node is call else self._inside[id(call)]
        given = self._given(call, scope)
        agents = self._members(call, "agents", "agent", scope)
        tasks = self._members(call, "tasks", "task", scope)
        manager = given.get("manager_agent")
        owner = scope.owner
        name = given["name"].text if "name" in given else ""
        return Crew(
            name or (owner.name if owner is not None else "") or found.name or "crew",
            self.script.place(call),
            [agent for each in agents if (agent := self.agent(each)) is not None],
            [task for each in tasks if (task := self.task(each)) is not None],
            {name: part for name, part in given.items() if name not in ("agents", "tasks", "name")},
            self._inputs(begun[1]),
            self._agent_of_part(manager) if manager is not None else None,
            list(self._around(owner)),
        )

    def _given(self, call: ast.Call, scope: Scope) -> dict[str, Part]:
        """The settings of a call, over those of the configuration that it names."""
        given = {
            name: self.part(node, scope) for name, node in keywords(call).items() if name not in ("agents", "tasks")
        }
        config = given.pop("config", None)
        extra = [self.part(each.value, scope) for each in call.keywords if each.arg is None]
        base: dict[str, Part] = {}
        for each in (*extra, config):
            base |= (each.entries or {}) if each is not None else {}
        if config is not None and config.entries is None:
            given[LOST_CONFIG] = config
        return {name: self._named_method(name, part, scope) for name, part in base.items()} | given

    def _named_method(self, name: str, part: Part, scope: Scope) -> Part:
        """What a configuration names, which is a method of the class: a tool, a model or a format."""
        if name not in _METHODS:
            return part
        if part.items is not None:
            return replace(part, items=tuple(self._named_method(name, each, scope) for each in part.items))
        at = self._method(part.text, scope)
        return replace(self.part(at.node, at.scope), place=part.place) if at is not None else part

    def _method(self, name: str, scope: Scope) -> Found | None:
        """What a method of this name returns, in the class of a scope."""
        method = self._methods.get(id(scope.owner), {}).get(name) if scope.owner is not None and name else None
        first = next(_returns(method), None) if method is not None else None
        return Found(first, Scope(method, scope.owner), name) if first is not None else None

    def _members(self, call: ast.Call, name: str, kind: str, scope: Scope) -> list[Found]:
        """The agents or tasks of a crew."""
        node = keywords(call).get(name)
        at = self.found(node, scope) if node is not None else None
        if at is not None and isinstance(at.node, ast.List | ast.Tuple):
            return [self.found(each, at.scope) for each in at.node.elts]
        is_own = scope.owner is not None and (node is None or ast.unparse(node) == f"self.{name}")
        if is_own and scope.owner is not None:
            methods = self._methods.get(id(scope.owner), {}).values()
            marked = [each for each in methods if kind in _decorators(each)]
            found = [self._method(each.name, scope) for each in marked]
            return [self.found(each.node, each.scope, each.name) for each in found if each is not None]
        return []

    def _around(self, owner: ast.ClassDef | None) -> Iterator[tuple[Location, str, str]]:
        """Methods around the runs of a crew."""
        for method in self._methods.get(id(owner), {}).values() if owner is not None else ():
            for kind in _AROUND:
                if kind in _decorators(method):
                    yield self.script.place(method), f"`{method.name}`", "Code around a run is not imported."

    def flows(self) -> list[ast.ClassDef]:
        """Classes whose methods start and follow each other."""
        found: list[ast.ClassDef] = []
        for cls in self.script.classes.values():
            methods = self._methods.get(id(cls), {}).values()
            if any(kind in _decorators(method) for method in methods for kind in _LISTENERS):
                found.append(cls)
        return found

    def _inputs(self, call: ast.Call | None) -> Mapping[str, Part]:
        """What a crew is begun with; of several inputs the first."""
        if call is None:
            return {}
        node = keywords(call).get("inputs") or next(iter(call.args), None)
        part = self.part(node, self._inside[id(call)]) if node is not None else None
        first = part.items[0] if part is not None and part.items else part
        return (first.entries if first is not None else None) or {}

    def agent(self, at: Found) -> CrewAgent | None:
        """The agent that an expression is."""
        if not isinstance(at.node, ast.Call) or called(at.node) != AGENT:
            return None
        if at.key not in self._agents:
            given = self._given(at.node, at.scope)
            role = given["role"].text if "role" in given else ""
            name = at.name or word(role) or "agent"
            part = Part(self.script.place(at.node), entries=given)
            self._agents[at.key] = agent_of(name, part, part.place)
        return self._agents[at.key]

    def agents(self) -> list[CrewAgent]:
        """All agents of the script."""
        calls = [call for call in self._calls if called(call) == AGENT]
        found = [self.agent(Found(call, self._inside[id(call)], self._variable(call))) for call in calls]
        return list(dict.fromkeys(each for each in found if each is not None))

    def _variable(self, call: ast.Call) -> str:
        scope = self._inside[id(call)]
        if isinstance(scope.function, ast.FunctionDef) and next(_returns(scope.function), None) is call:
            return scope.function.name
        return self._names.get(id(call), "")

    def task(self, at: Found) -> CrewTask | None:
        """The task that an expression is, with its agent and context."""
        if not isinstance(at.node, ast.Call) or called(at.node) not in TASKS:
            return None
        if at.key in self._making:  # a context that leads back
            return None
        if at.key not in self._tasks:
            self._making.add(at.key)
            given = self._given(at.node, at.scope)
            if called(at.node) != TASKS[0]:
                given.setdefault("condition", Part(self.script.place(at.node), node=at.node))
            named = given["name"].text if "name" in given else ""
            name = named or at.name or "task"
            task = CrewTask(name, self.script.place(at.node), given, self._agent_of_task(given, at.scope))
            self._tasks[at.key] = replace(task, **self._context(given.get("context"), at.scope))
            self._making.discard(at.key)
        return self._tasks[at.key]

    def _agent_of_task(self, given: Mapping[str, Part], scope: Scope) -> CrewAgent | None:
        part = given.get("agent")
        at = self._method(part.text, scope) if part is not None else None
        if at is not None:
            return self.agent(self.found(at.node, at.scope, at.name))
        return self._agent_of_part(part) if part is not None else None

    def _agent_of_part(self, part: Part) -> CrewAgent | None:
        if part.node is None or not isinstance(part.scope, Scope):
            return None
        at = self.found(part.node, part.scope)
        known = self._agents.get(at.key)
        return known or self.agent(replace(at, name=at.name or self._named(at)))

    def _named(self, at: Found) -> str:
        return self._variable(at.node) if isinstance(at.node, ast.Call) else ""

    def _context(self, part: Part | None, scope: Scope) -> dict[str, Sequence[CrewTask] | Sequence[str]]:
        if part is None or part.items is None:
            return {} if part is None or part.is_off else {"lost": [short(part.node) if part.node else part.text]}
        tasks: list[CrewTask] = []
        lost: list[str] = []
        for each in part.items:
            at = self._method(each.text, scope)
            if at is None and each.node is not None and isinstance(each.scope, Scope):
                at = Found(each.node, each.scope)
            at = self.found(at.node, at.scope, at.name) if at is not None else None
            task = self.task(replace(at, name=at.name or self._named(at))) if at is not None else None
            if task is None:
                lost.append(each.text or (short(each.node) if each.node is not None else "a task"))
            elif task not in tasks:
                tasks.append(task)
        return {"context": tasks, "lost": lost}


def is_script(script: PythonScript) -> bool:
    """Whether a script uses CrewAI's agents, crews or flows."""
    words = re.compile(rf"(?:from|import)\s+{PACKAGE}\b")
    return any(words.match(statement) for statement in script.imports.values())


def _returns(function: ast.AST) -> Iterator[ast.expr]:
    """What a function returns, without what functions in it do."""
    todo = list(reversed(getattr(function, "body", ())))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            todo += reversed([each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)])


def _decorators(function: Function) -> set[str]:
    """The names of its decorators."""
    names = [each.func if isinstance(each, ast.Call) else each for each in function.decorator_list]
    return {short(each).rpartition(".")[2] for each in names}
