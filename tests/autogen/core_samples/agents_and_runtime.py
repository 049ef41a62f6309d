"""A factory makes each agent for its first message, an AgentChat agent works inside one, and state is kept."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import (
    AgentId,
    AgentInstantiationContext,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    message_handler,
)
from autogen_ext.models.replay import ReplayChatCompletionClient

MADE: list[str] = []


@dataclass
class Question:
    text: str


@dataclass
class Answer:
    text: str


class Counting(RoutedAgent):
    def __init__(self) -> None:
        super().__init__("Counts its questions.")
        self.count = 0
        MADE.append(str(AgentInstantiationContext.current_agent_id()))

    @message_handler
    async def on_question(self, message: Question, ctx: MessageContext) -> Answer:
        self.count += 1
        return Answer(f"{self.id.key} {self.count}: {message.text}")

    async def save_state(self) -> Mapping[str, Any]:
        return {"count": self.count}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        self.count = state["count"]


class Delegating(RoutedAgent):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        model = ReplayChatCompletionClient(["Lisbon.", "Porto."])
        self._delegate = AssistantAgent(name, model_client=model)

    @message_handler
    async def on_question(self, message: Question, ctx: MessageContext) -> Answer:
        asked = TextMessage(content=message.text, source="user")
        response = await self._delegate.on_messages([asked], ctx.cancellation_token)
        assert isinstance(response.chat_message, TextMessage)
        return Answer(response.chat_message.content)


async def main() -> None:
    runtime = SingleThreadedAgentRuntime()
    await Counting.register(runtime, "counting", Counting)
    await Delegating.register(runtime, "delegating", lambda: Delegating("geographer"))
    assert MADE == []
    runtime.start()
    for key in ("ann", "bob", "ann"):
        answer: Answer = await runtime.send_message(Question("hello"), AgentId("counting", key))
        print(answer.text)
    for text in ("The capital of Portugal?", "And the second city?"):
        answer = await runtime.send_message(Question(text), AgentId("delegating", "default"))
        print(answer.text)
    print(MADE)
    ann = await runtime.try_get_underlying_agent_instance(AgentId("counting", "ann"), type=Counting)
    assert ann.count == 2
    print((await runtime.agent_metadata(AgentId("counting", "ann")))["description"])
    state = await runtime.agent_save_state(AgentId("counting", "ann"))
    await runtime.agent_load_state(AgentId("counting", "bob"), state)
    answer = await runtime.send_message(Question("again"), AgentId("counting", "bob"))
    print(answer.text)
    assert answer.text == "bob 3: again"
    await runtime.stop()
    await runtime.close()


asyncio.run(main())
