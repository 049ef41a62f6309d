"""What is different in Agent Framework where it lacks a part or a field, said in a sentence each."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from studio.agents import Guardrail
from studio.conditions import TerminationCondition

_FIELDS: Mapping[str, str] = {
    "context_condition": "The edges of the script have conditions on the text only, so this edge is always taken.",
    "context_variables": "Agent Framework has no variables that a team shares.",
    "delay_s": "The scripted model replies at once.",
    "include_agent_event": "The conversation of a group chat holds messages only, so tool calls are not counted.",
    "input_guardrails": "The script has no guardrails: write a middleware for the agent.",
    "keep_as": "Agent Framework has no variables that a team shares, so the answer is only a message.",
    "max_retries": "Agent Framework's client decides itself how often it tries again.",
    "model_context": "The model that selects sees the whole conversation.",
    "output_guardrails": "The script has no guardrails: write a middleware for the agent.",
    "system_message_holds_variables": "Agent Framework sends the instructions as they stand, with the names in braces.",
    "termination_condition": "Agent Framework's Magentic-One stops when its manager says so, or at a limit of turns.",
    "timeout": "Agent Framework's client has a limit of its own for the time of a call.",
    "tool_overrides": "Agent Framework shows the model the tools of a server as they are.",
}


def reason_for(cls: type, owner: BaseModel, field: str = "") -> str:
    """Why something is left out: a field of the owner, or a part of a class that Agent Framework lacks."""
    if field:
        return _FIELDS.get(field, f"Agent Framework has no counterpart of this field of {cls.__name__}.")
    if issubclass(cls, Guardrail):
        return _FIELDS["input_guardrails"]
    if issubclass(cls, TerminationCondition):
        return "The script has no such condition. Make sure that something else stops the team."
    return f"Agent Framework has no {cls.__name__}; {type(owner).__name__} goes without it."
