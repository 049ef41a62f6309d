"""Workflows of n8n as they are exported: nodes, and connections by the names of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.bundle import Bundle
from studio.importers.canvas import MAX_EDGES, Canvas, CanvasEdge, CanvasNode, json_within, point_of
from studio.importers.findings import Location, Report
from studio.importers.workflow import MAX_NODES

MARKS = ("n8n-nodes-base.", "@n8n/")
"""What the kinds of nodes begin with."""
NOTE = "stickyNote"
MAIN = "main"
"""The connections along which items go; all others lead a part to its agent."""


@dataclass(frozen=True)
class Found:
    """A workflow that is not read yet."""

    title: str
    place: Location
    document: JsonObject


def workflows_in(bundle: Bundle) -> Iterator[Found]:
    """The workflows of all files, alone or in a list."""
    for name, text in bundle.named(".json", ".txt"):
        document = json_within(text) if any(mark in text for mark in MARKS) else None
        listed = document if isinstance(document, list) else [document]
        for at, each in enumerate(listed):
            if isinstance(each, dict) and _is_workflow(each):
                title, stem = each.get("name"), name.rpartition("/")[2].rpartition(".")[0]
                place = Location(name, pointer=f"/{at}" if isinstance(document, list) else "")
                yield Found(title if isinstance(title, str) and title.strip() else stem, place, each)


def _is_workflow(document: JsonObject) -> bool:
    nodes = document.get("nodes")
    kinds = [each.get("type") for each in nodes if isinstance(each, dict)] if isinstance(nodes, list) else []
    return isinstance(document.get("connections"), dict) and any(
        isinstance(kind, str) and kind.startswith(MARKS) for kind in kinds
    )


def canvas_of(found: Found, report: Report) -> Canvas:
    """The nodes and edges of a workflow; what is neither is told.

    Raises:
        TooLarge: It has more of them than a canvas can have.
    """
    canvas, names = Canvas(found.title, found.place), set[str]()
    nodes = found.document.get("nodes")
    assert isinstance(nodes, list), "it is a workflow"
    if len(nodes) > MAX_NODES:
        raise TooLarge(f"The workflow has more than {MAX_NODES} nodes.", fix="Import its parts one by one.")
    for at, each in enumerate(nodes):
        place = Location(found.place.file, pointer=f"{found.place.pointer}/nodes/{at}")
        node = _node(each, place) if isinstance(each, dict) else None
        if node is None or node.id in names:
            why = "It is not a node of n8n." if node is None else "Another node has the same name."
            report.add("dropped", place, f"Node {at + 1}", why)
            continue
        names.add(node.id)
        canvas.nodes[node.id] = node
    for edge in _edges(found.document.get("connections")):
        if edge.source not in canvas.nodes or edge.target not in canvas.nodes:
            what = f"Connection from “{edge.source[:80]}” to “{edge.target[:80]}”"
            report.add("dropped", found.place, what, "There is no such node.")
            continue
        canvas.edges.append(edge)
        if len(canvas.edges) > MAX_EDGES:
            raise TooLarge(f"The workflow has more than {MAX_EDGES:,} connections.", fix="Import its parts one by one.")
    return canvas


def _node(given: JsonObject, place: Location) -> CanvasNode | None:
    name, kind, parameters = given.get("name"), given.get("type"), given.get("parameters")
    if not isinstance(name, str) or not name.strip() or not isinstance(kind, str):
        return None
    inputs: JsonObject = dict(parameters) if isinstance(parameters, dict) else {}
    short = kind.rpartition(".")[2]
    if short == NOTE:
        inputs = {"note": inputs.get("content", "")}
    position = given.get("position")
    at = point_of({"x": position[0], "y": position[1]}) if isinstance(position, list) and len(position) == 2 else None
    is_off = given.get("disabled") is True
    return CanvasNode(name, "disabled" if is_off else short, name, place, inputs, at=at, within=("parameters",))


def _edges(connections: JsonValue) -> Iterator[CanvasEdge]:
    """Each connection, with the number of the output as its port and its kind as its field."""
    for source, kinds in connections.items() if isinstance(connections, dict) else ():
        for kind, outputs in kinds.items() if isinstance(kinds, dict) else ():
            for port, targets in enumerate(outputs if isinstance(outputs, list) else []):
                for each in targets if isinstance(targets, list) else []:
                    if isinstance(each, dict) and isinstance(each.get("node"), str):
                        yield CanvasEdge(source, str(port), str(each["node"]), kind)
