"""Graphs with activation groups: a loop with two ways in, a loop on any of two, and all or any of some."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
from scripting import model, speakers, told


def agent(name, *replies):
    return AssistantAgent(name, model_client=model(*replies))


async def two_ways_in():
    a, b = agent("A", "start"), agent("B", "CONTINUE", "STOP")
    c, e = agent("C", "look again"), agent("E", "end")
    builder = DiGraphBuilder()
    builder.add_node(a).add_node(b).add_node(c).add_node(e)
    builder.add_edge(a, b, activation_group="initial")
    builder.add_edge(b, c, condition="CONTINUE")
    builder.add_edge(c, b, activation_group="feedback")
    builder.add_edge(b, e, condition="STOP")
    flow = GraphFlow([a, b, c, e], graph=builder.build(), termination_condition=MaxMessageTermination(10))
    result = await told(flow.run_stream(task="Review."))
    assert speakers(result)[:6] == ["user", "A", "B", "C", "B", "E"]


async def any_of_two():
    a, b = agent("A", "start"), agent("B", "PROCESS", "DONE")
    c1, c2, e = agent("C1", "C1_COMPLETE"), agent("C2", "nothing to do"), agent("E", "end")
    builder = DiGraphBuilder()
    builder.add_node(a).add_node(b).add_node(c1).add_node(c2).add_node(e)
    builder.add_edge(a, b, activation_group="first")
    builder.add_edge(b, c1, condition="PROCESS")
    builder.add_edge(b, c2, condition="PROCESS")
    builder.add_edge(b, e, condition=lambda message: "DONE" in message.to_model_text())
    builder.add_edge(c1, b, activation_group="back", activation_condition="any", condition="C1_COMPLETE")
    builder.add_edge(c2, b, activation_group="back", activation_condition="any", condition="C2_COMPLETE")
    flow = GraphFlow([a, b, c1, c2, e], graph=builder.build(), termination_condition=MaxMessageTermination(20))
    result = await flow.run(task="Process.")
    order = speakers(result)
    print(order[:3], sorted(order[3:5]), order[5:], result.stop_reason)
    assert order[5:7] == ["B", "E"]


async def all_or_any():
    a, b, c, d = agent("A", "a"), agent("B", "b"), agent("C", "c"), agent("D", "d", "d again")
    builder = DiGraphBuilder()
    builder.add_node(a).add_node(b).add_node(c).add_node(d)
    builder.add_edge(a, d, activation_group="critical", activation_condition="all")
    builder.add_edge(b, d, activation_group="critical", activation_condition="all")
    builder.add_edge(c, d, activation_group="optional", activation_condition="any")
    flow = GraphFlow([a, b, c, d], graph=builder.build())
    result = await flow.run(task="Mixed.")
    order = speakers(result)
    print(order[0], sorted(order[1:4]), order[4:], result.stop_reason)
    assert order[4] == "D"


asyncio.run(two_ways_in())
asyncio.run(any_of_two())
asyncio.run(all_or_any())
