"""What a graph tells its author before it is run: ways that lead nowhere, nodes that never get the word, no way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from studio.components import Advice
from studio.components.pointers import escape
from studio.errors import Finding, Fix
from studio.teams.graph.digraph import DiGraph, DiGraphEdge

EDGE_TO_NOBODY = Advice("edge_to_nobody", "An edge of a graph leads to a name that is no node.")
NOT_IN_GRAPH = Advice("not_in_graph", "A participant is no node of the graph, and never speaks.")
NODE_WITHOUT_AGENT = Advice("node_without_agent", "A node of a graph has a name that no participant has.")
NO_START = Advice("no_start", "Edges lead to every node of a graph, and none is set as its start.")
NO_END = Advice("no_end", "Edges leave every node of a graph, so that it has no end.")
NEVER_REACHED = Advice("never_reached", "No way leads from the start of a graph to a node.")
NEVER_READY = Advice("never_ready", "A node of a graph waits for one that only comes after it.")
NO_WAY_OUT = Advice("no_way_out", "A cycle of a graph has no edge with a condition, so that nothing ends it.")
MIXED_EDGES = Advice(
    "mixed_edges", "Some edges of a node have conditions and others none, which a graph does not allow."
)
MIXED_GROUP = Advice("mixed_group", "Edges of one group say both `all` and `any`.")

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
            message = f"`{name}` is not in the graph, and never speaks."
            yield NOT_IN_GRAPH(message, "Add it to the graph.", f"/config/participants/{at}", [add])
    if "" in names:
        return
    for name in graph.nodes:
        if name not in names:
            fix = "Add an agent of this name, or remove the node."
            yield NODE_WITHOUT_AGENT(
                f"The graph has a node `{name}`, and no participant is called so.", fix, _node(name)
            )
    start = graph.default_start_node
    if start and start not in graph.nodes:
        where = "/config/graph/default_start_node"
        yield EDGE_TO_NOBODY(f"The graph starts with `{start}`, which is no node.", "Choose a node.", where)


def _on_edges(graph: DiGraph) -> Iterator[Finding]:
    for source, node in graph.nodes.items():
        for edge in node.edges:
            if edge.target not in graph.nodes:
                where = _edge(graph, source, edge)
                close = difflib.get_close_matches(edge.target, graph.nodes, n=1)
                fixes = [Fix(f"Lead to {close[0]}", f"{where}/target", close[0])] if close else []
                message = f"An edge leads from `{source}` to `{edge.target}`, which is no node."
                yield EDGE_TO_NOBODY(message, "Let it lead to a node of the graph, or remove it.", where, fixes)
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
        yield NO_START("Edges lead to every node, so the graph has no start.", "Set the start.", where, [start])
    if not graph.get_leaf_nodes():
        yield NO_END("Edges leave every node, so the graph has no end.", "Add a node that no edge leaves.", where)


def _on_groups(graph: DiGraph, sound: DiGraph) -> Iterator[Finding]:
    for (target, group), edges in sound.groups().items():
        _, first = edges[0]
        for source, edge in edges[1:]:
            if edge.activation_condition != first.activation_condition:
                where = _edge(graph, source, edge)
                wanted = first.activation_condition
                fix = Fix(f"Say {wanted} here, too", f"{where}/activation_condition", wanted)
                message = f"The edges to `{target}` in the group `{group}` say both `all` and `any`."
                yield MIXED_GROUP(message, "Say the same on all edges of a group.", where, [fix])


def _on_ways(graph: DiGraph, sound: DiGraph) -> Iterator[Finding]:
    starts = sound.get_start_nodes()
    reached = sound.reachable(starts)
    for name in graph.nodes:
        if starts and name not in reached:
            message = f"No way leads from the start to `{name}`, so it never speaks."
            yield NEVER_REACHED(message, "Lead an edge to it, or remove it.", _node(name))
    for target, group, source in sound.deadlocks():
        edge = next(edge for each, edge in sound.groups()[target, group] if each == source)
        where = _edge(graph, source, edge)
        own = Fix("Let it count by itself", f"{where}/activation_group", f"back from {source}")
        message = f"`{target}` never speaks: it also waits for this edge from `{source}`, which only speaks after it."
        fix = "Give the edge a group of its own, or let the group wait for any of its edges."
        yield NEVER_READY(message, fix, where, [own])
    for cycle in sound.endless_cycles():
        last, first = cycle[-1], cycle[0]
        edge = next(edge for edge in sound.nodes[last].edges if edge.target == first)
        message = f"Nothing ends the cycle {' → '.join([*cycle, first])}."
        yield NO_WAY_OUT(message, "Give the edges of one of these nodes conditions.", _edge(graph, last, edge))
