"""A graph that loops until a reviewer approves, then sums up with a filter; conditions are functions and texts."""

import asyncio

from autogen_agentchat.agents import AssistantAgent, MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
from scripting import heard, model, speakers, told


async def loop():
    ideas = AssistantAgent("ideas", model_client=model("Bottles.", "Refill stations."))
    reviewer = AssistantAgent("reviewer", model_client=model("Too plain.", "APPROVE"))
    summary = AssistantAgent("summary", model_client=model("Refill!"))
    filters = [
        PerSourceFilter(source="user", position="first", count=1),
        PerSourceFilter(source="reviewer", position="last", count=1),
    ]
    filtered = MessageFilterAgent(name="summary", wrapped_agent=summary, filter=MessageFilterConfig(per_source=filters))
    builder = DiGraphBuilder()
    builder.add_node(ideas).add_node(reviewer).add_node(filtered)
    builder.add_edge(ideas, reviewer)
    builder.add_edge(reviewer, filtered, condition=lambda message: "APPROVE" in message.to_model_text())
    builder.add_edge(reviewer, ideas, condition=lambda message: "APPROVE" not in message.to_model_text())
    builder.set_entry_point(ideas)
    flow = GraphFlow(
        participants=builder.get_participants(),
        graph=builder.build(),
        termination_condition=MaxMessageTermination(10),
    )
    result = await told(flow.run_stream(task="Less plastic."))
    assert speakers(result)[:6] == ["user", "ideas", "reviewer", "ideas", "reviewer", "summary"]
    print(await heard(summary))


async def branch(answer):
    router = AssistantAgent("router", model_client=model(answer))
    agents = {name: AssistantAgent(name, model_client=model(f"{name} speaks.")) for name in ("yes", "no")}
    builder = DiGraphBuilder()
    builder.add_node(router).add_node(agents["yes"]).add_node(agents["no"])
    builder.add_edge(router, agents["yes"], condition="YES").add_edge(router, agents["no"], condition="NO")
    flow = GraphFlow(builder.get_participants(), graph=builder.build())
    result = await told(flow.run_stream(task="Well?"))
    assert speakers(result)[2] == answer.lower()


asyncio.run(loop())
asyncio.run(branch("NO"))
asyncio.run(branch("YES"))
