"""A host and two workers: agents send, publish and cascade to agents of the other worker as to those of their own."""

import asyncio
import logging
from dataclasses import dataclass

from autogen_core import (
    AgentId,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    default_subscription,
    message_handler,
    try_get_known_serializers_for_type,
)
from autogen_ext.runtimes.grpc import GrpcWorkerAgentRuntime, GrpcWorkerAgentRuntimeHost
from ports import free_port


@dataclass
class Ask:
    text: str


@dataclass
class Told:
    text: str


@dataclass
class Cascade:
    round: int


HEARD: list[str] = []
DEPTH = 3
ENDED = asyncio.Event()


class Answering(RoutedAgent):
    @message_handler
    async def on_ask(self, message: Ask, ctx: MessageContext) -> Told:
        return Told(f"{self.id.type} to {ctx.sender.type if ctx.sender else 'outside'}: {message.text}")


class Asking(RoutedAgent):
    @message_handler
    async def on_ask(self, message: Ask, ctx: MessageContext) -> Told:
        told: Told = await self.send_message(message, AgentId("answering", self.id.key))
        return Told(f"heard <{told.text}>")


@default_subscription
class Cascading(RoutedAgent):
    @message_handler
    async def on_cascade(self, message: Cascade, ctx: MessageContext) -> None:
        HEARD.append(f"{message.round} {self.id.type}")
        if len(HEARD) == 2 * DEPTH:  # each publishes to the other until the last round
            ENDED.set()
        if message.round < DEPTH:
            await self.publish_message(Cascade(message.round + 1), DefaultTopicId())


async def main() -> None:
    logging.getLogger("autogen_core").setLevel(logging.CRITICAL)
    address = f"localhost:{free_port()}"
    host = GrpcWorkerAgentRuntimeHost(address=address)
    host.start()
    first, second = GrpcWorkerAgentRuntime(address), GrpcWorkerAgentRuntime(address)
    for worker in (first, second):
        for each in (Ask, Told, Cascade):
            worker.add_message_serializer(try_get_known_serializers_for_type(each))
        await worker.start()
    try:
        await Answering.register(first, "answering", lambda: Answering("Answers."))
        await Asking.register(second, "asking", lambda: Asking("Asks."))
        await Cascading.register(first, "left", lambda: Cascading("Publishes."))
        await Cascading.register(second, "right", lambda: Cascading("Publishes."))
        print((await first.send_message(Ask("one"), AgentId("asking", "default"))).text)
        print((await second.send_message(Ask("two"), AgentId("answering", "default"))).text)
        await first.publish_message(Cascade(1), DefaultTopicId())
        async with asyncio.timeout(20):
            await ENDED.wait()
        print(sorted(HEARD))
        assert sorted(HEARD) == ["1 left", "1 right", "2 left", "2 right", "3 left", "3 right"]
    finally:
        await first.stop()
        await second.stop()
        await host.stop()


asyncio.run(main())
