"""How far the run of a graph has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import BaseChatMessage
from studio.teams.graph import Activation, DiGraph

Counts = dict[str, dict[str, int]]
Marks = dict[str, dict[str, bool]]


class GraphProgress:
    """What each node still waits for, who is ready, and who is speaking.

    A group that has made its node ready is known by its count of nothing left, or by its mark. Both begin anew when
    the node takes its turn, so a state that was saved in mid-cycle has everything that is needed to go on.
    """

    def __init__(self, graph: DiGraph) -> None:
        self._graph = graph
        self._edge_counts: Counts = graph.get_remaining_map()
        self._conditions: dict[tuple[str, str], Activation] = {
            (edge.target, edge.activation_group): edge.activation_condition
            for node in graph.nodes.values()
            for edge in node.edges
        }
        self._remaining: Counts = {}
        self._enqueued_any: Marks = {}
        self._ready: list[str] = []
        self._speaking: list[str] = []
        self.reset()

    def reset(self) -> None:
        """Stand at the start nodes again."""
        self._remaining = {target: dict(groups) for target, groups in self._edge_counts.items()}
        self._enqueued_any = {target: dict.fromkeys(groups, False) for target, groups in self._edge_counts.items()}
        self._ready = list(self._graph.get_start_nodes())
        self._speaking = []

    @property
    def is_complete(self) -> bool:
        """Whether nobody speaks and nobody is ready to."""
        return not self._ready and not self._speaking

    def take_ready(self) -> Sequence[str]:
        """Give the word to all who are ready; what led to them counts from the beginning again."""
        self._speaking, self._ready = self._ready, []
        for name in self._speaking:
            for group, count in self._remaining.get(name, {}).items():
                if self._conditions[name, group] == "any":
                    self._enqueued_any[name][group] = False
                elif count <= 0:
                    self._remaining[name][group] = self._edge_counts[name][group]
        return tuple(self._speaking)

    def take_back(self) -> None:
        """Make those ready again whose turn was broken off."""
        self._ready = [*self._speaking, *self._ready]
        self._speaking = []

    def finish(self, speaker: str) -> None:
        """Note that a turn is over."""
        if speaker in self._speaking:
            self._speaking.remove(speaker)

    def follow(self, node: str, message: BaseChatMessage | None) -> None:
        """Go along the edges of a node after its message; without one only those that are always taken."""
        for edge in self._graph.nodes[node].edges:
            taken = edge.check_condition(message) if message is not None else not edge.is_conditional
            if not taken:
                continue
            target, group = edge.target, edge.activation_group
            if edge.activation_condition == "all":
                self._remaining[target][group] -= 1
                if self._remaining[target][group] == 0:
                    self._ready.append(target)
            elif not self._enqueued_any[target][group]:
                self._enqueued_any[target][group] = True
                self._ready.append(target)

    def dump(self) -> JsonObject:
        """In AutoGen's shape; who is in the middle of a turn counts as ready."""
        return {
            "remaining": cast("JsonValue", {target: dict(groups) for target, groups in self._remaining.items()}),
            "enqueued_any": cast("JsonValue", {target: dict(marks) for target, marks in self._enqueued_any.items()}),
            "ready": [*self._speaking, *self._ready],
        }

    def load(self, saved: Mapping[str, JsonValue]) -> None:
        """Take up what `dump` gave; a graph that was changed meanwhile keeps what still fits."""
        self.reset()
        remaining = cast("Counts", saved.get("remaining") or {})
        marks = cast("Marks", saved.get("enqueued_any") or {})
        for target, groups in self._remaining.items():
            groups.update({group: count for group, count in remaining.get(target, {}).items() if group in groups})
        for target, groups in self._enqueued_any.items():
            groups.update({group: mark for group, mark in marks.get(target, {}).items() if group in groups})
        ready = saved.get("ready")
        if isinstance(ready, list):
            self._ready = [name for name in cast("list[str]", ready) if name in self._graph.nodes]
