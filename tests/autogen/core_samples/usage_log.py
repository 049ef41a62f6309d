"""A handler of the event log adds up the tokens of all calls of a model, and counts the messages between agents."""

import asyncio
import json
import logging
from collections import Counter
from dataclasses import dataclass

from autogen_core import (
    EVENT_LOGGER_NAME,
    AgentId,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)
from autogen_core.logging import LLMCallEvent
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from service import answering


@dataclass
class Asked:
    text: str


class Usage(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.prompt = self.completion = 0
        self.kinds = Counter[str]()

    def emit(self, record: logging.LogRecord) -> None:
        event = record.msg
        if isinstance(event, LLMCallEvent):
            self.prompt += event.prompt_tokens
            self.completion += event.completion_tokens
        elif type(event).__name__ == "MessageEvent":
            said = json.loads(str(event))
            self.kinds[f"{said['kind']} {said['delivery_stage']}"] += 1


@default_subscription
class Asking(RoutedAgent):
    def __init__(self, model: OpenAIChatCompletionClient) -> None:
        super().__init__("Asks.")
        self._model = model

    @message_handler
    async def on_asked(self, message: Asked, ctx: MessageContext) -> str:
        return str((await self._model.create([UserMessage(content=message.text, source="user")])).content)


async def main() -> None:
    log, usage = logging.getLogger(EVENT_LOGGER_NAME), Usage()
    level = log.level
    log.setLevel(logging.INFO)
    log.addHandler(usage)
    try:
        with answering(["one", "two", "three"]) as service:
            model = service.client()
            runtime = SingleThreadedAgentRuntime()
            await Asking.register(runtime, "asking", lambda: Asking(model))
            runtime.start()
            print(await runtime.send_message(Asked("a"), AgentId("asking", "default")))
            await runtime.publish_message(Asked("b"), DefaultTopicId())
            await runtime.publish_message(Asked("c"), DefaultTopicId())
            await runtime.stop_when_idle()
            await model.close()
    finally:
        log.removeHandler(usage)
        log.setLevel(level)
    print(usage.prompt, usage.completion, sorted(usage.kinds.items()))
    assert (usage.prompt, usage.completion) == (30, 15)
    assert usage.kinds["MessageKind.RESPOND DeliveryStage.DELIVER"] == 1


asyncio.run(main())
