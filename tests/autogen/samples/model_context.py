"""Contexts that forget: the last messages, the first and the last, and one of one's own."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import CancellationToken
from autogen_core.model_context import (
    BufferedChatCompletionContext,
    HeadAndTailChatCompletionContext,
    UnboundedChatCompletionContext,
)
from autogen_core.models import AssistantMessage
from scripting import model


class WithoutThoughts(UnboundedChatCompletionContext):
    """Leaves out what the model thought."""

    async def get_messages(self):
        return [
            message.model_copy(update={"thought": None}) if isinstance(message, AssistantMessage) else message
            for message in await super().get_messages()
        ]


async def main():
    for context in (
        BufferedChatCompletionContext(buffer_size=3),
        HeadAndTailChatCompletionContext(head_size=1, tail_size=1),
        WithoutThoughts(),
    ):
        mate = AssistantAgent("mate", model_client=model("Aye 1", "Aye 2", "Aye 3"), model_context=context)
        for order in ("Hoist", "Haul", "Halt"):
            response = await mate.on_messages([TextMessage(content=order, source="user")], CancellationToken())
        print(response.chat_message.to_text(), [message.content for message in await context.get_messages()])
    assert [message.content for message in await context.get_messages()][-1] == "Aye 3"
    thought = AssistantMessage(content="Aye", thought="Never.", source="mate")
    await context.add_message(thought)
    print((await context.get_messages())[-1].thought)
    await context.clear()
    assert await context.get_messages() == []


asyncio.run(main())
