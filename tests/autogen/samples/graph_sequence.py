"""A graph of two nodes, one after the other."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import TaskResult
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
from scripting import line, model, show, speakers


async def main():
    writer = AssistantAgent("writer", model_client=model("Ice melts."), system_message="Write.")
    reviewer = AssistantAgent("reviewer", model_client=model("Say how fast."), system_message="Review.")
    builder = DiGraphBuilder()
    builder.add_node(writer).add_node(reviewer)
    builder.add_edge(writer, reviewer)
    graph = builder.build()
    print(sorted(graph.nodes), graph.get_has_cycles(), sorted(graph.get_start_nodes()), sorted(graph.get_leaf_nodes()))
    flow = GraphFlow([writer, reviewer], graph=graph)
    async for event in flow.run_stream(task="A sentence on ice."):
        if isinstance(event, TaskResult):
            show(event)
            assert speakers(event)[:3] == ["user", "writer", "reviewer"]
        else:
            print(line(event))


asyncio.run(main())
