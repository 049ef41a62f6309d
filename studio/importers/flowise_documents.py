"""Flows of Flowise as they are exported: canvases with nodes and edges, alone or several in one file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from studio.components import JsonObject, parse_document
from studio.components.pointers import escape
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers.bundle import MAX_DOCUMENT, Bundle
from studio.importers.findings import Location, Report
from studio.importers.workflow import MAX_NODES

MARK = "baseClasses"
"""What each node of an export has, also where a whole flow is a text in another file."""
TOOL_MARK = '"iconSrc"'
MAX_EDGES = 2_000
_GROUPS = ("AgentFlowV2", "AgentFlow", "ChatFlow")
"""Lists of an export of everything, in the order in which they are looked for."""


@dataclass(frozen=True, eq=False)
class CanvasNode:
    """A node as the canvas has it.

    Args:
        kind: What it is, such as `llmAgentflow`.
        parent: Id of the node that it is in.
        at: Where it is on the canvas.
    """

    id: str
    kind: str
    label: str
    place: Location
    inputs: JsonObject
    output: str = ""
    parent: str = ""
    at: tuple[float, float] | None = None

    def text(self, name: str) -> str:
        """The text of an input; empty where it is none."""
        value = self.inputs.get(name)
        return value if isinstance(value, str) else ""

    def items(self, name: str) -> list[tuple[Location, JsonObject]]:
        """The objects of a list, with their places; it may be JSON in a text."""
        value = self.inputs.get(name)
        listed = within(value) if isinstance(value, str) else value
        found = listed if isinstance(listed, list) else []
        return [(self.inside(name, str(at)), each) for at, each in enumerate(found) if isinstance(each, dict)]

    def inside(self, *names: str) -> Location:
        """The place of an input."""
        path = "".join(f"/{escape(each)}" for each in ("data", "inputs", *names))
        return Location(self.place.file, pointer=f"{self.place.pointer}{path}")


@dataclass(frozen=True)
class CanvasEdge:
    """An edge, from an output of one node to an input of another."""

    source: str
    port: str
    target: str
    field: str


@dataclass
class Canvas:
    """A flow: its nodes by id, and its edges."""

    title: str
    place: Location
    nodes: dict[str, CanvasNode] = field(default_factory=dict[str, CanvasNode])
    edges: list[CanvasEdge] = field(default_factory=list[CanvasEdge])

    @cached_property
    def incoming(self) -> Mapping[str, Sequence[CanvasEdge]]:
        """The edges that lead to each node, once all are known."""
        found: dict[str, list[CanvasEdge]] = {}
        for edge in dict.fromkeys(self.edges):
            found.setdefault(edge.target, []).append(edge)
        return found

    def into(self, node: str, *names: str) -> list[CanvasNode]:
        """The nodes that lead to one of these inputs of a node, or to any."""
        edges = self.incoming.get(node, ())
        return [self.nodes[each] for each in dict.fromkeys(e.source for e in edges if not names or e.field in names)]


@dataclass(frozen=True)
class Found:
    """A flow that is not read yet."""

    title: str
    place: Location
    document: JsonObject


def within(text: str) -> JsonValue:
    """The value of JSON that is a text in a flow; null where it is none."""
    try:
        return parse_document(text, max_bytes=MAX_DOCUMENT) if text.strip() else None
    except StudioError:
        return None


def flows_in(bundle: Bundle) -> Iterator[Found]:
    """The flows of all files, in the order in which they are looked for."""
    for name, text in bundle.named(".json", ".txt"):
        document = within(text) if MARK in text else None
        if not isinstance(document, dict):
            continue
        if _is_flow(document):
            stem = name.rpartition("/")[2].rpartition(".")[0]
            yield Found(
                str(document.get("name") or stem.removesuffix(" Agents").removesuffix(" Chatflow")),
                Location(name),
                document,
            )
        for group in _GROUPS:
            listed = document.get(group)
            for at, each in enumerate(listed if isinstance(listed, list) else []):
                given = each.get("flowData") if isinstance(each, dict) else None
                flow = within(given) if isinstance(given, str) else given
                if isinstance(each, dict) and isinstance(flow, dict) and _is_flow(flow):
                    place = Location(name, pointer=f"/{group}/{at}/flowData")
                    yield Found(str(each.get("name") or group), place, flow)


def _is_flow(document: JsonObject) -> bool:
    return any(_data(each) is not None for each in _objects(document.get("nodes")))


def _data(node: JsonObject) -> JsonObject | None:
    """What a node is; None where it is none of Flowise."""
    data = node.get("data")
    is_one = isinstance(data, dict) and isinstance(data.get("name"), str) and MARK in data
    return data if is_one and isinstance(data, dict) else None


def tool_in(bundle: Bundle) -> str:
    """The name of a custom tool that the files hold."""
    for _, text in bundle.named(".json", ".txt"):
        document = within(text) if TOOL_MARK in text and len(text) < MAX_DOCUMENT else None
        if isinstance(document, dict) and isinstance(document.get("func"), str) and "schema" in document:
            return str(document.get("name") or "tool")[:80]
    return ""


def canvas_of(found: Found, report: Report) -> Canvas:
    """The nodes and edges of a flow; what is neither is told.

    Raises:
        TooLarge: It has more of them than a canvas can have.
        InvalidDocument: It has no list of edges.
    """
    nodes, edges = found.document.get("nodes"), found.document.get("edges")
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise InvalidDocument("The flow has no list of edges.", fix="Export it again from Flowise.")
    if len(nodes) > MAX_NODES or len(edges) > MAX_EDGES:
        raise TooLarge(
            f"The flow has more than {MAX_NODES} nodes or {MAX_EDGES:,} edges.", fix="Import its parts one by one."
        )
    canvas = Canvas(found.title, found.place)
    for at, each in enumerate(nodes):
        place = Location(found.place.file, pointer=f"{found.place.pointer}/nodes/{at}")
        node = _node(each, place) if isinstance(each, dict) else None
        if node is None or node.id in canvas.nodes:
            why = "It is not a node of Flowise." if node is None else "Another node has the same id."
            report.add("dropped", place, f"Node {at + 1}", why)
        else:
            canvas.nodes[node.id] = node
    for at, each in enumerate(edges):
        edge = _edge(each) if isinstance(each, dict) else None
        if edge is not None and edge.source in canvas.nodes and edge.target in canvas.nodes:
            canvas.edges.append(edge)
        else:
            place = Location(found.place.file, pointer=f"{found.place.pointer}/edges/{at}")
            report.add("dropped", place, f"Edge {at + 1}", "It does not lead from one node to another.")
    return canvas


def _node(given: JsonObject, place: Location) -> CanvasNode | None:
    data, own = _data(given), given.get("id")
    if data is None or not isinstance(own, str):
        return None
    inputs, outputs, position = data.get("inputs"), data.get("outputs"), given.get("position")
    label = data.get("label")
    return CanvasNode(
        own,
        str(data["name"]),
        label.strip() if isinstance(label, str) and label.strip() else str(data["name"]),
        place,
        inputs if isinstance(inputs, dict) else {},
        str(outputs.get("output") or "") if isinstance(outputs, dict) else "",
        str(given.get("parentNode") or ""),
        _point(position) if isinstance(position, dict) else None,
    )


def _point(position: Mapping[str, JsonValue]) -> tuple[float, float] | None:
    match position.get("x"), position.get("y"):
        case int() | float() as x, int() | float() as y if math.isfinite(x) and math.isfinite(y):
            return x, y
        case _:
            return None


def _edge(given: JsonObject) -> CanvasEdge | None:
    source, target = given.get("source"), given.get("target")
    if not isinstance(source, str) or not isinstance(target, str):
        return None
    port = str(given.get("sourceHandle") or "").partition("-output-")[2].partition("-")[0]
    name = str(given.get("targetHandle") or "").partition("-input-")[2].partition("-")[0]
    return CanvasEdge(source, port, target, name)


def _objects(value: JsonValue) -> Sequence[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
