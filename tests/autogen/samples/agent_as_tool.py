"""An agent and a team as tools of another agent."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import SourceMatchTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool
from scripting import calls, model, said, show


async def main():
    writer = AssistantAgent("writer", description="Writes verses.", model_client=model("Roses are red."))
    tool = AgentTool(agent=writer)
    print(tool.name, tool.description, tool.schema["parameters"]["required"])
    editor = AssistantAgent(
        "editor", model_client=model(calls(("writer", {"task": "A verse, please."})), "Printed."), tools=[tool],
        reflect_on_tool_use=True,
    )  # fmt: skip
    result = await editor.run(task="Print a verse.")
    show(result)
    assert "Roses are red." in said(result)[-2]

    painter = AssistantAgent("painter", model_client=model("A red field."))
    framer = AssistantAgent("framer", model_client=model("A golden frame."))
    studio = RoundRobinGroupChat([painter, framer], termination_condition=SourceMatchTermination(["framer"]))
    tool = TeamTool(
        team=studio, name="picture_studio", description="Makes a picture.", return_value_as_last_message=True
    )
    dealer = AssistantAgent("dealer", model_client=model(calls(("picture_studio", {"task": "Roses."}))), tools=[tool])
    result = await dealer.run(task="Sell a picture.")
    show(result)
    assert "A golden frame." in said(result)[-1]


asyncio.run(main())
