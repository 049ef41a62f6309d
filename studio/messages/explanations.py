"""Why a run goes as it goes: events of ours that AgentChat does not have.

They are told to whoever asks for them, inside `with explained():`, by all teams of the run, also nested ones. They
change nothing: no result, thread, saved state or model ever holds one, and no condition sees one.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeVar

from pydantic import Field

from studio import effects
from studio.messages.chat import BaseAgentEvent
from studio.messages.unchecked import unchecked

Item = TypeVar("Item")

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

_EMPTY = {"id", "models_usage", "metadata"}

MOST_TEXT = 4_000
"""Characters of a prompt or an answer that an explanation repeats; a run of any length logs no more per turn."""


class Explanation(BaseAgentEvent):
    """Says why something happened, or how things stand."""

    is_kept: ClassVar[bool] = False

    id: str = ""
    """Empty: asking for explanations must not shift the ids of a recorded run. Its place in the log names it."""
    team: str
    """Name of the team that it is about."""
    path: list[str] = Field(default_factory=list[str])
    """Participants through whom it came, from the outside in; empty for the team that was run."""

    @classmethod
    def told(cls, *, source: str, team: str, **what: Any) -> Self:
        """One of values that are known to be of their types, all of them and in their order."""
        shared: dict[str, Any] = {"id": "", "source": source, "models_usage": None, "metadata": {}}
        values: dict[str, Any] = {
            **shared,
            "created_at": effects.now(),
            "team": team,
            "path": [],
            **what,
            "type": cls.__name__,
        }
        return unchecked(cls, ("source", "team", *what), values)

    def dump(self) -> dict[str, Any]:
        """As plain JSON, without what is empty in every one of them: there are two for each turn."""
        return self.model_dump(mode="json", exclude=_EMPTY, exclude_none=True)


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


@dataclass(frozen=True, slots=True, kw_only=True)
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


_explained: ContextVar[bool] = ContextVar("studio_explained", default=False)


@contextmanager
def explained() -> Generator[None]:
    """Inside the block, runs give their explanations among their events."""
    token = _explained.set(True)
    try:
        yield
    finally:
        _explained.reset(token)


def is_explained() -> bool:
    """Whether explanations are asked for here."""
    return _explained.get()


def seen_through(item: Item, name: str) -> Item:
    """What comes from inside a participant, as its team passes it on."""
    if isinstance(item, Explanation):
        return item.model_copy(update={"path": [name, *item.path]})
    return item


def clipped(text: str) -> str:
    """A text that may be long, cut in its middle."""
    if len(text) <= MOST_TEXT:
        return text
    half = MOST_TEXT // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} more characters]\n{text[-half:]}"
