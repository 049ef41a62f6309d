"""A limit of messages, twice in a row, and conditions joined by or and by and."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import model, said, told


def pair(*replies):
    client = model(*replies)
    return [AssistantAgent("author", model_client=client), AssistantAgent("critic", model_client=client)]


async def main():
    limit = MaxMessageTermination(max_messages=3)
    team = RoundRobinGroupChat(pair(*"abcdef"), termination_condition=limit)
    result = await told(team.run_stream(task="Rain in Paris."))
    assert said(result) == ["Rain in Paris.", "a", "b"]
    result = await told(team.run_stream())
    assert said(result) == ["c", "d", "e"]

    mention = TextMentionTermination("APPROVE")
    team = RoundRobinGroupChat(pair("a", "APPROVE"), termination_condition=MaxMessageTermination(10) | mention)
    result = await told(team.run_stream(task="Rain in Paris."))
    assert result.stop_reason == "Text 'APPROVE' mentioned"

    both = MaxMessageTermination(max_messages=4) & TextMentionTermination("APPROVE")
    team = RoundRobinGroupChat(pair("APPROVE", "b", "c"), termination_condition=both)
    result = await told(team.run_stream(task="Rain in Paris."))
    assert said(result) == ["Rain in Paris.", "APPROVE", "b", "c"]
    print(both.terminated)


asyncio.run(main())
