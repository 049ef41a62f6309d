"""Agents and teams as tools."""

from __future__ import annotations

from studio.agents import AgentTool, AssistantAgent
from studio.components import load_component, walk
from studio.messages import ToolCallExecutionEvent
from studio.teams import RoundRobinGroupChat, TeamTool
from tests.teams.scripted import agent, said, wishes


async def test_an_agent_as_a_tool_shows_its_work_and_gives_it_as_text():
    lead = agent("lead", wishes(("writer", '{"task": "a poem"}')), tools=[AgentTool(agent=agent("writer", "Roses."))])
    result = await lead.run(task="go")
    assert said(result.messages)[2:4] == [("user", "a poem"), ("writer", "Roses.")]
    assert result.messages[-1].to_text() == "writer: Roses."


async def test_a_team_as_a_tool_may_give_only_its_last_message():
    pair = RoundRobinGroupChat(participants=[agent("writer", "draft"), agent("critic", "fine")], max_turns=2)
    tool = TeamTool(team=pair, name="desk", description="Writes.", return_value_as_last_message=True)
    result = await agent("lead", wishes(("desk", '{"task": "a poem"}')), tools=[tool]).run(task="go")
    assert result.messages[-1].to_text() == "fine"


async def test_a_failure_inside_is_told_to_the_model():
    lead = agent("lead", wishes(("writer", '{"task": "a poem"}')), tools=[AgentTool(agent=agent("writer"))])
    executed = (await lead.run(task="go")).messages[-2]
    assert isinstance(executed, ToolCallExecutionEvent)
    assert (executed.content[0].is_error, executed.content[0].content) == (True, "The script has no more replies.")


def test_what_works_inside_a_tool_is_part_of_the_tree():
    lead = agent("lead", "x", tools=[AgentTool(agent=agent("writer", "Roses."))])
    loaded = load_component(lead.dump_component(), AssistantAgent)
    assert loaded == lead
    assert "/config/tools/0/config/agent" in [where for where, _ in walk(loaded)]
