"""A team is stopped from outside after its turn, goes on without a task, and then with another one."""

import asyncio

from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import ExternalTermination, TextMentionTermination
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import model, said, speakers, told


class Presser(BaseChatAgent):
    """While it speaks, somebody presses the button."""

    def __init__(self, name, button):
        super().__init__(name, "Writes drafts.")
        self._button = button
        self._drafts = 0

    @property
    def produced_message_types(self):
        return (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        self._drafts += 1
        if self._drafts == 1:
            self._button.set()
        return Response(chat_message=TextMessage(content=f"Draft {self._drafts}.", source=self.name))

    async def on_reset(self, cancellation_token): ...


async def main():
    critic = AssistantAgent("critic", model_client=model("Go on.", "APPROVE", "APPROVE"))
    button = ExternalTermination()
    author = Presser("author", button)
    team = RoundRobinGroupChat([author, critic], termination_condition=button | TextMentionTermination("APPROVE"))

    stopped = await told(team.run_stream(task="Write."))
    assert speakers(stopped) == ["user", "author"]
    assert stopped.stop_reason == "External termination requested"

    resumed = await told(team.run_stream())
    assert said(resumed) == ["Go on.", "Draft 2.", "APPROVE"]

    translated = await told(team.run_stream(task="And in Chinese."))
    assert said(translated) == ["And in Chinese.", "Draft 3.", "APPROVE"]


asyncio.run(main())
