"""Tools of AutoGen 0.2 and AG2: who may call which function, and functions that work with context variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.classic_script import ClassicAgent, ClassicScript, receiver
from studio.importers.components import config_of
from studio.importers.findings import Report
from studio.importers.names import word
from studio.importers.python_script import Function, called, keywords
from studio.importers.tools import function_tool, report_stand_in, stand_in

FOR_MODELS, FOR_EXECUTION = "register_for_llm", "register_for_execution"
RESULTS = ("ReplyResult", "SwarmResult", "FunctionTargetResult")
"""What functions of AG2 return beside a text: who is next, and the variables that they have changed anyway."""
VARIABLES = "ContextVariables"
_OURS = f"from studio.tools import {VARIABLES}"


@dataclass(frozen=True)
class Registration:
    """A function that an agent's model may call.

    Args:
        node: What names the function; a place for one that is only described.
        schema: Its parameters where the script describes it.
    """

    node: ast.expr | ast.stmt
    function: Function | None
    name: str = ""
    description: str = ""
    schema: JsonValue = None


@dataclass
class Registrations:
    """Functions by the agents that call and execute them."""

    by_agent: dict[ClassicAgent, list[Registration]] = field(default_factory=dict[ClassicAgent, list[Registration]])
    executing: set[ClassicAgent] = field(default_factory=set[ClassicAgent])
    functions: set[str] = field(default_factory=set[str])
    """Names of functions of the script that are tools."""


def registrations_in(classic: ClassicScript) -> Registrations:
    """Who calls and executes which function of a script."""
    found = Registrations()
    for function in classic.script.functions.values():
        for each in function.decorator_list:
            _register(classic, found, each, function, function)
    for call in classic.calls("register_function"):
        _register_call(classic, found, call)
    for node in classic.nodes:
        match node:
            case ast.Call(func=ast.Call() as inner, args=[argument, *_]):
                _register(classic, found, inner, argument, classic.function_of(argument))
            case _:
                pass
    mapped = _mapped(classic)
    for agent in classic.agents:
        _register_own(classic, found, agent, mapped)
    return found


def tools_of(
    classic: ClassicScript, agent: ClassicAgent, registrations: Registrations, report: Report, owner: str
) -> list[JsonObject]:
    """The tools of an agent; the report is told of each."""
    tools: list[JsonObject] = []
    for each in registrations.by_agent.get(agent, ()):
        if each.function is not None:
            shown = {"called": each.name, "described": each.description}
            tool = function_tool(classic.script, each.function, report, owner, **shown)
        else:
            name = each.name or word(ast.unparse(each.node)) or "tool"
            why = "Its code is not in the files."
            report_stand_in(report, classic.script.place(each.node), f"Tool `{name}` of {owner}", why, owner)
            tool = stand_in(name, each.description or f"The function {name}.", each.schema, why)
        if all(config_of(known)["name"] != config_of(tool)["name"] for known in tools):
            tools.append(tool)
    return tools


def _register(
    classic: ClassicScript,
    found: Registrations,
    node: ast.expr,
    at: ast.expr | ast.stmt,
    function: Function | None,
) -> None:
    """Note `agent.register_for_llm(...)` or `agent.register_for_execution(...)` of a function."""
    if not isinstance(node, ast.Call) or called(node) not in (FOR_MODELS, FOR_EXECUTION):
        return
    for agent in classic.agents_of(receiver(node)):
        if called(node) == FOR_EXECUTION:
            found.executing.add(agent)
        else:
            _add(classic, found, agent, at, function, keywords(node))


def _register_call(classic: ClassicScript, found: Registrations, call: ast.Call) -> None:
    """Note `register_function(f, caller=…, executor=…)`, and the map of names that an agent executes."""
    given = keywords(call)
    agents = classic.agents_of(receiver(call))
    if agents:
        found.executing |= set(agents)
        return
    node = call.args[0] if call.args else given.get("f")
    callers = given.get("caller") or (call.args[1] if len(call.args) > 1 else None)
    executors = given.get("executor") or (call.args[2] if len(call.args) > 2 else None)
    found.executing |= set(classic.agents_of(executors))
    for agent in classic.agents_of(callers) if node is not None else ():
        _add(classic, found, agent, node or call, classic.function_of(node), given)


def _register_own(
    classic: ClassicScript, found: Registrations, agent: ClassicAgent, mapped: Mapping[str, ast.expr]
) -> None:
    """Note what an agent is made with: AG2's `functions`, and descriptions of functions in its `llm_config`."""
    given = agent.given.get("functions")
    items = classic.items(given) if given is not None else None
    for node in items if items is not None else [given] if given is not None else []:
        _add(classic, found, agent, node, classic.function_of(node), {})
    if "function_map" in agent.given:
        found.executing.add(agent)
    config = agent.given.get("llm_config")
    entries = classic.entries(config) if config is not None else {}
    for node in [*(classic.items(entries.get("functions")) or ()), *(classic.items(entries.get("tools")) or ())]:
        described = classic.script.value_or_none(node)
        inner = described.get("function", described) if isinstance(described, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            continue
        name = str(inner["name"])
        function = classic.function_of(mapped.get(name))
        found.functions |= {function.name} if function is not None else set()
        description = inner.get("description")
        text = description if isinstance(description, str) else ""
        entry = Registration(node, function, name, text, inner.get("parameters"))
        found.by_agent.setdefault(agent, []).append(entry)


def _mapped(classic: ClassicScript) -> Mapping[str, ast.expr]:
    """Functions by the names under which agents execute them."""
    maps = [agent.given["function_map"] for agent in classic.agents if "function_map" in agent.given]
    for call in classic.calls("register_function"):
        given = keywords(call).get("function_map")
        maps += [given] if given is not None else []
    return {name: node for each in maps for name, node in classic.entries(each).items()}


def _add(
    classic: ClassicScript,
    found: Registrations,
    agent: ClassicAgent,
    node: ast.expr | ast.stmt,
    function: Function | None,
    given: Mapping[str, ast.expr],
) -> None:
    name, description = classic.text_or_none(given.get("name")), classic.text_or_none(given.get("description"))
    described = description or (_described(classic, function, FOR_MODELS) if function is not None else "")
    found.functions |= {function.name} if function is not None else set()
    found.by_agent.setdefault(agent, []).append(Registration(node, function, name or "", described))


def _described(classic: ClassicScript, function: Function, method: str) -> str:
    """The description that another registration of a function gives."""
    for each in function.decorator_list:
        if called(each) == method and isinstance(each, ast.Call):
            text = classic.text_or_none(keywords(each).get("description"))
            if text:
                return text
    return ""


# --- functions of AG2 ---


def make_plain(classic: ClassicScript) -> Mapping[str, Sequence[ast.expr]]:
    """Change functions that return a `ReplyResult` so that they return its message, and work with our variables.

    Returns:
        By the name of a function, the targets that its results name.
    """
    rewriter = _Rewriter()
    # Functions within others come later, and must be changed before those.
    for name, function in reversed(classic.script.functions.items()):
        rewriter.begin(name)
        rewriter.visit(function)
    if rewriter.uses_variables:
        classic.script.imports[VARIABLES] = _OURS
    return {name: _targets(name, rewriter, classic) for name in rewriter.targets}


def _targets(name: str, rewriter: _Rewriter, classic: ClassicScript) -> Sequence[ast.expr]:
    """Targets of a function and of those that it calls."""
    found = list(rewriter.targets[name])
    for node in ast.walk(classic.script.functions[name]):
        if isinstance(node, ast.Call) and called(node) != name:
            found += rewriter.targets.get(called(node), ())
    return found


class _Rewriter(ast.NodeTransformer):
    """Changes functions in place, so that what is known of where they stand stays true."""

    def __init__(self) -> None:
        self.targets: dict[str, list[ast.expr]] = {}
        self.uses_variables = False
        self._name = ""

    def begin(self, name: str) -> None:
        self._name = name
        self.targets[name] = []

    def visit_arg(self, node: ast.arg) -> ast.arg:
        written = ast.unparse(node.annotation) if node.annotation is not None else ""
        if node.arg == "context_variables" or written.endswith(VARIABLES):
            node.annotation = ast.Name(VARIABLES, ast.Load())
            self.uses_variables = True
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Function) -> ast.AST:
        if node.returns is not None and any(name in ast.unparse(node.returns) for name in RESULTS):
            node.returns = ast.Name("str", ast.Load())
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if called(node) not in RESULTS:
            return node
        given = keywords(node)
        self.targets[self._name] += [given[name] for name in ("target", "agent") if name in given]
        message = given.get("message") or given.get("values") or next(iter(node.args), None)
        return message if message is not None else ast.Constant("")


def targets_of(registrations: Sequence[Registration], targets: Mapping[str, Sequence[ast.expr]]) -> Iterator[ast.expr]:
    """The targets that the results of an agent's functions name."""
    for each in registrations:
        if each.function is not None:
            yield from targets.get(each.function.name, ())
