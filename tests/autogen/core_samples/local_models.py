"""Two agents with models of a server on this machine talk to each other, by turns, until one has said enough."""

import asyncio
from dataclasses import dataclass

from autogen_core import (
    AgentId,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import AssistantMessage, SystemMessage, UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from service import answering

LINES: list[str] = []


@dataclass
class Said:
    text: str


@default_subscription
class Comedian(RoutedAgent):
    def __init__(self, name: str, model: OpenAIChatCompletionClient) -> None:
        super().__init__("Jokes.")
        self._name, self._model, self._left = name, model, 2
        self._context = BufferedChatCompletionContext(buffer_size=5)

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        await self._context.add_message(UserMessage(content=message.text, source="other"))
        self._left -= 1
        if self._left < 0:
            return
        prompt = SystemMessage(content=f"You are {self._name}. Joke.")
        answer = await self._model.create([prompt, *await self._context.get_messages()])
        text = str(answer.content)
        await self._context.add_message(AssistantMessage(content=text, source=self._name))
        LINES.append(f"{self._name}: {text}")
        await self.publish_message(Said(text), DefaultTopicId())


async def main() -> None:
    with answering(["Knock, knock.", "Who is there?", "Atch.", "Bless you."]) as service:
        model = service.client()
        runtime = SingleThreadedAgentRuntime()
        await Comedian.register(runtime, "joe", lambda: Comedian("joe", model))
        await Comedian.register(runtime, "cathy", lambda: Comedian("cathy", model))
        runtime.start()
        await runtime.send_message(Said("Begin."), AgentId("joe", "default"))
        await runtime.stop_when_idle()
        await model.close()
        print("\n".join(LINES))
        print([len(each["messages"]) for each in service.asked], service.asked[0]["model"])
    assert [each.partition(":")[0] for each in LINES] == ["joe", "cathy", "joe", "cathy"]


asyncio.run(main())
