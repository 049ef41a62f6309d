"""What all kinds of flows of Flowise share: nodes as participants, their texts, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.components import ASSISTANT, MAX_TOOL_ROUNDS, assignments, config_of, step, structured
from studio.importers.expressions import Unsupported
from studio.importers.findings import SEE_PARTS, Location, Report
from studio.importers.flowise_documents import Canvas, CanvasNode, within
from studio.importers.flowise_texts import Path, Resolve, template
from studio.importers.names import Names
from studio.importers.tools import Toolset
from studio.importers.workflow import Edge, Node, Workflow
from studio.tools.expression import VariableCondition, VariableExpression

NOTES = ("stickyNote", "stickyNoteAgentflow")
CARD_WIDE, CARD_HIGH = 240, 120
"""Room for a card of our canvas."""
_FIELDS: Mapping[str, JsonObject] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "stringarray": {"type": "array", "items": {"type": "string"}},
}


@dataclass
class Reading:
    """A flow on its way to a team.

    Args:
        names: Of participants, by the ids of their nodes.
        exits: The edges that lead on from a node, by its ports; an empty port is that of all others.
        variables: Names of ours for the keys of the flow's state.
    """

    canvas: Canvas
    report: Report
    flow: Workflow = field(init=False)
    names: dict[str, str] = field(default_factory=dict[str, str])
    exits: dict[str, dict[str, list[Edge]]] = field(default_factory=dict[str, dict[str, list[Edge]]])
    variables: dict[str, str] = field(default_factory=dict[str, str])
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    """Nodes whose answer another node gives."""
    taken: Names = field(default_factory=lambda: Names("input_as_text"))

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

    def text(self, given: str, resolve: Resolve, place: Location, owner: str) -> str:
        """A text with places for variables; what it cannot name is told."""

        def missed(reference: str, why: str) -> None:
            what = f"`{{{{{reference}}}}}` in a text of {owner}"
            self.report.add("asked", place, what, f"It is not known here: {why}.", fix="Write it.", became=owner)

        return template(given, resolve, missed)

    def fill(self, name: str, system: str, client: JsonObject, tools: Toolset, schema: JsonObject | None) -> None:
        """Complete an agent.

        Args:
            system: A template.
        """
        part = self.flow.nodes[name].part
        assert part is not None, "an agent is a participant"
        config = config_of(part)
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

    def then(self, node: CanvasNode, pairs: Sequence[tuple[str, str]]) -> None:
        """Set variables after a node."""
        if not pairs:
            return
        label, before = f"State of {node.label}", self.names[node.id]
        name = self.flow.add(Node(label, node.place, step(assignments=assignments(pairs))), f"{before}_state")
        self.flow.edges.append(Edge(before, name))
        self.exits[node.id] = {"": [Edge(name)]}

    def conclude(self, node: CanvasNode, what: str, before: int) -> None:
        """Say what became of a node, after the findings about its parts."""
        is_same = all(each.verdict in ("exact", "asked") for each in self.report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        self.report.add(verdict, node.place, f"{what} “{node.label}”", why, became=self.names.get(node.id, ""))

    def leave(self, node: CanvasNode, inputs: Iterable[str], known: Iterable[str], owner: str) -> None:
        """Tell of inputs that are set and not read."""
        read = set(known)
        for each in inputs:
            if each not in read and node.inputs[each] not in ("", None, False, [], {}):
                why = "There is no such setting here."
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
            if node.kind in NOTES and node.text("note"):
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
            if node.kind in NOTES and node.text("note"):
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


def answer_schema(fields: Sequence[JsonObject]) -> JsonObject | None:
    """The schema of a structured answer; None where no field is described."""
    properties: JsonObject = {}
    for each in fields:
        name, kind = each.get("key"), str(each.get("type") or "").lower().replace(" ", "")
        if not isinstance(name, str) or not name.strip():
            continue
        options = [option.strip() for option in str(each.get("enumValues") or "").split(",") if option.strip()]
        if kind == "enum" and options:
            found: JsonObject = {"type": "string", "enum": list[JsonValue](dict.fromkeys(options))}
        elif kind == "jsonarray":
            inner = within(str(each.get("jsonSchema") or ""))
            known = inner if isinstance(inner, dict) and all(isinstance(one, dict) for one in inner.values()) else {}
            found = {
                "type": "array",
                "items": {"type": "object", "properties": known, "required": list[JsonValue](known)},
            }
        else:
            found = dict(_FIELDS.get(kind, _FIELDS["string"]))
        described = each.get("description")
        properties[name.strip()] = {
            **found,
            **({"description": described} if isinstance(described, str) and described else {}),
        }
    return {"type": "object", "properties": properties, "required": list[JsonValue](properties)} if properties else None
