"""Several agents work on one published task at a time, and a closure agent collects what they publish."""

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
    type_subscription,
)


@dataclass
class Task:
    name: str


@dataclass
class Done:
    by: str
    what: str


@default_subscription
class Worker(RoutedAgent):
    @message_handler
    async def work(self, message: Task, ctx: MessageContext) -> None:
        await asyncio.sleep(0)
        await self.publish_message(Done(self.id.type, message.name), TopicId("results", "main"))


@type_subscription(topic_type="urgent")
class Urgent(RoutedAgent):
    @message_handler
    async def work(self, message: Task, ctx: MessageContext) -> None:
        await self.publish_message(Done(f"{self.id}", message.name), TopicId("results", "main"))


async def main() -> None:
    results: asyncio.Queue[Done] = asyncio.Queue()

    async def collect(agent: ClosureContext, message: Done, ctx: MessageContext) -> None:
        await results.put(message)

    runtime = SingleThreadedAgentRuntime()
    await Worker.register(runtime, "first", lambda: Worker("Works."))
    await Worker.register(runtime, "second", lambda: Worker("Works."))
    await Urgent.register(runtime, "urgent", lambda: Urgent("Works at once."))
    await ClosureAgent.register_closure(
        runtime, "collector", collect, subscriptions=lambda: [TypeSubscription("results", "collector")]
    )
    runtime.start()
    await runtime.publish_message(Task("sort"), DefaultTopicId())
    await runtime.publish_message(Task("count"), TopicId("urgent", "case-7"))
    await runtime.stop_when_idle()
    found = sorted(f"{each.by}: {each.what}" for each in [results.get_nowait() for _ in range(results.qsize())])
    print("\n".join(found))
    assert found == ["first: sort", "second: sort", "urgent/case-7: count"]


asyncio.run(main())
