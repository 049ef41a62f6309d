"""What readers of canvases share whose flows have a state: its variables, and answers that are named later."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.importers.canvas import CanvasNode
from studio.importers.canvas_reading import CanvasReading, are_exclusive_choices, choices
from studio.importers.canvas_texts import Path
from studio.importers.components import assignments, step
from studio.importers.expressions import Unsupported
from studio.importers.names import Names
from studio.importers.workflow import Edge, Node


@dataclass
class StateReading(CanvasReading):
    """A flow on its way to a team.

    Args:
        variables: Names of ours for the keys of the flow's state.
    """

    variables: dict[str, str] = field(default_factory=dict[str, str])
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    """Nodes whose answer another node gives."""
    taken: Names = field(default_factory=lambda: Names("input_as_text"))

    def variable(self, key: str, value: JsonValue = "") -> str:
        """Our name for a key of the state; a new one has this value."""
        if key not in self.variables:
            name = self.taken.free(key, "value")
            self.variables[key] = name
            self.flow.state[name] = value
        return self.variables[key]

    def answer(self, node: str, steps: Sequence[str] = ()) -> Path:
        """The answer of a node.

        Raises:
            Unsupported: It gives none.
        """
        name = self.names.get(self.aliases.get(node, node))
        if name is None or self.flow.nodes[name].part is None or self.flow.nodes[name].is_router:
            raise Unsupported("no node with this id gives an answer")
        return Path(self.flow.variable_of(name), tuple(steps))

    def then(self, node: CanvasNode, pairs: Sequence[tuple[str, str]]) -> None:
        """Set variables after a node."""
        if not pairs:
            return
        label, before = f"State of {node.label}", self.names[node.id]
        name = self.flow.add(Node(label, node.place, step(assignments=assignments(pairs))), f"{before}_state")
        self.flow.edges.append(Edge(before, name))
        self.exits[node.id] = {"": [Edge(name)]}

    def enclose(self, node: str, children: Sequence[CanvasNode], after: str = "", condition: str | None = None) -> None:
        """Let a node lead through what is inside of it.

        Args:
            after: The participant that comes after the last one inside; a node that only passes on where it is empty.
            condition: When the way inside is taken; always where it is None.
        """
        if node not in self.names:
            return
        heard = {edge.target for edge in self.canvas.edges}
        leading = {edge.source for edge in self.canvas.edges}
        first = [each for each in children if each.id not in heard and each.id in self.names]
        last = [each for each in children if each.id in self.names and each.id not in leading]
        if not first or not last:
            return
        done = after or self.flow.add(Node(f"End of {node}", first[0].place, None), "pass_end")
        for each in first:
            self.flow.edges.append(Edge(self.names[node], self.names[each.id], condition=condition))
        for each in last:
            for edges in self.exits[each.id].values():
                self.flow.connect(edges, done)
            self.exits[each.id] = {}
        self.exits[node] = {"": [Edge(done)]}

    def wait(self, branching: set[str], looped: Collection[str] = ()) -> None:
        """Let a node that several lead to wait for all, but not for branches of one condition or for a loop."""
        for node in self.canvas.nodes.values():
            sources = [each.id for each in self.canvas.into(node.id)]
            if len(sources) < 2 or node.id in looped or node.id not in self.names:
                continue
            chosen = [choices(self.canvas, edge, branching) for edge in self.canvas.incoming[node.id]]
            if not any(
                are_exclusive_choices(one, other) for at, one in enumerate(chosen[:20]) for other in chosen[at + 1 : 20]
            ):
                self.flow.nodes[self.names[node.id]].waits_for_all = True
