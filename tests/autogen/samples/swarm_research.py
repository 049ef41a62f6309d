"""A planner sends analysts with tools of their own one after another, and a writer last."""

import asyncio
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import Swarm
from scripting import calls, model, told


async def get_catch(harbour: str) -> dict[str, Any]:
    """Get the catch of a harbour."""
    return {"tons": 12.5, "boats": 31}


async def get_news(query: str) -> list[dict[str, str]]:
    """Get what was written of late."""
    return [{"title": "Herring is back", "date": "2024-03-20"}, {"title": "New pier", "date": "2024-03-19"}]


def to(name):
    return calls((f"transfer_to_{name}", {}))


async def main():
    planner = AssistantAgent(
        "planner",
        model_client=model(to("counter"), to("reader"), to("writer"), "That is the report. TERMINATE"),
        handoffs=["counter", "reader", "writer"],
    )
    counter = AssistantAgent(
        "counter",
        model_client=model(calls(("get_catch", {"harbour": "Brest"})), to("planner")),
        handoffs=["planner"],
        tools=[get_catch],
    )
    reader = AssistantAgent(
        "reader",
        model_client=model(calls(("get_news", {"query": "Brest"})), to("planner")),
        handoffs=["planner"],
        tools=[get_news],
    )
    writer = AssistantAgent("writer", model_client=model("Good times.", to("planner")), handoffs=["planner"])
    team = Swarm(
        participants=[planner, counter, reader, writer], termination_condition=TextMentionTermination("TERMINATE")
    )
    result = await told(team.run_stream(task="Report on Brest."))
    handoffs = [message.target for message in result.messages if message.type == "HandoffMessage"]
    assert handoffs == ["counter", "planner", "reader", "planner", "writer", "planner"]


asyncio.run(main())
