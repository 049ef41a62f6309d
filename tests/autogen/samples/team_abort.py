"""A run is cancelled through its token while a model is thinking; the team can be reset and used again."""

import asyncio

from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from scripting import model, show


class Ponderer(BaseChatAgent):
    """Thinks for ever the first time, and at once the second."""

    def __init__(self, name):
        super().__init__(name, "Thinks.")
        self._is_thinking = asyncio.Event()
        self._turns = 0

    @property
    def produced_message_types(self):
        return (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        self._turns += 1
        if self._turns == 1:
            self._is_thinking.set()
            await cancellation_token.link_future(asyncio.ensure_future(asyncio.Event().wait()))
        return Response(chat_message=TextMessage(content=f"Thought {self._turns} times.", source=self.name))

    async def on_reset(self, cancellation_token):
        print("reset after", self._turns)


async def main():
    ponderer = Ponderer("ponderer")
    speaker = AssistantAgent("speaker", model_client=model("I speak."))
    team = RoundRobinGroupChat([ponderer, speaker], max_turns=2)
    token = CancellationToken()
    run = asyncio.ensure_future(team.run(task="Translate this.", cancellation_token=token))
    await ponderer._is_thinking.wait()
    token.cancel()
    try:
        await run
    except asyncio.CancelledError:
        print("The run was cancelled.", token.is_cancelled())
    else:
        raise AssertionError("It went on.")
    await team.reset()
    show(await team.run(task="Once more."))


asyncio.run(main())
