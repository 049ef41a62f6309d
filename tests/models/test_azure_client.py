"""The Azure client over real HTTP."""

from __future__ import annotations

import pytest

from studio.components import all_capabilities, load_component
from studio.errors import MissingSecret, ModelRefused
from studio.messages import LLMMessage, UserMessage
from studio.models import AzureOpenAIChatCompletionClient
from tests.fakes.openai_server import OpenAIServer

ASK: list[LLMMessage] = [UserMessage(content="hi", source="user")]


def make(server: OpenAIServer, **config: object) -> AzureOpenAIChatCompletionClient:
    document = {
        "provider": "azure_openai_chat_completion_client",
        "config": {
            "model": "gpt-4o",
            "azure_endpoint": server.url.removesuffix("v1"),
            "api_version": "2024-10-21",
            **config,
        },
    }
    return load_component(document, expected=AzureOpenAIChatCompletionClient)  # pyright: ignore[reportArgumentType] -- plain JSON


async def test_it_asks_the_deployment_with_the_key(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "az-1")
    openai_server.say("Hello")
    client = make(openai_server, azure_deployment="mine")
    result = await client.create(ASK)
    await client.close()
    request = openai_server.requests[0]
    assert result.content == "Hello"
    assert request.path == "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert request.headers["api-key"] == "az-1"


async def test_a_token_stands_in_for_the_key(openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AD_TOKEN", "t-1")
    client = make(openai_server, azure_ad_token="env:AD_TOKEN")
    await client.create(ASK)
    await client.close()
    assert openai_server.requests[0].headers["authorization"] == "Bearer t-1"
    assert "gpt-4o" in openai_server.requests[0].path


async def test_a_missing_key_is_named(openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_OPENAI_API_KEY", raising=False)
    with pytest.raises(MissingSecret, match="AZURE_OPENAI_API_KEY"):
        await make(openai_server).create(ASK)


async def test_a_token_provider_loads_and_says_that_it_cannot_be_used(openai_server: OpenAIServer) -> None:
    provider = {"provider": "autogen_ext.auth.azure.AzureTokenProvider", "config": {"scopes": ["x"]}}
    client = make(openai_server, azure_ad_token_provider=provider)
    assert client.dump_component()["config"] == {
        "model": "gpt-4o",
        "azure_endpoint": client.azure_endpoint,
        "api_version": "2024-10-21",
        "azure_ad_token_provider": provider,
    }
    with pytest.raises(ModelRefused, match="cannot fetch Entra ID tokens"):
        await client.create(ASK)


def test_an_endpoint_that_is_a_placeholder_still_loads(openai_server: OpenAIServer) -> None:
    client = make(openai_server, azure_endpoint="{your-endpoint}.openai.azure.com/")
    assert ("host", "{your-endpoint}.openai.azure.com/") in [
        (capability.kind, capability.detail) for capability in all_capabilities(client)
    ]
