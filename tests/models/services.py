"""Every client of a model service beside the fake server that it asks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from studio.components import env
from studio.models import (
    AnthropicBedrockChatCompletionClient,
    AnthropicChatCompletionClient,
    AzureAIChatCompletionClient,
    AzureOpenAIChatCompletionClient,
    ChatCompletionClient,
    OllamaChatCompletionClient,
    OpenAIChatCompletionClient,
)
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.model_server import ModelServer
from tests.fakes.ollama_server import OllamaServer
from tests.fakes.openai_server import OpenAIServer

KEYS = {"AZURE_AI_API_KEY": "az-1", "AZURE_OPENAI_API_KEY": "az-2"}
"""Environment variables that the clients below need."""
BEDROCK = {
    "aws_region": "eu-west-1",
    "aws_access_key": env("AZURE_AI_API_KEY"),
    "aws_secret_key": env("AZURE_OPENAI_API_KEY"),
}


@dataclass(frozen=True)
class Service:
    """How to make a client of a service, and a server in the service's place.

    Args:
        server: The fake.
        make: Given the fake, and fields of the config.
        retries: Whether `max_retries` is a field of the config; those without ask again by themselves.
    """

    server: Callable[[], ModelServer]
    make: Callable[..., ChatCompletionClient]
    retries: bool = True

    @asynccontextmanager
    async def opened(
        self, *, max_retries: int = 0, **config: Any
    ) -> AsyncGenerator[tuple[ModelServer, ChatCompletionClient]]:
        """A running fake, and a client of it."""
        given = {"max_retries": max_retries} if self.retries else {}
        with self.server() as server:
            client = self.make(server, **given, **config)
            yield server, client
            await client.close()


def openai(server: ModelServer, **config: Any) -> ChatCompletionClient:
    return OpenAIChatCompletionClient(model="gpt-4o", base_url=server.url, **config)


def azure_openai(server: ModelServer, **config: Any) -> ChatCompletionClient:
    endpoint = server.url.removesuffix("v1")
    return AzureOpenAIChatCompletionClient(model="gpt-4o", azure_endpoint=endpoint, api_version="2024-10-21", **config)


def azure_ai(server: ModelServer, **config: Any) -> ChatCompletionClient:
    return AzureAIChatCompletionClient(model="Phi-4", endpoint=server.url, **config)


def anthropic(server: ModelServer, **config: Any) -> ChatCompletionClient:
    return AnthropicChatCompletionClient(model="claude-haiku-4-5", base_url=server.url, **config)


def bedrock(server: ModelServer, **config: Any) -> ChatCompletionClient:
    model = "anthropic.claude-haiku-4-5-20251001-v1:0"
    return AnthropicBedrockChatCompletionClient(model=model, base_url=server.url, bedrock_info=BEDROCK, **config)  # pyright: ignore[reportArgumentType] -- as JSON has it


def ollama(server: ModelServer, **config: Any) -> ChatCompletionClient:
    return OllamaChatCompletionClient(model="qwen3", host=server.url, **config)


SERVICES = {
    "openai": Service(OpenAIServer, openai),
    "azure openai": Service(OpenAIServer, azure_openai),
    "azure ai": Service(OpenAIServer, azure_ai),
    "anthropic": Service(AnthropicServer, anthropic),
    "bedrock": Service(AnthropicServer, bedrock),
    "ollama": Service(OllamaServer, ollama, retries=False),
}
