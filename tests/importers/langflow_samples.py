"""Flows in the form in which Langflow exports them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"
CODE = "import os\nos.system('touch /tmp/langflow')\nclass X(Component): pass\n"


def node(name: str, kind: str, label: str = "", at: tuple[float, float] = (0, 0), **fields: Any) -> dict[str, Any]:
    """A component whose fields have these values; a dictionary with `value` is a whole field."""
    template: dict[str, Any] = {"_type": "Component", "code": {"type": "code", "value": CODE}}
    for field, value in fields.items():
        is_field = isinstance(value, dict) and "value" in value
        template[field] = value if is_field else {"type": "str", "value": value}
    inner: dict[str, Any] = {"display_name": label or name, "edited": False, "outputs": [], "template": template}
    position = {"x": at[0], "y": at[1]}
    return {"id": name, "type": "genericNode", "position": position, "data": {"type": kind, "id": name, "node": inner}}


def note(name: str, text: str, at: tuple[float, float] = (0, 0)) -> dict[str, Any]:
    inner = {"description": text, "display_name": "", "template": {"backgroundColor": "blue"}}
    position = {"x": at[0], "y": at[1]}
    return {"id": name, "type": "noteNode", "position": position, "data": {"type": "note", "id": name, "node": inner}}


def edge(source: str, port: str, target: str, field: str) -> dict[str, Any]:
    """An edge, whose ends are objects as in most releases."""
    leaves = {"dataType": "X", "id": source, "name": port, "output_types": ["Message"]}
    enters = {"fieldName": field, "id": target, "inputTypes": ["Message"], "type": "str"}
    return {"source": source, "target": target, "data": {"sourceHandle": leaves, "targetHandle": enters}}


def agent(
    name: str, label: str = "", system: str = "", at: tuple[float, float] = (0, 0), **fields: Any
) -> dict[str, Any]:
    model = {"value": [{"name": "gpt-4o", "provider": "OpenAI"}]}
    known = {
        "model": model,
        "input_value": "",
        "system_prompt": system,
        "tools": "",
        "max_iterations": 15,
        "n_messages": 100,
    }
    return node(name, "Agent", label, at, **{**known, **fields})


def flow(
    nodes: Sequence[dict[str, Any]], edges: Sequence[tuple[str, str, str, str]], name: str = "Desk"
) -> dict[str, Any]:
    data = {"nodes": list(nodes), "edges": [edge(*each) for each in edges], "viewport": {"x": 0, "y": 0, "zoom": 1}}
    return {"name": name, "description": "D", "last_tested_version": "1.13.0", "is_component": False, "data": data}


INPUT = node("in", "ChatInput", "Chat Input", input_value="")
OUTPUT = node("out", "ChatOutput", "Chat Output", input_value="")
CHAIN = flow(
    [INPUT, agent("a", "City Agent", "Choose.", (100.4, 40)), agent("b", "Guide", "Guide.", (800, 40)), OUTPUT],
    [
        ("in", "message", "a", "input_value"),
        ("a", "response", "b", "input_value"),
        ("b", "response", "out", "input_value"),
    ],
)
BRANCH = flow(
    [
        INPUT,
        agent("a", "Judge", "Say yes or no."),
        node(
            "if",
            "ConditionalRouter",
            "If",
            input_text="",
            match_text="yes",
            operator="contains",
            case_sensitive=True,
            true_case_message="",
            false_case_message="Say why {not}.",
        ),
        agent("yes", "Yes"),
        agent("no", "No"),
    ],
    [
        ("in", "message", "a", "input_value"),
        ("a", "response", "if", "input_text"),
        ("if", "true_result", "yes", "input_value"),
        ("if", "false_result", "no", "input_value"),
    ],
)
