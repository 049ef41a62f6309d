"""AutoGen's AgentChat under the same scenarios. Runs in an interpreter that has it; ours has not."""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# ruff: noqa: ARG002  a client must take what it does not use

from __future__ import annotations

import asyncio
import json

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.messages import HandoffMessage, TextMessage
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow, RoundRobinGroupChat, SelectorGroupChat, Swarm
from autogen_core import FunctionCall
from autogen_core.models import ChatCompletionClient, CreateResult, ModelInfo, RequestUsage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.models.replay import ReplayChatCompletionClient

ENGINE = "autogen"
IMPORT = (
    "from autogen_agentchat.agents import AssistantAgent; from autogen_agentchat.teams import RoundRobinGroupChat; "
    "from autogen_ext.models.openai import OpenAIChatCompletionClient"
)
REPLY = (
    "The quarterly figures show a moderate increase over the previous period, mostly because of the new "
    "pricing, and the second region still needs a closer look before we can agree on next steps for the team."
)
TASK = "Please discuss the quarterly figures and agree on the next steps."
INFO = ModelInfo(vision=False, function_calling=True, json_output=True, family="unknown", structured_output=True)
USAGE = RequestUsage(prompt_tokens=100, completion_tokens=36)


class NullClient(ChatCompletionClient):
    """A model that does no work of its own."""

    component_type = "model"
    component_provider_override = "benchmarks.NullClient"

    def __init__(self, answer):
        self._answer = answer

    async def create(self, messages, **_):
        return self._answer()

    async def create_stream(self, messages, **_):
        yield self._answer()

    async def close(self): ...

    def actual_usage(self):
        return USAGE

    def total_usage(self):
        return USAGE

    def count_tokens(self, messages, *, tools=()):
        return 0

    def remaining_tokens(self, messages, *, tools=()):
        return 10**6

    @property
    def capabilities(self):
        return INFO

    @property
    def model_info(self):
        return INFO


def text(content=REPLY):
    return CreateResult(finish_reason="stop", content=content, usage=USAGE, cached=False)


def call(name):
    calls = [FunctionCall(id="c1", name=name, arguments="{}")]
    return CreateResult(finish_reason="function_calls", content=calls, usage=USAGE, cached=False)


def client(model, turns=1):
    return NullClient(text) if model == "null" else ReplayChatCompletionClient([REPLY] * turns)


def drained(team, kind=TextMessage):
    async def run(tick):
        async for item in team.run_stream(task=TASK):
            if isinstance(item, kind) and item.source != "user":
                tick()

    return run


def round_robin(turns, model="null"):
    writer = AssistantAgent("writer", client(model, turns), system_message="You write.")
    critic = AssistantAgent("critic", client(model, turns), system_message="You criticise.")
    return drained(RoundRobinGroupChat([writer, critic], max_turns=turns)), turns


def selector(turns):
    names = ("alpha", "beta", "gamma")
    agents = [
        AssistantAgent(name, client("null"), description=f"agent {name}", system_message="You write.") for name in names
    ]
    asked = 0

    def pick():
        nonlocal asked
        asked += 1
        return text(names[asked % 3])

    return drained(SelectorGroupChat(agents, NullClient(pick), max_turns=turns)), turns


def swarm(turns):
    def agent(name, other):
        asked = NullClient(lambda: call(f"transfer_to_{other}"))
        return AssistantAgent(name, asked, handoffs=[other], system_message="Hand off.")

    return drained(Swarm([agent("alpha", "beta"), agent("beta", "alpha")], max_turns=turns), HandoffMessage), turns


def graph(laps):
    left = laps

    def last():
        nonlocal left
        left -= 1
        return text("AGAIN" if left > 0 else "DONE")

    nodes = [
        AssistantAgent(f"n{i}", client("null") if i < 19 else NullClient(last), system_message="You write.")
        for i in range(20)
    ]
    end = AssistantAgent("end", client("null"), system_message="You write.")
    drawing = DiGraphBuilder()
    for node in (*nodes, end):
        drawing.add_node(node)
    for i in range(1, 7):
        drawing.add_edge(nodes[0], nodes[i])
        drawing.add_edge(nodes[i], nodes[i + 6])
        drawing.add_edge(nodes[i + 6], nodes[13])
    for i in range(13, 19):
        drawing.add_edge(nodes[i], nodes[i + 1])
    drawing.add_edge(nodes[19], nodes[0], condition="AGAIN")
    drawing.add_edge(nodes[19], end, condition="DONE")
    drawing.set_entry_point(nodes[0])
    return drained(GraphFlow([*nodes, end], graph=drawing.build(), max_turns=laps * 40)), laps * 20 + 1


def config_text():
    """The team that `config_build` of our own adapter makes, in AgentChat's JSON. A tool goes in as its source."""

    def part(provider, kind, config):
        return {"provider": provider, "component_type": kind, "version": 1, "component_version": 1, "config": config}

    def tool(i):
        source = (
            f'def tool_{i}(city: str, days: int = 3, units: str = "metric") -> str:\n'
            f'    """Forecast number {i}: the weather of a city for some days."""\n'
            '    return f"{city} {days} {units}"\n'
        )
        config = {"source_code": source, "name": f"tool_{i}", "description": "Forecast.", "global_imports": []}
        return part("autogen_core.tools.FunctionTool", "tool", {**config, "has_cancellation_support": False})

    made = OpenAIChatCompletionClient(model="gpt-4o", api_key="sk-x", base_url="http://127.0.0.1:1/v1", model_info=INFO)
    team = RoundRobinGroupChat(
        [AssistantAgent(f"agent_{i}", made, system_message=f"You are agent {i}.", description="d") for i in range(10)],
        termination_condition=MaxMessageTermination(20) | TextMentionTermination("STOP"),
    )
    document = json.loads(team.dump_component().model_dump_json())
    for i, agent in enumerate(document["config"]["participants"]):
        agent["config"]["model_client"]["config"]["api_key"] = "sk-x"
        agent["config"]["workbench"] = [
            part("autogen_core.tools.StaticWorkbench", "workbench", {"tools": [tool(2 * i), tool(2 * i + 1)]})
        ]
    return json.dumps(document)


def config_load(document):
    return RoundRobinGroupChat.load_component(json.loads(document))


def fleet_member(turns):
    return round_robin(turns)


if __name__ == "__main__":
    asyncio.run(round_robin(2)[0](lambda: None))
