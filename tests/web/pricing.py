"""Replies that say what they took, and what that costs."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant

MODEL = "ReplayChatCompletionClient"


def priced(prompt_tokens: int, completion_tokens: int, text: str = "Hello.", *, cached_tokens: int = 0) -> JsonObject:
    """A reply that says what it took."""
    usage: JsonObject = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "cached_tokens": cached_tokens,
    }
    return {"finish_reason": "stop", "content": text, "usage": usage, "cached": False}


def speaker(name: str, *replies: JsonObject) -> JsonObject:
    agent: dict[str, Any] = assistant(name)
    agent["config"]["model_client"]["config"]["chat_completions"] = list(replies)
    return agent


def set_price(client: TestClient, *, input: float = 2, output: float = 10, cached_input: float | None = None) -> None:
    body = {"model": MODEL, "input": input, "output": output, "cached_input": cached_input}
    assert client.put("/api/prices", json=body).status_code == 200
