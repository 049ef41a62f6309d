"""An agent that remembers its last messages only, and one that keeps the first and the last."""

import asyncio
from dataclasses import dataclass

from autogen_core import AgentId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, message_handler
from autogen_core.model_context import (
    BufferedChatCompletionContext,
    ChatCompletionContext,
    HeadAndTailChatCompletionContext,
    UnboundedChatCompletionContext,
)
from autogen_core.models import AssistantMessage, SystemMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient


@dataclass
class Asked:
    text: str


class Remembering(RoutedAgent):
    def __init__(self, context: ChatCompletionContext, model: ReplayChatCompletionClient) -> None:
        super().__init__("Remembers.")
        self._context, self._model = context, model

    @message_handler
    async def on_asked(self, message: Asked, ctx: MessageContext) -> str:
        await self._context.add_message(UserMessage(content=message.text, source="user"))
        shown = [SystemMessage(content="Help."), *await self._context.get_messages()]
        answer = await self._model.create(shown, cancellation_token=ctx.cancellation_token)
        assert isinstance(answer.content, str)
        await self._context.add_message(AssistantMessage(content=answer.content, source=self.id.type))
        return answer.content


async def main() -> None:
    contexts = {
        "buffered": BufferedChatCompletionContext(buffer_size=3),
        "ends": HeadAndTailChatCompletionContext(head_size=1, tail_size=2),
        "all": UnboundedChatCompletionContext(),
    }
    for name, context in contexts.items():
        model = ReplayChatCompletionClient(["a1", "a2", "a3"])
        runtime = SingleThreadedAgentRuntime()
        await Remembering.register(runtime, name, lambda context=context, model=model: Remembering(context, model))
        runtime.start()
        for text in ("q1", "q2", "q3"):
            await runtime.send_message(Asked(text), AgentId(name, "default"))
        await runtime.stop()
        shown = [str(each.content) for each in model.create_calls[-1]["messages"]]
        print(name, shown)
        assert shown[-1] == "q3"
        state = await context.save_state()
        await context.clear()
        assert await context.get_messages() == []
        await context.load_state(state)
        print(len(await context.get_messages()))


asyncio.run(main())
