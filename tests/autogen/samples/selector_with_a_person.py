"""A person approves the plan before work begins; and a model that reasons speaks without a planner."""

import asyncio

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import SelectorGroupChat
from scripting import model, told


def answering(*answers):
    left = list(answers)
    return lambda prompt: left.pop(0)


def who_is_next(messages):
    last = messages[-1]
    if last.source not in ("planner", "person"):
        return "planner"
    if last.source == "planner":
        if messages[-2].source == "person" and "APPROVE" in last.content.upper():
            return None
        return "person"
    return None if "APPROVE" in last.content.upper() else "planner"


def spoken(result):
    return [message.source for message in result.messages if message.type == "TextMessage"]


async def main():
    stop = TextMentionTermination("TERMINATE") | MaxMessageTermination(25)
    planner = AssistantAgent("planner", model_client=model("Dig a pond.", "Dig a well.", "It is dug. TERMINATE"))
    digger = AssistantAgent("digger", model_client=model("I dig."))
    person = UserProxyAgent("person", description="Approves.", input_func=answering("Deeper.", "APPROVE"))
    team = SelectorGroupChat(
        [planner, digger, person],
        model_client=model("digger"),
        termination_condition=stop,
        selector_func=who_is_next,
        allow_repeated_speaker=True,
    )
    result = await told(team.run_stream(task="Water!"))
    assert spoken(result) == ["user", "planner", "person", "planner", "person", "digger", "planner"]

    digger = AssistantAgent("digger", description="Digs.", model_client=model("I dig.", "Deeper now."))
    person = UserProxyAgent("person", description="Judges.", input_func=answering("Deeper.", "Fine. TERMINATE"))
    team = SelectorGroupChat(
        [digger, person],
        model_client=model("digger", "person", "digger", "person"),
        termination_condition=stop,
        selector_prompt="Roles: {roles}\n{history}\nPick from {participants}; let the person judge.",
        allow_repeated_speaker=True,
    )
    result = await told(team.run_stream(task="Water!"))
    assert spoken(result) == ["user", "digger", "person", "digger", "person"]


asyncio.run(main())
