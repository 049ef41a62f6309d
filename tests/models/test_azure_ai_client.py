"""The Azure AI client over real HTTP; its service speaks as OpenAI's does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from studio.components import all_capabilities
from studio.errors import MissingSecret
from studio.messages import CreateResult, FunctionCall, LLMMessage, ToolSchema, UserMessage
from studio.models import AzureAIChatCompletionClient
from tests.fakes.openai_server import Call, OpenAIServer, Reply

ASK: list[LLMMessage] = [UserMessage(content="hi", source="user")]
ADD = ToolSchema(name="add", description="Adds.", parameters={"type": "object", "properties": {}})


class MakeClient:
    """Makes clients of the fake server; keywords are fields of the config."""

    def __init__(self, server: OpenAIServer) -> None:
        self._server = server
        self.made: list[AzureAIChatCompletionClient] = []

    def __call__(self, **config: Any) -> AzureAIChatCompletionClient:
        given: dict[str, Any] = {"model": "Phi-4", "endpoint": self._server.url, "max_retries": 0, **config}
        self.made.append(AzureAIChatCompletionClient(**given))
        return self.made[-1]


@pytest.fixture
async def make_client(openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MakeClient]:
    monkeypatch.setenv("AZURE_AI_API_KEY", "az-1")
    make = MakeClient(openai_server)
    yield make
    for client in make.made:
        await client.close()


async def collect(client: AzureAIChatCompletionClient, **more: Any) -> list[str | CreateResult]:
    return [item async for item in client.create_stream(ASK, **more)]


async def test_a_whole_answer_has_text_and_usage(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say("Hello")
    result = await make_client(temperature=0.5).create(ASK)
    assert (result.content, result.usage.prompt_tokens) == ("Hello", 11)
    request = openai_server.requests[0]
    assert request.path.startswith("/v1/chat/completions?api-version=")
    assert request.key == "az-1"
    assert request.body == {
        "model": "Phi-4",
        "temperature": 0.5,
        "messages": [{"role": "user", "content": "hi"}],
    }


async def test_a_streamed_answer_arrives_in_pieces(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say("one two", Reply(calls=[Call("add", {"a": 1}, id="x")]))
    *pieces, result = await collect(make_client())
    assert pieces == ["one ", "two"]
    assert isinstance(result, CreateResult)
    assert result.content == "one two"
    called = (await collect(make_client(), tools=[ADD]))[-1]
    assert isinstance(called, CreateResult)
    assert called.content == [FunctionCall(id="x", name="add", arguments='{"a": 1}')]


async def test_a_missing_key_is_told_at_the_call(make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_AI_API_KEY")
    with pytest.raises(MissingSecret, match="AZURE_AI_API_KEY"):
        await make_client().create(ASK)
    details = [capability.detail for capability in all_capabilities(make_client(endpoint="https://x.test/m"))]
    assert details[0] == "env:AZURE_AI_API_KEY to https://x.test:443"
