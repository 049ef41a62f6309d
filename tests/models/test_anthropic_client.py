"""The Anthropic client over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from studio.components import all_capabilities
from studio.errors import ModelRefused
from studio.messages import (
    AssistantMessage,
    CreateResult,
    FunctionCall,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    Image,
    LLMMessage,
    SystemMessage,
    ToolSchema,
    UserMessage,
)
from studio.models import AnthropicChatCompletionClient
from tests.fakes.anthropic_server import SIGNATURE, AnthropicServer
from tests.fakes.model_server import Call, Reply

MODEL = "claude-haiku-4-5"
ASK: list[LLMMessage] = [SystemMessage(content="be brief"), UserMessage(content="hi", source="user")]
ADD = ToolSchema(name="add", description="Adds.", parameters={"type": "object", "properties": {}})
PNG = "iVBORw0KGgo="


class Answer(BaseModel):
    text: str


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        yield server


class MakeClient:
    """Makes clients of the fake server; keywords are fields of the config."""

    def __init__(self, server: AnthropicServer) -> None:
        self._server = server
        self.made: list[AnthropicChatCompletionClient] = []

    def __call__(self, **config: Any) -> AnthropicChatCompletionClient:
        given: dict[str, Any] = {"model": MODEL, "base_url": self._server.url, **config}
        self.made.append(AnthropicChatCompletionClient(**given))
        return self.made[-1]


@pytest.fixture
async def make_client(server: AnthropicServer) -> AsyncIterator[MakeClient]:
    make = MakeClient(server)
    yield make
    for client in make.made:
        await client.close()


async def collect(client: AnthropicChatCompletionClient, **more: Any) -> list[str | CreateResult]:
    return [item async for item in client.create_stream(ASK, **more)]


async def test_a_question_is_sent_with_its_options(server: AnthropicServer, make_client: MakeClient) -> None:
    await make_client(max_tokens=100, temperature=0.5).create(ASK)
    assert server.requests[0].path == "/v1/messages"
    assert server.requests[0].body == {
        "model": MODEL,
        "max_tokens": 100,
        "temperature": 0.5,
        "system": "be brief",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": False,
    }


async def test_tools_are_offered(server: AnthropicServer, make_client: MakeClient) -> None:
    await make_client().create(ASK, tools=[ADD])
    assert server.requests[0].body["tool_choice"] == {"type": "auto"}
    assert server.requests[0].body["tools"] == [
        {"name": "add", "description": "Adds.", "input_schema": {"type": "object", "properties": {}}}
    ]


def after_a_call(call_id: str) -> list[LLMMessage]:
    call = FunctionCall(id=call_id, name="add", arguments='{"a": 1}')
    result = FunctionExecutionResult(content="2", name="add", call_id=call_id, is_error=False)
    return [
        UserMessage(content="add", source="user"),
        AssistantMessage(content=[call], thought="I add.", source="a"),
        FunctionExecutionResultMessage(content=[result]),
    ]


async def test_a_conversation_with_calls_defines_its_tools_though_none_may_be_called(
    server: AnthropicServer, make_client: MakeClient
) -> None:
    await make_client().create(after_a_call("x"))
    body = server.requests[0].body
    assert body["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I add."},
                {"type": "tool_use", "id": "x", "name": "add", "input": {"a": 1}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "2"}]},
    ]
    assert body["tools"] == [{"name": "add", "input_schema": {"type": "object"}}]
    assert body["tool_choice"] == {"type": "none"}


async def test_thinking_is_asked_for_without_a_temperature(server: AnthropicServer, make_client: MakeClient) -> None:
    await make_client(thinking={"type": "enabled", "budget_tokens": 1024}, temperature=0.7).create(ASK)
    assert server.requests[0].body["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    assert "temperature" not in server.requests[0].body


@pytest.mark.parametrize("streamed", [False, True])
async def test_signed_thoughts_go_back_beside_their_calls(
    server: AnthropicServer, make_client: MakeClient, streamed: bool
) -> None:
    server.say(Reply(thought="hm", calls=[Call("add", {"a": 1}, id="x")]), "2", "3")
    client = make_client(thinking={"type": "enabled", "budget_tokens": 1024})
    if streamed:
        await collect(client, tools=[ADD])
    else:
        await client.create(ASK, tools=[ADD])
    await client.create(after_a_call("x"), tools=[ADD])
    await client.create(after_a_call("from before a restart"), tools=[ADD])
    second, third = (request.body for request in server.requests[1:])
    assert second["messages"][1]["content"][0] == {"type": "thinking", "thinking": "hm", "signature": SIGNATURE}
    assert second["thinking"]["type"] == "enabled"
    assert third["thinking"] == {"type": "disabled"}


async def test_a_demanded_tool_is_called_without_thinking(server: AnthropicServer, make_client: MakeClient) -> None:
    client = make_client(thinking={"type": "enabled", "budget_tokens": 1024})
    await client.create(ASK, tools=[ADD], tool_choice="required")
    body = server.requests[0].body
    assert (body["tool_choice"], body["thinking"]) == ({"type": "any"}, {"type": "disabled"})


async def test_pictures_are_sent_to_models_that_read_them(server: AnthropicServer, make_client: MakeClient) -> None:
    ask: list[LLMMessage] = [UserMessage(content=["What is this?", Image(data=PNG)], source="user")]
    await make_client().create(ask)
    assert server.requests[0].body["messages"][0]["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
    ]
    blind = {"vision": False, "function_calling": True, "json_output": True, "family": "x", "structured_output": True}
    with pytest.raises(ModelRefused, match="does not support vision"):
        await make_client(model_info=blind).create(ask)


async def test_an_answer_by_schema_or_in_json_is_asked_for(server: AnthropicServer, make_client: MakeClient) -> None:
    await make_client().create(ASK, json_output=Answer)
    await make_client().create(ASK, json_output=True)
    by_schema, in_json = (request.body for request in server.requests)
    assert by_schema["output_config"]["format"]["type"] == "json_schema"
    assert by_schema["output_config"]["format"]["schema"]["additionalProperties"] is False
    assert "JSON only" in in_json["system"]
    with pytest.raises(ModelRefused, match="structured output"):
        await make_client(model="claude-3-haiku-20240307").create(ASK, json_output=Answer)


async def test_the_key_of_the_environment_only_goes_to_its_own_service(
    server: AnthropicServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    await make_client().create(ASK)
    await make_client(api_key="env:ANTHROPIC_API_KEY").create(ASK)
    assert [request.key for request in server.requests] == ["none", "sk-secret"]
    details = [capability.detail for capability in all_capabilities(AnthropicChatCompletionClient(model=MODEL))]
    assert details[0] == "env:ANTHROPIC_API_KEY to https://api.anthropic.com:443"
