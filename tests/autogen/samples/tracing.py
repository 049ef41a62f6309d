"""A team under a span of OpenTelemetry."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import SelectorGroupChat
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from scripting import model, told

exporter = InMemorySpanExporter()
provider = TracerProvider(resource=Resource({"service.name": "harbour"}))
provider.add_span_processor(SimpleSpanProcessor(exporter))


async def main():
    with provider.get_tracer("harbour").start_as_current_span("run_team"):
        agents = [AssistantAgent(name, model_client=model("I go.", "TERMINATE")) for name in ("ann", "bob")]
        team = SelectorGroupChat(
            agents,
            model_client=model("ann", "bob", "ann"),
            termination_condition=TextMentionTermination("TERMINATE") | MaxMessageTermination(25),
        )
        result = await told(team.run_stream(task="Go."))
    assert len(result.messages) == 4
    names = [span.name for span in exporter.get_finished_spans()]
    print(names[-1])
    assert names[-1] == "run_team"


asyncio.run(main())
