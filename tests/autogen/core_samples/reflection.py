"""A writer and a reviewer answer each other by published messages until the reviewer approves."""

import asyncio
import json
from dataclasses import dataclass

from autogen_core import (
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)
from autogen_core.models import AssistantMessage, ChatCompletionClient, LLMMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient


@dataclass
class Task:
    text: str


@dataclass
class Draft:
    text: str
    session: str


@dataclass
class Review:
    remarks: str
    is_approved: bool
    session: str


@dataclass
class Result:
    text: str


@default_subscription
class Writer(RoutedAgent):
    def __init__(self, model: ChatCompletionClient) -> None:
        super().__init__("Writes.")
        self._model = model
        self._memory: dict[str, list[LLMMessage]] = {}
        self._draft = ""

    @message_handler
    async def on_task(self, message: Task, ctx: MessageContext) -> None:
        self._memory["s1"] = [UserMessage(content=message.text, source="user")]
        await self._write("s1", ctx)

    @message_handler(match=lambda message, ctx: message.is_approved)  # type: ignore
    async def on_approval(self, message: Review, ctx: MessageContext) -> None:
        await self.publish_message(Result(self._draft), DefaultTopicId())

    @message_handler(match=lambda message, ctx: not message.is_approved)  # type: ignore
    async def on_remarks(self, message: Review, ctx: MessageContext) -> None:
        self._memory[message.session].append(UserMessage(content=message.remarks, source="reviewer"))
        await self._write(message.session, ctx)

    async def _write(self, session: str, ctx: MessageContext) -> None:
        answer = await self._model.create([*self._memory[session]], cancellation_token=ctx.cancellation_token)
        self._draft = str(answer.content)
        self._memory[session].append(AssistantMessage(content=self._draft, source="writer"))
        await self.publish_message(Draft(self._draft, session), DefaultTopicId())


@default_subscription
class Reviewer(RoutedAgent):
    def __init__(self, model: ChatCompletionClient) -> None:
        super().__init__("Reviews.")
        self._model = model

    @message_handler
    async def on_draft(self, message: Draft, ctx: MessageContext) -> None:
        answer = await self._model.create(
            [UserMessage(content=message.text, source="writer")],
            cancellation_token=ctx.cancellation_token,
        )
        said = json.loads(str(answer.content))
        await self.publish_message(Review(said["remarks"], said["ok"], message.session), DefaultTopicId())


@default_subscription
class Printer(RoutedAgent):
    results: list[str] = []

    @message_handler
    async def on_result(self, message: Result, ctx: MessageContext) -> None:
        Printer.results.append(message.text)


async def main() -> None:
    writing = ReplayChatCompletionClient(["def f(): pass", "def f(): return 1"])
    remarks = ['{"remarks": "It returns nothing.", "ok": false}', '{"remarks": "", "ok": true}']
    reviewing = ReplayChatCompletionClient(remarks)
    runtime = SingleThreadedAgentRuntime()
    await Writer.register(runtime, "writer", lambda: Writer(writing))
    await Reviewer.register(runtime, "reviewer", lambda: Reviewer(reviewing))
    await Printer.register(runtime, "printer", lambda: Printer("Prints."))
    runtime.start()
    await runtime.publish_message(Task("Write f."), DefaultTopicId())
    await runtime.stop_when_idle()
    second = [message.content for message in writing.create_calls[1]["messages"]]
    print(Printer.results, second)
    assert Printer.results == ["def f(): return 1"]
    assert second[-1] == "It returns nothing."


asyncio.run(main())
