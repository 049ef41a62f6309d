"""Nodes and edges as the canvas of another tool has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from studio.components import JsonObject, parse_document
from studio.components.pointers import escape
from studio.errors import StudioError
from studio.importers.bundle import MAX_DOCUMENT
from studio.importers.findings import Location
from studio.importers.parts import Part

MAX_EDGES = 2_000


def is_unset(value: JsonValue) -> bool:
    """Whether an input has no value; zero is one."""
    return value is None or value is False or value in ("", [], {})


@dataclass(frozen=True, eq=False)
class CanvasNode:
    """A node as the canvas has it.

    Args:
        kind: What it is, such as `llmAgentflow`.
        parent: Id of the node that it is in.
        at: Where it is on the canvas.
        within: The keys in the source under which its inputs are.
        part: Its inputs with their places, where the source has lines and columns.
    """

    id: str
    kind: str
    label: str
    place: Location
    inputs: JsonObject
    output: str = ""
    parent: str = ""
    at: tuple[float, float] | None = None
    within: Sequence[str] = ("data", "inputs")
    part: Part | None = None

    def text(self, name: str) -> str:
        """The text of an input; empty where it is none."""
        value = self.inputs.get(name)
        return value if isinstance(value, str) else ""

    def items(self, name: str) -> list[tuple[Location, JsonObject]]:
        """The objects of a list, with their places; it may be JSON in a text."""
        value = self.inputs.get(name)
        listed = json_within(value) if isinstance(value, str) else value
        found = listed if isinstance(listed, list) else []
        return [(self.inside(name, str(at)), each) for at, each in enumerate(found) if isinstance(each, dict)]

    def inside(self, *names: str) -> Location:
        """The place of an input."""
        if self.part is not None:
            return self.part.nearest(*names).place
        path = "".join(f"/{escape(each)}" for each in (*self.within, *names))
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
    """What is drawn: its nodes by id, and its edges."""

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


def json_within(text: str) -> JsonValue:
    """The value of JSON that is a text in a flow; null where it is none."""
    try:
        return parse_document(text, max_bytes=MAX_DOCUMENT) if text.strip() else None
    except StudioError:
        return None


def point_of(position: JsonValue) -> tuple[float, float] | None:
    """Where a node is; None where the source does not say it."""
    if not isinstance(position, Mapping):
        return None
    match position.get("x"), position.get("y"):
        case int() | float() as x, int() | float() as y if math.isfinite(x) and math.isfinite(y):
            return x, y
        case _:
            return None
