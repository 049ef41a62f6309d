"""Graphs in few words."""

from __future__ import annotations

from studio.teams import DiGraph, DiGraphEdge, DiGraphNode

Edges = dict[str, list[DiGraphEdge]]


def edge(target: str, condition: str | None = None, group: str = "", activation_condition: str = "all") -> DiGraphEdge:
    return DiGraphEdge.model_validate(
        {
            "target": target,
            "condition": condition,
            "activation_group": group,
            "activation_condition": activation_condition,
        }
    )


def graph(edges: Edges, start: str | None = None) -> DiGraph:
    nodes = {name: DiGraphNode(name=name, edges=out) for name, out in edges.items()}
    return DiGraph(nodes=nodes, default_start_node=start)


LOOP: Edges = {
    "A": [edge("B")],
    "B": [edge("C", "again"), edge("E", "done")],
    "C": [edge("B")],
    "E": [],
}
