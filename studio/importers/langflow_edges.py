"""Who comes after whom in a flow of Langflow: data that is passed on, as edges between participants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.errors import TooLarge
from studio.importers.canvas import MAX_EDGES, Canvas, CanvasEdge
from studio.importers.canvas_reading import are_exclusive_choices, choices
from studio.importers.langflow_flow import LangflowReading
from studio.importers.langflow_kinds import CHAT_INPUTS, LOOPS, branches
from studio.importers.workflow import START, Edge

MAX_COMPARED = 20
"""Edges into one node that are compared with each other."""


def connect(reading: LangflowReading) -> None:
    """Add the edges between the participants of a flow, and those from the start."""
    drawn = _between(reading)
    choosing = {node.id for node in reading.canvas.nodes.values() if branches(node)}
    _reduce(drawn, choosing)
    for node in drawn.nodes:
        before = {each.source for each in drawn.incoming.get(node, ())}
        if not before - _reached(drawn, node) - {node}:
            reading.flow.edges.append(Edge(START, reading.names[node]))
    ports: dict[str, set[str]] = {}
    for edge in drawn.edges:
        ports.setdefault(edge.source, set()).add(edge.port)
        reading.connect(edge.source, edge.port, reading.names[edge.target])
    for node, exits in reading.exits.items():
        used = ports.get(node, set())
        reading.exits[node] = {port: edges for port, edges in exits.items() if port not in used and (port or not used)}
    _wait(reading, drawn, choosing)


def is_looped(canvas: Canvas, node: str) -> bool:
    """Whether a node comes again after itself."""
    return node in _reached(canvas, node)


def _reached(canvas: Canvas, start: str) -> set[str]:
    """The nodes before which this one comes."""
    following: dict[str, list[str]] = {}
    for edge in canvas.edges:
        following.setdefault(edge.source, []).append(edge.target)
    found: set[str] = set()
    todo = [start]
    while todo:
        for each in following.get(todo.pop(), ()):
            if each not in found:
                found.add(each)
                todo.append(each)
    return found


def _between(reading: LangflowReading) -> Canvas:
    """The flow with nothing but its participants: an edge for each that another waits for.

    Raises:
        TooLarge: There are more than a canvas can have.
    """
    canvas = reading.canvas
    drawn = Canvas(canvas.title, canvas.place, {node: canvas.nodes[node] for node in reading.names})
    found: dict[CanvasEdge, None] = {}
    for node in reading.names:
        seen: set[CanvasEdge] = set()
        todo = list(canvas.incoming.get(node, ()))
        while todo:
            edge = todo.pop()
            if edge in seen or canvas.nodes[edge.source].kind in CHAT_INPUTS:
                continue
            seen.add(edge)
            if edge.source in reading.names:
                port = edge.port if branches(canvas.nodes[edge.source]) else ""
                found[CanvasEdge(edge.source, port, node, "")] = None
            else:
                todo += _before(canvas, edge)
        if len(found) > MAX_EDGES:
            what = f"More than {MAX_EDGES:,} connections lead from one agent to another."
            raise TooLarge(what, fix="Import a part of the flow.")
    drawn.edges = [each for each in found if each.source != each.target]
    return drawn


def _before(canvas: Canvas, edge: CanvasEdge) -> Sequence[CanvasEdge]:
    """The edges that lead to one that leaves a node which is no participant; a loop has two ways through it."""
    into = canvas.incoming.get(edge.source, ())
    if canvas.nodes[edge.source].kind not in LOOPS:
        return into
    is_done = edge.port == "done"
    return [each for each in into if (each.field != "data") == is_done]


def _reduce(drawn: Canvas, choosing: set[str]) -> None:
    """Leave out edges between nodes that come one after the other by others, too."""
    following: dict[str, list[str]] = {}
    for edge in drawn.edges:
        if edge.source not in choosing:
            following.setdefault(edge.source, []).append(edge.target)
    kept: list[CanvasEdge] = []
    for edge in drawn.edges:
        if edge.source not in choosing and _is_led_around(following, edge):
            following[edge.source].remove(edge.target)
        else:
            kept.append(edge)
    drawn.edges = kept


def _is_led_around(following: Mapping[str, Sequence[str]], edge: CanvasEdge) -> bool:
    """Whether other edges lead from the source of an edge to its target."""
    seen: set[str] = {edge.source}
    todo = [each for each in following[edge.source] if each != edge.target]
    while todo:
        each = todo.pop()
        if each == edge.target:
            return True
        if each not in seen:
            seen.add(each)
            todo += following.get(each, ())
    return False


def _wait(reading: LangflowReading, drawn: Canvas, choosing: set[str]) -> None:
    """Let a node that several lead to wait for all, but not for branches of one choice or for a loop."""
    for node in drawn.nodes:
        into = drawn.incoming.get(node, ())
        if len(into) < 2 or is_looped(drawn, node):
            continue
        chosen = [choices(drawn, edge, choosing) for edge in into[:MAX_COMPARED]]
        if not any(are_exclusive_choices(one, other) for at, one in enumerate(chosen) for other in chosen[at + 1 :]):
            reading.flow.nodes[reading.names[node]].waits_for_all = True
