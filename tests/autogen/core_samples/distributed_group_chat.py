"""A group chat whose manager, writer and editor each have a worker of their own; a host brings their messages."""

import asyncio
import logging
from dataclasses import dataclass

from autogen_core import (
    MessageContext,
    RoutedAgent,
    TopicId,
    TypeSubscription,
    message_handler,
    try_get_known_serializers_for_type,
)
from autogen_core.models import LLMMessage, SystemMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient
from autogen_ext.runtimes.grpc import GrpcWorkerAgentRuntime, GrpcWorkerAgentRuntimeHost
from ports import free_port
from pydantic import BaseModel


class Said(BaseModel):
    text: str
    source: str


class Speak(BaseModel):
    turn: int


@dataclass
class Ended:
    reason: str


THREAD: list[str] = []
CHAT, KEY = "chat", "default"
OVER = asyncio.Event()


class Participant(RoutedAgent):
    def __init__(self, role: str, model: ReplayChatCompletionClient) -> None:
        super().__init__(f"Is the {role}.")
        self._model = model
        self._said: list[LLMMessage] = [SystemMessage(content=f"You are the {role}.")]

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        if message.source != self.id.type:
            self._said.append(UserMessage(content=message.text, source=message.source))

    @message_handler
    async def on_speak(self, message: Speak, ctx: MessageContext) -> None:
        text = str((await self._model.create(self._said)).content)
        self._said.append(UserMessage(content=text, source=self.id.type))
        await self.publish_message(Said(text=text, source=self.id.type), TopicId(CHAT, self.id.key))


class Manager(RoutedAgent):
    def __init__(self, members: list[str], model: ReplayChatCompletionClient, max_turns: int) -> None:
        super().__init__("Chooses who speaks.")
        self._members, self._model, self._left, self._last = members, model, max_turns, ""

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        THREAD.append(f"{message.source}: {message.text}")
        if not self._left or "APPROVE" in message.text:
            OVER.set()
            return
        self._left -= 1
        others = [each for each in self._members if each != self._last]
        prompt = "\n".join([*THREAD, f"Who is next of {', '.join(others)}?"])
        chosen = str((await self._model.create([UserMessage(content=prompt, source="manager")])).content)
        assert chosen in others
        self._last = chosen
        await self.publish_message(Speak(turn=self._left), TopicId(chosen, self.id.key))


async def main() -> None:
    logging.getLogger("autogen_core").setLevel(logging.CRITICAL)
    address = f"localhost:{free_port()}"
    host = GrpcWorkerAgentRuntimeHost(address=address)
    host.start()
    scripts = {"writer": ["A draft.", "A better draft."], "editor": ["Too short.", "APPROVE"]}
    workers: list[GrpcWorkerAgentRuntime] = []
    try:
        for name in ("manager", *scripts):
            worker = GrpcWorkerAgentRuntime(address)
            workers.append(worker)
            for each in (Said, Speak):
                worker.add_message_serializer(try_get_known_serializers_for_type(each))
            await worker.start()
            if name == "manager":
                model = ReplayChatCompletionClient(["writer", "editor", "writer", "editor"])
                await Manager.register(worker, name, lambda model=model: Manager([*scripts], model, 6))
            else:
                model = ReplayChatCompletionClient(scripts[name])
                await Participant.register(worker, name, lambda name=name, model=model: Participant(name, model))
                await worker.add_subscription(TypeSubscription(name, name))
            await worker.add_subscription(TypeSubscription(CHAT, name))
        await workers[0].publish_message(Said(text="A story, please.", source="user"), TopicId(CHAT, KEY))
        async with asyncio.timeout(20):
            await OVER.wait()
        print("\n".join(THREAD))
        assert THREAD[-1] == "editor: APPROVE"
        assert len(THREAD) == 5
    finally:
        for worker in workers:
            await worker.stop()
        await host.stop()


asyncio.run(main())
