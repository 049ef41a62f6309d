"""Graphs that a script builds step by step, with a `DiGraphBuilder`: steps are read in their order, not executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.code.findings import Position
from studio.code.parsed import ParsedValue, keyed, listed, plain
from studio.code.scope import Scope

BUILDERS = ("studio.teams.DiGraphBuilder", "autogen_agentchat.teams.DiGraphBuilder")
PARAMETERS: Mapping[str, Sequence[str]] = {
    "add_node": ("agent", "activation"),
    "add_edge": ("source", "target", "condition", "activation_group", "activation_condition"),
    "add_conditional_edges": ("source", "condition_to_target"),
    "set_entry_point": ("name",),
    "build": (),
    "get_participants": (),
}
Given = tuple[list[ParsedValue], dict[str, ParsedValue]]


@dataclass
class _Node:
    agent: ParsedValue
    activation: ParsedValue
    edges: list[ParsedValue] = field(default_factory=list[ParsedValue])


class GraphSteps:
    """What was added to a builder so far."""

    def __init__(self) -> None:
        self._nodes: dict[str, _Node] = {}
        self._start: ParsedValue | None = None

    def step(self, builder: ParsedValue, method: str, given: Given, place: Position) -> ParsedValue | str:
        """What a method gives: the graph, the participants, or the builder again; or why it cannot be read."""
        names = PARAMETERS.get(method)
        values, named = given
        if names is None:
            return f"`.{method}` of a graph builder is not supported here."
        if len(values) > len(names) or named.keys() - set(names):
            return f"`{method}` takes {', '.join(f'`{each}`' for each in names) or 'no arguments'}."
        if method == "build":
            return self._graph(place)
        if method == "get_participants":
            return listed([node.agent for node in self._nodes.values()], place)
        wrong = _ADDING[method](self, dict(zip(names, values, strict=False)) | named, place)
        return wrong or builder.used_at(place)

    def _add_node(self, given: Mapping[str, ParsedValue], place: Position) -> str:
        name = _name_of(given.get("agent"))
        if not name:
            return "A node of a graph is an agent."
        self._nodes.setdefault(name, _Node(given["agent"], given.get("activation") or plain("all", place)))
        return ""

    def _add_edge(self, given: Mapping[str, ParsedValue], place: Position) -> str:
        source, target = _name_of(given.get("source")), _name_of(given.get("target"))
        if missing := [name for name in (source, target) if name not in self._nodes]:
            return f"The node {missing[0]!r} is not added above."
        parts = {name: given[name] for name in PARAMETERS["add_edge"][2:] if name in given}
        known = {name: part for name, part in parts.items() if part.value is not None or part.is_broken}
        self._nodes[source].edges.append(keyed({"target": plain(target, place), **known}, place))
        return ""

    def _add_conditional_edges(self, given: Mapping[str, ParsedValue], place: Position) -> str:
        targets = given["condition_to_target"].entries if "condition_to_target" in given else None
        if "source" not in given or not isinstance(targets, Mapping):
            return "Conditional edges need a source, and an object of texts and targets."
        for text, target in targets.items():
            edge = {"source": given["source"], "target": target, "condition": plain(text, place)}
            if wrong := self._add_edge(edge, place):
                return wrong
        return ""

    def _set_entry_point(self, given: Mapping[str, ParsedValue], place: Position) -> str:
        name = _name_of(given.get("name"))
        if name not in self._nodes:
            return f"The node {name!r} is not added above."
        self._start = plain(name, place)
        return ""

    def _graph(self, place: Position) -> ParsedValue:
        nodes: dict[str, ParsedValue] = {}
        for name, node in self._nodes.items():
            edges = listed([*node.edges], place)
            nodes[name] = keyed({"name": plain(name, place), "edges": edges, "activation": node.activation}, place)
        start = {} if self._start is None else {"default_start_node": self._start}
        return keyed({"nodes": keyed(nodes, place), **start}, place)


_ADDING: Mapping[str, Callable[[GraphSteps, Mapping[str, ParsedValue], Position], str]] = {
    "add_node": GraphSteps._add_node,  # pyright: ignore[reportPrivateUsage] -- of this module
    "add_edge": GraphSteps._add_edge,  # pyright: ignore[reportPrivateUsage]
    "add_conditional_edges": GraphSteps._add_conditional_edges,  # pyright: ignore[reportPrivateUsage]
    "set_entry_point": GraphSteps._set_entry_point,  # pyright: ignore[reportPrivateUsage]
}


def new_builder(place: Position) -> ParsedValue:
    """What `DiGraphBuilder()` gives."""
    return ParsedValue(place, graph_steps=GraphSteps())


def is_of_builder(node: ast.expr, scope: Scope) -> bool:
    """Whether a call, or one of those that it is chained to, is of a graph builder in a variable."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    found = scope.look(node.id) if isinstance(node, ast.Name) else None
    return isinstance(found, ParsedValue) and found.graph_steps is not None


def _name_of(made: ParsedValue | None) -> str:
    """An agent's name, given as such or by the agent."""
    if made is None:
        return ""
    if made.cls is not None and isinstance(made.entries, Mapping):
        config = made.entries["config"].entries
        name = config.get("name") if isinstance(config, Mapping) else None
        return str(name.value) if name is not None and name.value else ""
    return made.value if isinstance(made.value, str) else ""
