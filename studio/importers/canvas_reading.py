"""What the readers of all canvases share: nodes as participants, what is said of them, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import Canvas, CanvasEdge, CanvasNode, is_unset
from studio.importers.components import ASSISTANT, MAX_TOOL_ROUNDS, config_of, structured
from studio.importers.expressions import Unsupported
from studio.importers.findings import NO_SETTING, SEE_PARTS, Report
from studio.importers.tools import Toolset
from studio.importers.workflow import Edge, Node, Workflow
from studio.tools.expression import VariableCondition, VariableExpression

CARD_WIDE, CARD_HIGH = 240, 120
"""Room for a card of our canvas."""


@dataclass
class CanvasReading:
    """A canvas on its way to a team.

    Args:
        note_kinds: Kinds of nodes that are notes.
        names: Of participants, by the ids of their nodes.
        exits: The edges that lead on from a node, by its ports; an empty port is that of all others.
    """

    canvas: Canvas
    report: Report
    note_kinds: Sequence[str]
    flow: Workflow = field(init=False)
    names: dict[str, str] = field(default_factory=dict[str, str])
    exits: dict[str, dict[str, list[Edge]]] = field(default_factory=dict[str, dict[str, list[Edge]]])

    def __post_init__(self) -> None:
        self.flow = Workflow(self.report)

    def add(self, node: CanvasNode, made: Node, wanted: str = "") -> str:
        """A participant for a node of the canvas."""
        name = self.flow.add(made, wanted)
        self.names[node.id] = name
        self.exits[node.id] = {"": [Edge(name)]}
        return name

    def passes(self, node: CanvasNode) -> str:
        """A node that only leads on."""
        return self.add(node, Node(node.label, node.place, None), "pass")

    def drop(self, node: CanvasNode) -> None:
        """Report a node of a kind that has no counterpart."""
        why = f"Team Studio has nothing like a node of the kind {node.kind[:80]!r}."
        self.report.add("dropped", node.place, f"Node “{node.label}”", why)

    def config(self, node: CanvasNode) -> JsonObject:
        """The fields of the participant that was made of a node."""
        return self._config(self.names[node.id])

    def _config(self, name: str) -> JsonObject:
        part = self.flow.nodes[name].part
        assert part is not None, "only participants are configured"
        return config_of(part)

    def fill(self, name: str, system: str, client: JsonObject, tools: Toolset, schema: JsonObject | None) -> None:
        """Complete an agent.

        Args:
            system: A template.
        """
        config = self._config(name)
        has_places = system.replace("{{", "").replace("}}", "").count("{") > 0
        said = system if has_places else system.replace("{{", "{").replace("}}", "}")
        first = next((line.strip() for line in said.splitlines() if line.strip()), "")
        label = self.flow.nodes[name].label
        config |= {
            "description": first[:200] or f"The agent {label}.",
            "system_message": said or None,
            "model_client": client,
        }
        if has_places:
            config["system_message_holds_variables"] = True
        if tools.tools:
            config["tools"] = cast("JsonValue", tools.tools)
        if tools.workbenches:
            config["workbench"] = cast("JsonValue", tools.workbenches)
        if tools.tools or tools.workbenches:
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
        if schema is not None:
            config |= {"structured_message_factory": structured(schema), "reflect_on_tool_use": False}

    def conclude(self, node: CanvasNode, what: str, before: int) -> None:
        """Say what became of a node, after the findings about its parts."""
        is_same = all(each.verdict in ("exact", "asked") for each in self.report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        self.report.add(verdict, node.place, f"{what} “{node.label}”", why, became=self.names.get(node.id, ""))

    def leave(self, node: CanvasNode, inputs: Iterable[str], known: Iterable[str], owner: str) -> None:
        """Tell of inputs that are set and not read."""
        read = set(known)
        for each in inputs:
            if each not in read and not is_unset(node.inputs[each]):
                why = NO_SETTING
                self.report.add("dropped", node.inside(each), f"`{each[:80]}` of {owner}", why, became=owner)

    def end(self) -> None:
        """Let what leads nowhere lead to the end."""
        for exits in self.exits.values():
            for edges in exits.values():
                self.flow.connect(edges, None)

    def connect(self, source: str, port: str, target: str | None) -> None:
        """Follow an edge of the canvas."""
        exits = self.exits.get(source, {})
        self.flow.connect(exits.get(port) or exits.get("") or [], target)

    def notes(self) -> None:
        """Tell of notes, which lie on the canvas here, too."""
        for node in self.canvas.nodes.values():
            if node.kind in self.note_kinds and node.text("note"):
                self.report.add("exact", node.place, f"Note “{node.label}”")

    def layout(self, scale: float, team: JsonObject) -> JsonObject:
        """Where participants and notes stand on our canvas."""
        listed = cast("list[JsonObject]", config_of(team)["participants"])
        there = {str(config_of(each)["name"]) for each in listed}
        pins: JsonObject = {}
        notes: JsonObject = {}
        for at, node in enumerate(self.canvas.nodes.values()):
            if node.at is None or node.parent:
                continue
            x, y = (round(max(-1e6, min(1e6, each * scale)) / 20) * 20 for each in node.at)
            if node.kind in self.note_kinds and node.text("note"):
                notes[f"note-{at}"] = {"team": "", "text": node.text("note")[:2_000], "x": x, "y": y}
            elif self.names.get(node.id) in there:
                pins[self.names[node.id]] = {"x": x, "y": y}
        _pin_steps(pins, config_of(team).get("graph"))
        return {"pins": pins, "notes": notes}


def _pin_steps(pins: JsonObject, graph: JsonValue) -> None:
    """Place what has no node of its own, such as a prompt, above what comes next, where nothing else stands."""
    nodes: dict[str, Any] = cast("dict[str, Any]", graph)["nodes"] if isinstance(graph, dict) else {}
    placed = cast("dict[str, Mapping[str, int]]", pins)
    for name in reversed(list(nodes)):
        after = next((placed[edge["target"]] for edge in nodes[name]["edges"] if edge["target"] in placed), None)
        if name in placed or after is None:
            continue
        x, y = after["x"], after["y"] - CARD_HIGH
        while any(abs(each["x"] - x) < CARD_WIDE and abs(each["y"] - y) < CARD_HIGH for each in placed.values()):
            y -= CARD_HIGH
        placed[name] = {"x": x, "y": y}


def agent_node(node: CanvasNode, label: str = "", *, tells: bool = True) -> Node:
    """An agent that is filled in later."""
    return Node(label or node.label, node.place, {"provider": ASSISTANT, "config": {}}, tells=tells)


def accepted(text: str, *, is_condition: bool = False) -> str:
    """An expression that is one.

    Raises:
        Unsupported: It is not.
    """
    try:
        (VariableCondition if is_condition else VariableExpression)(text)
    except ValueError as error:
        raise Unsupported(str(error)[:200]) from error
    return text


def choices(canvas: Canvas, edge: CanvasEdge, branching: set[str]) -> dict[str, set[str]]:
    """By node that chooses, the ports that can have led to this edge."""
    found: dict[str, set[str]] = {}
    seen: set[str] = set()
    todo = [edge]
    while todo:
        each = todo.pop()
        if each.source in branching:
            found.setdefault(each.source, set()).add(each.port)
        if each.source not in seen:
            seen.add(each.source)
            todo += canvas.incoming.get(each.source, ())
    return found


def are_exclusive_choices(one: Mapping[str, set[str]], other: Mapping[str, set[str]]) -> bool:
    """Whether only one of two edges can be followed."""
    return any(not ports & other[node] for node, ports in one.items() if node in other)
