"""Every model call is one effect, whatever the client."""

from __future__ import annotations

from typing import cast

import pytest
from pydantic import BaseModel, JsonValue

from studio import effects
from studio.effects import EffectRequest, Perform, RecordingEffects
from studio.errors import ModelRefused
from studio.messages import AssistantMessage, CancellationToken, LLMMessage, SystemMessage, ToolSchema, UserMessage
from studio.messages.llm import HASHED_AS_IT_IS
from studio.models import ModelCall, OpenAIChatCompletionClient, ReplayChatCompletionClient

Entries = list[dict[str, JsonValue]]
ASK: list[LLMMessage] = [SystemMessage(content="be brief"), UserMessage(content="hi", source="user")]
ADD = ToolSchema(name="add", description="Adds.")


class Answer(BaseModel):
    text: str


class Listening(RecordingEffects):
    """Keeps the requests themselves as well."""

    def __init__(self) -> None:
        self.entries: Entries = []
        self.requests: list[EffectRequest] = []

        async def append(entry: dict[str, JsonValue]) -> None:
            self.entries.append(entry)

        super().__init__(append, run_id="test")

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        self.requests.append(request)
        return await super().call(request, perform)


async def test_a_call_is_recorded_once_with_its_whole_prompt() -> None:
    port = Listening()
    with effects.use(port):
        await ReplayChatCompletionClient(chat_completions=["ok"]).create(ASK, tools=[ADD], json_output=Answer)
    assert len(port.entries) == 1
    body = cast("dict[str, JsonValue]", port.requests[0].body)
    assert body.keys() == {"kind", "messages", "tools", "tool_choice", "json_output"}
    assert body["kind"] == "create"
    assert body["messages"] == [
        {"content": "be brief", "type": "SystemMessage"},
        {"content": "hi", "source": "user", "type": "UserMessage"},
    ]
    assert cast("dict[str, JsonValue]", body["json_output"])["name"] == "Answer"


async def test_a_stream_is_recorded_once_with_its_result() -> None:
    port = Listening()
    with effects.use(port):
        pieces = [item async for item in ReplayChatCompletionClient(chat_completions=["a b"]).create_stream(ASK)]
    assert pieces[:2] == ["a ", "b"]
    assert [cast("dict[str, JsonValue]", entry["result"])["content"] for entry in port.entries] == ["a b"]


async def test_an_error_of_the_client_is_recorded_and_raised() -> None:
    port = Listening()
    with effects.use(port), pytest.raises(ModelRefused):
        await ReplayChatCompletionClient(chat_completions=[]).create(ASK)
    assert cast("dict[str, JsonValue]", port.entries[0]["error"])["type"] == "NoMoreReplies"


def hash_of(client: OpenAIChatCompletionClient, call: ModelCall) -> str:
    return client.request_for(call).hash


def test_the_hash_follows_messages_tools_and_settings() -> None:
    client = OpenAIChatCompletionClient(model="m", base_url="http://localhost:1/v1")
    warmer = OpenAIChatCompletionClient(model="m", base_url="http://localhost:1/v1", temperature=1)
    call = ModelCall("create", tuple(ASK))
    other = [
        ModelCall("create", tuple(ASK[:1])),
        ModelCall("create", tuple(ASK), tools=(ADD,)),
        ModelCall("create", tuple(ASK), tool_choice="none"),
        ModelCall("create", tuple(ASK), json_output=True),
        ModelCall("create_stream", tuple(ASK)),
    ]
    assert hash_of(client, call) == hash_of(client, ModelCall("create", tuple(ASK)))
    hashes = {hash_of(client, call), hash_of(warmer, call), *(hash_of(client, changed) for changed in other)}
    assert len(hashes) == 7


def test_equal_requests_have_equal_hashes_everywhere() -> None:
    said = [*ASK, AssistantMessage(content="\u00e4" * 2 * HASHED_AS_IT_IS + "\ud800", source="a", thought="hm")]
    client = ReplayChatCompletionClient(chat_completions=[])
    calls = [ModelCall("create", ASK), ModelCall("create", said, (ADD,))]
    # Where these change, HASH_VERSION must change, too: runs that were recorded before no longer fit.
    assert [client.request_for(call).hash for call in calls] == [
        "2:63f5465c03d7b2bdc68409b9426f719450546e1d40ed1277d3d77f69bc57579b",
        "2:11d8faf86ed4d8001a222d1a8945cd88da7e81a951905b2dce27a19e42207458",
    ]


async def test_a_cancelled_token_ends_the_call_and_a_later_cancel_does_nothing() -> None:
    token = CancellationToken()
    client = ReplayChatCompletionClient(chat_completions=["a", "b"])
    await client.create(ASK, cancellation_token=token)
    token.cancel()
    assert (await client.create(ASK)).content == "b"


def test_tokens_are_estimated_the_same_everywhere() -> None:
    client = OpenAIChatCompletionClient(model="gpt-4o")
    short = client.count_tokens(ASK)
    assert 8 < short < 20
    assert client.count_tokens(ASK, tools=[ADD]) > short
    assert client.remaining_tokens(ASK) == 128_000 - short
