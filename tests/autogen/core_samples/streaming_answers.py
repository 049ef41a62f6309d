"""What a model streams leaves the runtime piece by piece: one request, one queue, one end, and requests do not mix."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from autogen_core import (
    AgentId,
    ClosureAgent,
    ClosureContext,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.models import CreateResult, UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from service import answering


@dataclass
class Asked:
    text: str


@dataclass
class Piece:
    text: str
    is_last: bool


class Streaming(RoutedAgent):
    def __init__(self, model: OpenAIChatCompletionClient) -> None:
        super().__init__("Streams.")
        self._model = model

    @message_handler
    async def on_asked(self, message: Asked, ctx: MessageContext) -> str:
        topic = TopicId("pieces", self.id.key)
        async for each in self._model.create_stream([UserMessage(content=message.text, source="user")]):
            if isinstance(each, CreateResult):
                await self.publish_message(Piece("", True), topic)
                return str(each.content)
            await self.publish_message(Piece(each, False), topic)
        raise AssertionError("the stream had no end")


async def main() -> None:
    queues: dict[str, asyncio.Queue[Piece]] = {}

    async def out(agent: ClosureContext, message: Piece, ctx: MessageContext) -> None:
        await queues[agent.id.key].put(message)

    async def answer(key: str, text: str) -> AsyncGenerator[str]:
        queues[key] = asyncio.Queue()
        sent = asyncio.ensure_future(runtime.send_message(Asked(text), AgentId("streaming", key)))
        while not (piece := await queues[key].get()).is_last:
            yield piece.text
        yield f"<{await sent}>"

    with answering(["It is a short story.", "Red and green."]) as service:
        model = service.client()
        runtime = SingleThreadedAgentRuntime()
        await Streaming.register(runtime, "streaming", lambda: Streaming(model))
        await ClosureAgent.register_closure(
            runtime, "out", out, subscriptions=lambda: [TypeSubscription("pieces", "out")]
        )
        runtime.start()
        for key, text in (("ann", "A story?"), ("bob", "Colors?")):
            print(key, [each async for each in answer(key, text)])
        await runtime.stop_when_idle()
        await model.close()
        assert [each["stream"] for each in service.asked] == [True, True]


asyncio.run(main())
