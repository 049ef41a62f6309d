"""Apps of Dify as they are exported: one YAML file with the app, and its workflow or its model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.importers.bundle import Bundle
from studio.importers.canvas import MAX_EDGES, Canvas, CanvasEdge, CanvasNode, json_within, point_of
from studio.importers.findings import Report
from studio.importers.parts import Budget, Part, yaml_part
from studio.importers.workflow import MAX_NODES

MODES = ("chat", "agent-chat", "completion", "workflow", "advanced-chat")
NOTE, GROUP_STARTS = "note", ("iteration-start", "loop-start")
_APP = re.compile(r"^app:[ \t]*(?:#.*)?$", re.MULTILINE)
_MODE = re.compile(r"^[ \t]+mode:[ \t]*['\"]?(?:chat|agent-chat|completion|workflow|advanced-chat)\b", re.MULTILINE)
_BODY = re.compile(r"^(?:workflow|model_config):", re.MULTILINE)
_PIPELINE = re.compile(r"^kind:[ \t]*['\"]?rag_pipeline\b", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """An app that is not read yet."""

    title: str
    mode: str
    document: Part

    @property
    def is_workflow(self) -> bool:
        """Whether it has a canvas."""
        return self.document.get("workflow", "graph") is not None


def is_dify_text(text: str) -> bool:
    """Whether a text looks like an app of Dify, or like a pipeline that only loads documents."""
    is_app = _APP.search(text) is not None and _MODE.search(text) is not None and _BODY.search(text) is not None
    return is_app or (_PIPELINE.search(text) is not None and _BODY.search(text) is not None)


def apps_in(bundle: Bundle) -> Iterator[Found]:
    """The apps of all files.

    Raises:
        InvalidDocument: A file is not YAML, or only loads documents.
        TooLarge: The files are beyond the bounds of YAML.
    """
    budget = Budget()
    for name, text in bundle.named(".yml", ".yaml", ".txt"):
        if not is_dify_text(text):
            continue
        document = yaml_part(name, text, budget)
        if text_at(document, "kind") == "rag_pipeline":
            what = "This is a knowledge pipeline of Dify, which only loads documents."
            raise InvalidDocument(what, fix="Export the app that answers with this knowledge.")
        mode = text_at(document, "app", "mode")
        if mode in MODES:
            stem = name.rpartition("/")[2].rpartition(".")[0]
            yield Found(" ".join(text_at(document, "app", "name").split()) or stem, mode, document)


def text_at(part: Part | None, *names: str) -> str:
    """The text at the end of a path of keys; empty where there is none."""
    found = part.get(*names) if part is not None else None
    return found.text if found is not None else ""


def items_at(part: Part | None, *names: str) -> tuple[Part, ...]:
    """The items of the list at the end of a path of keys."""
    found = part.get(*names) if part is not None else None
    return found.items or () if found is not None else ()


def canvas_of(found: Found, report: Report) -> Canvas:
    """The nodes and edges of a workflow; what is neither is told.

    Raises:
        TooLarge: It has more of them than a canvas can have.
        InvalidDocument: It has no list of nodes or of edges.
    """
    graph = found.document.get("workflow", "graph")
    nodes, edges = (graph.get(each) if graph is not None else None for each in ("nodes", "edges"))
    if graph is None or nodes is None or nodes.items is None or edges is None or edges.items is None:
        raise InvalidDocument("The workflow has no list of nodes or of edges.", fix="Export it again from Dify.")
    if len(nodes.items) > MAX_NODES or len(edges.items) > MAX_EDGES:
        what = f"The workflow has more than {MAX_NODES} nodes or {MAX_EDGES:,} edges."
        raise TooLarge(what, fix="Import its parts one by one.")
    canvas = Canvas(found.title, graph.place)
    for at, each in enumerate(nodes.items):
        node = _node(each)
        if node is None or node.id in canvas.nodes:
            why = "It is not a node of Dify." if node is None else "Another node has the same id."
            report.add("dropped", each.place, f"Node {at + 1}", why)
        else:
            canvas.nodes[node.id] = node
    for at, each in enumerate(edges.items):
        source, target = _id(each.get("source")), _id(each.get("target"))
        if source in canvas.nodes and target in canvas.nodes:
            port = _id(each.get("sourceHandle"))
            canvas.edges.append(CanvasEdge(source, "" if port == "source" else port, target, ""))
        else:
            report.add("dropped", each.place, f"Edge {at + 1}", "It does not lead from one node to another.")
    return canvas


def _node(part: Part) -> CanvasNode | None:
    data, own = part.get("data"), _id(part.get("id"))
    if data is None or data.entries is None or not own:
        return None
    kind = text_at(data, "type") or (NOTE if text_at(part, "type") == "custom-note" or data.get("text") else "")
    inputs = cast("JsonObject", data.plain())
    if kind == NOTE:
        inputs = cast("JsonObject", {"note": note_text(text_at(data, "text"))})
    title = " ".join(text_at(data, "title").split())
    parent = _id(part.get("parentId")) or _id(data.get("iteration_id")) or _id(data.get("loop_id"))
    position = part.get("position")
    at = point_of(position.plain()) if position is not None else None
    return CanvasNode(own, kind, title or kind or "node", part.place, inputs, parent=parent, at=at, part=data)


def _id(part: Part | None) -> str:
    """An id, which is a text or a number."""
    value = part.value if part is not None else None
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def note_text(given: str) -> str:
    """The text of a note, which the editor keeps as a tree in JSON."""
    tree = json_within(given)
    if not isinstance(tree, dict):
        return given.strip()
    said: list[str] = []
    todo: list[JsonValue] = [tree.get("root")]
    while todo:
        each = todo.pop()
        if isinstance(each, str):
            said.append(each)
        elif isinstance(each, dict):
            text, children, kind = each.get("text"), each.get("children"), each.get("type")
            if isinstance(text, str):
                said.append(text)
            if kind in ("paragraph", "heading", "listitem", "linebreak") and said:
                said.append("\n")
            todo += reversed(children) if isinstance(children, list) else []
    return "".join(said).strip()
