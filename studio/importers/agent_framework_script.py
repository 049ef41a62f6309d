"""A script of Microsoft Agent Framework as a team: its first orchestration, else the agents that it runs."""

from __future__ import annotations

import ast

from studio.components import JsonObject
from studio.components.python_text import bounded_together
from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.findings import Imported, Report
from studio.importers.finishing import finished
from studio.importers.framework_script import PACKAGE, FrameworkScript, Orchestration, ScriptAgent
from studio.importers.framework_script_agents import FrameworkAgents
from studio.importers.framework_script_graphs import GraphReader
from studio.importers.framework_script_teams import OrchestrationReader
from studio.importers.python_script import PythonScript, called
from studio.importers.workflow import START, Edge, Node, TeamBuilder, Workflow

SOURCE = "agent-framework-python"
_RUNS = ("run", "run_stream")


def is_framework_script(bundle: Bundle) -> bool:
    """Whether the files hold a script of Agent Framework.

    Raises:
        StudioError: They could, and one of them cannot be read.
    """
    if not any(PACKAGE in text for _, text in bundle.named(".py", ".ipynb")):
        return False
    with bounded_together():
        return PythonScript(bundle).imports_from(PACKAGE)


def import_framework_script(bundle: Bundle) -> Imported:
    """The team of a script.

    Raises:
        InvalidDocument: It has no agent.
    """
    report = Report()
    framework = FrameworkScript(bundle)
    agents = FrameworkAgents(framework, report)
    first, *others = _outer(framework) or [None]
    if first is not None:
        reader = OrchestrationReader(framework, agents, report)
        is_graph = first.kind in ("SequentialBuilder", "ConcurrentBuilder", "WorkflowBuilder")
        team = GraphReader(framework, agents, report, reader).team(first) if is_graph else reader.team(first)
    else:
        team = _runs(framework, agents, report)
    for each in others:
        if each is not None:
            why = "One import gives one team, which is that of the first builder."
            report.add(
                "asked", framework.place(each.call), f"`{each.kind}`", why, fix="Import it in a script of its own."
            )
    if not others:
        _left_out(framework, report, agents.used)
    return finished(SOURCE, team, report)


def _outer(framework: FrameworkScript) -> list[Orchestration]:
    """Builders in the order of the script, without those whose workflow is a participant of another."""
    inner: set[int] = set()
    for builder in framework.orchestrations.values():
        for item in framework.items(builder.given.get("participants")):
            found = framework.orchestration_of(item)
            if found is not None and found is not builder:
                inner.add(id(found))
    return [each for each in framework.orchestrations.values() if id(each) not in inner]


def _runs(framework: FrameworkScript, agents: FrameworkAgents, report: Report) -> JsonObject:
    """The first agent that is run, and those that are run with its answer."""
    if not framework.agents:
        raise InvalidDocument(
            "The files hold no agent that can be read.",
            fix="Choose the file in which `Agent(...)` or a builder is called, or the whole folder.",
        )
    chain = _chain(framework)
    flow = Workflow(report)
    open_edges = [Edge(START)]
    for agent in chain:
        label = framework.label(agent)
        name = flow.names.free(label)
        flow.nodes[name] = Node(label, framework.place(agent.call), agents.component(agent, name), name=name)
        flow.connect(open_edges, name)
        open_edges = [Edge(name)]
    flow.connect(open_edges, None)
    if len(chain) > 1:
        why = "Each agent answers once, in the order of the script; its loops, branches and other Python are not read."
        report.add("approximated", framework.place(chain[1].call), "Order of the runs", why, fix="Check the order.")
    return TeamBuilder(flow, "").team()


def _chain(framework: FrameworkScript) -> list[ScriptAgent]:
    runs = [
        (agent, call)
        for call in framework.calls
        if called(call) in _RUNS and isinstance(call.func, ast.Attribute)
        if (agent := framework.agent_of(call.func.value)) is not None
    ]
    if not runs:
        tools = {id(each) for agent in framework.agents.values() for each in _inner(framework, agent)}
        return [next((each for key, each in framework.agents.items() if key not in tools), _first(framework))]
    chain, results = [runs[0][0]], {framework.variable_of(runs[0][1])}
    for agent, call in runs[1:]:
        given = [*call.args, *(each.value for each in call.keywords if each.arg in ("messages", "message"))]
        reads = {each.id for node in given for each in ast.walk(node) if isinstance(each, ast.Name)}
        if agent not in chain and reads & (results - {""}):
            chain.append(agent)
            results.add(framework.variable_of(call))
    return chain


def _first(framework: FrameworkScript) -> ScriptAgent:
    return next(iter(framework.agents.values()))


def _inner(framework: FrameworkScript, agent: ScriptAgent) -> list[ast.Call]:
    """Agents that are tools of another."""
    found: list[ast.Call] = []
    for node in framework.items(agent.given.get("tools")):
        call = framework.resolved(node)
        if isinstance(call, ast.Call) and called(call) == "as_tool" and isinstance(call.func, ast.Attribute):
            other = framework.agent_of(call.func.value)
            found += [other.call] if other is not None else []
    return found


def _left_out(framework: FrameworkScript, report: Report, used: set[ScriptAgent]) -> None:
    """Say which agents are in no part of the team."""
    for agent in framework.agents.values():
        if agent not in used:
            why = "What the script runs first does not lead to it."
            what = f"Agent “{framework.label(agent)}”"
            report.add("asked", framework.place(agent.call), what, why, fix="Import it in a script of its own.")
