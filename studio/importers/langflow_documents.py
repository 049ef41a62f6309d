"""Flows of Langflow as they are exported: canvases whose nodes are components with fields, outputs and their code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.importers.bundle import Bundle
from studio.importers.canvas import MAX_EDGES, Canvas, CanvasEdge, CanvasNode, json_within, point_of
from studio.importers.findings import Location, Report
from studio.importers.workflow import MAX_NODES

MARK = '"genericNode"'
"""What each flow has that can be run."""
NOTE = "note"
GLOBAL = "load_from_db"
"""In place of a field's value: it is the name of a global variable."""
MAX_ROWS = 300
"""Of a table: tools, routes, fields of an answer."""
_QUOTE = "œ"
"""What stands for a quotation mark in the handles of edges."""


@dataclass(frozen=True)
class Found:
    """A flow that is not read yet."""

    title: str
    place: Location
    document: JsonObject


def flows_in(bundle: Bundle) -> Iterator[Found]:
    """The flows of all files, alone or in a list, in the order in which they are looked for."""
    for name, text in bundle.named(".json", ".txt"):
        document = json_within(text) if MARK in text else None
        listed = document.get("flows") if isinstance(document, dict) else document
        if isinstance(listed, list):
            above = "/flows" if isinstance(document, dict) else ""
            for at, each in enumerate(listed):
                yield from _flow(each, name, Location(name, pointer=f"{above}/{at}"))
        yield from _flow(document, name, Location(name))


def _flow(document: JsonValue, name: str, place: Location) -> Iterator[Found]:
    """The flow that a value is, with the place of its nodes."""
    if not isinstance(document, dict):
        return
    stem = name.rpartition("/")[2].rpartition(".")[0]
    title = document.get("name")
    inner = document.get("data")
    shown = title if isinstance(title, str) and title.strip() else stem
    if isinstance(inner, dict) and _is_flow(inner):
        yield Found(shown, Location(place.file, pointer=f"{place.pointer}/data"), inner)
    elif _is_flow(document):
        yield Found(shown, place, document)


def _is_flow(document: JsonObject) -> bool:
    nodes = document.get("nodes")
    return isinstance(nodes, list) and any(isinstance(each, dict) and _component(each) is not None for each in nodes)


def _component(node: JsonObject) -> tuple[str, JsonObject] | None:
    """The kind of a node and its component; None where it is none of Langflow."""
    data = node.get("data")
    inner = data.get("node") if isinstance(data, dict) else None
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(inner, dict) or not isinstance(kind, str) or not isinstance(inner.get("template"), dict):
        return None
    return kind, inner


def canvas_of(found: Found, report: Report) -> Canvas:
    """The nodes and edges of a flow; what is neither is told.

    Raises:
        TooLarge: It has more of them than a canvas can have.
        InvalidDocument: It has no list of edges.
    """
    nodes, edges = found.document.get("nodes"), found.document.get("edges")
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise InvalidDocument("The flow has no list of edges.", fix="Export it again from Langflow.")
    if len(nodes) > MAX_NODES or len(edges) > MAX_EDGES:
        raise TooLarge(
            f"The flow has more than {MAX_NODES} nodes or {MAX_EDGES:,} edges.", fix="Import its parts one by one."
        )
    canvas = Canvas(found.title, found.place)
    for at, each in enumerate(nodes):
        place = Location(found.place.file, pointer=f"{found.place.pointer}/nodes/{at}")
        node = _node(each, place) if isinstance(each, dict) else None
        if node is None or node.id in canvas.nodes:
            why = "It is not a node of Langflow." if node is None else "Another node has the same id."
            report.add("dropped", place, f"Node {at + 1}", why)
            continue
        canvas.nodes[node.id] = node
        if isinstance(each, dict) and _is_edited(each):
            why = (
                "It was changed in Langflow. Code of a component is never run, so it does here what the original does."
            )
            what = f"Code of “{node.label}”"
            report.add(
                "dropped", node.inside("code"), what, why, fix="Write what it changed as a tool, or in the text."
            )
    for at, each in enumerate(edges):
        edge = _edge(each) if isinstance(each, dict) else None
        if edge is not None and edge.source in canvas.nodes and edge.target in canvas.nodes:
            canvas.edges.append(edge)
        else:
            place = Location(found.place.file, pointer=f"{found.place.pointer}/edges/{at}")
            report.add("dropped", place, f"Edge {at + 1}", "It does not lead from one node to another.")
    return canvas


def _node(given: JsonObject, place: Location) -> CanvasNode | None:
    own, data = given.get("id"), given.get("data")
    if not isinstance(own, str) or not isinstance(data, dict):
        return None
    at = point_of(given.get("position"))
    inner = data.get("node")
    if given.get("type") == "noteNode":
        said = inner.get("description") if isinstance(inner, dict) else None
        return CanvasNode(own, NOTE, "Note", place, {"note": said if isinstance(said, str) else ""}, at=at)
    read = _component(given)
    if read is None:
        return None
    kind, component = read
    template = component["template"]
    fields = template if isinstance(template, dict) else {}
    label = component.get("display_name")
    return CanvasNode(
        own,
        kind,
        label.strip() if isinstance(label, str) and label.strip() else kind,
        place,
        {name: _value(each) for name, each in fields.items() if isinstance(each, dict) and name != "code"},
        at=at,
        within=("data", "node", "template"),
    )


def _value(field: JsonObject) -> JsonValue:
    """The value of a field; the code of a component is never among them."""
    value = field.get("value")
    return {GLOBAL: value} if field.get(GLOBAL) is True and isinstance(value, str) and value else value


def _is_edited(node: JsonObject) -> bool:
    read = _component(node)
    return read is not None and read[1].get("edited") is True


def _edge(given: JsonObject) -> CanvasEdge | None:
    source, target = given.get("source"), given.get("target")
    if not isinstance(source, str) or not isinstance(target, str):
        return None
    data = given.get("data")
    inner = data if isinstance(data, dict) else {}
    leaves = _handle(inner.get("sourceHandle"), given.get("sourceHandle"))
    enters = _handle(inner.get("targetHandle"), given.get("targetHandle"))
    return CanvasEdge(source, str(leaves.get("name") or ""), target, str(enters.get("fieldName") or ""))


def _handle(*given: JsonValue) -> Mapping[str, JsonValue]:
    """What an end of an edge says of itself, as an object or as a text."""
    for each in given:
        value = json_within(each.replace(_QUOTE, '"')) if isinstance(each, str) else each
        if isinstance(value, dict):
            return value
    return {}


def rows(node: CanvasNode, name: str) -> Sequence[tuple[Location, JsonObject]]:
    """The rows of a table; an older form has them below `data`.

    Raises:
        TooLarge: There are more than `MAX_ROWS`.
    """
    value = node.inputs.get(name)
    given = json_within(value) if isinstance(value, str) else value
    is_older = isinstance(given, dict)
    listed = given.get("data") if isinstance(given, dict) else given
    below = ("value", "data") if is_older else ("value",)
    found = entries(node, listed)
    return [(node.inside(name, *below, str(at)), each) for at, each in enumerate(found) if isinstance(each, dict)]


def entries(node: CanvasNode, value: JsonValue) -> Sequence[JsonValue]:
    """The entries of a list in a field; none of anything else.

    Raises:
        TooLarge: There are more than `MAX_ROWS`.
    """
    listed = value if isinstance(value, list) else []
    if len(listed) > MAX_ROWS:
        raise TooLarge(f"A table of “{node.label[:80]}” has more than {MAX_ROWS} rows.", fix="Shorten it in Langflow.")
    return listed
