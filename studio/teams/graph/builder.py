"""Drawing a graph from a program, edge by edge."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Self

from studio.agents import Participant
from studio.teams.graph.digraph import Activation, DiGraph, DiGraphEdge, DiGraphNode, EdgeCondition


class DiGraphBuilder:
    """Collects participants and edges, and gives a checked graph.

    `DiGraphBuilder().add_node(a).add_node(b).add_edge(a, b).build()`
    """

    def __init__(self) -> None:
        self.nodes: dict[str, DiGraphNode] = {}
        self.agents: dict[str, Participant] = {}
        self._default_start_node: str | None = None

    def add_node(self, agent: Participant, activation: Activation = "all") -> Self:
        """Put a participant into the graph; one that is in it already is left as it is."""
        if agent.name not in self.nodes:
            self.nodes[agent.name] = DiGraphNode(name=agent.name, edges=[], activation=activation)
            self.agents[agent.name] = agent
        return self

    def add_edge(
        self,
        source: str | Participant,
        target: str | Participant,
        condition: str | EdgeCondition | None = None,
        activation_group: str | None = None,
        activation_condition: Activation | None = None,
    ) -> Self:
        """Lead from one node to another.

        Args:
            source: A participant or its name.
            target: A participant or its name.
            condition: Text that the source's message must hold, or a function of that message; always if left out.
            activation_group: Edges into one node that count together; the target's name if left out.
            activation_condition: Whether "all" edges of the group must be taken before the target speaks, or "any".

        Raises:
            ValueError: A node was not added before.
        """
        source_name, target_name = _name_of(source), _name_of(target)
        if source_name not in self.nodes:
            raise ValueError(f"Source node '{source_name}' must be added before adding an edge.")
        if target_name not in self.nodes:
            raise ValueError(f"Target node '{target_name}' must be added before adding an edge.")
        edge = {
            "target": target_name,
            "condition": condition,
            "activation_group": activation_group or target_name,
            "activation_condition": activation_condition or "all",
        }
        self.nodes[source_name].edges.append(DiGraphEdge.model_validate(edge))
        return self

    def add_conditional_edges(
        self, source: str | Participant, condition_to_target: Mapping[str, str | Participant]
    ) -> Self:
        """Lead on by what the source says: from each text to the node that it leads to."""
        warnings.warn(
            "add_conditional_edges will be changed in the future to support callable conditions. "
            "For now, please use add_edge if you need to specify custom conditions.",
            DeprecationWarning,
            stacklevel=2,
        )
        for condition, target in condition_to_target.items():
            self.add_edge(source, target, condition=condition)
        return self

    def set_entry_point(self, name: str | Participant) -> Self:
        """Begin with this node.

        Raises:
            ValueError: The node was not added before.
        """
        node_name = _name_of(name)
        if node_name not in self.nodes:
            raise ValueError(f"Start node '{node_name}' must be added before setting as entry point.")
        self._default_start_node = node_name
        return self

    def build(self) -> DiGraph:
        """The graph as it stands.

        Raises:
            InvalidGraph: It cannot be run to an end.
        """
        graph = DiGraph(nodes=self.nodes, default_start_node=self._default_start_node)
        graph.graph_validate()
        return graph

    def get_participants(self) -> list[Participant]:
        """The participants in the order in which they were added."""
        return list(self.agents.values())


def _name_of(node: str | Participant) -> str:
    return node if isinstance(node, str) else node.name
