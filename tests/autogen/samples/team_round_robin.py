"""Two agents take turns until one approves: run, watched item by item, on the console, and reset in between."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import TaskResult
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import line, model, show, speakers, told

SCRIPTS = {"author": ("Leaves fall.", "Leaves fall, and I rake."), "critic": ("Say who acts.", "APPROVE")}


async def main():
    clients = {name: model(*texts) for name, texts in SCRIPTS.items()}
    author = AssistantAgent("author", model_client=clients["author"], system_message="You write.")
    critic = AssistantAgent("critic", model_client=clients["critic"], system_message="You judge.")
    team = RoundRobinGroupChat([author, critic], termination_condition=TextMentionTermination("APPROVE"))

    result = await team.run(task="A line about autumn.")
    show(result)
    assert speakers(result) == ["user", "author", "critic", "author", "critic"]

    for client in clients.values():
        client.reset()
    await team.reset()
    async for message in team.run_stream(task="A line about autumn."):
        if isinstance(message, TaskResult):
            print("Stop reason:", message.stop_reason)
            assert message.stop_reason == "Text 'APPROVE' mentioned"
        else:
            print(line(message))

    for client in clients.values():
        client.reset()
    await team.reset()
    again = await told(team.run_stream(task="A line about autumn."))
    assert [message.content for message in again.messages] == [message.content for message in result.messages]
    await team.reset()


asyncio.run(main())
