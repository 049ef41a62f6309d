"""Workflows of a script of Agent Framework: in a row, at once, or as a graph."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.findings import Report
from studio.importers.framework_script import FrameworkScript, Orchestration, ScriptAgent
from studio.importers.framework_script_agents import FrameworkAgents
from studio.importers.framework_script_teams import OrchestrationReader
from studio.importers.names import Names
from studio.importers.python_script import called, keywords, short
from studio.importers.workflow import START, Edge, Node, TeamBuilder, Workflow

MAX_EDGES = 1_000
"""Edges of a workflow; a graph that people can read has a tenth of it."""


@dataclass(frozen=True)
class _Way:
    """An edge of a builder.

    Args:
        condition: Its function, where it has one.
        otherwise: Whether it is for the rest.
    """

    source: ast.expr
    target: ast.expr
    condition: ast.expr | None = None
    otherwise: bool = False


class GraphReader:
    """Makes the team of a sequence, of agents at once, or of a graph."""

    def __init__(
        self, framework: FrameworkScript, agents: FrameworkAgents, report: Report, members: OrchestrationReader
    ) -> None:
        self.framework = framework
        self.agents = agents
        self.report = report
        self.members = members
        self.flow = Workflow(report)
        self._nodes: dict[int, str] = {}
        self._variables = Names()

    def team(self, builder: Orchestration) -> JsonObject:
        """The team of a builder."""
        if builder.kind == "SequentialBuilder":
            self._in_a_row(builder)
        elif builder.kind == "ConcurrentBuilder":
            self._at_once(builder)
        else:
            self._graph(builder)
        self.members.leave_out(builder)
        return TeamBuilder(self.flow, self.framework.text(builder.given.get("name"))).team()

    def _put(self, agent: ScriptAgent) -> str:
        """The node of an agent, which is made once."""
        key = id(agent.call)
        if key not in self._nodes:
            label = self.framework.label(agent)
            name = self.flow.names.free(label)
            node = Node(label, self.framework.place(agent.call), None, name=name)
            self.flow.nodes[name] = node
            self._nodes[key] = name
            node.part = self.agents.component(agent, name)
        return self._nodes[key]

    def _in_a_row(self, builder: Orchestration) -> None:
        open_edges, before = [Edge(START)], ""
        only = builder.setting("chain_only_agent_responses", "")
        is_alone = isinstance(only, ast.Constant) and only.value is True
        for agent in self.members.participants(builder):
            name = self._put(agent)
            if is_alone and before:
                self.flow.nodes[name].hears = (before,)
            self.flow.connect(open_edges, name)
            open_edges, before = [Edge(name)], name
        self.flow.connect(open_edges, None)
        self.report.add("exact", self.framework.place(builder.call), "Order of the agents")

    def _at_once(self, builder: Orchestration) -> None:
        names = [self._put(agent) for agent in self.members.participants(builder)]
        for name in names:
            self.flow.nodes[name].hears = "user"
            self.flow.connect([Edge(START)], name)
        self.report.add("exact", self.framework.place(builder.call), "Agents that answer at once")
        open_edges = [Edge(name) for name in names]
        aggregator = builder.setting("aggregator")
        joined = self._aggregator(aggregator) if aggregator is not None else None
        if joined is not None:
            self.flow.connect(open_edges, joined)
            open_edges = [Edge(joined)]
        self.flow.connect(open_edges, None)

    def _aggregator(self, node: ast.expr) -> str | None:
        """An agent that stands for a function which asks a model for a text of all answers."""
        place, function = self.framework.place(node), self.framework.function_of(self.framework.resolved(node))
        calls = [each for each in ast.walk(function) if isinstance(each, ast.Call)] if function is not None else []
        for call in calls:
            if called(call) not in ("run", "get_response") or not isinstance(call.func, ast.Attribute):
                continue
            agent = self.framework.agent_of(call.func.value)
            if agent is not None:
                name = self._put(agent)
                self.flow.nodes[name].waits_for_all = True
            else:
                name = self._summary(call.func.value, calls, node)
            why = "An agent answers here after all others. The code around its question does not come along."
            self.report.add("approximated", place, "Aggregator", why, fix="Check its system message.", became=name)
            return name
        why = "Its code does not come along. The answers stay as they are."
        self.report.add("asked", place, "Aggregator", why, fix="Add an agent that makes one answer of all.")
        return None

    def _summary(self, client: ast.expr, calls: Sequence[ast.Call], node: ast.expr) -> str:
        """An agent with the system text of a function that asks a client itself."""
        text = ""
        for call in calls:
            given = keywords(call)
            role = given.get("role") or next(iter(call.args), None)
            if called(call) in ("Message", "ChatMessage") and self.framework.text(role) == "system":
                said = given.get("contents") or given.get("text") or (call.args[1] if len(call.args) > 1 else None)
                text = "\n".join(self.framework.text(each) for each in self.framework.items(said))
        made = ast.copy_location(ast.Call(ast.Name("Agent", ast.Load()), [], []), node)
        self.framework.script.place_like(made, node)
        name = self.flow.names.free("summary")
        agent = ScriptAgent("summary", made, {"instructions": ast.Constant(text)}, client)
        self.flow.nodes[name] = Node("summary", self.framework.place(node), None, name=name, waits_for_all=True)
        self.flow.nodes[name].part = self.agents.component(agent, name)
        return name

    # --- graphs ---

    def _graph(self, builder: Orchestration) -> None:
        node = builder.setting("start_executor", "set_start_executor")
        ways = self._ways(builder)
        if node is None or (not ways and self.members.agent_or_none(node) is None):
            raise InvalidDocument(
                "The workflow has no start that can be read.", fix="Choose the files with its agents and edges."
            )
        start = self._executor(node)
        self.flow.connect([Edge(START)], start)
        for way in ways:
            source, target = self._executor(way.source), self._executor(way.target)
            self.flow.connect([self._edge(way, source)], target)
        sources = {edge.source for edge in self.flow.edges}
        self.flow.connect([Edge(name) for name in self.flow.nodes if name not in sources], None)

    def _executor(self, node: ast.expr) -> str:
        """The node of an agent, or one that only passes on where code is."""
        agent = self.members.agent_or_none(node)
        if agent is not None:
            return self._put(agent)
        resolved = self.framework.resolved(node)
        function = self.framework.function_of(resolved)
        value = self.framework.text(resolved)
        key = hash(("executor", value)) if value else id(function if function is not None else resolved)
        if key not in self._nodes:
            label = value or (function.name if function is not None else short(node))
            place = self.framework.place(function if function is not None else node)
            name = self.flow.names.free(label, "step")
            self.flow.nodes[name] = Node(label, place, None, name=name)
            self._nodes[key] = name
            why = "It is code, which does not come along. What it is given goes to what follows."
            fix = "Add a step or an agent that does the same."
            self.report.add("asked", place, f"Executor `{label}`", why, fix=fix)
        return self._nodes[key]

    def _edge(self, way: _Way, source: str) -> Edge:
        if way.condition is None:
            return Edge(source, otherwise=way.otherwise)
        place, what = self.framework.place(way.condition), f"Condition `{short(way.condition)}`"
        said = _said(self.framework, way.condition)
        if said:
            why = "The edge is taken where the last message holds the text."
            self.report.add("approximated", place, what, why)
            return Edge(source, said=said)
        variable = self._variables.free(short(way.condition), "condition")
        self.flow.state[variable] = False
        why = f"It is code, which does not come along. The edge asks the context variable {variable}, which is false."
        self.report.add("asked", place, what, why, fix="Write its condition.")
        return Edge(source, condition=variable)

    def _ways(self, builder: Orchestration) -> list[_Way]:
        found: list[_Way] = []
        for call in builder.steps:
            given, kind = keywords(call), called(call)
            first = call.args[0] if call.args else given.get("source") or given.get("sources")
            second = call.args[1] if len(call.args) > 1 else given.get("target") or given.get("targets")
            condition = call.args[2] if len(call.args) > 2 else given.get("condition")
            if kind == "add_chain":
                items = self.framework.items(first or given.get("executors"))
                found += [_Way(before, after) for before, after in pairwise(items)]
            elif kind == "add_edge" and first is not None and second is not None:
                found.append(_Way(first, second, condition))
            elif kind in ("add_fan_out_edges", "add_multi_selection_edge_group") and first is not None:
                found += [_Way(first, each) for each in self.framework.items(second)]
                self._chosen(call, kind)
            elif kind == "add_fan_in_edges" and second is not None:
                found += [_Way(each, second) for each in self.framework.items(first)]
                self.flow.nodes[self._executor(second)].waits_for_all = True
            elif kind == "add_switch_case_edge_group" and first is not None:
                found += self._cases(first, second or given.get("cases"))
            if len(found) > MAX_EDGES:
                raise InvalidDocument(f"The workflow has more than {MAX_EDGES} edges.", fix="Import a part of it.")
        return found

    def _chosen(self, call: ast.Call, kind: str) -> None:
        if kind == "add_multi_selection_edge_group":
            why = "A function chooses among them there. Here all are taken."
            self.report.add("asked", self.framework.place(call), "Choice of edges", why, fix="Write conditions.")

    def _cases(self, source: ast.expr, node: ast.expr | None) -> list[_Way]:
        found: list[_Way] = []
        for item in self.framework.items(node):
            case = self.framework.resolved(item)
            if not isinstance(case, ast.Call):
                continue
            given = keywords(case)
            is_rest = called(case) == "Default"
            target = given.get("target") or next(iter(case.args[0 if is_rest else 1 :]), None)
            condition = None if is_rest else given.get("condition") or next(iter(case.args), None)
            if target is not None:
                found.append(_Way(source, target, condition, otherwise=is_rest))
        return found


def _said(framework: FrameworkScript, node: ast.expr) -> str:
    """The text that a condition looks for in the last message; empty where it asks something else."""
    resolved = framework.resolved(node)
    body = resolved.body if isinstance(resolved, ast.Lambda) else framework.returned(framework.function_of(resolved))
    match body:
        case ast.Compare(left=left, ops=[ast.In()], comparators=[where]):
            names = {each.attr for each in ast.walk(where) if isinstance(each, ast.Attribute)}
            return framework.text(left) if "text" in names and not names & {"lower", "upper"} else ""
        case _:
            return ""
