"""Agents of one's own in a selector team, with a task of two messages and a prompt of one's own."""

import asyncio

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import SelectorGroupChat
from scripting import model, said, told


class Operator(BaseChatAgent):
    def __init__(self, name, description, operation):
        super().__init__(name, description=description)
        self._operation = operation
        self._history = []

    @property
    def produced_message_types(self):
        return (TextMessage,)

    async def on_messages(self, messages, cancellation_token):
        self._history.extend(messages)
        number = self._operation(int(self._history[-1].content))
        self._history.append(TextMessage(content=str(number), source=self.name))
        return Response(chat_message=self._history[-1])

    async def on_reset(self, cancellation_token):
        self._history.clear()


async def main():
    team = SelectorGroupChat(
        [
            Operator("add", "Adds 1.", lambda number: number + 1),
            Operator("double", "Multiplies by 2.", lambda number: number * 2),
            Operator("halve", "Divides by 2, rounded down.", lambda number: number // 2),
        ],
        model_client=model("double", "add", "add", "halve"),
        termination_condition=MaxMessageTermination(6),
        allow_repeated_speaker=True,
        selector_prompt="Roles:\n{roles}\nThey:\n{participants}\nSo far:\n{history}\nName the next role, no more.",
    )
    task = [TextMessage(content="Make 11.", source="user"), TextMessage(content="10", source="user")]
    result = await told(team.run_stream(task=task))
    assert said(result) == ["Make 11.", "10", "20", "21", "22", "11"]


asyncio.run(main())
