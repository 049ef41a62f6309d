"""Workflows in the JSON of Agent Builder, written for these tests."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from studio.components import JsonObject


def cel(expression: str) -> JsonObject:
    return {"expression": expression, "format": "cel"}


def node(name: str, kind: str, **config: JsonValue) -> JsonObject:
    return {"id": name, "label": name.capitalize(), "node_type": f"builtins.{kind}", "config": config}


def agent(name: str, instructions: str, **config: JsonValue) -> JsonObject:
    given: JsonObject = {
        "instructions": cel(f'"{instructions}"'),
        "model": cel('"gpt-5"'),
        "messages": [],
        "tools": [],
        "reasoning": {"effort": "low", "summary": "auto"},
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "reads_from_history": True,
        "writes_to_history": True,
    }
    return node(name, "Agent", **{**given, **config})


def case(port: str, predicate: str) -> JsonObject:
    return {"label": port, "output_port_id": port, "predicate": cel(predicate)}


def workflow(
    nodes: Sequence[JsonObject], edges: Sequence[tuple[str, str, str]], state: JsonObject | None = None
) -> JsonObject:
    """A workflow; edges are source, port and target, and `start` is a node of it."""
    found: list[JsonValue] = [
        {
            "id": f"e{at}",
            "source_node_id": source,
            "source_port_id": port,
            "target_node_id": target,
            "target_port_id": "in",
        }
        for at, (source, port, target) in enumerate(edges)
    ]
    variables: list[JsonValue] = [{"id": name, "name": name, "default": value} for name, value in (state or {}).items()]
    return {
        "id": "wf_1",
        "object": "workflow",
        "name": "Desk",
        "nodes": [{"id": "start", "label": "Start", "node_type": "builtins.Start"}, *nodes],
        "edges": found,
        "start_node_id": "start",
        "state_vars": variables,
        "ui_metadata": {"positionsByNodeId": {}},
    }


SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"category": {"type": "string", "enum": ["cook", "bake"]}},
    "required": ["category"],
    "additionalProperties": False,
}
DESK = workflow(
    [
        agent("sort", "Sort.", text={"format": {"type": "json_schema", "name": "sorted", "schema": SCHEMA}}),
        node(
            "which",
            "IfElse",
            cases=[case("case-0", 'input.output_parsed.category == "cook"')],
            fallback={"label": "fallback", "output_port_id": "fallback"},
        ),
        agent("cook", "Cook."),
        node("ask", "BinaryApproval", message="Shall we bake?"),
        agent(
            "bake",
            "Bake {{state.what}}.",
            messages=[{"role": "user", "content": [{"type": "input_text", "text": "Now."}]}],
        ),
        node("count", "SetState", assignments=[{"name": "n", "expression": cel("state.n + 1")}]),
        node("end", "End", expr=cel("input")),
        node("lonely", "tool.MCP"),
    ],
    [
        ("start", "out", "sort"),
        ("sort", "on_result", "which"),
        ("which", "case-0", "cook"),
        ("which", "fallback", "ask"),
        ("ask", "on_approve", "count"),
        ("count", "out", "bake"),
        ("ask", "on_reject", "end"),
        ("bake", "on_result", "end"),
        ("cook", "on_result", "end"),
    ],
    {"n": 0, "what": "bread"},
)
