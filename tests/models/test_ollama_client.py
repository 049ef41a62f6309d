"""The Ollama client over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from studio.components import JsonObject, all_capabilities, load_component
from studio.errors import ModelRefused, ModelUnavailable
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
from studio.models import OllamaChatCompletionClient
from tests.fakes.model_server import Reply
from tests.fakes.ollama_server import OllamaServer

ASK: list[LLMMessage] = [SystemMessage(content="be brief"), UserMessage(content="hi", source="user")]
ADD = ToolSchema(
    name="add",
    description="Adds.",
    parameters={
        "type": "object",
        "properties": {
            "a": {"type": "integer", "title": "A"},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "c": {"type": "object", "properties": {"x": {"type": "string"}}},
        },
        "required": ["a"],
    },
)
PNG = "iVBORw0KGgo="


class Answer(BaseModel):
    text: str


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer() as server:
        yield server


class MakeClient:
    """Makes clients of the fake server; keywords are fields of the config."""

    def __init__(self, server: OllamaServer) -> None:
        self._server = server
        self.made: list[OllamaChatCompletionClient] = []

    def __call__(self, **config: Any) -> OllamaChatCompletionClient:
        given: dict[str, Any] = {"model": "qwen3", "host": self._server.url, **config}
        self.made.append(OllamaChatCompletionClient(**given))
        return self.made[-1]


@pytest.fixture
async def make_client(server: OllamaServer) -> AsyncIterator[MakeClient]:
    make = MakeClient(server)
    yield make
    for client in make.made:
        await client.close()


async def collect(client: OllamaChatCompletionClient, **more: Any) -> list[str | CreateResult]:
    return [item async for item in client.create_stream(ASK, **more)]


async def test_a_question_is_sent_with_its_options(server: OllamaServer, make_client: MakeClient) -> None:
    await make_client(options={"temperature": 0.1, "num_ctx": 4096}).create(ASK)
    body = server.requests[0].body
    assert body["messages"] == [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]
    assert (body["model"], body["options"], body["stream"]) == ("qwen3", {"temperature": 0.1, "num_ctx": 4096}, False)


async def test_arguments_of_tools_are_told_whole(server: OllamaServer, make_client: MakeClient) -> None:
    await make_client().create(ASK, tools=[ADD])
    properties = server.requests[0].body["tools"][0]["function"]["parameters"]["properties"]
    assert properties["a"] == {"type": "integer"}
    assert properties["b"] == {"type": "integer"}
    assert '"x": {"type": "string"}' in properties["c"]["description"]


async def test_what_may_not_be_called_is_not_shown(server: OllamaServer, make_client: MakeClient) -> None:
    await make_client().create(ASK, tools=[ADD], tool_choice="none")
    assert server.requests[0].body["tools"] == []


async def test_calls_and_their_results_go_back(server: OllamaServer, make_client: MakeClient) -> None:
    call = FunctionCall(id="x", name="add", arguments='{"a": 1}')
    result = FunctionExecutionResult(content="2", name="add", call_id="x", is_error=False)
    conversation: list[LLMMessage] = [
        UserMessage(content=["look", Image(data=PNG)], source="user"),
        AssistantMessage(content=[call], thought="I add.", source="a"),
        FunctionExecutionResultMessage(content=[result]),
    ]
    await make_client(model="llama3.2-vision").create(conversation)
    assert server.requests[0].body["messages"] == [
        {"role": "user", "content": "look", "images": [PNG]},
        {
            "role": "assistant",
            "content": "I add.",
            "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}],
        },
        {"role": "tool", "content": "2", "tool_name": "add"},
    ]
    with pytest.raises(ModelRefused, match="does not support vision"):
        await make_client().create(conversation)


async def test_thinking_in_the_text_becomes_the_thought(server: OllamaServer, make_client: MakeClient) -> None:
    server.say(*[Reply("<think>let me see</think>42")] * 2)
    *pieces, streamed = await collect(make_client())
    whole = await make_client().create(ASK)
    assert isinstance(streamed, CreateResult)
    assert (streamed.thought, streamed.content) == (whole.thought, whole.content) == ("let me see", "42")
    assert "".join(str(piece) for piece in pieces) == "<think>let me see</think>42"


async def test_an_answer_by_schema_or_in_json_is_asked_for(server: OllamaServer, make_client: MakeClient) -> None:
    await make_client().create(ASK, json_output=Answer)
    await make_client().create(ASK, json_output=True)
    await make_client(response_format={"type": "json_object"}).create(ASK)
    formats = [request.body["format"] for request in server.requests]
    assert formats[0]["properties"]["text"]["type"] == "string"
    assert formats[1:] == ["json", "json"]


async def test_a_wait_that_is_too_long_is_not_waited_for(server: OllamaServer, make_client: MakeClient) -> None:
    server.say(Reply(status=429, retry_after="3600"))
    with pytest.raises(ModelUnavailable, match="status 429"):
        await make_client().create(ASK)
    assert server.request_count == 1


async def test_a_model_that_is_not_there_is_told_with_how_to_get_it(
    server: OllamaServer, make_client: MakeClient
) -> None:
    server.say(Reply(status=404, message="model 'qwen3' not found"))
    with pytest.raises(ModelRefused, match="ollama pull qwen3"):
        await make_client().create(ASK)


async def test_the_key_of_the_environment_does_not_go_to_any_host(
    server: OllamaServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    monkeypatch.setenv("GATEWAY", "Bearer g-1")
    await make_client().create(ASK)
    await make_client(headers={"Authorization": "env:GATEWAY"}).create(ASK)
    assert [request.key for request in server.requests] == ["", "g-1"]


def test_capabilities_name_host_and_model() -> None:
    document: JsonObject = {"provider": "OllamaChatCompletionClient", "config": {"model": "qwen3"}}
    details = [(capability.kind, capability.detail) for capability in all_capabilities(load_component(document))]
    assert details == [("host", "http://localhost:11434")]


def test_the_context_is_as_long_as_the_options_say() -> None:
    assert OllamaChatCompletionClient(model="llama3.2").context_length() == 131_072
    assert OllamaChatCompletionClient(model="llama3.2", options={"num_ctx": 4096}).context_length() == 4096
