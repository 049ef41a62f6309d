"""What a graph tells its author before it is run: ways that lead nowhere, nodes that never get the word, no way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from studio.components import Advice
from studio.components.pointers import escape
from studio.errors import Finding, Fix
from studio.teams.graph.digraph import DiGraph, DiGraphEdge

EDGE_TO_NOBODY = Advice("edge_to_nobody", "An edge of a graph leads to a node that does not exist.")
NOT_IN_GRAPH = Advice("not_in_graph", "A participant is not in the graph, so it never speaks.")
NODE_WITHOUT_AGENT = Advice("node_without_agent", "A node of a graph names no participant.")
NO_START = Advice("no_start", "A graph has no start node.")
NO_END = Advice("no_end", "A graph has no end: edges leave every node.")
NEVER_REACHED = Advice("never_reached", "A node of a graph cannot be reached from its start.")
NEVER_READY = Advice("never_ready", "A node of a graph waits for a node that runs only after it.")
NO_WAY_OUT = Advice("no_way_out", "A cycle of a graph has no edge with a condition, so it never ends.")
MIXED_EDGES = Advice("mixed_edges", "Some edges of a node have conditions and others do not.")
MIXED_GROUP = Advice("mixed_group", "The edges of one group mix `all` and `any`.")

NODES = "/config/graph/nodes"


def on_graph(graph: DiGraph, names: Sequence[str]) -> Iterator[Finding]:
    """Look through a graph; pointers are relative to the team.

    Args:
        graph: As its author has it; it may be wrong in every way that its fields allow.
        names: Of the participants; "" for one of an unknown kind.
    """
    sound = sound_part(graph)
    yield from _on_names(graph, names)
    yield from _on_edges(graph)
    if not sound.nodes:
        return
    yield from _on_ends(sound)
    yield from _on_groups(graph, sound)
    yield from _on_ways(graph, sound)


def sound_part(graph: DiGraph) -> DiGraph:
    """The graph without edges to nobody, and with a start that it has."""
    nodes = {
        name: node.model_copy(update={"edges": [edge for edge in node.edges if edge.target in graph.nodes]})
        for name, node in graph.nodes.items()
    }
    start = graph.default_start_node if graph.default_start_node in nodes else None
    return graph.model_copy(update={"nodes": nodes, "default_start_node": start})


def _node(name: str) -> str:
    return f"{NODES}/{escape(name)}"


def _edge(graph: DiGraph, source: str, edge: DiGraphEdge) -> str:
    """Pointer of an edge, found by identity: those that `sound_part` keeps are the same ones."""
    index = next(index for index, each in enumerate(graph.nodes[source].edges) if each is edge)
    return f"{_node(source)}/edges/{index}"


def _on_names(graph: DiGraph, names: Sequence[str]) -> Iterator[Finding]:
    for at, name in enumerate(names):
        if name and name not in graph.nodes:
            add = Fix(f"Add {name} to the graph", _node(name), {"name": name, "edges": [], "activation": "all"})
            message = f"`{name}` is not in the graph, so it never speaks."
            yield NOT_IN_GRAPH(message, "Add it to the graph.", f"/config/participants/{at}", [add])
    if "" in names:
        return
    for name in graph.nodes:
        if name not in names:
            fix = "Add an agent of this name, or remove the node."
            yield NODE_WITHOUT_AGENT(
                f"The graph has a node `{name}`, but no participant has that name.", fix, _node(name)
            )
    start = graph.default_start_node
    if start and start not in graph.nodes:
        where = "/config/graph/default_start_node"
        yield EDGE_TO_NOBODY(f"The graph starts with `{start}`, which is not a node.", "Choose a node.", where)


def _on_edges(graph: DiGraph) -> Iterator[Finding]:
    for source, node in graph.nodes.items():
        for edge in node.edges:
            if edge.target not in graph.nodes:
                where = _edge(graph, source, edge)
                close = difflib.get_close_matches(edge.target, graph.nodes, n=1)
                fixes = [Fix(f"Connect to {close[0]}", f"{where}/target", close[0])] if close else []
                message = f"An edge leads from `{source}` to `{edge.target}`, which is not a node."
                yield EDGE_TO_NOBODY(message, "Connect it to a node of the graph, or remove it.", where, fixes)
        plain = [edge for edge in node.edges if not edge.is_conditional]
        if plain and len(plain) < len(node.edges):
            message = f"Some edges of `{source}` have a condition, and this one has none."
            where = _edge(graph, source, plain[0])
            yield MIXED_EDGES(message, "Give all of its edges conditions, or none.", where)


def _on_ends(graph: DiGraph) -> Iterator[Finding]:
    where = "/config/graph"
    if not graph.get_start_nodes():
        first = next(iter(graph.nodes))
        start = Fix(f"Start with {first}", f"{where}/default_start_node", first)
        yield NO_START("The graph has no start node: edges lead to every node.", "Set a start node.", where, [start])
    if not graph.get_leaf_nodes():
        yield NO_END("The graph has no end: edges leave every node.", "Add a node that no edge leaves.", where)


def _on_groups(graph: DiGraph, sound: DiGraph) -> Iterator[Finding]:
    for (target, group), edges in sound.groups().items():
        _, first = edges[0]
        for source, edge in edges[1:]:
            if edge.activation_condition != first.activation_condition:
                where = _edge(graph, source, edge)
                wanted = first.activation_condition
                fix = Fix(f"Use {wanted} here too", f"{where}/activation_condition", wanted)
                message = f"The edges to `{target}` in the group `{group}` mix `all` and `any`."
                yield MIXED_GROUP(message, "Use one of them on all edges of the group.", where, [fix])


def _on_ways(graph: DiGraph, sound: DiGraph) -> Iterator[Finding]:
    starts = sound.get_start_nodes()
    reached = sound.reachable(starts)
    for name in graph.nodes:
        if starts and name not in reached:
            message = f"`{name}` cannot be reached from the start, so it never speaks."
            yield NEVER_REACHED(message, "Add an edge to it, or remove it.", _node(name))
    for target, group, source in sound.deadlocks():
        edge = next(edge for each, edge in sound.groups()[target, group] if each == source)
        where = _edge(graph, source, edge)
        own = Fix("Move it to its own group", f"{where}/activation_group", f"back from {source}")
        message = f"`{target}` never speaks: it also waits for this edge from `{source}`, which speaks only after it."
        fix = "Move the edge to its own group, or set the group to `any`."
        yield NEVER_READY(message, fix, where, [own])
    for cycle in sound.endless_cycles():
        last, first = cycle[-1], cycle[0]
        edge = next(edge for edge in sound.nodes[last].edges if edge.target == first)
        message = f"Nothing ends the cycle {' → '.join([*cycle, first])}."
        yield NO_WAY_OUT(message, "Give the edges of one of these nodes conditions.", _edge(graph, last, edge))
