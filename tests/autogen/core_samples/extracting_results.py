"""A closure agent takes what a team of agents publishes out of the runtime, into a queue of the program."""

import asyncio
from dataclasses import dataclass

from autogen_core import (
    ClosureAgent,
    ClosureContext,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    default_subscription,
    message_handler,
)


@dataclass
class Piece:
    number: int


@dataclass
class Result:
    number: int
    value: str


@default_subscription
class Working(RoutedAgent):
    @message_handler
    async def on_piece(self, message: Piece, ctx: MessageContext) -> None:
        await asyncio.sleep(0)
        result = Result(message.number, f"{self.id.type} squared it: {message.number**2}")
        await self.publish_message(result, TopicId("results", self.id.key))


async def main() -> None:
    results = asyncio.Queue[Result]()

    async def collect(agent: ClosureContext, message: Result, ctx: MessageContext) -> None:
        await results.put(message)

    runtime = SingleThreadedAgentRuntime()
    for name in ("first", "second"):
        await Working.register(runtime, name, lambda: Working("Works."))
    await ClosureAgent.register_closure(
        runtime, "collecting", collect, subscriptions=lambda: [TypeSubscription("results", "collecting")]
    )
    runtime.start()
    for number in range(3):
        await runtime.publish_message(Piece(number), DefaultTopicId())
    await runtime.stop_when_idle()
    found = sorted((results.get_nowait() for _ in range(results.qsize())), key=lambda each: (each.number, each.value))
    print("\n".join(f"{each.number} {each.value}" for each in found))
    assert len(found) == 6


asyncio.run(main())
