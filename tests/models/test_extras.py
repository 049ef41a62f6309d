"""Clients whose package is not installed: they load, show their config, and say what to install."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from studio.components import JsonObject, load_component
from studio.messages import LLMMessage, UserMessage
from studio.models import AzureTokenProvider, ChatCompletionClient, LlamaCppChatCompletionClient, RedisStore
from studio.models.extras import MissingExtra

ASK: list[LLMMessage] = [UserMessage(content="hi", source="user")]


@pytest.mark.parametrize(
    ("package", "extra", "provider", "config"),
    [
        ("anthropic", "anthropic", "AnthropicChatCompletionClient", {"model": "m", "base_url": "http://127.0.0.1:9"}),
        ("ollama", "ollama", "OllamaChatCompletionClient", {"model": "m"}),
        ("azure.core", "azure", "AzureAIChatCompletionClient", {"model": "m", "endpoint": "http://127.0.0.1:9"}),
        ("llama_cpp", "llama-cpp", "LlamaCppChatCompletionClient", {"model_path": "model.gguf"}),
    ],
)
async def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, extra: str, provider: str, config: dict[str, Any]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    document: JsonObject = {"provider": provider, "config": config}
    client = load_component(document, ChatCompletionClient)
    dumped = client.dump_component()["config"]
    assert isinstance(dumped, dict)
    assert config.items() <= dumped.items()
    with pytest.raises(MissingExtra, match=rf'pip install "team-studio\[{extra}\]"'):
        await client.create(ASK)
    with pytest.raises(MissingExtra, match=rf"\[{extra}\]"):
        await anext(client.create_stream(ASK))


async def test_so_are_those_of_stores_and_token_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    monkeypatch.setitem(sys.modules, "azure.core.exceptions", None)
    with pytest.raises(MissingExtra, match=r"\[redis\]"):
        RedisStore().get("k")
    with pytest.raises(MissingExtra, match=r"\[azure\]"):
        await AzureTokenProvider(scopes=["x"]).token()


def test_a_model_file_is_a_capability_and_a_download_another() -> None:
    local = LlamaCppChatCompletionClient(model_path="/models/a.gguf")
    remote = LlamaCppChatCompletionClient(repo_id="maker/model", filename="*q4.gguf")
    assert [(capability.kind, capability.detail) for capability in (*local.capabilities(), *remote.capabilities())] == [
        ("file", "read /models/a.gguf"),
        ("host", "https://huggingface.co:443/maker/model/*q4.gguf"),
    ]
