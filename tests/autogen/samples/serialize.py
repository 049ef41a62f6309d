"""Conditions, agents and teams go to JSON and back."""

import asyncio
import json

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import MaxMessageTermination, StopMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import as_json, calls, model, told


def essence(value):
    """The JSON of a component without help texts, and without what only AgentChat writes when it is not set."""
    if isinstance(value, list):
        return [essence(item) for item in value]
    if not isinstance(value, dict):
        return value
    left_out = {"description"} if "provider" in value else {"metadata", "model_context", "workbench"}
    return {name: essence(item) for name, item in value.items() if name not in left_out}


def shown(component):
    dumped = as_json(component)
    print(json.dumps(essence(dumped), sort_keys=True))
    return dumped


async def main():
    either = MaxMessageTermination(5) | StopMessageTermination()
    again = either.load_component(shown(either))
    assert as_json(again) == as_json(either)

    person = UserProxyAgent(name="user")
    assert person.load_component(shown(person)).name == "user"

    agent = AssistantAgent(
        name="clerk",
        model_client=model("One.", calls(("transfer_to_user", {}))),
        handoffs=["refunder", "user"],
        system_message="Use tools.",
    )
    dumped = shown(agent)
    assert as_json(agent.load_component(dumped)) == dumped

    team = RoundRobinGroupChat(participants=[agent], termination_condition=MaxMessageTermination(2))
    dumped = shown(team)
    loaded = RoundRobinGroupChat.load_component(json.loads(json.dumps(dumped)))
    assert as_json(loaded) == dumped
    await told(loaded.run_stream(task="Go."))


asyncio.run(main())
