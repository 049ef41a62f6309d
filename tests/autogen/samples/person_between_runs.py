"""A team runs for one turn, a person says what next, until they leave."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import model, said, told, typed


async def main():
    poet = AssistantAgent("poet", model_client=model("A long poem.", "A short poem."))
    team = RoundRobinGroupChat([poet], max_turns=1)
    typed("Shorter!", "exit")
    task, answers = "A poem about rain.", []
    while task != "exit":
        result = await told(team.run_stream(task=task))
        answers.append(said(result)[-1])
        assert result.stop_reason == "Maximum number of turns 1 reached."
        task = input("").strip()
    print(answers)
    assert answers == ["A long poem.", "A short poem."]


asyncio.run(main())
