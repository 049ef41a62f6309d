"""A workflow of nodes and edges, as several sources have one, and the team that it becomes.

An importer adds nodes and says what leads where; here passing nodes are taken out, routers are joined with the agent
before them, edges are made alternatives, and each agent is made to hear what it heard in the source.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.components import (
    STEP,
    assignments,
    component,
    config_of,
    heard_only,
    labelled,
    round_robin,
    step,
)
from studio.importers.expressions import INPUT, are_exclusive, negated
from studio.importers.findings import Location, Report
from studio.importers.names import Names

START = ""
MAX_NODES = 300
"""A canvas that people can read has a tenth of it."""
LOOP_TURNS = 100
"""Turns after which a workflow with a loop ends, whatever its condition says."""
Hearing = Literal["all", "user", "nothing"] | tuple[str, ...]
"""Of the conversation: all, the task alone, none of it, or what these nodes say."""


@dataclass
class Node:
    """A node of a workflow.

    Args:
        label: As people called it.
        part: The component, without its name; None for a node that only passes on.
        hears: What of the conversation it heard in the source.
        tells: Whether later agents hear its answer.
        prompts: Texts with `{variables}` that it hears after the conversation, and nobody else does.
        is_router: Whether it does nothing but choose an edge.
        prompt_of: The agent that alone hears what it says.
        waits_for_all: Whether it comes once, after all that lead to it.
    """

    label: str
    place: Location
    part: JsonObject | None
    hears: Hearing = "all"
    tells: bool = True
    prompts: Sequence[str] = ()
    is_router: bool = False
    prompt_of: str = ""
    name: str = ""
    waits_for_all: bool = False


@dataclass(frozen=True)
class Edge:
    """What leads from one node to another; `target` None is the end.

    Args:
        condition: On context variables.
        said: Text that the last message must hold.
        otherwise: Whether it is taken when no other edge of its source is.
    """

    source: str
    target: str | None = None
    condition: str | None = None
    said: str | None = None
    otherwise: bool = False

    @property
    def is_plain(self) -> bool:
        return self.condition is None and self.said is None and not self.otherwise


@dataclass
class Workflow:
    """Nodes by id, edges in the order in which they are asked, and the state."""

    report: Report
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    edges: list[Edge] = field(default_factory=list[Edge])
    state: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    names: Names = field(default_factory=Names)
    kept: dict[str, str] = field(default_factory=dict[str, str])
    """Variables that keep the answers of nodes."""

    def add(self, node: Node, wanted: str = "") -> str:
        """A node; its id is the name that it has in the team."""
        name = self.names.free(wanted or node.label, "step" if node.is_router else "agent")
        node.name = name
        self.nodes[name] = node
        return name

    def connect(self, open_edges: Iterable[Edge], target: str | None) -> None:
        """Let edges that have no target yet lead to this node, or to the end."""
        self.edges.extend(replace(each, target=target) for each in open_edges)

    def variable_of(self, node: str) -> str:
        """The variable that keeps the answer of a node."""
        if node not in self.kept:
            name, number = node, 2
            while name in self.state or name in self.kept.values():
                name, number = f"{node}_{number}", number + 1
            self.kept[node] = name
            part = self.nodes[node].part
            if part is not None:
                config_of(part)["keep_as"] = name
        return self.kept[node]

    def into(self, node: str | None) -> list[Edge]:
        return [edge for edge in self.edges if edge.target == node]

    def out_of(self, node: str) -> list[Edge]:
        return [edge for edge in self.edges if edge.source == node]

    def remove(self, node: str) -> None:
        del self.nodes[node]
        self.edges = [edge for edge in self.edges if node not in (edge.source, edge.target)]


def alternatives(source: str, conditions: Sequence[str | None]) -> list[Edge]:
    """Open edges for if, else if and so on; None is a condition that always holds, the last edge is for the rest."""
    asked = [condition for condition in conditions if condition is not None]
    earlier = [] if are_exclusive(asked) else asked
    edges: list[Edge] = []
    for at, condition in enumerate(conditions):
        if condition is None:
            edges.append(Edge(source, condition=" and ".join(map(negated, earlier[:at])) or "true"))
            continue
        parts = [negated(each) for each in earlier[:at]]
        whole = " and ".join([*parts, f"({condition})"]) if parts else condition
        edges.append(Edge(source, condition=whole))
    return [*edges, Edge(source, otherwise=bool(edges))]


class TeamBuilder:
    """Makes the team of a workflow."""

    def __init__(self, workflow: Workflow, name: str) -> None:
        self._flow = workflow
        self._name = name
        self.participants: list[JsonObject] = []
        self._order: list[str] = []
        self._after: dict[str, set[str]] = {}

    def team(self) -> JsonObject:
        """The component; `participants` holds those of it afterwards.

        Raises:
            TooLarge: There are more than `MAX_NODES` nodes.
        """
        flow = self._flow
        if len(flow.nodes) > MAX_NODES:
            raise TooLarge(f"The workflow has more than {MAX_NODES} nodes.", fix="Import its parts one by one.")
        self._pass_on()
        self._drop_unreached()
        if self._uses_input():
            self._begin(assignments=assignments([(INPUT, "message")]))
        elif len(flow.out_of(START)) > 1:
            self._begin()
        if not flow.nodes:
            self._say_nothing()
        self._speak_prompts()
        self._join_steps()
        self._join_routers()
        self._without_dead_ends()
        self._without_endless_loops()
        self._settle()
        variables = {**dict.fromkeys(flow.kept.values()), **flow.state} | self._assigned()
        self.participants = [self._participant(name) for name in self._order]
        chain = self._chain()
        if chain:
            turns = len(self.participants)
            return labelled(round_robin(self.participants, turns, variables), self._name)
        return labelled(self._graph(variables), self._name)

    # --- taking out what is no participant ---

    def _pass_on(self) -> None:
        """Join the edges on both sides of nodes that only pass on."""
        flow = self._flow
        for name in [name for name, node in flow.nodes.items() if node.part is None]:
            before, after = flow.into(name), flow.out_of(name) or [Edge(name, None)]
            flow.remove(name)
            for first in before:
                for second in after:
                    if first.source != name and second.target != name:
                        flow.edges.append(replace(first, target=second.target))
        flow.edges = list(dict.fromkeys(flow.edges))

    def _drop_unreached(self) -> None:
        flow = self._flow
        reached = self._reached(START)
        if not reached and flow.nodes:
            agents = [name for name, node in flow.nodes.items() if node.part is not None and not node.is_router]
            place = flow.nodes[agents[0] if agents else next(iter(flow.nodes))].place
            why = "The start leads nowhere. Its agents answer one after the other here."
            flow.report.add("approximated", place, "Order of the nodes", why, fix="Connect them as you meant it.")
            for before, after in zip([START, *agents], [*agents, None], strict=True):
                flow.edges.append(Edge(before, after))
            reached = self._reached(START)
        for name in [name for name in flow.nodes if name not in reached]:
            node = flow.nodes[name]
            flow.report.findings = [each for each in flow.report.findings if each.became != name]
            why = "Nothing leads to it from the start, so it never ran."
            flow.report.add("dropped", node.place, f"Node “{node.label}”", why)
            flow.remove(name)

    def _reached(self, start: str, *, is_plain: bool = False) -> set[str]:
        """The nodes that edges lead to from there; with `is_plain` only those that are always taken."""
        found: set[str] = set()
        todo = [start]
        while todo:
            for edge in self._flow.out_of(todo.pop()):
                if edge.target is not None and edge.target not in found and (edge.is_plain or not is_plain):
                    found.add(edge.target)
                    todo.append(edge.target)
        return found

    def _uses_input(self) -> bool:
        """Whether a condition, a step or a text names the user's message."""
        parts = [node.part for node in self._flow.nodes.values()]
        texts = [edge.condition for edge in self._flow.edges]
        prompts = [node.prompts for node in self._flow.nodes.values()]
        return INPUT in json.dumps([parts, texts, prompts])

    def _begin(self, **config: JsonValue) -> None:
        """Put a step in front, since a graph starts with one node; it can keep the user's message."""
        flow = self._flow
        first = flow.out_of(START)
        place = next((node.place for node in flow.nodes.values()), Location(""))
        name = flow.add(Node("Start", place, step(**config)), "start")
        flow.edges = [edge for edge in flow.edges if edge.source != START]
        flow.edges = [Edge(START, name), *(replace(edge, source=name) for edge in first), *flow.edges]
        flow.nodes = {name: flow.nodes.pop(name), **flow.nodes}

    def _say_nothing(self) -> None:
        flow = self._flow
        name = flow.add(Node("End", Location(""), step(message="{message}")), "end")
        flow.edges = [Edge(START, name)]
        why = "No agent is in it, so the answer is the message itself."
        flow.report.add("approximated", Location(""), "The workflow", why, fix="Add an agent.", became=name)

    def _speak_prompts(self) -> None:
        """Let a step say each text that an agent hears beside the conversation."""
        flow = self._flow
        for name, node in list(flow.nodes.items()):
            spoken = [self._prompt(node, text) for text in node.prompts]
            if spoken:
                flow.nodes[spoken[0]].waits_for_all = node.waits_for_all
                flow.edges = [replace(edge, target=spoken[0]) if edge.target == name else edge for edge in flow.edges]
                flow.edges += [Edge(before, after) for before, after in pairwise([*spoken, name])]

    def _prompt(self, node: Node, text: str) -> str:
        label, name = f"Prompt of {node.label}", f"{node.name}_prompt"
        return self._flow.add(Node(label, node.place, step(message=text), tells=False, prompt_of=node.name), name)

    def _join_steps(self) -> None:
        """Make one step of two that only set variables, where the second always follows the first."""
        flow = self._flow
        for name in list(flow.nodes):
            before = flow.into(name)
            if name not in flow.nodes or len(before) != 1 or not before[0].is_plain or before[0].source == START:
                continue
            first = flow.nodes[before[0].source]
            if _sets_only(first) and _sets_only(flow.nodes[name]) and len(flow.out_of(first.name)) == 1:
                assert first.part is not None
                more = cast("list[JsonValue]", config_of(flow.nodes[name].part or {}).get("assignments") or [])
                had = cast("list[JsonValue]", config_of(first.part).get("assignments") or [])
                config_of(first.part)["assignments"] = [*had, *more]
                self._move_edges(name, first.name)

    def _join_routers(self) -> None:
        """Let the participant before a router choose, where there is one, and it leads nowhere else."""
        flow = self._flow
        for name in [name for name, node in flow.nodes.items() if node.is_router]:
            before = flow.into(name)
            is_only = len(before) == 1 and before[0].is_plain and before[0].source != START
            if is_only and len(flow.out_of(before[0].source)) == 1:
                self._move_edges(name, before[0].source)

    def _move_edges(self, name: str, to: str) -> None:
        flow = self._flow
        after = [replace(edge, source=to) for edge in flow.out_of(name)]
        flow.remove(name)
        flow.edges.extend(after)

    def _without_dead_ends(self) -> None:
        """Take out edges to the end; what remains must still say when it is not taken."""
        flow = self._flow
        for name in flow.nodes:
            edges = flow.out_of(name)
            ending = [edge for edge in edges if edge.target is None]
            if not ending or not any(edge.otherwise and edge.target for edge in edges):
                continue
            asked = [edge.condition for edge in edges if edge.condition is not None]
            for edge in edges:
                if edge.otherwise and edge.target and len(asked) == len(edges) - 1:
                    at = flow.edges.index(edge)
                    flow.edges[at] = replace(edge, otherwise=False, condition=" and ".join(map(negated, asked)))
        flow.edges = [edge for edge in flow.edges if edge.target is not None]

    def _without_endless_loops(self) -> None:
        """Take out an edge of each loop that no condition ends."""
        flow = self._flow
        order = {name: at for at, name in enumerate(self._in_order())}
        for edge in [each for each in flow.edges if each.is_plain and each.source != START and each.target is not None]:
            target = str(edge.target)
            if order[target] <= order[edge.source] and edge.source in {target, *self._reached(target, is_plain=True)}:
                flow.edges.remove(edge)
                why = "It leads back, and nothing would ever end the loop."
                what = f"Edge from “{flow.nodes[edge.source].label}” to “{flow.nodes[target].label}”"
                flow.report.add("dropped", flow.nodes[edge.source].place, what, why)

    # --- putting it together ---

    def _assigned(self) -> dict[str, JsonValue]:
        """Variables that steps set and nothing else names."""
        found: dict[str, JsonValue] = {}
        for node in self._flow.nodes.values():
            if node.part is not None and node.part["provider"] == STEP:
                for each in cast("list[JsonObject]", config_of(node.part).get("assignments") or []):
                    found.setdefault(str(each["name"]), self._flow.state.get(str(each["name"])))
        return found

    def _settle(self) -> None:
        """Work out, once the edges are what they will be, the order of all and who comes after whom."""
        self._order = self._in_order()
        self._after = {name: self._reached(name) for name in self._order}

    def _in_order(self) -> list[str]:
        """Participants in the order in which the workflow comes to them."""
        found: list[str] = []
        todo = [edge.target for edge in self._flow.out_of(START)]
        while todo:
            name = todo.pop(0)
            if name is not None and name not in found:
                found.append(name)
                todo += [edge.target for edge in self._flow.out_of(name)]
        return found

    def _participant(self, name: str) -> JsonObject:
        node = self._flow.nodes[name]
        assert node.part is not None, "nodes that only pass on are taken out before"
        part = component(str(node.part["provider"]), name=name, **config_of(node.part))
        if node.part["provider"] == STEP:
            return labelled(part, node.label)
        before = [each for each in self._order_before(name) if self._speaks(each)]
        heard = [each for each in before if self._is_heard(each, name)]
        if node.hears == "all" and heard == before:
            return labelled(part, node.label)
        if node.hears == "user" and not before:
            return labelled(part, node.label)
        own = [each for each in before if self._flow.nodes[each].prompt_of == name]
        if isinstance(node.hears, tuple):
            sources = [*node.hears, *own]
        else:
            sources = {"all": ["user", *heard], "user": ["user", *own], "nothing": own}[node.hears]
        return labelled(heard_only(part, list(dict.fromkeys(sources))), node.label)

    def _order_before(self, name: str) -> list[str]:
        """Who can have spoken before this participant, in order."""
        return [each for each in self._order if each != name and name in self._after[each]]

    def _speaks(self, name: str) -> bool:
        part = self._flow.nodes[name].part or {}
        return part.get("provider") != STEP or config_of(part).get("message") is not None

    def _is_heard(self, name: str, by: str) -> bool:
        node = self._flow.nodes[name]
        return node.tells or node.prompt_of == by

    def _chain(self) -> bool:
        """Whether the participants always speak once, one after the other."""
        order = self._order
        return all(
            [(edge.target, edge.is_plain) for edge in self._flow.out_of(name)]
            == ([(after, True)] if after is not None else [])
            for name, after in zip(order, [*order[1:], None], strict=True)
        )

    def _graph(self, variables: dict[str, JsonValue]) -> JsonObject:
        flow = self._flow
        if all(flow.out_of(name) for name in flow.nodes):
            self._add_end()
        order = self._order
        nodes: JsonObject = {}
        for name in order:
            edges: list[JsonValue] = [self._edge(edge) for edge in flow.out_of(name)]
            nodes[name] = {"name": name, "edges": edges}
        ends: JsonObject = {}
        if any(name in self._after[name] for name in order):
            ends["max_turns"] = LOOP_TURNS
            place = flow.nodes[order[0]].place
            why = f"A loop that does not end by itself ends here after {LOOP_TURNS} turns."
            flow.report.add("approximated", place, "Loop", why, fix="Set the limit of the team.")
        graph: JsonObject = {"nodes": nodes, "default_start_node": order[0]}
        return component(
            "autogen_agentchat.teams.GraphFlow",
            participants=list(self.participants),
            graph=graph,
            context_variables=variables,
            **ends,
        )

    def _add_end(self) -> None:
        """A graph needs a node after which nothing comes."""
        flow = self._flow
        choosing = (name for name in flow.nodes if any(edge.condition or edge.said for edge in flow.out_of(name)))
        last = next(choosing, self._order[-1])
        name = flow.add(Node("End", flow.nodes[last].place, step()), "end")
        flow.edges.append(Edge(last, name, otherwise=True))
        self._settle()
        self.participants.append(self._participant(name))

    def _edge(self, edge: Edge) -> JsonObject:
        joins = len(self._flow.into(edge.target)) > 1
        found: JsonObject = {"target": edge.target}
        if edge.condition is not None:
            found["context_condition"] = edge.condition
        if edge.said is not None:
            found["condition"] = edge.said
        if edge.otherwise:
            found["otherwise"] = True
        is_any = joins and not (edge.target and self._flow.nodes[edge.target].waits_for_all)
        return {**found, "activation_condition": "any"} if is_any else found


def _sets_only(node: Node) -> bool:
    """Whether it is a step that sets variables and does nothing else, not even choose an edge."""
    if node.part is None or node.part["provider"] != STEP or node.is_router:
        return False
    config = config_of(node.part)
    return bool(config.get("assignments")) and not config.get("tool") and config.get("message") is None
