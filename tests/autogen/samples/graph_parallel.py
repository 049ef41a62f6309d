"""A graph that branches into two editors and joins again."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
from scripting import heard, line, model


async def main():
    writer = AssistantAgent("writer", model_client=model("Draft."))
    grammar = AssistantAgent("grammar", model_client=model("Comma!"))
    style = AssistantAgent("style", model_client=model("Shorter!"))
    final = AssistantAgent("final", model_client=model("Final."))
    builder = DiGraphBuilder()
    builder.add_node(writer).add_node(grammar).add_node(style).add_node(final)
    builder.add_edge(writer, grammar)
    builder.add_edge(writer, style)
    builder.add_edge(grammar, final)
    builder.add_edge(style, final)
    flow = GraphFlow(participants=builder.get_participants(), graph=builder.build())
    result = await flow.run(task="A paragraph.")
    spoken = [line(message) for message in result.messages]
    print(spoken[:2], sorted(spoken[2:4]), spoken[4:], result.stop_reason)
    assert [message.source for message in result.messages][4] == "final"
    assert sorted((await heard(final))[2:4]) == ["Comma!", "Shorter!"]


asyncio.run(main())
