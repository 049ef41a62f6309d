"""Scripts of Microsoft Agent Framework. They are written for these tests, for agent-framework-core 1.23."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.importers.samples import Said

HEAD = """\
import os
from typing import Annotated

from agent_framework import Agent, AgentExecutor, MCPStdioTool, MCPStreamableHTTPTool, WorkflowBuilder, tool
from agent_framework.openai import OpenAIChatClient
from agent_framework.orchestrations import (
    ConcurrentBuilder, GroupChatBuilder, HandoffBuilder, MagenticBuilder, SequentialBuilder,
)
from pydantic import BaseModel

client = OpenAIChatClient(model="gpt-4.1-mini")
"""
TEAM = """
writer = Agent(client=client, name="writer", instructions="Write.", description="Writes texts.")
editor = Agent(client=client, name="Copy editor", instructions="Edit.")
critic = client.as_agent(name="critic", instructions="Criticise.")
lead = Agent(client, "Choose who speaks. Use {braces}.", name="lead")
"""
AGENT = (
    HEAD
    + """
LIMIT = 100


class Price(BaseModel):
    amount: float


@tool(name="weigh", description="Weighs a thing.", approval_mode="always_require")
def weigh_it(thing: Annotated[str, "What to weigh"], times: int = 1) -> str:
    return f"{thing}: {LIMIT * times} g"


def main():
    helper = Agent(client=client, name="helper", instructions="Help.")
    shop = MCPStdioTool(name="shop", command="shop", args=["--fast"], allowed_tools=["find"])
    clerk = Agent(
        client=client,
        name="Shop clerk",
        instructions="Sell bread.",
        tools=[
            weigh_it,
            helper.as_tool(name="ask_helper", description="Asks the helper."),
            shop,
            MCPStreamableHTTPTool(name="web", url="https://shop.example/mcp"),
            client.get_web_search_tool(),
            os.getcwd,
        ],
        default_options={"temperature": 0.5, "response_format": Price, "seed": 7},
        middleware=[print],
    )
    clerk.run("How much is it?")
"""
)
SEQUENCE = f"{HEAD}{TEAM}\nSequentialBuilder(participants=[writer, editor]).build()\n"
AT_ONCE = f"{HEAD}{TEAM}\nworkflow = ConcurrentBuilder(participants=[writer, editor]).build()\n"
IN_TURN = f"""{HEAD}{TEAM}

def in_turn(state):
    names = list(state.participants)
    return names[state.current_round % len(names)]


workflow = GroupChatBuilder(
    participants=[writer, editor], selection_func=in_turn, max_rounds=4,
    termination_condition=lambda messages: any("DONE" in each.text for each in messages),
).build()
"""
LED = f"""{HEAD}{TEAM}
workflow = GroupChatBuilder(participants=[writer, editor], orchestrator_agent=lead).with_max_rounds(6).build()
"""
HANDOFFS = f"""{HEAD}{TEAM}
workflow = (
    HandoffBuilder(participants=[writer, editor, critic])
    .with_start_agent(editor)
    .add_handoff(editor, [writer, critic], description="For more text.")
    .add_handoff(writer, [editor])
    .build()
)
"""
MAGENTIC = f"""{HEAD}{TEAM}
workflow = MagenticBuilder(
    participants=[writer, editor], manager_agent=lead, max_round_count=8, max_stall_count=2, enable_plan_review=True
).build()
"""
GRAPH = f"""{HEAD}{TEAM}

def is_good(message):
    return "GOOD" in message.agent_response.text


first = AgentExecutor(writer, id="first")
workflow = (
    WorkflowBuilder(start_executor=first)
    .add_edge(first, editor)
    .add_switch_case_edge_group(editor, [Case(condition=is_good, target=critic), Default(target=first)])
    .build()
)
"""


@dataclass(frozen=True)
class ScriptSample:
    """A script that is run there and here; it names its workflow `workflow`.

    Args:
        answers: What the model of an agent says, by a text of its instructions.
        is_at_once: Whether agents are asked in any order.
    """

    name: str
    code: str
    answers: Mapping[str, Sequence[str | Said]]
    task: str = "Bread?"
    is_at_once: bool = False


_RUN = """\
from agent_framework import Agent, AgentExecutor, Case, Default, WorkflowBuilder, tool
from agent_framework.openai import OpenAIChatCompletionClient
from agent_framework.orchestrations import ConcurrentBuilder, GroupChatBuilder, HandoffBuilder, SequentialBuilder

client = OpenAIChatCompletionClient(model="gpt-4.1")


@tool(approval_mode="never_require")
def weigh(thing: str) -> str:
    return "3 kg"


whole = {"require_per_service_call_history_persistence": True}
cook = Agent(client=client, name="cook", instructions="You cook.", **whole)
baker = Agent(client=client, name="baker", instructions="You bake.", **whole)
judge = Agent(client=client, name="judge", instructions="You judge.", tools=[weigh])


def in_turn(state):
    return list(state.participants)[state.current_round % len(state.participants)]


def is_done(messages):
    return any("DONE" in each.text for each in messages)


def is_good(message):
    return "GOOD" in message.agent_response.text


workflow = """
_SAYS = {"You cook.": ["Fry it.", "Fry more."], "You bake.": ["Bake it.", "DONE."], "You judge.": ["GOOD."]}
_WEIGHS = {**_SAYS, "You judge.": [Said(calls=[("weigh", '{"thing": "bread"}')]), "GOOD."]}
_BUILDER = "WorkflowBuilder(start_executor=cook)"
_CASES = "[Case(condition=is_good, target=baker), Default(target=cook)]"
SCRIPT_SAMPLES = (
    ScriptSample("in-a-row", f"{_RUN}SequentialBuilder(participants=[cook, baker, judge]).build()\n", _WEIGHS),
    ScriptSample(
        "before-alone",
        f"{_RUN}SequentialBuilder(participants=[cook, baker], chain_only_agent_responses=True).build()\n",
        _SAYS,
    ),
    ScriptSample(
        "at-once", f"{_RUN}ConcurrentBuilder(participants=[cook, baker, judge]).build()\n", _SAYS, is_at_once=True
    ),
    ScriptSample(
        "rounds",
        f"{_RUN}GroupChatBuilder(participants=[cook, baker], selection_func=in_turn, max_rounds=3).build()\n",
        _SAYS,
    ),
    ScriptSample(
        "done",
        f"{_RUN}GroupChatBuilder(participants=[cook, baker], selection_func=in_turn, termination_condition=is_done)"
        ".build()\n",
        _SAYS,
    ),
    ScriptSample(
        "handoff",
        f"{_RUN}HandoffBuilder(participants=[cook, baker]).with_start_agent(cook).build()\n",
        {**_SAYS, "You cook.": [Said(calls=[("handoff_to_baker", "{}")])]},
    ),
    ScriptSample("chain", f"{_RUN}{_BUILDER}.add_chain([cook, baker, judge]).build()\n", _SAYS),
    ScriptSample(
        "cases",
        f"{_RUN}{_BUILDER}.add_edge(cook, judge).add_switch_case_edge_group(judge, {_CASES}).build()\n",
        _SAYS,
    ),
)
