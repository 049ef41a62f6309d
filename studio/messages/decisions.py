"""What is explained: why these speak, and how far a team is from its end. Made only where somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from studio.messages.explanations import Explanation

Rule = Literal[
    "round robin",
    "handoff",
    "no handoff",
    "model",
    "function",
    "only candidate",
    "repeat not allowed",
    "no usable answer",
    "graph start",
    "graph edge",
    "ledger",
    "round limit",
    "broken off",
]
"""By which a team chose. `no usable answer`: the model was asked and named nobody who may speak. `broken off`: an
earlier turn is taken up again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionAttempt:
    """One question to a model about who speaks next."""

    answer: str
    refused: str = ""
    """What was wrong with the answer; empty for the one that was taken."""
    request: str = ""
    """Hash of the recorded effect that holds the whole answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeDecision:
    """An edge of a graph that was looked at after somebody had spoken."""

    source: str
    target: str
    condition: str | None = None
    """Text that the message had to hold."""
    context_condition: str | None = None
    """What the context variables had to be."""
    is_function: bool = False
    """Whether a Python function decided."""
    otherwise: bool = False
    """Whether it is for when no other edge is taken."""
    was_taken: bool


class SpeakerDecisionEvent(Explanation):
    """Who could have spoken, who speaks, and why."""

    candidates: list[str]
    chosen: list[str]
    """Empty when the team itself goes on: it plans anew, or answers in the end."""
    rule: Rule
    reason: str
    prompt: str = ""
    """What the model was asked; the conversation in it is given by its length, since the log holds it."""
    attempts: list[SelectionAttempt] = Field(default_factory=list[SelectionAttempt])
    edges: list[EdgeDecision] = Field(default_factory=list[EdgeDecision])
    type: Literal["SpeakerDecisionEvent"] = "SpeakerDecisionEvent"

    def to_text(self) -> str:
        return f"{', '.join(self.chosen) or 'Nobody'} ({self.rule}): {self.reason}"


@dataclass(slots=True, kw_only=True)
class ConditionProgress:
    """How far a termination condition is. One that has several limits has several of these."""

    where: str
    """JSON pointer to the condition, from its team."""
    within: tuple[Literal["and", "or"], ...] = ()
    """How the conditions around it are joined, from the outside in."""
    in_words: str
    """Completes the sentence "Stop when …"."""
    so_far: str
    """Such as `12 of 20 messages`, or `"DONE" not seen`."""
    done: float | None = None
    limit: float | None = None
    unit: str = ""
    has_fired: bool = False


class TerminationProgressEvent(Explanation):
    """How far each termination condition of a team is after a turn; it comes before the turn's last message."""

    conditions: list[ConditionProgress]
    stop_reason: str | None = None
    """Why the team stops now, if it does."""
    type: Literal["TerminationProgressEvent"] = "TerminationProgressEvent"

    def to_text(self) -> str:
        return "; ".join(condition.so_far for condition in self.conditions)
