"""The agents behind a chat page: each visitor has an assistant that streams to the page."""

import asyncio
from dataclasses import dataclass

from autogen_core import (
    CancellationToken,
    ClosureAgent,
    ClosureContext,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import AssistantMessage, ChatCompletionClient, SystemMessage, UserMessage
from autogen_core.tools import FunctionTool
from autogen_ext.models.replay import ReplayChatCompletionClient


@dataclass
class Typed:
    text: str


@dataclass
class Shown:
    text: str
    is_whole: bool


async def opening_hours(day: str) -> str:
    """When the shop is open."""
    return f"On {day} from nine to five."


class Assistant(RoutedAgent):
    def __init__(self, model: ChatCompletionClient) -> None:
        super().__init__("Answers a visitor.")
        self._model = model
        self._hours = FunctionTool(opening_hours, description="When the shop is open.")
        self._context = BufferedChatCompletionContext(buffer_size=4)

    @message_handler
    async def on_typed(self, message: Typed, ctx: MessageContext) -> None:
        await self._context.add_message(UserMessage(content=message.text, source="visitor"))
        hours = await self._hours.run_json({"day": "Monday"}, CancellationToken())
        said = [SystemMessage(content=str(hours)), *await self._context.get_messages()]
        whole = ""
        async for part in self._model.create_stream(said, cancellation_token=ctx.cancellation_token):
            if isinstance(part, str):
                await self._show(part, is_whole=False)
            else:
                whole = str(part.content)
        await self._context.add_message(AssistantMessage(content=whole, source="assistant"))
        await self._show(whole, is_whole=True)

    async def _show(self, text: str, is_whole: bool) -> None:
        await self.publish_message(Shown(text, is_whole), TopicId("page", self.id.key))


async def main() -> None:
    pages: dict[str, asyncio.Queue[Shown]] = {"ann": asyncio.Queue(), "bob": asyncio.Queue()}

    async def to_page(_agent: ClosureContext, message: Shown, ctx: MessageContext) -> None:
        assert ctx.topic_id is not None
        await pages[ctx.topic_id.source].put(message)

    scripts = {"ann": ["Nine to five.", "Yes, on Monday."], "bob": ["We are open."]}
    runtime = SingleThreadedAgentRuntime()
    replies = iter(scripts.values())
    await Assistant.register(runtime, "assistant", lambda: Assistant(ReplayChatCompletionClient(list(next(replies)))))
    await runtime.add_subscription(TypeSubscription("typed", "assistant"))
    await ClosureAgent.register_closure(
        runtime, "page", to_page, subscriptions=lambda: [TypeSubscription("page", "page")]
    )
    runtime.start()
    for visitor, text in (("ann", "When?"), ("bob", "Open?"), ("ann", "On Monday?")):
        await runtime.publish_message(Typed(text), TopicId("typed", visitor))
        words: list[str] = []
        while not (shown := await pages[visitor].get()).is_whole:
            words.append(shown.text)
        assert "".join(words) == shown.text, words
        print(f"{visitor}: {' | '.join(words)}")
    await runtime.stop_when_idle()


asyncio.run(main())
