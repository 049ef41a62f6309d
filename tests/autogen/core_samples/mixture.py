"""An orchestrator sends a task to layers of workers that it makes by their keys, and gathers their answers."""

import asyncio
from dataclasses import dataclass

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from autogen_core.models import ChatCompletionClient, SystemMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient


@dataclass
class Work:
    task: str
    earlier: list[str]


@dataclass
class Done:
    result: str


@dataclass
class Ask:
    task: str


class Worker(RoutedAgent):
    @message_handler
    async def on_work(self, message: Work, ctx: MessageContext) -> Done:
        return Done(f"{self.id.key}({message.task};{len(message.earlier)})")


class Orchestrator(RoutedAgent):
    def __init__(self, model: ChatCompletionClient) -> None:
        super().__init__("Gathers.")
        self._model = model

    @message_handler
    async def on_ask(self, message: Ask, ctx: MessageContext) -> Done:
        earlier: list[str] = []
        for layer in range(2):
            workers = [AgentId("worker", f"{self.id.key}/{layer}_{number}") for number in range(3)]
            sent = [self.send_message(Work(message.task, earlier), worker) for worker in workers]
            earlier = [each.result for each in await asyncio.gather(*sent)]
        prompt = [SystemMessage(content="\n".join(earlier)), UserMessage(content=message.task, source="user")]
        answer = await self._model.create(prompt)
        return Done(str(answer.content))


async def main() -> None:
    model = ReplayChatCompletionClient(["All agree."])
    runtime = SingleThreadedAgentRuntime()
    await Worker.register(runtime, "worker", lambda: Worker("Works."))
    await Orchestrator.register(runtime, "orchestrator", lambda: Orchestrator(model))
    runtime.start()
    answer = await runtime.send_message(Ask("Sum"), AgentId("orchestrator", "default"))
    await runtime.stop_when_idle()
    told = str(model.create_calls[0]["messages"][0].content)
    print(answer.result, told, sep="\n")
    assert told.splitlines() == [f"default/1_{number}(Sum;3)" for number in range(3)]


asyncio.run(main())
