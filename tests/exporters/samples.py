"""Teams of each kind, with what their models answer: each agent is known by a word of its instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.agents import AgentTool, AssistantAgent, Handoff, MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from studio.agents.structured import StructuredMessageFactory
from studio.components import env
from studio.conditions import (
    HandoffTermination,
    MaxMessageTermination,
    SourceMatchTermination,
    TextMentionTermination,
    TextMessageTermination,
)
from studio.contexts import BufferedChatCompletionContext
from studio.memory import ListMemory
from studio.messages import MemoryContent
from studio.models import OpenAIChatCompletionClient
from studio.teams import (
    DiGraphBuilder,
    GraphFlow,
    MagenticOneGroupChat,
    RoundRobinGroupChat,
    SelectorGroupChat,
    SocietyOfMindAgent,
    Swarm,
    Team,
)
from studio.teams.team_tool import TeamTool
from studio.tools import FunctionTool
from tests.importers.samples import Said

SELECTOR = "role play"
PLANNER = ""
"""Magentic-One's manager has no instructions."""
WEATHER = '''def weather(city: str, days: int = 1) -> str:
    """The weather."""
    return f"Rain in {city} for {days} days"
'''
LEDGER = (
    '{{"is_request_satisfied": {{"reason": "r", "answer": {done}}}, '
    '"is_progress_being_made": {{"reason": "r", "answer": true}}, "is_in_loop": {{"reason": "r", "answer": false}}, '
    '"instruction_or_question": {{"reason": "r", "answer": "Go on"}}, '
    '"next_speaker": {{"reason": "r", "answer": "{speaker}"}}}}'
)
DAYS = Said(calls=[("weather", '{"city": "Ulm", "days": 2}')])
ULM = Said(calls=[("weather", '{"city": "Ulm"}')])


@dataclass(frozen=True)
class Sample:
    """A team and a run of it.

    Args:
        team: Makes the team for a model server at this address.
        answers: What the models say, by a word of the agent's instructions.
    """

    name: str
    team: Callable[[str], Team]
    answers: Mapping[str, Sequence[str | Said]] = field(default_factory=dict[str, Sequence[str | Said]])
    task: str = "Begin the work."


def model(url: str) -> OpenAIChatCompletionClient:
    return OpenAIChatCompletionClient(model="gpt-4o-mini", base_url=url, api_key=env("OPENAI_API_KEY"))


def agent(url: str, name: str, **config: Any) -> AssistantAgent:
    given: dict[str, Any] = {"system_message": f"You are {name}.", "description": name, **config}
    return AssistantAgent(name=name, model_client=model(url), **given)


def weather_tool() -> FunctionTool:
    return FunctionTool(name="weather", description="Tells the weather.", source_code=WEATHER)


def _pair(url: str) -> Team:
    return RoundRobinGroupChat(
        participants=[agent(url, "writer"), agent(url, "critic")],
        termination_condition=TextMentionTermination(text="APPROVE") | MaxMessageTermination(max_messages=9),
    )


def _tools(url: str) -> Team:
    return RoundRobinGroupChat(
        participants=[agent(url, "forecaster", tools=[weather_tool()], max_tool_iterations=3), agent(url, "editor")],
        termination_condition=SourceMatchTermination(sources=["editor"]),
    )


def _one_round(url: str) -> Team:
    forecaster = agent(url, "forecaster", tools=[weather_tool()], reflect_on_tool_use=False)
    return RoundRobinGroupChat(participants=[forecaster, agent(url, "editor")], max_turns=2)


def _selector(url: str) -> Team:
    return SelectorGroupChat(
        participants=[agent(url, "anna"), agent(url, "bert"), agent(url, "cora")],
        model_client=model(url),
        termination_condition=TextMentionTermination(text="DONE"),
        max_turns=8,
    )


def _swarm(url: str) -> Team:
    return Swarm(
        participants=[
            agent(url, "triage", handoffs=[Handoff(target="billing"), Handoff(target="person")]),
            agent(url, "billing", handoffs=[Handoff(target="triage")], tools=[weather_tool()]),
        ],
        termination_condition=HandoffTermination(target="person") | MaxMessageTermination(max_messages=20),
    )


def _graph(url: str) -> Team:
    writer, judge, printer = agent(url, "writer"), agent(url, "judge"), agent(url, "printer")
    builder = DiGraphBuilder().add_node(writer).add_node(judge).add_node(printer)
    builder.add_edge(writer, judge).add_edge(judge, writer, condition="AGAIN").add_edge(
        judge, printer, condition="GOOD"
    )
    builder.set_entry_point(writer)
    return GraphFlow(
        participants=builder.get_participants(),
        graph=builder.build(),
        termination_condition=MaxMessageTermination(max_messages=20),
    )


def _chain(url: str) -> Team:
    agents = [agent(url, name) for name in ("first", "second", "third")]
    builder = DiGraphBuilder()
    for each in agents:
        builder.add_node(each)
    builder.add_edge(agents[0], agents[1]).add_edge(agents[1], agents[2])
    return GraphFlow(participants=builder.get_participants(), graph=builder.build())


def _magentic(url: str) -> Team:
    return MagenticOneGroupChat(
        participants=[agent(url, "scout"), agent(url, "scribe")], model_client=model(url), max_turns=6
    )


def _nested(url: str) -> Team:
    inner = RoundRobinGroupChat(name="duo", participants=[agent(url, "ann"), agent(url, "bob")], max_turns=2)
    return RoundRobinGroupChat(participants=[inner, agent(url, "chief")], max_turns=3)


def _society(url: str) -> Team:
    inner = RoundRobinGroupChat(participants=[agent(url, "ann"), agent(url, "bob")], max_turns=2)
    mind = SocietyOfMindAgent(name="mind", team=inner, model_client=model(url), instruction="Sum up as one mind.")
    return RoundRobinGroupChat(participants=[mind, agent(url, "chief")], max_turns=2)


def _agents_as_tools(url: str) -> Team:
    inner = RoundRobinGroupChat(
        name="duo", description="Two who talk.", participants=[agent(url, "ann"), agent(url, "bob")], max_turns=2
    )
    tools = [
        AgentTool(agent=agent(url, "poet"), return_value_as_last_message=True),
        TeamTool(team=inner, name="duo", description="Two who talk.", return_value_as_last_message=True),
    ]
    return RoundRobinGroupChat(participants=[agent(url, "host", tools=tools, max_tool_iterations=3)], max_turns=1)


def _structured(url: str) -> Team:
    factory = StructuredMessageFactory(
        json_schema={
            "title": "Grade",
            "type": "object",
            "properties": {"mark": {"type": "integer"}, "remark": {"type": "string"}},
            "required": ["mark", "remark"],
        },
        format_string="{mark}: {remark}",
        content_model_name="Grade",
    )
    grader = agent(url, "grader", structured_message_factory=factory)
    return RoundRobinGroupChat(participants=[grader, agent(url, "clerk")], max_turns=2)


def _filtered(url: str) -> Team:
    rules = MessageFilterConfig(per_source=[PerSourceFilter(source="writer", position="last", count=1)])
    deaf = MessageFilterAgent(name="critic", wrapped_agent=agent(url, "critic"), filter=rules)
    return RoundRobinGroupChat(participants=[agent(url, "writer"), deaf], max_turns=4)


def _remembering(url: str) -> Team:
    memory = ListMemory(name="facts", memory_contents=[MemoryContent(content="Grass is blue.", mime_type="text/plain")])
    writer = agent(url, "writer", memory=[memory], model_context=BufferedChatCompletionContext(buffer_size=3))
    return RoundRobinGroupChat(
        participants=[writer, agent(url, "critic")],
        termination_condition=TextMessageTermination(source="nobody") | MaxMessageTermination(max_messages=5),
    )


SAMPLES = (
    Sample("pair", _pair, {"writer": ["Draft one", "Draft two"], "critic": ["Not yet", "APPROVE"]}),
    Sample(
        "tools",
        _tools,
        {"forecaster": [DAYS, "Take a coat"], "editor": ["Printed"]},
    ),
    Sample("one-round", _one_round, {"forecaster": [ULM], "editor": ["Printed"]}),
    Sample(
        "selector",
        _selector,
        {SELECTOR: ["bert", "nobody at all", "anna", "cora"], "anna": ["A"], "bert": ["B"], "cora": ["DONE"]},
    ),
    Sample(
        "swarm",
        _swarm,
        {
            "triage": [Said(calls=[("transfer_to_billing", "{}")]), Said(calls=[("transfer_to_person", "{}")])],
            "billing": [ULM, Said(calls=[("transfer_to_triage", "{}")])],
        },
    ),
    Sample(
        "graph",
        _graph,
        {"writer": ["Draft one", "Draft two"], "judge": ["AGAIN please", "GOOD work"], "printer": ["Printed"]},
    ),
    Sample("chain", _chain, {"first": ["One"], "second": ["Two"], "third": ["Three"]}),
    Sample(
        "magentic",
        _magentic,
        {
            "scout": ["Found it"],
            "scribe": ["Written"],
            PLANNER: [
                "Facts",
                "Plan",
                LEDGER.format(done="false", speaker="scout"),
                LEDGER.format(done="false", speaker="scribe"),
                LEDGER.format(done="true", speaker="scribe"),
                "Final answer",
            ],
        },
    ),
    Sample("nested", _nested, {"ann": ["A one", "A two"], "bob": ["B one", "B two"], "chief": ["Decided"]}),
    Sample(
        "society",
        _society,
        {"ann": ["A one"], "bob": ["B one"], "chief": ["Decided"], "": ["As one"]},
    ),
    Sample(
        "agents-as-tools",
        _agents_as_tools,
        {
            "host": [
                Said(calls=[("poet", '{"task": "Rhyme"}')]),
                Said(calls=[("duo", '{"task": "Talk"}')]),
                "Both done",
            ],
            "poet": ["A rhyme"],
            "ann": ["A one"],
            "bob": ["B one"],
        },
    ),
    Sample("structured", _structured, {"grader": ['{"mark": 2, "remark": "fine"}'], "clerk": ["Filed"]}),
    Sample("filtered", _filtered, {"writer": ["Draft one", "Draft two"], "critic": ["Hm", "Better"]}),
    Sample("remembering", _remembering, {"writer": ["One", "Three"], "critic": ["Two", "Four"]}),
)
