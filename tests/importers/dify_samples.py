"""Apps in the form in which Dify exports them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"
MODEL: dict[str, Any] = {"provider": "langgenius/openai/openai", "name": "gpt-4o", "completion_params": {}}
START = "100"


def node(name: str, kind: str, title: str = "", at: tuple[float, float] = (0, 0), **data: Any) -> dict[str, Any]:
    inner = {"title": title or name, "type": kind, "desc": "", "selected": False, **data}
    return {"id": name, "type": "custom", "position": {"x": at[0], "y": at[1]}, "data": inner}


def start(*fields: dict[str, Any]) -> dict[str, Any]:
    return node(START, "start", "Start", variables=list(fields))


def llm(name: str, title: str = "", user: str = "{{#sys.query#}}", system: str = "", **data: Any) -> dict[str, Any]:
    template = [{"role": "system", "text": system}, {"role": "user", "text": user}]
    known = {"model": MODEL, "prompt_template": template, "vision": {"enabled": False}}
    whole: Any = {**known, **data}
    return node(name, "llm", title, **whole)


def case(name: str, selector: Sequence[str], operator: str, value: str) -> dict[str, Any]:
    condition = {"variable_selector": list(selector), "comparison_operator": operator, "value": value}
    return {"case_id": name, "logical_operator": "and", "conditions": [condition]}


def edge(source: str, target: str, port: str = "source") -> dict[str, Any]:
    return {"source": source, "sourceHandle": port, "target": target, "targetHandle": "target"}


def app(
    nodes: Sequence[Any], edges: Sequence[tuple[str, ...]], mode: str = "advanced-chat", **workflow: Any
) -> dict[str, Any]:
    graph = {"nodes": list(nodes), "edges": [edge(*each) for each in edges]}
    return {
        "app": {"mode": mode, "name": "Desk"},
        "kind": "app",
        "version": "0.3.0",
        "workflow": {"graph": graph, **workflow},
    }


def chat(mode: str = "agent-chat", **settings: Any) -> dict[str, Any]:
    return {"app": {"mode": mode, "name": "Desk"}, "kind": "app", "model_config": {"model": MODEL, **settings}}


def written(document: Any) -> str:
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


CHAIN = app(
    [
        start(),
        llm("1", "Writer", system="Write.", at=(300.4, 40)),
        llm("2", "Editor", "Edit: {{#1.text#}} {x}", at=(600, 40)),
        node("3", "answer", "Answer", answer="{{#2.text#}}"),
    ],
    [(START, "1"), ("1", "2"), ("2", "3")],
)
BRANCH = app(
    [
        start(),
        llm("1", "Judge"),
        node("if", "if-else", "If", cases=[case("true", ("1", "text"), "contains", "yes")]),
        node("a", "answer", "Good", answer="Good: {{#1.text#}}"),
        node("b", "answer", "Bad", answer="Bad."),
    ],
    [(START, "1"), ("1", "if"), ("if", "a", "true"), ("if", "b", "false")],
)
