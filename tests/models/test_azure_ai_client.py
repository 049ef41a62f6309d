"""The Azure AI client over real HTTP; its service speaks as OpenAI's does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from azure.ai.inference.aio import ChatCompletionsClient
from azure.ai.inference.models import ChatCompletions, StreamingChatCompletionsUpdate

from studio.components import all_capabilities
from studio.egress import HostRefused
from studio.messages import CreateResult, LLMMessage, ToolSchema, UserMessage
from studio.models import AzureAIChatCompletionClient
from tests.fakes.openai_server import OpenAIServer

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


async def test_a_question_is_sent_with_its_options_and_its_key(
    openai_server: OpenAIServer, make_client: MakeClient
) -> None:
    await make_client(temperature=0.5).create(ASK)
    request = openai_server.requests[0]
    assert request.path.startswith("/v1/chat/completions?api-version=")
    assert request.key == "az-1"
    assert request.body == {
        "model": "Phi-4",
        "temperature": 0.5,
        "messages": [{"role": "user", "content": "hi"}],
    }


def test_the_key_is_tied_to_the_host(make_client: MakeClient) -> None:
    details = [capability.detail for capability in all_capabilities(make_client(endpoint="https://x.test/m"))]
    assert details[0] == "env:AZURE_AI_API_KEY to https://x.test:443/m"


async def test_arguments_beyond_the_api_are_handed_to_the_model(
    openai_server: OpenAIServer, make_client: MakeClient
) -> None:
    openai_server.say("one", "two", "three")
    await make_client().create(ASK, extra_create_args={"top_p": 0.5})
    await make_client(model_extras={"safe_prompt": True}).create(ASK)
    await make_client().create(ASK, extra_create_args={"model_extras": {"safe_prompt": True}})
    plain, *extended = openai_server.requests
    assert "extra-parameters" not in plain.headers
    assert [request.headers["extra-parameters"] for request in extended] == ["pass-through"] * 2
    assert [request.body["safe_prompt"] for request in extended] == [True, True]


async def test_a_place_is_judged_before_anything_is_sent(make_client: MakeClient) -> None:
    for endpoint, said in (("http://169.254.169.254/m", "link-local"), ("endpoint", "contains no reachable host")):
        client = make_client(endpoint=endpoint)
        for _ in range(2):
            with pytest.raises(HostRefused, match=said):
                await client.create(ASK)
        with pytest.raises(HostRefused, match=said):
            await collect(client)


async def test_a_stand_in_for_the_sdk_is_asked_wherever_the_service_would_be(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"id": "1", "created": 0, "model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
    asked: list[object] = []

    async def pieces() -> AsyncIterator[StreamingChatCompletionsUpdate]:
        for text, reason in (("one ", None), ("two", "stop")):
            choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
            yield StreamingChatCompletionsUpdate({**said, "choices": [choice]})

    async def complete(_: object, *, stream: bool = False, **arguments: object) -> object:
        asked.append(arguments["body"])
        choice = {"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}
        return pieces() if stream else ChatCompletions({**said, "choices": [choice]})

    monkeypatch.setattr(ChatCompletionsClient, "complete", complete)
    client = make_client(endpoint="endpoint")
    assert (await client.create(ASK)).content == "hello"
    assert [item if isinstance(item, str) else item.usage.prompt_tokens for item in await collect(client)] == [
        "one ",
        "two",
        3,
    ]
    assert len(asked) == 2
