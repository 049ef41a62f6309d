"""The agent over the Responses API, against a server of ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from openai import AsyncOpenAI

from studio import effects
from studio.agents import OpenAIAgent
from studio.components import JsonObject, all_capabilities, load_component, validate_component
from studio.errors import ModelRefused, ModelUnavailable
from studio.messages import (
    Image,
    ModelClientStreamingChunkEvent,
    MultiModalMessage,
    RequestUsage,
    TextMessage,
    ToolCallExecutionEvent,
)
from studio.tools import FunctionTool
from tests.agents.adding import add
from tests.fakes.model_server import Call, Reply
from tests.fakes.responses_server import ResponsesServer
from tests.pictures import PIXEL
from tests.teams.scripted import CountingWorld, said

Make = Callable[..., OpenAIAgent]


@pytest.fixture
def server() -> Iterator[ResponsesServer]:
    with ResponsesServer() as running:
        yield running


@pytest.fixture
async def make_agent(server: ResponsesServer) -> AsyncIterator[Make]:
    """Agents that ask the fake server."""
    made: list[OpenAIAgent] = []

    def make(**fields: Any) -> OpenAIAgent:
        given: dict[str, Any] = {
            "name": "oai",
            "model": "gpt-4.1",
            "instructions": "Be brief.",
            "base_url": server.url,
            **fields,
        }
        made.append(OpenAIAgent(**given))
        return made[-1]

    yield make
    for agent in made:
        await agent.close()


async def test_the_service_keeps_the_conversation(make_agent: Make, server: ResponsesServer):
    server.say("one", "two")
    agent = make_agent()
    result = await agent.run(task="first")
    await agent.run(task="second")
    answer = result.messages[-1]
    assert isinstance(answer, TextMessage)
    assert (answer.content, answer.models_usage) == ("one", RequestUsage(prompt_tokens=11, completion_tokens=7))
    first, second = (request.body for request in server.requests)
    assert (first["instructions"], first["store"], "previous_response_id" in first) == ("Be brief.", True, False)
    assert second["input"] == [{"role": "user", "content": "second"}]
    assert second["previous_response_id"] == "resp_1"


async def test_what_the_service_does_not_keep_is_sent_again(make_agent: Make, server: ResponsesServer):
    server.say("one", "two")
    agent = make_agent(store=False)
    await agent.run(task="first")
    await agent.run(task="second")
    body = server.requests[1].body
    assert [item["content"] for item in body["input"]] == ["first", "one", "second"]
    assert "previous_response_id" not in body


async def test_an_answer_may_be_streamed(make_agent: Make, server: ResponsesServer):
    server.say("a b c")
    items = [item async for item in make_agent(stream=True).run_stream(task="go")]
    chunks = [item for item in items if isinstance(item, ModelClientStreamingChunkEvent)]
    assert [chunk.content for chunk in chunks] == ["a ", "b ", "c"]
    answer = items[-2]
    assert isinstance(answer, TextMessage)
    assert {chunk.full_message_id for chunk in chunks} == {answer.id}


@pytest.mark.parametrize("stream", [True, False])
async def test_tools_of_ours_are_called_and_their_results_sent_back(
    make_agent: Make, server: ResponsesServer, stream: bool
):
    server.say(Reply(calls=[Call("add", {"a": 1, "b": 2})]), "It is 3.")
    agent = make_agent(tools=[FunctionTool(add, description="Add."), "web_search_preview"], stream=stream)
    world = CountingWorld()
    with effects.use(world):
        result = await agent.run(task="1 + 2?")
    assert world.asked == ["model", "tool", "model"]
    assert any(isinstance(message, ToolCallExecutionEvent) for message in result.messages)
    assert said(result.messages)[-1] == ("oai", "It is 3.")
    assert [tool["type"] for tool in server.requests[0].body["tools"]] == ["web_search_preview", "function"]
    output = server.requests[1].body["input"]
    assert output == [{"type": "function_call_output", "call_id": "call_1_0", "output": "3"}]


async def test_pictures_and_options_reach_the_service(make_agent: Make, server: ResponsesServer):
    task = MultiModalMessage(content=["What is this?", Image(data=PIXEL)], source="user")
    await make_agent(json_mode=True, temperature=None, max_output_tokens=5, truncation="auto").run(task=task)
    body = server.requests[0].body
    assert [part["type"] for part in body["input"][0]["content"]] == ["input_text", "input_image"]
    assert body["text"] == {"format": {"type": "json_object"}}
    assert (body["max_output_tokens"], body["truncation"], "temperature" in body) == (5, "auto", False)


@pytest.mark.parametrize("stream", [True, False])
async def test_faults_are_reported_and_the_agent_can_be_asked_again(
    make_agent: Make, server: ResponsesServer, stream: bool
):
    server.say(Reply(status=400, message="No such model."), "fine")
    agent = make_agent(stream=stream)
    with pytest.raises(ModelRefused, match="No such model"):
        await agent.run(task="go")
    assert said((await agent.run(task="again")).messages)[-1] == ("oai", "fine")


@pytest.mark.parametrize("reply", [Reply("a b", cut=1), Reply("a b", unfinished=True), Reply("a b", malformed=1)])
async def test_a_broken_stream_is_reported(make_agent: Make, server: ResponsesServer, reply: Reply):
    server.say(reply)
    with pytest.raises(ModelUnavailable):
        await make_agent(stream=True).run(task="go")


async def test_its_state_goes_on_in_another_agent(make_agent: Make, server: ResponsesServer):
    first, second = make_agent(), make_agent()
    await first.run(task="a")
    await second.load_state(await first.save_state())
    await second.run(task="b")
    assert server.requests[1].body["previous_response_id"] == "resp_1"
    await second.on_reset()
    await second.run(task="c")
    assert "previous_response_id" not in server.requests[2].body


async def test_a_script_may_give_its_own_client(server: ResponsesServer):
    async with AsyncOpenAI(api_key="k", base_url=server.url) as client:
        agent = OpenAIAgent("oai", "An agent.", client, "gpt-4.1", "Be brief.", ["image_generation"])
        assert said((await agent.run(task="go")).messages)[-1] == ("oai", "OK.")
    assert server.requests[0].headers["authorization"] == "Bearer k"


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("file_search", "needs `vector_store_ids`"),
        ({"type": "mcp", "server_label": "x"}, "needs `server_url`"),
        ("time_machine", "no built-in tool 'time_machine'"),
        ("local_shell", "only works with the model"),
    ],
)
def test_a_built_in_tool_that_cannot_work_is_an_error_at_its_field(tool: Any, message: str):
    config: JsonObject = {"name": "a", "description": "", "model": "gpt-4.1", "instructions": "", "tools": [tool]}
    report = validate_component({"provider": OpenAIAgent.provider, "config": config})
    assert [error.where for error in report.errors] == ["/config/tools"]
    assert message in report.errors[0].message


def test_it_loads_and_dumps_unchanged_and_says_what_it_needs():
    mcp: JsonObject = {"type": "mcp", "server_label": "x", "server_url": "https://mcp.example"}
    agent = OpenAIAgent(name="a", model="gpt-4.1", instructions="", tools=[mcp, FunctionTool(add, description="Add.")])
    written = agent.dump_component()
    assert load_component(written, OpenAIAgent).dump_component() == written
    needed = {(each.kind, each.detail) for each in all_capabilities(agent)}
    assert ("secret", "env:OPENAI_API_KEY to https://api.openai.com:443/v1") in needed
    assert ("host", "https://mcp.example through https://api.openai.com:443/v1") in needed
    assert "python" in {kind for kind, _ in needed}
