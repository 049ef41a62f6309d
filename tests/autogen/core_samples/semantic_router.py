"""A router finds what a person wants and passes the conversation to the agent for it, which may give it back."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from autogen_core import (
    ClosureAgent,
    ClosureContext,
    MessageContext,
    RoutedAgent,
    TopicId,
    TypeSubscription,
    message_handler,
    try_get_known_serializers_for_type,
)
from autogen_ext.runtimes.grpc import GrpcWorkerAgentRuntime, GrpcWorkerAgentRuntimeHost
from ports import free_port


@dataclass
class UserSaid:
    text: str


@dataclass
class WorkerSaid:
    text: str
    is_end: bool


@dataclass
class Final:
    text: str


class Intents(Protocol):
    def intent(self, text: str) -> str: ...


class Words:
    """Knows intents by their words. A model of sentences would stand here."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self._words = words

    def intent(self, text: str) -> str:
        scores = {name: sum(each in text.lower() for each in words) for name, words in self._words.items()}
        best = max(scores, key=lambda name: scores[name])
        return best if scores[best] else "none"


class Router(RoutedAgent):
    def __init__(self, intents: Intents, agents: Mapping[str, str]) -> None:
        super().__init__("Routes.")
        self._intents, self._agents = intents, agents
        self._busy = ""

    @message_handler
    async def on_user(self, message: UserSaid, ctx: MessageContext) -> None:
        found = self._busy or self._agents.get(self._intents.intent(message.text), "")
        if not found:
            await self.publish_message(Final("Nobody here knows about that."), TopicId("user", self.id.key))
            return
        self._busy = found
        await self.publish_message(message, TopicId(found, self.id.key))

    @message_handler
    async def on_worker(self, message: WorkerSaid, ctx: MessageContext) -> None:
        if message.is_end:
            self._busy = ""
        await self.publish_message(Final(message.text), TopicId("user", self.id.key))


class Worker(RoutedAgent):
    @message_handler
    async def on_user(self, message: UserSaid, ctx: MessageContext) -> None:
        is_end = "bye" in message.text.lower()
        text = f"{self.id.type} on <{message.text}>{' and ends' if is_end else ''}"
        await self.publish_message(WorkerSaid(text, is_end), TopicId("router", self.id.key))


async def main() -> None:
    logging.getLogger("autogen_core").setLevel(logging.CRITICAL)
    address = f"localhost:{free_port()}"
    host = GrpcWorkerAgentRuntimeHost(address=address)
    host.start()
    answers = asyncio.Queue[str]()

    async def out(agent: ClosureContext, message: Final, ctx: MessageContext) -> None:
        await answers.put(message.text)

    agents = GrpcWorkerAgentRuntime(address)
    user = GrpcWorkerAgentRuntime(address)
    for worker in (agents, user):
        for each in (UserSaid, WorkerSaid, Final):
            worker.add_message_serializer(try_get_known_serializers_for_type(each))
        await worker.start()
    try:
        words = Words({"money": ["invoice", "pay", "price"], "people": ["holiday", "boss"]})
        await Router.register(agents, "router", lambda: Router(words, {"money": "finance", "people": "hr"}))
        await agents.add_subscription(TypeSubscription("router", "router"))
        for name in ("finance", "hr"):
            await Worker.register(agents, name, lambda: Worker("Works."))
            await agents.add_subscription(TypeSubscription(name, name))
        await ClosureAgent.register_closure(user, "out", out, subscriptions=lambda: [TypeSubscription("user", "out")])
        found: list[str] = []
        for text in ("Where is my invoice?", "And a holiday?", "Bye", "A holiday, please", "Goodbye", "The weather?"):
            await user.publish_message(UserSaid(text), TopicId("router", "session"))
            async with asyncio.timeout(20):
                found.append(await answers.get())
        print("\n".join(found))
        assert [each.split()[0] for each in found] == ["finance", "finance", "finance", "hr", "hr", "Nobody"]
    finally:
        await user.stop()
        await agents.stop()
        await host.stop()


asyncio.run(main())
