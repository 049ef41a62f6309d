"""Who hears what: one tenant or many, one topic type or many, and agents that are made for each source."""

import asyncio
from dataclasses import dataclass

from autogen_core import (
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypePrefixSubscription,
    TypeSubscription,
    message_handler,
)


@dataclass
class News:
    text: str


class Listener(RoutedAgent):
    heard: list[str] = []

    @message_handler
    async def on_news(self, message: News, ctx: MessageContext) -> None:
        Listener.heard.append(f"{self.id} {message.text}")


async def main() -> None:
    runtime = SingleThreadedAgentRuntime()
    for name in ("tax", "house", "all"):
        await Listener.register(runtime, name, lambda: Listener("Listens."))
    for name in ("tax", "house"):
        await runtime.add_subscription(TypeSubscription(name, name))
    await runtime.add_subscription(TypePrefixSubscription("t", "all"))
    runtime.start()
    for kind, source in (("tax", "ann"), ("tax", "bob"), ("house", "ann"), ("travel", "ann")):
        await runtime.publish_message(News(kind), TopicId(kind, source))
        await runtime.stop_when_idle()
        runtime.start()
    await runtime.stop()
    found = sorted(Listener.heard)
    print("\n".join(found))
    assert found == ["all/ann tax", "all/ann travel", "all/bob tax", "house/ann house", "tax/ann tax", "tax/bob tax"]


asyncio.run(main())
