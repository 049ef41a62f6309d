"""Flows of Flowise as they are exported: canvases with nodes and edges, alone or several in one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.importers.bundle import MAX_DOCUMENT, Bundle
from studio.importers.canvas import MAX_EDGES, Canvas, CanvasEdge, CanvasNode, json_within, point_of
from studio.importers.findings import Location, Report
from studio.importers.workflow import MAX_NODES

MARK = "baseClasses"
"""What each node of an export has, also where a whole flow is a text in another file."""
TOOL_MARK = '"iconSrc"'
_GROUPS = ("AgentFlowV2", "AgentFlow", "ChatFlow")
"""Lists of an export of everything, in the order in which they are looked for."""


@dataclass(frozen=True)
class Found:
    """A flow that is not read yet."""

    title: str
    place: Location
    document: JsonObject


def flows_in(bundle: Bundle) -> Iterator[Found]:
    """The flows of all files, in the order in which they are looked for."""
    for name, text in bundle.named(".json", ".txt"):
        document = json_within(text) if MARK in text else None
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
                flow = json_within(given) if isinstance(given, str) else given
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
        document = json_within(text) if TOOL_MARK in text and len(text) < MAX_DOCUMENT else None
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
    inputs, outputs = data.get("inputs"), data.get("outputs")
    label = data.get("label")
    return CanvasNode(
        own,
        str(data["name"]),
        label.strip() if isinstance(label, str) and label.strip() else str(data["name"]),
        place,
        inputs if isinstance(inputs, dict) else {},
        str(outputs.get("output") or "") if isinstance(outputs, dict) else "",
        str(given.get("parentNode") or ""),
        point_of(given.get("position")),
    )


def _edge(given: JsonObject) -> CanvasEdge | None:
    source, target = given.get("source"), given.get("target")
    if not isinstance(source, str) or not isinstance(target, str):
        return None
    port = str(given.get("sourceHandle") or "").partition("-output-")[2].partition("-")[0]
    name = str(given.get("targetHandle") or "").partition("-input-")[2].partition("-")[0]
    return CanvasEdge(source, port, target, name)


def _objects(value: JsonValue) -> Sequence[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
