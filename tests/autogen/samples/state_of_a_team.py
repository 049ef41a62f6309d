"""A team's state is saved, the team is reset, and the state brought back, also into another team from a file."""

import asyncio
import json
import tempfile
from pathlib import Path

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import heard, model, said, told


def make_team(*replies):
    poet = AssistantAgent("poet", model_client=model(*replies))
    team = RoundRobinGroupChat([poet], termination_condition=MaxMessageTermination(max_messages=2))
    return team, poet


async def main():
    team, poet = make_team("Grey lake.", "Which line?", "It was: Grey lake.")
    await told(team.run_stream(task="A line about the lake."))
    state = await team.save_state()

    await team.reset()
    await told(team.run_stream(task="What was the line?"))
    assert len(await heard(poet)) == 2

    await team.load_state(state)
    await told(team.run_stream(task="What was the line?"))
    assert (await heard(poet))[1] == "Grey lake."

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "team.json"
        path.write_text(json.dumps(state))
        state = json.loads(path.read_text())
    print(sorted(state), sorted(state["agent_states"]))
    other, poet = make_team("From the file: Grey lake.")
    await other.load_state(state)
    result = await told(other.run_stream(task="What was the line?"))
    assert said(result) == ["What was the line?", "From the file: Grey lake."]


async def resume():
    def pair(*replies):
        client = model(*replies)
        agents = [AssistantAgent(name, model_client=client) for name in ("writer", "critic")]
        return RoundRobinGroupChat(agents, termination_condition=TextMentionTermination("APPROVE"))

    team = pair("Once upon a time.", "And then?", "The end.", "APPROVE")
    await told(team.run_stream(task="A story."))
    other = pair("Il était une fois.", "APPROVE")
    await other.load_state(json.loads(json.dumps(await team.save_state())))
    result = await told(other.run_stream(task="In French."))
    assert said(result)[-1] == "APPROVE"


asyncio.run(main())
asyncio.run(resume())
