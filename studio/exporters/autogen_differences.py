"""What is different in AutoGen where it lacks a part or a field, said in a sentence each."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from studio.agents import Guardrail

_FIELDS: Mapping[str, str] = {
    "answer_schema": "AutoGen's user proxy asks for any text.",
    "base_url": "AutoGen's class takes no address and asks the usual one.",
    "choices": "AutoGen's user proxy asks for any text.",
    "context_condition": "AutoGen's edges have conditions on the text only, so this edge is always taken.",
    "context_variables": "AutoGen has no variables that a team shares.",
    "default_auto_reply": "AutoGen's user proxy always asks the person.",
    "delay_s": "AutoGen's scripted model replies at once.",
    "emit_team_events": "AutoGen's graphs do not report who was selected.",
    "human_input_mode": "AutoGen's user proxy always asks the person.",
    "input_guardrails": "AutoGen has no guardrails.",
    "keep_as": "AutoGen has no variables that a team shares, so the answer is only a message.",
    "max_consecutive_auto_reply": "AutoGen's user proxy always asks the person.",
    "otherwise": "AutoGen's graphs have no edge for when no other is taken, so this one is always taken.",
    "output_guardrails": "AutoGen has no guardrails.",
    "repeats": "AutoGen's scripted model fails after its last reply.",
    "sources": "AutoGen's condition looks at the messages of all participants.",
    "system_message_holds_variables": "AutoGen sends the instructions as they stand, with the names in braces.",
    "timeout_s": "AutoGen has no limit for the time of a call.",
}


def reason_for(cls: type, owner: BaseModel, field: str = "") -> str:
    """Why something is left out: a field of the owner, or a part of a class that AutoGen lacks."""
    if field:
        return _FIELDS.get(field, f"AutoGen's {cls.__name__} has no such field.")
    if issubclass(cls, Guardrail):
        return "AutoGen has no guardrails."
    return f"AutoGen 0.7 has no {cls.__name__}; {type(owner).__name__} goes without it."
