"""A team of one agent calls its tool until it answers in words."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from scripting import calls, line, model


def climb(step: int) -> int:
    """Go one step up."""
    return step + 1


async def main():
    client = model(*(calls(("climb", {"step": step})) for step in (5, 6, 7)), "We are at step 8.")
    climber = AssistantAgent("climber", model_client=client, tools=[climb], system_message="Climb with the tool.")
    team = RoundRobinGroupChat([climber], termination_condition=TextMessageTermination("climber"))
    kinds = []
    async for message in team.run_stream(task="Climb from 5 to 8."):
        kinds.append(type(message).__name__)
        print(kinds[-1], line(message) if kinds[-1] != "TaskResult" else message.stop_reason)
    assert kinds == [
        "TextMessage",
        *["ToolCallRequestEvent", "ToolCallExecutionEvent", "ToolCallSummaryMessage"] * 3,
        "TextMessage",
        "TaskResult",
    ]


asyncio.run(main())
