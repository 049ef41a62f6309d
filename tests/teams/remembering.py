"""Teams whose models answer by what they are asked, so that a run that was broken off can end as if it had not been."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from pydantic import BaseModel, JsonValue, PrivateAttr

from studio.agents import AgentTool, AssistantAgent, MessageFilterAgent, UserProxyAgent
from studio.agents.handoff import Handoff
from studio.agents.message_filter import MessageFilterConfig, PerSourceFilter
from studio.conditions import MaxMessageTermination, TextMentionTermination
from studio.memory import ListMemory
from studio.messages import (
    AssistantMessage,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    MemoryContent,
)
from studio.models import ChatCompletionCache, ReplayChatCompletionClient
from studio.models.base import ModelCall
from studio.teams import (
    DiGraphBuilder,
    GraphFlow,
    MagenticOneGroupChat,
    RoundRobinGroupChat,
    SelectorGroupChat,
    SocietyOfMindAgent,
    Swarm,
    Team,
    TeamTool,
)
from tests.teams.interrupting import BROKEN_OFF, INSIDE, check_calls
from tests.teams.scripted import ABLE, wishes

Reply = str | CreateResult
Choice = Callable[[Sequence[LLMMessage]], Reply]


class RememberingClient(ReplayChatCompletionClient):
    """Gives the reply that follows those of its own that it is shown. It waits before, within and after."""

    provider = ""

    _choose: Choice | None = PrivateAttr(default=None)

    def _reply(self, call: ModelCall) -> CreateResult:
        check_calls([message.model_dump(mode="json") for message in call.messages])
        if self._choose is not None:
            reply = self._choose(call.messages)
        else:
            said = sum(isinstance(message, AssistantMessage) for message in call.messages)
            wished_again = sum(was_broken_off(message) for message in call.messages)
            reply = self.chat_completions[said - wished_again]
        return reply if isinstance(reply, CreateResult) else whole(reply)

    async def _create(self, call: ModelCall) -> CreateResult:
        await asyncio.sleep(0)
        reply = self._reply(call)
        await asyncio.sleep(0)
        return reply

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        reply = await self._create(call)
        for word in reply.content.split() if isinstance(reply.content, str) else ():
            yield word
            await asyncio.sleep(0)
        yield reply


def was_broken_off(message: LLMMessage) -> bool:
    """Whether this says that something must be wished for again."""
    if isinstance(message, FunctionExecutionResultMessage):
        return any(BROKEN_OFF in result.content for result in message.content)
    return BROKEN_OFF in str(message.content)


def whole(text: str) -> CreateResult:
    usage = wishes().usage
    return CreateResult(finish_reason="stop", content=text, usage=usage, cached=False)


def model(*replies: Reply, choose: Choice | None = None) -> RememberingClient:
    client = RememberingClient(chat_completions=list(replies), model_info=ABLE)
    client._choose = choose  # pyright: ignore[reportPrivateUsage]  -- a function has no place in a config
    return client


def agent(name: str, *replies: Reply, **config: Any) -> AssistantAgent:
    return AssistantAgent(name, model(*replies), **config)


async def slowly(number: int) -> str:
    """Answer after a while."""
    await asyncio.sleep(0)
    return f"number {number}"


def done(word: str = "DONE") -> TextMentionTermination:
    return TextMentionTermination(text=word)


class Verse(BaseModel):
    """A structured answer."""

    line: str


def round_robin() -> Team:
    """Parallel calls, a reflection, streaming, a memory, a structured answer, a cached model."""
    caller = agent(
        "caller",
        wishes(("slowly", '{"number": 1}'), ("slowly", '{"number": 2}')),
        "I have both.",
        "Again. DONE",
        tools=[slowly],
        reflect_on_tool_use=True,
        model_client_stream=True,
        memory=[ListMemory(memory_contents=[MemoryContent(content="Be kind.", mime_type="text/plain")])],
    )
    poet = agent("poet", '{"line": "so it is"}', '{"line": "still"}', output_content_type=Verse)
    cached = AssistantAgent("cached", ChatCompletionCache(client=model("Kept.", "Kept again.")))
    return RoundRobinGroupChat(participants=[caller, poet, cached], termination_condition=done(), emit_team_events=True)


def selector() -> Team:
    def choose(asked: Sequence[LLMMessage]) -> str:
        history = str(asked[0].content)
        return "b" if history.rfind("a: ") > history.rfind("b: ") else "a"

    return SelectorGroupChat(
        participants=[agent("a", "1", "3 DONE"), agent("b", "2")],
        model_client=model(choose=choose),
        selector_prompt="{history}",
        model_client_streaming=True,
        termination_condition=done(),
    )


def swarm() -> Team:
    go = wishes(("transfer_to_b", "{}"))
    first = agent("a", go, "A sums up. DONE", handoffs=[Handoff(target="b")])
    back = wishes(("slowly", '{"number": 1}'), ("transfer_to_human", "{}"))
    second = agent("b", back, tools=[slowly], handoffs=[Handoff(target="human"), Handoff(target="a")])
    return Swarm(
        participants=[first, second, person("human")],
        termination_condition=done() | MaxMessageTermination(max_messages=9),
    )


def person(name: str) -> UserProxyAgent:
    async def answer(prompt: str, _token: object) -> str:
        await asyncio.sleep(0)
        return f"{prompt}: DONE"

    return UserProxyAgent(name=name, input_func=answer)


def graph() -> Team:
    """Two branches side by side, one with a tool, joined."""
    builder = DiGraphBuilder()
    start = agent("start", "Begin.")
    left = agent("left", wishes(("slowly", '{"number": 1}')), "Left.", tools=[slowly], max_tool_iterations=2)
    left, right = listening_to("start", left), listening_to("start", agent("right", "Right."))
    end = agent("end", "Joined.")
    for node in (start, left, right, end):
        builder.add_node(node)
    builder.add_edge(start, left).add_edge(start, right).add_edge(left, end).add_edge(right, end)
    return GraphFlow(participants=builder.get_participants(), graph=builder.build())


def listening_to(source: str, wrapped: AssistantAgent) -> MessageFilterAgent:
    only = PerSourceFilter(source=source)
    return MessageFilterAgent(name=wrapped.name, wrapped_agent=wrapped, filter=MessageFilterConfig(per_source=[only]))


def magentic() -> Team:
    def choose(asked: Sequence[LLMMessage]) -> str:
        question, sources = str(asked[-1].content), [getattr(message, "source", "") for message in asked]
        if "pure JSON format" not in question:
            return f"Answer {len(asked)}."
        worked = [name for name in ("w", "v") if name in sources]
        return ledger("v" if worked else "w", is_done=len(worked) == 2)

    people = [agent("w", wishes(("slowly", '{"number": 1}')), "w did it", tools=[slowly], max_tool_iterations=2)]
    return MagenticOneGroupChat(participants=[*people, agent("v", "v did it")], model_client=model(choose=choose))


def ledger(speaker: str, *, is_done: bool) -> str:
    def entry(answer: JsonValue) -> JsonValue:
        return {"reason": "because", "answer": answer}

    return json.dumps(
        {
            "is_request_satisfied": entry(is_done),
            "is_in_loop": entry(False),
            "is_progress_being_made": entry(True),
            "next_speaker": entry(speaker),
            "instruction_or_question": entry(f"{speaker}, do it"),
        }
    )


def society() -> Team:
    inner = RoundRobinGroupChat(
        participants=[agent("x", "x1"), agent("y", "y1 INSIDE")], termination_condition=done("INSIDE")
    )
    mind = SocietyOfMindAgent(name="mind", team=inner, model_client=model("The mind's answer."))
    return RoundRobinGroupChat(participants=[mind, agent("z", "z DONE")], termination_condition=done())


def nested() -> Team:
    inner = RoundRobinGroupChat(
        name="inner", participants=[agent("x", "x1"), agent("y", "y1 INSIDE")], termination_condition=done("INSIDE")
    )
    filtered = listening_to("y", agent("f", "f heard y"))
    return RoundRobinGroupChat(participants=[inner, filtered, agent("z", "z DONE")], termination_condition=done())


def tools() -> Team:
    """An agent and a team as tools."""
    worker = agent("inside_worker", *["worked"] * 9)
    thinker = agent("inside_thinker", *["thought INSIDE"] * 9)
    inner = RoundRobinGroupChat(participants=[thinker], termination_condition=done("INSIDE"))
    task = json.dumps({"task": INSIDE})
    boss = agent(
        "boss",
        wishes(("inside_worker", task), ("ask_team", task)),
        "All done. DONE",
        tools=[AgentTool(agent=worker), TeamTool(team=inner, name="ask_team", description="Asks.")],
        max_tool_iterations=2,
    )
    return RoundRobinGroupChat(participants=[boss, agent("z", "z")], termination_condition=done())


TEAMS: dict[str, Callable[[], Team]] = {
    "round robin": round_robin,
    "selector": selector,
    "swarm": swarm,
    "graph": graph,
    "magentic": magentic,
    "society": society,
    "nested": nested,
    "tools": tools,
}
