"""The Azure client over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from studio.components import all_capabilities, load_component
from studio.errors import ConfigError, MissingSecret
from studio.messages import LLMMessage, UserMessage
from studio.models import AzureOpenAIChatCompletionClient
from studio.models.openai_services import host_of
from tests.fakes.azure_identity import AzureIdentity
from tests.fakes.openai_server import OpenAIServer

SCOPE = "https://cognitiveservices.azure.com/.default"
ASK: list[LLMMessage] = [UserMessage(content="hi", source="user")]


@pytest.fixture
def azure_identity(monkeypatch: pytest.MonkeyPatch) -> Iterator[AzureIdentity]:
    """A machine in Azure that has an identity of its own."""
    with AzureIdentity() as identity:
        monkeypatch.setenv("IDENTITY_ENDPOINT", identity.url)
        monkeypatch.setenv("IDENTITY_HEADER", "of the fake")
        yield identity


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


async def test_a_token_of_this_machine_stands_in_for_the_key(
    openai_server: OpenAIServer, azure_identity: AzureIdentity
) -> None:
    provider = {"provider": "autogen_ext.auth.azure.AzureTokenProvider", "config": {"scopes": [SCOPE]}}
    client = make(openai_server, azure_ad_token_provider=provider)
    assert ("secret", f"Entra ID token to {host_of(openai_server.url)}") in [
        (capability.kind, capability.detail) for capability in client.capabilities()
    ]
    await client.create(ASK)
    await client.close()
    assert openai_server.requests[0].headers["authorization"] == "Bearer of-this-machine"
    assert azure_identity.asked_for == ["https://cognitiveservices.azure.com"]


async def test_another_kind_of_credential_loads_and_is_refused_at_the_call(openai_server: OpenAIServer) -> None:
    config = {"provider_kind": "OwnCredential", "scopes": [SCOPE]}
    provider = {"provider": "autogen_ext.auth.azure.AzureTokenProvider", "config": config}
    client = make(openai_server, azure_ad_token_provider=provider)
    with pytest.raises(ConfigError, match="OwnCredential"):
        await client.create(ASK)
    await client.close()


def test_an_endpoint_that_is_a_placeholder_still_loads(openai_server: OpenAIServer) -> None:
    client = make(openai_server, azure_endpoint="{your-endpoint}.openai.azure.com/")
    assert ("host", "{your-endpoint}.openai.azure.com/") in [
        (capability.kind, capability.detail) for capability in all_capabilities(client)
    ]
