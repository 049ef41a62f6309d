"""Knowledge bases as people make them, and agents that read them."""

from __future__ import annotations

import json
from typing import Any, cast

import httpx
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant

Client = TestClient | httpx.Client
LEAVE = "# Leave\n\nEmployees accrue two vacation days per month.\n\n# Travel\n\nFlights are booked by the office.\n"


def made(client: Client, name: str = "Handbook") -> str:
    answer = client.post("/api/knowledge", json={"name": name})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def uploaded(client: Client, content: bytes | str, name: str) -> str:
    answer = client.post("/api/files", params={"name": name}, content=content)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def added(client: Client, base: str, content: bytes | str, name: str) -> Any:
    file_id = uploaded(client, content, name)
    return client.post(f"/api/knowledge/{base}/documents", json={"file_id": file_id, "name": name})


def reader(kind: str, **config: object) -> JsonObject:
    """A `KnowledgeMemory` or a `KnowledgeSearchTool`."""
    package, component_type = ("memory", "memory") if kind == "KnowledgeMemory" else ("tools", "tool")
    return {
        "provider": f"studio.{package}.{kind}",
        "component_type": component_type,
        "config": cast("JsonObject", {"knowledge_base": "Handbook", **config}),
    }


def with_memory(*replies: str, **config: object) -> JsonObject:
    agent = assistant("clerk", *replies)
    cast("JsonObject", agent["config"])["memory"] = [reader("KnowledgeMemory", **config)]
    return agent


def with_tool(query: object = "Who is booking flights?", *replies: str, **config: object) -> JsonObject:
    """Its model calls the tool first, and then gives the replies."""
    agent = assistant("clerk")
    settings = cast("dict[str, Any]", agent["config"])
    call = {"id": "1", "name": "search_knowledge", "arguments": json.dumps({"query": query})}
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    settings["model_client"]["config"]["chat_completions"] = [
        {"finish_reason": "function_calls", "content": [call], "usage": usage, "cached": False},
        *replies,
    ]
    settings["reflect_on_tool_use"] = bool(replies)
    settings["tools"] = [reader("KnowledgeSearchTool", **config)]
    return agent
