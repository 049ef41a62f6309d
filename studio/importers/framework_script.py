"""Python of Microsoft Agent Framework: its agents and builders, and what names stand for where they are used."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.errors import TooLarge
from studio.importers.bundle import Bundle
from studio.importers.findings import Location
from studio.importers.python_script import Function, PythonScript, called, keywords
from studio.importers.workflow import MAX_NODES

PACKAGE = "agent_framework"
BUILDERS = (
    "SequentialBuilder",
    "ConcurrentBuilder",
    "GroupChatBuilder",
    "HandoffBuilder",
    "MagenticBuilder",
    "WorkflowBuilder",
)
_AGENTS = ("Agent", "ChatAgent", "RawAgent")
_MAKERS = ("as_agent", "create_agent")
MAX_STEPS = 20
"""Names and functions that stand for one another."""
MAX_ITEMS = 100
"""Lists within lists."""


class Bounded:
    """A number of steps that many share, so that names which stand for one another come to an end."""

    def __init__(self, left: int) -> None:
        self._left = left

    def one(self) -> bool:
        """Whether there is one more."""
        self._left -= 1
        return self._left >= 0


@dataclass(frozen=True, eq=False)
class ScriptAgent:
    """An agent of a script.

    Args:
        variable: Its name in the script; empty where it is made in its place.
        client: The client that it is given, or that makes it.
    """

    variable: str
    call: ast.Call
    given: Mapping[str, ast.expr]
    client: ast.expr | None


@dataclass(frozen=True, eq=False)
class Orchestration:
    """A builder of a script with what is said to it.

    Args:
        kind: Its class.
        given: Arguments of its constructor.
        steps: Calls of its methods, in their order.
    """

    kind: str
    call: ast.Call
    given: Mapping[str, ast.expr]
    steps: Sequence[ast.Call]

    def said(self, method: str) -> list[ast.Call]:
        """The calls of one of its methods."""
        return [each for each in self.steps if called(each) == method]

    def setting(self, name: str, method: str = "") -> ast.expr | None:
        """An argument of the constructor, or the first one of a method with this name."""
        for call in reversed(self.said(method or f"with_{name}")):
            found = keywords(call).get(name) or next(iter(call.args), None)
            if found is not None:
                return found
        return self.given.get(name)


@dataclass
class _Scope:
    """The names of a function, or of a module."""

    parent: _Scope | None
    function: Function | None = None
    values: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    functions: dict[str, Function] = field(default_factory=dict[str, Function])


class FrameworkScript:
    """The modules of a bundle as Agent Framework would see them. Nothing of them is executed."""

    def __init__(self, bundle: Bundle) -> None:
        """Parse the modules.

        Raises:
            StudioError: One is not Python or too long, or there are too many agents.
        """
        self.script = PythonScript(bundle)
        self.agents: dict[int, ScriptAgent] = {}
        self.orchestrations: dict[int, Orchestration] = {}
        self.calls: list[ast.Call] = []
        self._calls_of: dict[str, ast.Call] = {}
        self._scopes: dict[int, _Scope] = {}
        self._variables: dict[int, str] = {}
        for tree in self.script.trees:
            self._enter(tree, _Scope(None))
        self.calls.sort(key=lambda each: (each.end_lineno or 0, each.end_col_offset or 0))  # inner ones come first
        self._find_agents()
        self._find_orchestrations()

    def _enter(self, tree: ast.Module, scope: _Scope) -> None:
        """Note each name in the scope that it belongs to."""
        todo: list[tuple[ast.AST, _Scope]] = [(tree, scope)]
        while todo:
            node, scope = todo.pop()
            self._scopes[id(node)] = scope
            if isinstance(node, ast.Call):
                self.calls.append(node)
                self._calls_of.setdefault(called(node), node)
            if isinstance(node, Function):
                scope.functions.setdefault(node.name, node)
            self._note(node, scope)
            inner = scope
            if isinstance(node, Function | ast.Lambda):
                inner = _Scope(scope, node if isinstance(node, Function) else None)
            todo += [(child, inner) for child in reversed(list(ast.iter_child_nodes(node)))]

    def _note(self, node: ast.AST, scope: _Scope) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                for at, name in enumerate(names):
                    if isinstance(name, ast.Name):
                        picked = ast.Subscript(value, ast.Constant(at), ast.Load())
                        self._scopes[id(picked)] = scope
                        scope.values.setdefault(name.id, picked)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
                | ast.withitem(context_expr=value, optional_vars=ast.Name(id=name))
            ):
                scope.values.setdefault(name, value)
                made = value.value if isinstance(value, ast.Await) else value
                self._variables.setdefault(id(made), name)
            case _:
                pass

    def resolved(self, node: ast.expr) -> ast.expr:
        """What an expression stands for: names, awaited calls and functions that only return are followed."""
        return self._followed(node, Bounded(MAX_STEPS))

    def _followed(self, node: ast.expr, steps: Bounded) -> ast.expr:
        while steps.one():
            found = self._step(node, steps)
            if found is None:
                break
            node = found
        return node

    def _step(self, node: ast.expr, steps: Bounded) -> ast.expr | None:
        match node:
            case ast.Name(id=name):
                return self._value_of(node, name)
            case ast.Await(value=value):
                return value
            case ast.Call(func=ast.Attribute(attr="enter_async_context"), args=[value]):
                return value
            case ast.Subscript(value=value, slice=ast.Constant(value=int(at))):
                whole = self._followed(value, steps)
                items = whole.elts if isinstance(whole, ast.Tuple | ast.List) else []
                return items[at] if 0 <= at < len(items) else None
            case ast.Call(func=ast.Name()):
                return self.returned(self.function_of(node.func))
            case _:
                return None

    def _value_of(self, node: ast.expr, name: str) -> ast.expr | None:
        scope = self._scopes.get(id(node))
        while scope is not None:
            if name in scope.values:
                return scope.values[name] if scope.values[name] is not node else None
            if scope.function is not None and (given := self._given(scope.function, name)) is not None:
                return given
            scope = scope.parent
        return self.script.values.get(name)

    def _given(self, function: Function, name: str) -> ast.expr | None:
        """What the first call of a function gives for one of its parameters."""
        call = self._calls_of.get(function.name)
        names = [each.arg for each in function.args.args]
        if call is None or name not in names:
            return None
        at = names.index(name)
        return keywords(call).get(name) or (call.args[at] if at < len(call.args) else None)

    def function_of(self, node: ast.expr | None) -> Function | None:
        """The function that a name stands for, with the one in the same function before others."""
        if not isinstance(node, ast.Name):
            return None
        scope = self._scopes.get(id(node))
        while scope is not None:
            if node.id in scope.functions:
                return scope.functions[node.id]
            scope = scope.parent
        return self.script.functions.get(node.id)

    @staticmethod
    def returned(function: Function | None) -> ast.expr | None:
        """What a function without decorators returns, where it returns one thing."""
        if function is None or function.decorator_list:
            return None
        found = [each.value for each in function.body if isinstance(each, ast.Return) and each.value is not None]
        return found[0] if len(found) == 1 else None

    def items(self, node: ast.expr | None) -> list[ast.expr]:
        """The items of a list; a single thing is a list of one."""
        return self._items(node, Bounded(MAX_ITEMS))

    def _items(self, node: ast.expr | None, left: Bounded) -> list[ast.expr]:
        resolved = self.resolved(node) if node is not None and left.one() else None
        match resolved:
            case None | ast.Constant(value=None):
                return []
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                found: list[ast.expr] = []
                for each in items:
                    found += self._items(each.value, left) if isinstance(each, ast.Starred) else [each]
                return found
            case _:
                return [node] if node is not None else []

    def text(self, node: ast.expr | None) -> str:
        """A text that the script has; empty where it has none."""
        value = self.script.value_or_none(self.resolved(node)) if node is not None else None
        return value if isinstance(value, str) else ""

    def number(self, node: ast.expr | None) -> int | None:
        """A whole number from 1 that the script has."""
        value = self.script.value_or_none(self.resolved(node)) if node is not None else None
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1_000_000 else None

    def place(self, node: ast.AST) -> Location:
        return self.script.place(node)

    def variable_of(self, call: ast.Call) -> str:
        """The name of what a call gives; empty where it has none."""
        return self._variables.get(id(call), "")

    # --- agents ---

    def _find_agents(self) -> None:
        for call in self.calls:
            kind, given = called(call), keywords(call)
            client = given.get("client") or given.get("chat_client")
            if kind in _MAKERS and isinstance(call.func, ast.Attribute):
                if "instructions" not in given and not self._is_client(call.func.value):
                    continue  # a workflow that stands for an agent
                client = call.func.value
            elif not self._is_class_of_agents(kind):
                continue
            elif kind in _AGENTS:
                client = client or next(iter(call.args), None)
                given = {**({"instructions": call.args[1]} if len(call.args) > 1 else {}), **given}
            self.agents[id(call)] = ScriptAgent(self.variable_of(call), call, given, client)
        if len(self.agents) > MAX_NODES:
            raise TooLarge(f"The files define more than {MAX_NODES} agents.", fix="Import a part of them.")

    def _is_class_of_agents(self, kind: str) -> bool:
        statement = self.script.imports.get(kind, "")
        return kind.endswith("Agent") and kind != "WorkflowAgent" and statement.startswith(f"from {PACKAGE}")

    def _is_client(self, node: ast.expr) -> bool:
        return called(self.resolved(node)).endswith(("Client", "Provider"))

    def agent_of(self, node: ast.expr | None) -> ScriptAgent | None:
        """The agent that an expression stands for, if it does; an executor around it counts as the agent."""
        for _ in range(MAX_STEPS):
            resolved = self.resolved(node) if node is not None else None
            if not isinstance(resolved, ast.Call):
                return None
            if id(resolved) in self.agents:
                return self.agents[id(resolved)]
            if called(resolved) != "AgentExecutor":
                return None
            node = next(iter(resolved.args), None) or keywords(resolved).get("agent")
        return None

    def label(self, agent: ScriptAgent) -> str:
        """The agent's name as people read it."""
        return self.text(agent.given.get("name")).strip() or agent.variable or "agent"

    # --- builders ---

    def _find_orchestrations(self) -> None:
        steps: dict[int, list[ast.Call]] = {}
        roots: dict[int, ast.Call | None] = {}
        for call in self.calls:
            kind = called(call)
            if kind in BUILDERS:
                roots[id(call)] = call
                steps[id(call)] = []
            elif isinstance(call.func, ast.Attribute):
                before = self.resolved(call.func.value)
                root = roots.get(id(before))
                roots[id(call)] = root
                if root is not None:
                    steps[id(root)].append(call)
        for call in self.calls:
            if id(call) in steps:
                self.orchestrations[id(call)] = Orchestration(called(call), call, keywords(call), steps[id(call)])
        self._roots = roots

    def orchestration_of(self, node: ast.expr | None) -> Orchestration | None:
        """The builder behind a workflow, also behind one that stands for an agent."""
        resolved = self.resolved(node) if node is not None else None
        root = self._roots.get(id(resolved))
        return self.orchestrations.get(id(root)) if root is not None else None
