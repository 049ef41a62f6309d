"""A script of the OpenAI Agents SDK as a team: handoffs as a swarm, runs in a row as a chain."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.agents_sdk import AgentDefinition, AgentReader
from studio.importers.bundle import Bundle
from studio.importers.components import component, config_of, labelled, plain_answer
from studio.importers.findings import Imported, Report
from studio.importers.finishing import finished
from studio.importers.names import Names
from studio.importers.python_script import PythonScript, called, keywords
from studio.importers.workflow import START, Edge, Hearing, Node, TeamBuilder, Workflow

SOURCE = "openai-agents"
RUNS = ("run", "run_sync", "run_streamed")
SWARM_TURNS = 10
"""Turns of a run, where the SDK counts ten calls of models."""
_HANDOFF_SETTINGS = ("on_handoff", "input_type", "input_filter", "is_enabled", "nest_handoff_history")


@dataclass(frozen=True)
class _Run:
    """A `Runner.run(...)` of the script.

    Args:
        given_text: What the agent is given.
        result: Name of the variable that takes the result.
    """

    agent: AgentDefinition
    call: ast.Call
    given_text: ast.expr | None
    result: str


def import_script(bundle: Bundle) -> Imported:
    """The team of a script.

    Raises:
        InvalidDocument: It has no agent.
    """
    report = Report()
    script = PythonScript(bundle)
    reader = AgentReader(script, report)
    if not reader.agents:
        raise InvalidDocument(
            "The files hold no agent.", fix="Choose the file in which `Agent(...)` is called, or the whole folder."
        )
    runs = _runs(script, reader)
    entry = runs[0].agent if runs else _nobody_hands_to(reader)
    team = _swarm(reader, entry, report) if _handoffs(reader, entry) else _chain(reader, entry, runs, report)
    return finished(SOURCE, team, report)


def _runs(script: PythonScript, reader: AgentReader) -> list[_Run]:
    """Runs in the order in which they stand there, without those of guardrails and tools."""
    inner = {
        id(node) for function in script.functions.values() if function.decorator_list for node in ast.walk(function)
    }
    results = {
        id(_awaited(node.value)): node.targets[0].id
        for tree in script.trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    found: list[_Run] = []
    for tree in script.trees:
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in inner]
        for call in sorted(calls, key=lambda each: (each.lineno, each.col_offset)):
            if called(call) not in RUNS or "Runner" not in ast.unparse(call.func):
                continue
            given = keywords(call)
            agent = reader.agent_of(call.args[0] if call.args else given.get("starting_agent"))
            given_text = call.args[1] if len(call.args) > 1 else given.get("input")
            if agent is not None:
                found.append(_Run(agent, call, given_text, results.get(id(call), "")))
    return found


def _awaited(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Await) else node


def _nobody_hands_to(reader: AgentReader) -> AgentDefinition:
    """The agent to begin with, where no run names one: it has handoffs and is handed to least."""
    targets = [each.variable for agent in reader.agents.values() for each, _ in _handoffs(reader, agent)]
    with_handoffs = [agent for agent in reader.agents.values() if _handoffs(reader, agent)]
    candidates = with_handoffs or list(reader.agents.values())
    first = [agent for agent in candidates if agent.variable not in targets]
    return first[0] if first else max(candidates, key=lambda each: len(_handoffs(reader, each)))


def _handoffs(reader: AgentReader, agent: AgentDefinition) -> list[tuple[AgentDefinition, dict[str, ast.expr]]]:
    """To whom an agent hands over, each with the settings of the handoff."""
    node = agent.given.get("handoffs")
    resolved = reader.script.resolved(node) if node is not None else None
    items = [*(resolved.elts if isinstance(resolved, ast.List) else []), *agent.later]
    found: list[tuple[AgentDefinition, dict[str, ast.expr]]] = []
    for item in items:
        value = reader.script.resolved(item) if not (isinstance(item, ast.Name) and item.id in reader.agents) else item
        given = keywords(value) if isinstance(value, ast.Call) and called(value) == "handoff" else {}
        if isinstance(value, ast.Call) and called(value) == "handoff":
            value = value.args[0] if value.args else given.get("agent", value)
        target = reader.agent_of(value)
        if target is not None and all(each is not target for each, _ in found):
            found.append((target, given))
    return found


# --- handoffs ---


def _swarm(reader: AgentReader, entry: AgentDefinition, report: Report) -> JsonObject:
    order = [entry]
    for agent in order:
        order += [each for each, _ in _handoffs(reader, agent) if all(each is not known for known in order)]
    names = Names()
    named = {agent.variable: names.free(reader.label(agent)) for agent in order}
    participants: list[JsonObject] = []
    for agent in order:
        name = named[agent.variable]
        part = reader.component(agent, name, in_swarm=True)
        handoffs = [
            _handoff(reader, name, named[each.variable], each, given) for each, given in _handoffs(reader, agent)
        ]
        config: JsonObject = {"name": name, **config_of(part), "handoffs": cast("list[JsonValue]", handoffs)}
        config.setdefault("max_tool_iterations", 10)
        config.setdefault("reflect_on_tool_use", False)
        participants.append(labelled({**part, "config": config}, reader.label(agent)))
    why = (
        "The agents share one conversation. One turn here is one or more calls of a model, and the agent that takes "
        "over reads a sentence about it instead of a tool's result."
    )
    report.add("approximated", reader.place(entry), "Handoffs", why)
    _left_out(reader, [agent.variable for agent in order], report)
    return component(
        "autogen_agentchat.teams.Swarm",
        participants=cast("list[JsonValue]", participants),
        termination_condition=plain_answer(participants),
        max_turns=SWARM_TURNS,
    )


def _handoff(
    reader: AgentReader, owner: str, target: str, agent: AgentDefinition, given: dict[str, ast.expr]
) -> JsonObject:
    """A handoff with the words that the SDK's model reads."""
    script, label = reader.script, reader.label(agent)
    given_text = script.value_or_none(given.get("tool_name_override"))
    described = script.value_or_none(given.get("tool_description_override"))
    about = script.value_or_none(agent.given.get("handoff_description"))
    usual = f"Handoff to the {label} agent to handle the request. {about if isinstance(about, str) else ''}"
    name = (
        given_text
        if isinstance(given_text, str) and given_text.isidentifier()
        else f"transfer_to_{Names().free(label.lower())}"
    )
    for setting in _HANDOFF_SETTINGS:
        if setting in given:
            why = "Code of a handoff is not imported."
            what = f"`{setting}` of the handoff from {owner} to {target}"
            reader.report.add("dropped", script.place(given[setting]), what, why, became=owner)
    return {"target": target, "name": name, "description": described if isinstance(described, str) else usual}


# --- one after the other ---


def _chain(reader: AgentReader, entry: AgentDefinition, runs: Sequence[_Run], report: Report) -> JsonObject:
    """Agents that are run one after the other, each once; without a run the first one alone."""
    flow = Workflow(report)
    first: list[_Run] = []
    for run in runs:
        if all(run.agent is not known.agent for known in first) and not _handoffs(reader, run.agent):
            first.append(run)
    open_edges = [Edge(START)]
    nodes: dict[str, str] = {}
    for run in first:
        name = flow.names.free(reader.label(run.agent))
        nodes[run.result] = name
        hears = _hearing(run, nodes, is_first=run is first[0])
        part = reader.component(run.agent, name)
        place = reader.place(run.agent)
        flow.nodes[name] = Node(reader.label(run.agent), place, part, hears, name=name)
        flow.connect(open_edges, name)
        open_edges = [Edge(name)]
    if not first:
        name = flow.names.free(reader.label(entry))
        flow.nodes[name] = Node(reader.label(entry), reader.place(entry), reader.component(entry, name), name=name)
        flow.connect(open_edges, name)
        open_edges = [Edge(name)]
    flow.connect(open_edges, None)
    if len(first) > 1:
        why = "Each agent answers once, in the order of the script; its loops, branches and other Python are not read."
        report.add("approximated", reader.script.place(first[1].call), "Order of the runs", why, fix="Check the order.")
    used = [run.agent.variable for run in first] or [entry.variable]
    _left_out(reader, used, report)
    return TeamBuilder(flow, "").team()


def _hearing(run: _Run, nodes: dict[str, str], *, is_first: bool) -> Hearing:
    """What an agent of a chain hears: the results that the script gives it, or the user's message again."""
    if is_first or run.given_text is None:
        return "all"
    given = {node.id for node in ast.walk(run.given_text) if isinstance(node, ast.Name)} & (nodes.keys() - {""})
    outputs = {
        node.value.id
        for node in ast.walk(run.given_text)
        if isinstance(node, ast.Attribute) and node.attr == "final_output" and isinstance(node.value, ast.Name)
    }
    if given and given == outputs and isinstance(run.given_text, ast.Attribute):
        return tuple(nodes[name] for name in sorted(given))
    return "all" if given or not isinstance(run.given_text, ast.Name) else "user"


def _left_out(reader: AgentReader, used: Sequence[str], report: Report) -> None:
    """Say which agents are in no run of the team."""
    seen = set(used)
    todo = [reader.agents[each] for each in used]
    while todo:
        agent = todo.pop()
        for node in agent.given.values():
            for each in ast.walk(node):
                found = reader.agent_of(each) if isinstance(each, ast.Name) else None
                inner = reader.script.functions.get(each.id) if isinstance(each, ast.Name) else None
                for name in ast.walk(inner) if inner is not None else ():
                    asked = reader.agent_of(name) if isinstance(name, ast.Name) else None
                    if asked is not None:
                        seen.add(asked.variable)
                if found is not None and found.variable not in seen:
                    seen.add(found.variable)
                    todo.append(found)
    for agent in reader.agents.values():
        if agent.variable not in seen:
            why = "The first run of the script does not lead to it."
            report.add(
                "asked",
                reader.place(agent),
                f"Agent “{reader.label(agent)}”",
                why,
                fix="Import it in a script of its own.",
            )
