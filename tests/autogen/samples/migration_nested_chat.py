"""An agent whose turn is a run of a team of its own; the inner team is reset with it."""

import asyncio

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from scripting import said, show


class Counter(BaseChatAgent):
    """Says the next number."""

    async def on_messages(self, messages, cancellation_token):
        last = int(messages[-1].content) if messages else 0
        return Response(chat_message=TextMessage(content=str(last + 1), source=self.name))

    async def on_reset(self, cancellation_token):
        print(self.name, "is reset")

    @property
    def produced_message_types(self):
        return (TextMessage,)


class NestedCounter(BaseChatAgent):
    """Lets a team count."""

    def __init__(self, name, team):
        super().__init__(name, description="Counts with others.")
        self._team = team

    async def on_messages(self, messages, cancellation_token):
        result = await self._team.run(task=messages, cancellation_token=cancellation_token)
        return Response(chat_message=result.messages[-1], inner_messages=result.messages[len(messages) : -1])

    async def on_reset(self, cancellation_token):
        await self._team.reset()

    @property
    def produced_message_types(self):
        return (TextMessage,)


async def main():
    inner = RoundRobinGroupChat(
        [Counter("one", description="Counts."), Counter("two", description="Counts.")], max_turns=5
    )
    nested = NestedCounter("nested", inner)
    response = await nested.on_messages([TextMessage(content="1", source="user")], CancellationToken())
    show(response)
    assert response.chat_message.content == "6" and len(response.inner_messages) == 4
    await nested.on_reset(CancellationToken())

    outer = RoundRobinGroupChat([Counter("zero", description="Counts."), nested], max_turns=2)
    result = await outer.run(task="10")
    show(result)
    assert said(result)[-1] == "16"


asyncio.run(main())
