"""A team whose models are asked over real HTTP."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from studio.agents import AssistantAgent
from studio.conditions import MaxMessageTermination
from studio.messages import ModelClientStreamingChunkEvent, TaskResult, TextMessage
from studio.models import OpenAIChatCompletionClient
from studio.teams import RoundRobinGroupChat
from tests.fakes.openai_server import Call, OpenAIServer, Reply


@pytest.fixture
def team(openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> RoundRobinGroupChat:
    """Two streaming agents, one with a tool."""

    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    monkeypatch.setenv("OPENAI_API_KEY", "test")

    def client() -> OpenAIChatCompletionClient:
        return OpenAIChatCompletionClient(model="gpt-4o-mini", base_url=openai_server.url)

    adder = AssistantAgent("adder", client(), tools=[add], model_client_stream=True, reflect_on_tool_use=True)
    critic = AssistantAgent("critic", client(), model_client_stream=True)
    return RoundRobinGroupChat(
        participants=[adder, critic], termination_condition=MaxMessageTermination(max_messages=3)
    )


@pytest.mark.slow
async def test_tools_streaming_and_usage_work_together(openai_server: OpenAIServer, team: RoundRobinGroupChat):
    openai_server.say(Reply(calls=[Call("add", {"a": 2, "b": 3})]), "It is 5.", "Right.")
    items = [item async for item in team.run_stream(task="2 + 3?")]
    result = items[-1]
    assert isinstance(result, TaskResult)
    assert [message.to_text() for message in result.messages if isinstance(message, TextMessage)] == [
        "2 + 3?",
        "It is 5.",
        "Right.",
    ]
    used = [message.models_usage for message in result.messages if isinstance(message, TextMessage)]
    assert [usage.completion_tokens if usage else None for usage in used] == [None, 7, 7]
    assert openai_server.request_count == 3


async def test_no_request_is_sent_before_its_pull_and_leaving_hangs_up(
    openai_server: OpenAIServer, team: RoundRobinGroupChat
):
    openai_server.always("one two three")
    async with aclosing(team.run_stream(task="go")) as stream:
        await anext(stream)
        await asyncio.sleep(0)
        assert openai_server.request_count == 0
        assert isinstance(await anext(stream), ModelClientStreamingChunkEvent)
        assert openai_server.request_count == 1
    await asyncio.to_thread(openai_server.wait_until_idle)
    await team.reset()
    assert (await team.run(task="again")).messages[1].to_text() == "one two three"
