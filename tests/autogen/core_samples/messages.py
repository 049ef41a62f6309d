"""How messages find their handlers: by type, by a match, sent or published, with what an error or no handler gives."""

import asyncio
from dataclasses import dataclass

from autogen_core import (
    AgentId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    event,
    message_handler,
    rpc,
    type_subscription,
)

HEARD: list[str] = []


@dataclass
class Note:
    text: str
    source: str


@dataclass
class Picture:
    url: str
    source: str


@dataclass
class Stray:
    pass


class Routing(RoutedAgent):
    """Of several handlers of a type the first whose match holds takes the message, by name."""

    @message_handler(match=lambda message, ctx: message.source.startswith("desk"))
    async def a_note_of_a_desk(self, message: Note, ctx: MessageContext) -> str:
        return f"desk note: {message.text}"

    @message_handler
    async def b_any_note(self, message: Note, ctx: MessageContext) -> str:
        return f"note: {message.text}"

    @message_handler
    async def on_picture(self, message: Picture, ctx: MessageContext) -> str:
        if not message.url:
            raise ValueError("a picture without an address")
        return f"picture: {message.url}"


class Relay(RoutedAgent):
    @message_handler
    async def on_note(self, message: Note, ctx: MessageContext) -> str:
        answer: str = await self.send_message(message, AgentId("routing", self.id.key))
        return f"{self.id} heard <{answer}>"


@type_subscription("news")
class Reader(RoutedAgent):
    @event
    async def on_event(self, message: Note, ctx: MessageContext) -> None:
        HEARD.append(f"{self.id} read {message.text} from {ctx.sender}")

    @rpc
    async def on_rpc(self, message: Note, ctx: MessageContext) -> str:
        return f"{self.id} was asked {message.text}"


class Writer(RoutedAgent):
    @message_handler
    async def on_note(self, message: Note, ctx: MessageContext) -> None:
        await self.publish_message(message, TopicId("news", self.id.key))


async def main() -> None:
    runtime = SingleThreadedAgentRuntime()
    for cls in (Routing, Relay, Reader, Writer):
        await cls.register(runtime, cls.__name__.lower(), lambda cls=cls: cls("For messages."))
    runtime.start()
    routing = AgentId("routing", "default")
    found = [
        await runtime.send_message(Note("one", "desk-1"), routing),
        await runtime.send_message(Note("two", "street"), routing),
        await runtime.send_message(Picture("a.png", "street"), routing),
        await runtime.send_message(Note("three", "desk-2"), AgentId("relay", "default")),
        await runtime.send_message(Note("four", "x"), AgentId("reader", "default")),
        await runtime.send_message(Stray(), routing),
    ]
    try:
        await runtime.send_message(Picture("", "street"), routing)
    except ValueError as error:
        found.append(f"refused: {error}")
    await runtime.send_message(Note("five", "x"), AgentId("writer", "paper"))
    await runtime.publish_message(Note("six", "x"), TopicId("news", "paper"))
    await runtime.stop_when_idle()
    print("\n".join(str(each) for each in found + HEARD))
    assert found[0] == "desk note: one"
    assert found[5] is None
    assert HEARD == ["reader/paper read five from writer/paper", "reader/paper read six from None"]


asyncio.run(main())
