"""A manager lets participants speak in turn: they share a topic, and each has one of its own to be asked on."""

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
from autogen_core.models import ChatCompletionClient, LLMMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel


class Said(BaseModel):
    body: UserMessage


@dataclass
class Speak:
    pass


class Participant(RoutedAgent):
    def __init__(self, model: ChatCompletionClient) -> None:
        super().__init__("Takes part.")
        self._model = model
        self._heard: list[LLMMessage] = []

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        self._heard.append(message.body)

    @message_handler
    async def on_turn(self, message: Speak, ctx: MessageContext) -> None:
        answer = await self._model.create([*self._heard])
        body = UserMessage(content=str(answer.content), source=self.id.type)
        self._heard.append(body)
        await self.publish_message(Said(body=body), TopicId("chat", self.id.key))


class Manager(RoutedAgent):
    thread: list[str] = []

    def __init__(self, model: ChatCompletionClient, members: list[str]) -> None:
        super().__init__("Leads.")
        self._model, self._members = model, members

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        Manager.thread.append(f"{message.body.source}: {message.body.content}")
        if message.body.content == "APPROVE":
            return
        prompt = "\n".join(Manager.thread) + "\nWho is next: " + ", ".join(self._members)
        answer = await self._model.create([UserMessage(content=prompt, source="manager")])
        await self.publish_message(Speak(), TopicId(str(answer.content), self.id.key))


async def main() -> None:
    runtime = SingleThreadedAgentRuntime()
    replies = {"writer": ["A heron.", "A grey heron."], "editor": ["Which colour?", "APPROVE"]}
    models = {name: ReplayChatCompletionClient(texts) for name, texts in replies.items()}
    for name in replies:
        await Participant.register(runtime, name, lambda name=name: Participant(models[name]))
        await runtime.add_subscription(TypeSubscription(name, name))
        await runtime.add_subscription(TypeSubscription("chat", name))
    leading = ReplayChatCompletionClient(["writer", "editor", "writer", "editor"])
    await Manager.register(runtime, "manager", lambda: Manager(leading, [*replies]))
    await runtime.add_subscription(TypeSubscription("chat", "manager"))
    runtime.start()
    task = UserMessage(content="Describe a bird.", source="user")
    await runtime.publish_message(Said(body=task), TopicId("chat", "one"))
    await runtime.stop_when_idle()
    print("\n".join(Manager.thread))
    assert Manager.thread[-1] == "editor: APPROVE"
    assert len(models["editor"].create_calls[1]["messages"]) == 4


asyncio.run(main())
