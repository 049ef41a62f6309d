"""As `test_cancelling`, where a turn has begun something outside: a request, a process, a session with a server."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from studio.agents import AssistantAgent, CodeExecutorAgent, OpenAIAgent
from studio.executors import LocalCommandLineCodeExecutor
from studio.models import OpenAIChatCompletionClient
from studio.teams import GraphFlow, RoundRobinGroupChat, Team
from studio.teams.graph.digraph import DiGraph
from studio.tools import FunctionTool
from studio.tools.code_execution import PythonCodeExecutionTool
from studio.tools.mcp import McpWorkbench, StdioServerParams
from tests.extended import times
from tests.fakes.model_server import ModelServer
from tests.fakes.openai_server import HEADERS, Call, OpenAIServer, Reply
from tests.fakes.responses_server import ResponsesServer
from tests.teams.interrupting import (
    Interruption,
    Told,
    assert_nothing_runs,
    children,
    end_of_processes,
    nothing_left,
    told,
)
from tests.teams.remembering import agent, done, listening_to, model
from tests.teams.scripted import wishes

TASK = "Please do it."
SAMPLES = int(os.environ.get("CANCEL_SAMPLES", times(2, 4)))
"""Runs of each kind, each broken off at another of the points where it waits; they lie evenly over the whole run."""
MCP_SAMPLES = SAMPLES if SAMPLES > 4 else 2
"""Its SDK takes a second to load."""
MCP_SERVER = Path(__file__).parents[1] / "tools" / "mcp" / "server.py"

World = Callable[[], Team]


def with_end(*participants: Any) -> Team:
    return RoundRobinGroupChat(participants=[*participants, agent("end", "DONE", "DONE")], termination_condition=done())


def worker_process() -> Team:
    source = "import time\ndef shout(text: str) -> str:\n    print('working')\n    return text.upper()\n"
    tool = FunctionTool(name="shout", description="Shouts.", source_code=source)
    wish = wishes(("shout", '{"text": "a"}'), ("shout", '{"text": "b"}'))
    return with_end(agent("doer", wish, "It is A and B.", tools=[tool], reflect_on_tool_use=True))


def code_tool() -> Team:
    tool = PythonCodeExecutionTool(executor=LocalCommandLineCodeExecutor())
    wish = wishes(("CodeExecutor", '{"code": "import os; os.system(\'echo 1\')"}'))
    return with_end(agent("doer", wish, "It is 1.", tools=[tool], reflect_on_tool_use=True))


def code_agent() -> Team:
    code = "Look:\n```sh\necho 1 && echo 2\n```"
    executor = LocalCommandLineCodeExecutor()
    return with_end(CodeExecutorAgent(name="coder", code_executor=executor, model_client=model(code, "It is 1.")))


def code_of_others() -> Team:
    code = "Look:\n```sh\necho 1\n```"
    return with_end(
        agent("writer", code), CodeExecutorAgent(name="runner", code_executor=LocalCommandLineCodeExecutor())
    )


def mcp_program() -> Team:
    server = StdioServerParams(command=sys.executable, args=[str(MCP_SERVER)], read_timeout_seconds=15)
    wish = wishes(("add", '{"a": 1, "b": 2}'))
    return with_end(
        agent("doer", wish, "It is 3.", workbench=McpWorkbench(server_params=server), reflect_on_tool_use=True)
    )


LOCAL: dict[str, World] = {
    "worker process": worker_process,
    "code tool": code_tool,
    "code agent": code_agent,
    "code of others": code_of_others,
    "mcp program": mcp_program,
}


async def whole_run(make: World) -> tuple[Told, int]:
    """What is said when nothing comes between, and how often a run of this team waits."""
    counted, team = Interruption(), make()
    await counted.run(team.run(task=TASK))
    return await in_any_order(team), counted.count


def spread(count: int, samples: int = SAMPLES) -> Sequence[int]:
    return sorted({1 + (2 * index + 1) * (count - 1) // (2 * samples) for index in range(samples)})


async def check_broken_off(make: World, point: int, expected: Told) -> None:
    team, others = make(), children()
    await Interruption(point).run(team.run(task=TASK))
    assert_nothing_runs()
    await asyncio.to_thread(end_of_processes, others)
    if await in_any_order(team) != expected:
        result = await team.run() if team.thread else await team.run(task=TASK)
        assert result.stop_reason
    assert await in_any_order(team) == expected
    assert_nothing_runs()


async def in_any_order(team: Team) -> Told:
    """What was said and heard; who is faster side by side does not matter."""
    return {name: sorted(messages) for name, messages in (await told(team)).items()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOCAL)
async def test_no_process_is_left_and_the_run_goes_on(kind: str):
    make = LOCAL[kind]
    expected, count = await whole_run(make)
    points = spread(count, MCP_SAMPLES if kind == "mcp program" else SAMPLES)
    async with nothing_left():
        for point in points:
            await check_broken_off(make, point, expected)


def server_answer(body: dict[str, Any]) -> Reply:
    """What the service says by what it is asked; as the real one it refuses calls without results."""
    messages = body["messages"]
    owed: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            owed.remove(message["tool_call_id"])
        else:
            assert not owed, f"calls without results: {owed}"
        owed = [call["id"] for call in message.get("tool_calls") or ()] or owed
    if owed:
        return Reply(status=400, message=f"calls without results: {owed}")
    results = [message for message in messages if message["role"] == "tool"]
    if "tools" in body and (not results or "broken off" in results[-1]["content"]):
        return Reply("", calls=[Call("double", {"number": 4}), Call("double", {"number": 5})])
    return Reply("It is eight." if results else "All is DONE now.")


async def double(number: int) -> int:
    """Double a number."""
    await asyncio.sleep(0)
    return 2 * number


def over_http(server: ModelServer, *, streams: bool, side_by_side: bool = False) -> Team:
    def client() -> OpenAIChatCompletionClient:
        return OpenAIChatCompletionClient(model="gpt-4o-mini", base_url=server.url)

    options: dict[str, Any] = {"model_client_stream": streams}
    doer = AssistantAgent("doer", client(), tools=[double], reflect_on_tool_use=True, **options)
    end = AssistantAgent("end", client(), **options)
    if not side_by_side:
        return RoundRobinGroupChat(participants=[doer, end], termination_condition=done())
    doer, end = listening_to("user", doer), listening_to("user", end)
    graph = DiGraph.model_validate({"nodes": {name: {"name": name, "edges": []} for name in ("doer", "end")}})
    return GraphFlow(participants=[doer, end], graph=graph)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")


@pytest.mark.slow
@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("side_by_side", [False, True], ids=["alone", "side by side"])
async def test_no_connection_is_left_and_the_run_goes_on(
    openai_server: OpenAIServer, streams: bool, side_by_side: bool
):
    def make() -> Team:
        return over_http(openai_server, streams=streams, side_by_side=side_by_side)

    openai_server.always(server_answer)
    expected, count = await whole_run(make)
    points = spread(count)
    async with nothing_left(openai_server.wait_until_alone):
        for point in points:
            await check_broken_off(make, point, expected)


HELD = {
    "before the first byte": Reply("one two", hold=HEADERS),
    "before the first word": Reply("one two", hold=0),
    "after a word": Reply("one two", hold=1),
    "before it is complete": Reply("one two", hold=2),
}


@pytest.mark.slow
@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("when", HELD)
async def test_a_held_answer_is_given_up(openai_server: OpenAIServer, when: str, streams: bool):
    if not streams and "word" not in when and "byte" not in when:
        return
    team = over_http(openai_server, streams=streams)
    openai_server.always(server_answer)
    openai_server.say(HELD[when] if streams or HELD[when].hold != 1 else Reply("one two", hold=0))
    async with nothing_left(openai_server.wait_until_alone):
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(team.run(task=TASK))
            await asyncio.to_thread(openai_server.wait_until_held)
            running.cancel()
        assert running.cancelled()
        assert_nothing_runs()
        result = await team.run()
        assert result.messages[-1].to_text() == "All is DONE now."


@pytest.mark.usefixtures("key")
async def test_a_wait_before_another_attempt_is_given_up(openai_server: OpenAIServer):
    team = over_http(openai_server, streams=False)
    openai_server.always(Reply(status=429, retry_after="30"))
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(team.run(task=TASK))
        await asyncio.to_thread(openai_server.wait_until_idle)
        await asyncio.to_thread(openai_server.wait_for_requests, 1)
        running.cancel()
    assert running.cancelled()
    openai_server.always(server_answer)
    assert (await team.run()).messages[-1].to_text() == "All is DONE now."


def responses_answer(body: dict[str, Any]) -> Reply:
    items = body["input"]
    calls = {item["call_id"] for item in items if item.get("type") == "function_call"}
    outputs = [item for item in items if item.get("type") == "function_call_output"]
    if calls != {item["call_id"] for item in outputs}:
        return Reply(status=400, message="No tool output found for function call.")
    if not outputs or "broken off" in outputs[-1]["output"]:
        return Reply(calls=[Call("double", {"number": 4})])
    return Reply("It is eight.")


@pytest.mark.slow
@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_an_agent_of_the_responses_service_owes_no_result_after_a_break(streams: bool):
    with ResponsesServer() as server:

        def make() -> Team:
            doer = OpenAIAgent(
                name="doer",
                description="Does it.",
                model="gpt-4o-mini",
                base_url=server.url,
                instructions="Do it.",
                tools=[FunctionTool(double, description="Doubles.")],
                store=False,
                stream=streams,
            )
            return with_end(doer)

        server.always(responses_answer)
        expected, count = await whole_run(make)
        points = spread(count)
        async with nothing_left(server.wait_until_alone):
            for point in points:
                await check_broken_off(make, point, expected)
