"""A graph whose nodes hear only what concerns them."""

import asyncio

from autogen_agentchat.agents import AssistantAgent, MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
from scripting import heard, model, told


def hears(agent, *rules):
    filters = [PerSourceFilter(source=source, position=position, count=count) for source, position, count in rules]
    return MessageFilterAgent(name=agent.name, wrapped_agent=agent, filter=MessageFilterConfig(per_source=filters))


async def main():
    finder = AssistantAgent("finder", model_client=model("Facts: 1, 2, 3."))
    analyst = AssistantAgent("analyst", model_client=model("2 matters."))
    speaker = AssistantAgent("speaker", model_client=model("Slide: 2."))
    heard_by_analyst = hears(analyst, ("finder", "last", 1))
    heard_by_speaker = hears(speaker, ("analyst", "last", 1))
    builder = DiGraphBuilder()
    builder.add_node(finder).add_node(heard_by_analyst).add_node(heard_by_speaker)
    builder.add_edge(finder, heard_by_analyst).add_edge(heard_by_analyst, heard_by_speaker)
    flow = GraphFlow(participants=builder.get_participants(), graph=builder.build())
    await told(flow.run_stream(task="Facts, please."))
    for agent, expected in ((analyst, "Facts: 1, 2, 3."), (speaker, "2 matters.")):
        contents = await heard(agent)
        print(agent.name, contents)
        assert contents[0] == expected and len(contents) == 2


asyncio.run(main())
