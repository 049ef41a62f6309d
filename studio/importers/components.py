"""Component JSON of the parts that importers make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject

ASSISTANT = "autogen_agentchat.agents.AssistantAgent"
FILTER = "autogen_agentchat.agents.MessageFilterAgent"
USER_PROXY = "autogen_agentchat.agents.UserProxyAgent"
OPENAI_AGENT = "autogen_ext.agents.openai.OpenAIAgent"
STEP = "studio.agents.StepAgent"
MAX_TOOL_ROUNDS = 10
"""Rounds of tool calls in a turn, where a source names no number and goes on until the model calls none."""


def component(provider: str, /, **config: JsonValue) -> JsonObject:
    return {"provider": provider, "config": config}


def config_of(part: JsonObject) -> JsonObject:
    """The config of a component, to read and to change."""
    return cast("JsonObject", part["config"])


def step(**config: JsonValue) -> JsonObject:
    """A step without a model; its name is given later."""
    return component(STEP, **config)


def assignments(pairs: Sequence[tuple[str, str]]) -> list[JsonValue]:
    return [{"name": name, "expression": expression} for name, expression in pairs]


def structured(schema: JsonObject, name: str = "") -> JsonObject:
    """The format of an agent's answers."""
    named: JsonObject = {"content_model_name": name} if name else {}
    return component("autogen_agentchat.messages.StructuredMessageFactory", json_schema=schema, **named)


def mcp_workbench(params: JsonObject) -> JsonObject:
    return component("autogen_ext.tools.mcp.McpWorkbench", server_params=params)


def agent_tool(agent: JsonObject) -> JsonObject:
    return component("autogen_agentchat.tools.AgentTool", agent=agent, return_value_as_last_message=True)


def heard_only(agent: JsonObject, sources: Sequence[str]) -> JsonObject:
    """The agent, hearing these participants alone; its place in the team has the same name."""
    per_source: list[JsonValue] = [{"source": source} for source in sources]
    name = config_of(agent)["name"]
    return component(FILTER, name=name, wrapped_agent=agent, filter={"per_source": per_source})


def labelled(part: JsonObject, label: str) -> JsonObject:
    """The component under the name that people gave it, where that is not its own."""
    return {**part, "label": label} if label and label != config_of(part).get("name") else part


def round_robin(participants: Sequence[JsonObject], turns: int, variables: Mapping[str, JsonValue]) -> JsonObject:
    shared: JsonObject = {"context_variables": dict(variables)} if variables else {}
    return component(
        "autogen_agentchat.teams.RoundRobinGroupChat", participants=list(participants), max_turns=turns, **shared
    )


def plain_answer(participants: Sequence[JsonObject]) -> JsonObject:
    """Met by the first answer that hands nothing over."""
    conditions: list[JsonValue] = []
    for participant in participants:
        config = config_of(participant)
        if config.get("structured_message_factory"):
            continue
        conditions.append(component("autogen_agentchat.conditions.TextMessageTermination", source=config["name"]))
    structured = [config_of(each)["name"] for each in participants if config_of(each).get("structured_message_factory")]
    if structured:
        # A handoff is said by its agent, too; with a structured answer there is nobody to hand over to any more.
        last = [name for name in structured if not _hands_over(participants, name)] or structured
        conditions.append(component("autogen_agentchat.conditions.SourceMatchTermination", sources=last))
    if len(conditions) == 1:
        return cast("JsonObject", conditions[0])
    return component("autogen_agentchat.base.OrTerminationCondition", conditions=conditions)


def _hands_over(participants: Sequence[JsonObject], name: JsonValue) -> bool:
    return any(config_of(each)["name"] == name and config_of(each).get("handoffs") for each in participants)
