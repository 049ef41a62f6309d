"""An agent of one's own that counts down, alone and step by step."""

import asyncio

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import TextMessage
from autogen_core import CancellationToken
from scripting import line, show, told


class Rocket(BaseChatAgent):
    def __init__(self, name, count=3):
        super().__init__(name, "Counts down.")
        self._count = count

    @property
    def produced_message_types(self):
        return (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        response = None
        async for item in self.on_messages_stream(messages, cancellation_token):
            if isinstance(item, Response):
                response = item
        assert response is not None
        return response

    async def on_messages_stream(self, messages, cancellation_token):
        inner = []
        for left in range(self._count, 0, -1):
            message = TextMessage(content=f"{left}...", source=self.name)
            inner.append(message)
            yield message
        yield Response(chat_message=TextMessage(content="Lift-off!", source=self.name), inner_messages=inner)

    async def on_reset(self, cancellation_token):
        self._count = 3


async def main():
    rocket = Rocket("rocket")
    seen = []
    async for item in rocket.on_messages_stream([], CancellationToken()):
        seen.append(line(item.chat_message if isinstance(item, Response) else item))
        print(seen[-1])
    assert len(seen) == 4
    result = await told(Rocket("rocket", count=1).run_stream(task="Fly."))
    assert [message.to_text() for message in result.messages] == ["Fly.", "1...", "Lift-off!"]
    show(await rocket.on_messages([], CancellationToken()))
    print(rocket.name, rocket.description)


asyncio.run(main())
