"""What every client makes of the answers of its service, over real HTTP; what each sends is in the tests of its own."""

from __future__ import annotations

from typing import Any

import pytest

from studio.errors import MissingSecret
from studio.messages import CreateResult, FunctionCall, LLMMessage, RequestUsage, SystemMessage, ToolSchema, UserMessage
from studio.models import ChatCompletionClient
from tests.fakes.model_server import Call, Reply
from tests.models.services import KEYS, SERVICES

ASK: list[LLMMessage] = [SystemMessage(content="be brief"), UserMessage(content="hi", source="user")]
ADD = ToolSchema(name="add", description="Adds.", parameters={"type": "object", "properties": {}})
USAGE = RequestUsage(prompt_tokens=11, completion_tokens=7)
KEY_OF = {
    "openai": "OPENAI_API_KEY",
    "azure openai": "AZURE_OPENAI_API_KEY",
    "azure ai": "AZURE_AI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}

pytestmark = pytest.mark.usefixtures("keys")
each = pytest.mark.parametrize("name", SERVICES)
both_ways = pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])


async def asked(client: ChatCompletionClient, *, is_streamed: bool, **more: Any) -> tuple[list[str], CreateResult]:
    """The pieces that stream in, none of a whole answer, and the result."""
    items = [item async for item in client.create_stream(ASK, **more)] if is_streamed else []
    result = items.pop() if items else await client.create(ASK, **more)
    assert isinstance(result, CreateResult)
    return [str(item) for item in items], result


@each
@both_ways
async def test_an_answer_has_text_usage_and_a_reason(name: str, is_streamed: bool) -> None:
    async with SERVICES[name].opened() as (server, client):
        server.say("one two three")
        pieces, result = await asked(client, is_streamed=is_streamed)
    assert pieces == (["one ", "two ", "three"] if is_streamed else [])
    is_counted = name != "azure ai" or not is_streamed  # its SDK asks for no usage of a stream
    usage = USAGE if is_counted else RequestUsage(prompt_tokens=0, completion_tokens=0)
    assert result == CreateResult(finish_reason="stop", content="one two three", usage=usage, cached=False)


@each
@both_ways
async def test_tool_calls_come_with_their_arguments_and_what_was_written_before(name: str, is_streamed: bool) -> None:
    async with SERVICES[name].opened() as (server, client):
        server.say(Reply("I add.", calls=[Call("add", {"a": 1}, id="x"), Call("add", {}, id="y")]))
        _, result = await asked(client, is_streamed=is_streamed, tools=[ADD])
    assert (result.finish_reason, result.thought) == ("function_calls", "I add.")
    calls = [call for call in result.content if isinstance(call, FunctionCall)]
    assert [(call.name, call.arguments) for call in calls] == [("add", '{"a": 1}'), ("add", "{}")]
    ids = [call.id for call in calls]
    assert ids == ["x", "y"] or (name == "ollama" and len(set(ids)) == 2), "Ollama gives no IDs"


@each
@both_ways
async def test_thinking_becomes_the_thought(name: str, is_streamed: bool) -> None:
    async with SERVICES[name].opened() as (server, client):
        server.say(Reply("42", thought="let me see"))
        pieces, result = await asked(client, is_streamed=is_streamed)
    assert (result.thought, result.content) == ("let me see", "42")
    assert "".join(pieces) == ("<think>let me see</think>42" if is_streamed else "")


@pytest.mark.parametrize("name", KEY_OF)
async def test_a_missing_key_is_told_at_the_call_and_not_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (*KEYS, *KEY_OF.values()):
        monkeypatch.delenv(variable, raising=False)
    async with SERVICES[name].opened(api_key=f"env:{KEY_OF[name]}") as (_, client):
        with pytest.raises(MissingSecret, match=KEY_OF[name]):
            await client.create(ASK)
