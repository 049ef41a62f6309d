"""How far the run of a graph has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import BaseChatMessage, EdgeDecision
from studio.teams.graph.digraph import Activation, DiGraph, DiGraphEdge

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
        self.looked_at: list[tuple[str, DiGraphEdge, bool]] = []
        """From whom, the edge, whether it was taken: of those who have spoken since somebody was given the word."""
        self.reset()

    def reset(self) -> None:
        """Stand at the start nodes again."""
        self._remaining = {target: dict(groups) for target, groups in self._edge_counts.items()}
        self._enqueued_any = {target: dict.fromkeys(groups, False) for target, groups in self._edge_counts.items()}
        self._ready = self._graph.ordered_start_nodes()
        self._speaking = []
        self.looked_at = []

    @property
    def is_complete(self) -> bool:
        """Whether nobody speaks and nobody is ready to."""
        return not self._ready and not self._speaking

    def take_ready(self) -> Sequence[str]:
        """Give the word to all who are ready; what led to them counts from the beginning again."""
        self._speaking, self._ready = self._ready, []
        self.looked_at = []
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
        """Go along the edges of a node after its message; without one no edge is taken that wants a text."""
        place = self._graph.nodes[node]
        # All are asked first: a function that fails leaves everything as it was.
        for edge, taken in zip(place.edges, place.edges_taken(message), strict=True):
            self.looked_at.append((node, edge, taken))
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


def edge_decisions(looked_at: Sequence[tuple[str, DiGraphEdge, bool]]) -> list[EdgeDecision]:
    """The edges that were looked at, as an explanation tells them."""
    return [
        EdgeDecision(
            source=source,
            target=edge.target,
            condition=edge.condition,
            context_condition=edge.context_condition,
            is_function=edge.condition_function is not None,
            otherwise=edge.otherwise,
            was_taken=was_taken,
        )
        for source, edge, was_taken in looked_at
    ]


def reason_for(edges: Sequence[EdgeDecision], ready: Sequence[str]) -> str:
    """In plain words why these are ready after those edges were looked at."""
    taken = [edge for edge in edges if edge.was_taken]
    refused = [edge for edge in edges if not edge.was_taken]
    waiting = [name for name in dict.fromkeys(edge.target for edge in taken) if name not in ready]
    sentences = [
        f"Followed: {', '.join(map(_in_words, taken))}." if taken else "",
        f"Not followed: {', '.join(map(_in_words, refused))}." if refused else "",
        f"Waiting for other edges to {', '.join(waiting)}." if waiting else "",
    ]
    return " ".join(filter(None, sentences))


def _in_words(edge: EdgeDecision) -> str:
    way = f"{edge.source} to {edge.target}"
    verdict = "" if edge.was_taken else "not "
    conditions = [
        f"{edge.condition!r} was {verdict}mentioned" if edge.condition is not None else "",
        f"`{edge.context_condition}` {'held' if edge.was_taken else 'did not hold'}" if edge.context_condition else "",
        f"its function returned {'yes' if edge.was_taken else 'no'}" if edge.is_function else "",
        f"{'no' if edge.was_taken else 'an'}other edge was followed" if edge.otherwise else "",
    ]
    why = (" and " if edge.was_taken else " or ").join(filter(None, conditions))
    return f"{way} ({why})" if why else way
