"""A team as a configuration of Agent Spec: an agent, a swarm, a manager with workers, or a flow of agents."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from studio.agents import AssistantAgent, MessageFilterAgent
from studio.code.conversion import Report
from studio.components import Component, JsonObject, walk
from studio.components.pointers import escape
from studio.exporters.agent_spec_parts import SpecParts
from studio.exporters.parts import name_of_part, place
from studio.exporters.refusals import CannotExport
from studio.teams import DiGraphEdge, GraphFlow, RoundRobinGroupChat, Swarm, Team

_ANSWER = "answer"
_NEXT, _DEFAULT = "next", "default"
_START, _END = "flow start", "flow end"
"""Names that no participant has."""
_FIELD = re.compile(r'"(\w+)":"([^"\\]*)"')
"""A condition on a field of a structured answer, which is a text in the last message."""
_COMPARED = re.compile(r"(\w+)(?:\.(\w+))? == '([^'\\]*)'")
"""A condition on the answer that an agent keeps."""


@dataclass(frozen=True)
class Choice:
    """An edge that is taken for one value of an answer.

    Args:
        output: Which output of the agent is compared.
    """

    target: str
    output: str
    value: str


def write_agent_spec(component: Component, report: Report) -> str:
    """The configuration, as JSON.

    Raises:
        CannotExport: Agent Spec has nothing that a part could be.
    """
    variables = getattr(component, "context_variables", None)
    writer = _Writer(SpecParts(report, variables or {}))
    document = writer.component(component)
    whole: JsonObject = {**document, "agentspec_version": writer.parts.version}
    if writer.referenced:
        whole["$referenced_components"] = writer.referenced
    return json.dumps(whole, indent=2, ensure_ascii=True) + "\n"


class _Writer:
    """Writes one component and what it refers to."""

    def __init__(self, parts: SpecParts) -> None:
        self.parts = parts
        self.referenced: JsonObject = {}

    def component(self, component: Component) -> JsonObject:
        if isinstance(component, AssistantAgent | MessageFilterAgent):
            return self.parts.agent(component, "")
        if not isinstance(component, RoundRobinGroupChat | Swarm | GraphFlow):
            raise self.parts.cannot(component, "")
        count = len(component.participants)
        is_round = component.max_turns == count and component.termination_condition is None
        is_one_round = isinstance(component, RoundRobinGroupChat) and is_round
        more = [
            *(["max_turns"] if is_one_round else []),
            *(["context_variables"] if self._names_all(component) else []),
        ]
        self.parts.drop_fields(component, "", ("name", "description", "participants", "graph", *more))
        if isinstance(component, Swarm):
            return self._swarm(component)
        if isinstance(component, GraphFlow):
            return self._graph(component)
        if count == 1:
            return self.parts.agent(component.participants[0], "/config/participants/0")
        if not is_one_round:
            why = "Its agents answer once each there, one after the other. Agent Spec has no group chat."
            self.parts.report.add("approximated", place(""), name_of_part(component), why)
        names = [each.name for each in component.participants]
        for at, each in enumerate(component.participants):
            self._node(each, f"/config/participants/{at}", ())
        edges = list(zip([_START, *names], [*names, _END], strict=True))
        return self._flow(component, names, [_control(source, "", target) for source, target in edges], ())

    def _names_all(self, team: Team) -> bool:
        """Whether instructions name each context variable, so that all are inputs."""
        texts = [
            agent.system_message or ""
            for _, agent in walk(team)
            if isinstance(agent, AssistantAgent) and agent.system_message_holds_variables
        ]
        return all(any(f"{{{name}}}" in text for text in texts) for name in team.context_variables or ())

    def _swarm(self, team: Swarm) -> JsonObject:
        """A swarm with a relationship for each handoff."""
        names = {each.name for each in team.participants}
        pairs: list[JsonValue] = []
        for at, each in enumerate(team.participants):
            where = f"/config/participants/{at}"
            self.referenced[each.name] = self.parts.agent(each, where, in_swarm=True)
            inner = f"{where}/config/wrapped_agent" if isinstance(each, MessageFilterAgent) else where
            for index, handoff in enumerate(getattr(_inner(each), "handoffs", None) or ()):
                spot = place(f"{inner}/config/handoffs/{index}")
                what = f"{name_of_part(each)}: handoff to {handoff.target}"
                if handoff.target not in names:
                    self.parts.report.add(
                        "dropped", spot, what, "Agent Spec's swarms hand off among their agents only."
                    )
                    continue
                pairs.append([_ref(each.name), _ref(handoff.target)])
                if handoff.name or handoff.description or handoff.message:
                    why = "Its tool has the name and the words of the framework."
                    self.parts.report.add("approximated", spot, what, why)
        return {
            **_named("Swarm", _title(team), team.description or ""),
            "first_agent": _ref(team.participants[0].name),
            "relationships": pairs,
            "handoff": "always",
            "inputs": [],
            "outputs": [],
        }

    # --- flows ---

    def _graph(self, team: GraphFlow) -> JsonObject:
        """A flow with a node for each agent, and one for each choice."""
        graph = team.graph
        starts = list(graph.ordered_start_nodes())
        if len(starts) != 1:
            raise CannotExport(
                "Agent Spec's flows start with one node, and this graph with several.",
                fix="Put one participant before them, or export for another target.",
                where="/config/graph",
            )
        spots = {each.name: (each, f"/config/participants/{at}") for at, each in enumerate(team.participants)}
        controls = [_control(_START, "", starts[0])]
        data: list[JsonValue] = []
        names: list[str] = []
        for name, node in graph.nodes.items():
            part, where = spots[name]
            at = f"/config/graph/nodes/{escape(name)}/edges"
            plain = [each for each in node.edges if not each.condition and not each.context_condition]
            names.append(name)
            if len(plain) == len(node.edges) and len(plain) < 2 and not any(each.otherwise for each in plain):
                self._node(part, where, ())
                controls.append(_control(name, "", plain[0].target if plain else _END))
                continue
            choices, otherwise = self._choices(part, node.edges, at)
            outputs: list[JsonObject] = [] if _is_structured(part) else [{"title": _ANSWER, "type": "string"}]
            self._node(part, where, outputs)
            names.append(self._branch(name, choices))
            choosing = names[-1]
            controls += [_control(name, "", choosing), _control(choosing, _DEFAULT, otherwise or _END)]
            controls += [_control(choosing, f"branch_{at}", each.target) for at, each in enumerate(choices)]
            data.append(_data(name, choices[0].output, choosing))
        return self._flow(team, names, controls, data)

    def _choices(self, part: Component, edges: Sequence[DiGraphEdge], at: str) -> tuple[list[Choice], str]:
        """The values that decide which edge is taken, and where all others lead.

        Raises:
            CannotExport: The edges are no choice by one value.
        """
        found: list[Choice] = []
        otherwise = ""
        kept = getattr(_inner(part), "keep_as", None)
        for index, edge in enumerate(edges):
            condition, said, target = edge.context_condition or "", edge.condition or "", edge.target
            compared, field = _COMPARED.fullmatch(condition), _FIELD.fullmatch(said)
            if edge.otherwise and not condition and not said and not otherwise:
                otherwise = target
            elif compared and not said and compared[1] == kept and bool(compared[2]) == _is_structured(part):
                found.append(Choice(target, compared[2] or _ANSWER, compared[3]))
            elif said and not condition and bool(field) == _is_structured(part):
                known = (field[1], field[2]) if field else (_ANSWER, said)
                found.append(Choice(target, *known))
            else:
                raise CannotExport(
                    "Agent Spec's flows choose one edge by a value of the answer before it, and this edge is another.",
                    fix="Change its condition, or export for another target.",
                    where=f"{at}/{index}",
                )
            if said and not field:
                why = "The whole answer is compared there. Here, it is enough that the answer contains the text."
                self.parts.report.add("approximated", place(f"{at}/{index}/condition"), f"Edge to {target}", why)
        if not found or len({each.output for each in found}) > 1:
            raise CannotExport(
                "Agent Spec's flows choose one edge by one value of the answer before it.",
                fix="Change the conditions, or export for another target.",
                where=at,
            )
        return found, otherwise

    def _branch(self, name: str, choices: Sequence[Choice]) -> str:
        """A node that chooses by what an agent answered."""
        own = f"choice after {name}"
        mapping: JsonObject = {each.value: f"branch_{at}" for at, each in enumerate(choices)}
        branches: list[JsonValue] = [*mapping.values(), _DEFAULT]
        inputs: list[JsonValue] = [{"title": "value", "type": "string"}]
        self.referenced[own] = {
            **_named("BranchingNode", own, ""),
            "inputs": inputs,
            "outputs": [],
            "branches": branches,
            "mapping": mapping,
        }
        return own

    def _node(self, part: Component, where: str, outputs: Sequence[JsonObject]) -> None:
        """A node in which an agent answers."""
        agent = self.parts.agent(part, where, outputs)
        name = str(getattr(part, "name", ""))
        agent["id"] = f"agent {agent['id']}"
        self.referenced[name] = {
            **_named("AgentNode", name, ""),
            "agent": agent,
            "inputs": agent["inputs"],
            "outputs": agent["outputs"],
            "branches": [_NEXT],
        }

    def _flow(
        self, team: Team, names: Sequence[str], controls: list[JsonValue], data: Sequence[JsonValue]
    ) -> JsonObject:
        start: JsonObject = {**_named("StartNode", _START, ""), "inputs": [], "outputs": [], "branches": [_NEXT]}
        end: JsonObject = {
            **_named("EndNode", _END, ""),
            "inputs": [],
            "outputs": [],
            "branches": [],
            "branch_name": _NEXT,
        }
        self.referenced |= {_START: start, _END: end}
        nodes: list[JsonValue] = [_ref(each) for each in (_START, *names, _END)]
        return {
            **_named("Flow", _title(team), team.description or ""),
            "inputs": [],
            "outputs": [],
            "start_node": _ref(_START),
            "nodes": nodes,
            "control_flow_connections": controls,
            "data_flow_connections": list(data),
        }


def _title(team: Team) -> str:
    """What people call a team."""
    return team.label if team.label != type(team).__name__ else team.name


def _is_structured(part: Component) -> bool:
    return getattr(_inner(part), "structured_message_factory", None) is not None


def _inner(part: Component) -> Component:
    """The agent that a filter is around."""
    return part.wrapped_agent if isinstance(part, MessageFilterAgent) else part


def _named(kind: str, name: str, description: str) -> JsonObject:
    return {"component_type": kind, "id": name, "name": name, "description": description, "metadata": {}}


def _ref(name: str) -> JsonObject:
    return {"$component_ref": name}


def _control(source: str, branch: str, target: str) -> JsonValue:
    name = f"{source} {branch or 'to'} {target}"
    ends = {"from_node": cast("JsonValue", _ref(source)), "from_branch": branch or None, "to_node": _ref(target)}
    return {**_named("ControlFlowEdge", name, ""), **ends}


def _data(source: str, output: str, target: str) -> JsonValue:
    return {
        **_named("DataFlowEdge", f"{output} of {source}", ""),
        "source_node": _ref(source),
        "source_output": output,
        "destination_node": _ref(target),
        "destination_input": "value",
    }
