"""Each agent of a chain asks its model and publishes to the topic of the next."""

import asyncio
from dataclasses import dataclass

from autogen_core import (
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.models import ChatCompletionClient, SystemMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient


@dataclass
class Text:
    content: str


class Step(RoutedAgent):
    def __init__(self, model: ChatCompletionClient, instruction: str, following: str) -> None:
        super().__init__(instruction)
        self._model, self._instruction, self._following = model, instruction, following

    @message_handler
    async def on_text(self, message: Text, ctx: MessageContext) -> None:
        prompt = f"Text: {message.content}"
        answer = await self._model.create(
            messages=[SystemMessage(content=self._instruction), UserMessage(content=prompt, source=self.id.key)],
            cancellation_token=ctx.cancellation_token,
        )
        await self.publish_message(Text(str(answer.content)), TopicId(self._following, source=self.id.key))


class Reader(RoutedAgent):
    heard: list[str] = []

    @message_handler
    async def on_text(self, message: Text, ctx: MessageContext) -> None:
        Reader.heard.append(f"{ctx.topic_id}: {message.content}")


async def main() -> None:
    runtime = SingleThreadedAgentRuntime()
    steps = {"extract": ("outline", "Three facts"), "outline": ("polish", "A draft"), "polish": ("reader", "A text.")}
    models = {name: ReplayChatCompletionClient([reply]) for name, (_, reply) in steps.items()}
    for name, (following, _) in steps.items():
        await Step.register(runtime, name, lambda name=name, to=following: Step(models[name], f"You {name}.", to))
        await runtime.add_subscription(TypeSubscription(topic_type=name, agent_type=name))
    await Reader.register(runtime, "reader", lambda: Reader("Reads."))
    await runtime.add_subscription(TypeSubscription("reader", "reader"))
    runtime.start()
    await runtime.publish_message(Text("A bottle that keeps water cold"), TopicId("extract", source="bottle"))
    await runtime.stop_when_idle()
    asked = [call["messages"][-1].content for call in (models["outline"].create_calls + models["polish"].create_calls)]
    print(Reader.heard, asked)
    assert Reader.heard == ["reader/bottle: A text."]
    assert asked == ["Text: Three facts", "Text: A draft"]


asyncio.run(main())
