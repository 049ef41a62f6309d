"""Solvers exchange answers with their neighbors for some rounds, and an aggregator takes the answer of the majority."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from autogen_core import (
    AgentId,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TypeSubscription,
    default_subscription,
    message_handler,
)
from autogen_core.models import AssistantMessage, LLMMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient

ROUNDS = 2
LINES: list[str] = []


@dataclass
class Question:
    text: str


@dataclass
class Request:
    text: str
    question: str


@dataclass
class Interim:
    text: str
    question: str
    round: int


@dataclass
class Final:
    text: str


@dataclass
class Memory:
    said: list[LLMMessage] = field(default_factory=list)
    heard: dict[int, list[str]] = field(default_factory=dict)
    round: int = 0


@default_subscription
class Solver(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient, topic: str, neighbors: int) -> None:
        super().__init__("Debates.")
        self._model, self._topic, self._neighbors = model, topic, neighbors
        self._memory = Memory()

    @message_handler
    async def on_request(self, message: Request, ctx: MessageContext) -> None:
        memory = self._memory
        memory.said.append(UserMessage(content=message.text, source="user"))
        answer = await self._model.create(memory.said)
        text = str(answer.content)
        memory.said.append(AssistantMessage(content=text, source=self.id.type))
        memory.round += 1
        LINES.append(f"{memory.round} {self.id.type} {text} ({len(memory.said)})")
        if memory.round == ROUNDS:
            await self.publish_message(Final(text), DefaultTopicId())
        else:
            topic = DefaultTopicId(type=self._topic)
            await self.publish_message(Interim(text, message.question, memory.round), topic)

    @message_handler
    async def on_interim(self, message: Interim, ctx: MessageContext) -> None:
        heard = self._memory.heard.setdefault(message.round, [])
        heard.append(message.text)
        if len(heard) == self._neighbors:
            said = ", ".join(sorted(heard))
            request = Request(f"Others say {said}. What do you say now?", message.question)
            await self.send_message(request, self.id)


@default_subscription
class Aggregator(RoutedAgent):
    def __init__(self, solvers: int) -> None:
        super().__init__("Counts.")
        self._solvers, self._finals = solvers, list[str]()

    @message_handler
    async def on_question(self, message: Question, ctx: MessageContext) -> None:
        await self.publish_message(Request(message.text, message.text), DefaultTopicId())

    @message_handler
    async def on_final(self, message: Final, ctx: MessageContext) -> None:
        self._finals.append(message.text)
        if len(self._finals) == self._solvers:
            [(answer, votes)] = Counter(self._finals).most_common(1)
            LINES.append(f"9 {answer} by {votes} of {self._solvers}")


async def main() -> None:
    runtime = SingleThreadedAgentRuntime()
    scripts = {"a": ["12", "12"], "b": ["13", "12"], "c": ["12", "12"], "d": ["14", "13"]}
    for name, script in scripts.items():
        model = ReplayChatCompletionClient(script)
        await Solver.register(runtime, name, lambda model=model, name=name: Solver(model, f"said-by-{name}", 2))
    ring = [*scripts]
    for place, name in enumerate(ring):
        for neighbor in (ring[place - 1], ring[(place + 1) % len(ring)]):
            await runtime.add_subscription(TypeSubscription(f"said-by-{name}", neighbor))
    await Aggregator.register(runtime, "aggregator", lambda: Aggregator(len(ring)))
    runtime.start()
    await runtime.send_message(Question("3 times 4?"), AgentId("aggregator", "default"))
    await runtime.stop_when_idle()
    print("\n".join(sorted(LINES)))
    assert sorted(LINES)[-1] == "9 12 by 3 of 4"


asyncio.run(main())
