"""Our engine under the scenarios of the benchmark: one function each, building what `run(tick)` then does.

`tick` is called once for every message (or piece of one) that the consumer's loop has seen. The model is free: it
answers at once, and no call costs more for a longer conversation.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from importlib.metadata import version
from typing import Any

from pydantic import JsonValue, PrivateAttr, SecretStr

from studio.agents import AssistantAgent, Participant
from studio.components import SecretRef, load_component
from studio.conditions import MaxMessageTermination, TextMentionTermination
from studio.messages import (
    BaseMessage,
    CancellationToken,
    CreateResult,
    FunctionCall,
    HandoffMessage,
    ModelClientStreamingChunkEvent,
    RequestUsage,
    TextMessage,
    ToolCallExecutionEvent,
)
from studio.models import (
    ChatCompletionClient,
    ModelCall,
    ModelInfo,
    OpenAIChatCompletionClient,
    ReplayChatCompletionClient,
)
from studio.teams import DiGraphBuilder, GraphFlow, RoundRobinGroupChat, SelectorGroupChat, Swarm, Team
from studio.tools import FunctionTool

ENGINE = "studio"
IMPORT = "from studio.agents import AssistantAgent; from studio.teams import RoundRobinGroupChat"
SKIPS: dict[str, str] = {}

REPLY = (
    "The quarterly figures show a moderate increase over the previous period, mostly because of the new "
    "pricing, and the second region still needs a closer look before we can agree on next steps for the team."
)
TASK = "Please discuss the quarterly figures and agree on the next steps."
CHUNK = "token "
TOOL_SOURCE = '''def tool_{i}(city: str, days: int = 3, units: str = "metric") -> str:
    """Forecast number {i}: the weather of a city for some days."""
    return f"{{city}} {{days}} {{units}}"
'''
INFO = ModelInfo(vision=False, function_calling=True, json_output=True, family="unknown", structured_output=True)
USAGE = RequestUsage(prompt_tokens=100, completion_tokens=36)

Tick = Callable[[], None]
Run = Callable[[Tick], Awaitable[None]]
Answer = Callable[[], CreateResult]


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("team-studio", "pydantic", "openai")}


def text(content: str = REPLY) -> CreateResult:
    return CreateResult(finish_reason="stop", content=content, usage=USAGE, cached=False)


def call(name: str, arguments: str = "{}", call_id: str = "c1") -> CreateResult:
    calls = [FunctionCall(id=call_id, name=name, arguments=arguments)]
    return CreateResult(finish_reason="function_calls", content=calls, usage=USAGE, cached=False)


class NullClient(ChatCompletionClient):
    """A model that does no work of its own; what the engine does around a call is done."""

    provider = "benchmarks.NullClient"

    _answer: Answer = PrivateAttr(default_factory=lambda: text)  # as a plain default it would become a method
    _chunks: int = PrivateAttr(default=0)
    _suspends: bool = PrivateAttr(default=True)

    @property
    def info(self) -> ModelInfo:
        return INFO

    async def _create(self, call: ModelCall) -> CreateResult:
        del call
        return self._answer()

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        del call
        for _ in range(self._chunks):
            if self._suspends:
                await asyncio.sleep(0)  # a real model suspends between pieces
            yield CHUNK
        yield self._answer()


def null(answer: Answer = text, *, chunks: int = 0, suspends: bool = True) -> NullClient:
    client = NullClient()
    client._answer, client._chunks, client._suspends = answer, chunks, suspends  # pyright: ignore[reportPrivateUsage]
    return client


def client(model: str, turns: int = 1) -> ChatCompletionClient:
    return null() if model == "null" else ReplayChatCompletionClient(chat_completions=[REPLY] * turns)


def drained(runner: Participant, kind: type[BaseMessage] = TextMessage) -> Run:
    """Read a whole run; tick for each message of that kind that is not the task."""

    async def run(tick: Tick) -> None:
        async with aclosing(runner.run_stream(task=TASK)) as items:
            async for item in items:
                if isinstance(item, kind) and item.source != "user":
                    tick()

    return run


def two_agents(turns: int, model: str = "null") -> Team:
    writer = AssistantAgent("writer", client(model, turns), system_message="You write.")
    critic = AssistantAgent("critic", client(model, turns), system_message="You criticise.")
    return RoundRobinGroupChat(participants=[writer, critic], max_turns=turns)


def round_robin(turns: int, model: str = "null") -> tuple[Run, int]:
    return drained(two_agents(turns, model)), turns


def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


def tool_loop(iterations: int, model: str = "null") -> tuple[Run, int]:
    left = iterations

    def answer() -> CreateResult:
        nonlocal left
        left -= 1
        return call("add", '{"a": 3, "b": 4}', f"c{left}") if left >= 0 else text()

    if model == "null":
        asked: ChatCompletionClient = null(answer)
    else:
        asked = ReplayChatCompletionClient(chat_completions=[answer() for _ in range(iterations + 1)], model_info=INFO)
    agent = AssistantAgent(
        "worker",
        asked,
        tools=[FunctionTool(add, description="Add.")],
        system_message="Work.",
        max_tool_iterations=iterations + 1,
    )
    return drained(agent, ToolCallExecutionEvent), iterations


def token_stream(chunks: int, model: str = "null", suspend: bool = True) -> tuple[Run, int]:
    asked: ChatCompletionClient = null(chunks=chunks, suspends=suspend)
    if model != "null":
        asked = ReplayChatCompletionClient(chat_completions=[CHUNK * chunks])
    agent = AssistantAgent("writer", asked, system_message="You write.", model_client_stream=True)
    return drained(RoundRobinGroupChat(participants=[agent], max_turns=1), ModelClientStreamingChunkEvent), chunks


def selector(turns: int, model: str = "null") -> tuple[Run, int]:
    names = ("alpha", "beta", "gamma")
    agents = [
        AssistantAgent(name, client(model, turns), description=f"agent {name}", system_message="You write.")
        for name in names
    ]
    asked = 0

    def pick() -> CreateResult:
        nonlocal asked
        asked += 1
        return text(names[asked % 3])

    return drained(SelectorGroupChat(agents, null(pick), max_turns=turns)), turns


def swarm(turns: int, model: str = "null") -> tuple[Run, int]:
    del model
    alpha = AssistantAgent(
        "alpha", null(lambda: call("transfer_to_beta")), handoffs=["beta"], system_message="Hand off."
    )
    beta = AssistantAgent(
        "beta", null(lambda: call("transfer_to_alpha")), handoffs=["alpha"], system_message="Hand off."
    )
    return drained(Swarm(participants=[alpha, beta], max_turns=turns), HandoffMessage), turns


def graph(laps: int, model: str = "null") -> tuple[Run, int]:
    """20 nodes: 1 leads to 6, each to one of 6 more, those join; a chain of 6 follows, whose end leads back."""
    left = laps

    def last() -> CreateResult:
        nonlocal left
        left -= 1
        return text("AGAIN" if left > 0 else "DONE")

    nodes = [
        AssistantAgent(f"n{i}", client(model, laps) if i < 19 else null(last), system_message="You write.")
        for i in range(20)
    ]
    end = AssistantAgent("end", client(model), system_message="You write.")
    drawing = DiGraphBuilder()
    for node in (*nodes, end):
        drawing.add_node(node)
    for i in range(1, 7):
        drawing.add_edge(nodes[0], nodes[i])
        drawing.add_edge(nodes[i], nodes[i + 6])
        drawing.add_edge(nodes[i + 6], nodes[13])
    for i in range(13, 19):
        drawing.add_edge(nodes[i], nodes[i + 1])
    drawing.add_edge(nodes[19], nodes[0], condition="AGAIN")
    drawing.add_edge(nodes[19], end, condition="DONE")
    drawing.set_entry_point(nodes[0])
    team = GraphFlow(participants=[*nodes, end], graph=drawing.build(), max_turns=laps * 40)
    return drained(team), laps * 20 + 1


def config_build(agents: int = 10, tools_per_agent: int = 2, model: str = "replay") -> Team:
    def asked() -> ChatCompletionClient:
        if model != "openai":
            return ReplayChatCompletionClient(chat_completions=[REPLY], model_info=INFO)
        return OpenAIChatCompletionClient(
            model="gpt-4o", api_key=SecretRef("env:OPENAI_API_KEY"), base_url="http://127.0.0.1:1/v1", model_info=INFO
        )

    def tool(i: int) -> FunctionTool:
        return FunctionTool(name=f"tool_{i}", description="Forecast.", source_code=TOOL_SOURCE.format(i=i))

    participants: list[Participant] = [
        AssistantAgent(
            f"agent_{i}",
            asked(),
            system_message=f"You are agent {i}.",
            description="d",
            tools=[tool(i * tools_per_agent + j) for j in range(tools_per_agent)],
        )
        for i in range(agents)
    ]
    stop = MaxMessageTermination(max_messages=20) | TextMentionTermination(text="STOP")
    return RoundRobinGroupChat(participants=participants, termination_condition=stop)


def config_dump(team: Team) -> str:
    return json.dumps(team.dump_component())


def config_load(document: str) -> Team:
    return load_component(json.loads(document), Team)


def config_text() -> str:
    return config_dump(config_build(model="openai"))


async def state_after(messages: int) -> tuple[Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]]:
    team = two_agents(messages)
    await team.run(task=TASK)
    fresh = two_agents(messages)

    async def load(state: Mapping[str, JsonValue]) -> None:
        await fresh.load_state(state)

    return team.save_state, load


async def cancel(n: int = 50) -> dict[str, float]:
    class Blocked(NullClient):
        provider = "benchmarks.Blocked"

        async def _create(self, call: ModelCall) -> CreateResult:
            del call
            await asyncio.get_running_loop().create_future()
            raise AssertionError("it is cancelled")

    taken_ms: list[float] = []
    for _ in range(n):
        team = RoundRobinGroupChat(participants=[AssistantAgent(name, Blocked()) for name in ("a", "b")], max_turns=4)
        token = CancellationToken()

        async def consume(team: Team = team, token: CancellationToken = token) -> float:
            with suppress(asyncio.CancelledError):
                await team.run(task=TASK, cancellation_token=token)
            return time.perf_counter()

        async with asyncio.TaskGroup() as group:
            reader = group.create_task(consume())
            await asyncio.sleep(0.02)
            asked_at = time.perf_counter()
            token.cancel()
        taken_ms.append((reader.result() - asked_at) * 1e3)
    taken_ms.sort()
    return {"cancel_ms_p50": taken_ms[n // 2], "cancel_ms_max": taken_ms[-1], "wall_s": 0}


def http_turns(turns: int, base_url: str, stream: bool = False) -> tuple[Run, int]:
    def agent(name: str, instructions: str) -> AssistantAgent:
        asked = OpenAIChatCompletionClient(
            model="fake", api_key=SecretRef("env:OPENAI_API_KEY", SecretStr("sk-x")), base_url=base_url, model_info=INFO
        )
        return AssistantAgent(name, asked, system_message=instructions, model_client_stream=stream)

    agents: list[Participant] = [agent("writer", "You write."), agent("critic", "You criticise.")]
    team = RoundRobinGroupChat(participants=agents, max_turns=turns)
    return drained(team), turns
