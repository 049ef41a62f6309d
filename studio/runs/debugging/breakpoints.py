"""Breakpoints: where a run is to wait, and what is looked at to find out that it is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from studio.components.patterns import MAX_STEPS_AT_ONCE, compiled
from studio.messages import BaseMessage, Explanation, SpeakerDecisionEvent, TerminationProgressEvent
from studio.runs.debugging.policy import MAX_CHARACTERS, check_pattern
from studio.runs.journal.log import Usage

Moment = Literal["agent", "tool", "message", "text", "tokens", "cost", "progress"]
MAX_BREAKPOINTS = 100


class Breakpoint(BaseModel):
    """A place at which a run waits.

    `on` says what is looked at: an agent's turn, a call of a tool, a type of message, a text, the tokens or the money
    spent so far, or how far a termination condition is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\w.-]+$")]
    on: Moment
    when: Literal["before", "after"] = "before"
    """Of an agent's turn or a tool's call."""
    name: Annotated[str, Field(max_length=200)] = ""
    """Of the agent, tool or message type; `*` stands for any text, empty for all. Of a text, who says it."""
    text: Annotated[str, Field(max_length=2_000)] = ""
    is_regex: bool = False
    limit: Annotated[float, Field(ge=0)] = 0
    """Tokens, money, or per cent of a condition's limit."""
    visit: Annotated[int | None, Field(ge=1)] = None
    """Wait only when it is met for that time; each time when left out."""
    enabled: bool = True

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.on == "text" and not self.text:
            raise ValueError("A text breakpoint needs the text.")
        if self.on in ("tokens", "cost", "progress") and self.limit <= 0:
            raise ValueError("This breakpoint needs a limit above 0.")
        return self

    def model_post_init(self, context: object) -> None:
        if self.is_regex:
            check_pattern(self.text, context)

    @property
    def description(self) -> str:
        """Completes "Paused …"."""
        name = self.name or "any"
        match self.on:
            case "agent":
                words = f"{self.when} {self.name or 'any agent'} {'speaks' if self.when == 'before' else 'has spoken'}"
            case "tool":
                words = f"{self.when} the tool {name}" if self.name else f"{self.when} any tool"
            case "message":
                words = f"at a {self.name or 'message'}"
            case "text":
                words = f"at the text {self.text!r}"
            case "tokens":
                words = f"above {self.limit:g} tokens"
            case "cost":
                words = f"above a cost of {self.limit:g}"
            case "progress":
                words = f"at {self.limit:g} % of a termination condition"
        return f"{words}, for the {_nth(self.visit)} time" if self.visit else words

    def names(self, name: str) -> bool:
        return not self.name or fnmatchcase(name, self.name)

    def is_in(self, text: str, max_steps: int = MAX_STEPS_AT_ONCE) -> bool:
        """Of a long text the beginning is compared with a regular expression, the shorter the larger that is."""
        if not self.is_regex:
            return self.text in text
        try:
            pattern = compiled(self.text, dot_all=True)
        except ValueError:
            return False
        return pattern.search(text[: min(MAX_CHARACTERS, max_steps // (4 * pattern.size))]) is not None


class BreakpointSet:
    """The breakpoints of one run that are on, and how often each was met.

    Whoever drives the run asks `is_idle` first, so that a run without breakpoints pays nothing for them.
    """

    def __init__(self) -> None:
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.is_idle = True
        self.hits: dict[str, int] = {}
        """By id, how often each was met, whether the run waited or not."""
        self._passed: set[tuple[str, str]] = set()
        self._max_steps = MAX_STEPS_AT_ONCE

    def replace(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Take these in place of those before; what is unchanged keeps its count."""
        before = {each.id: each for each in self.breakpoints}
        self.breakpoints = tuple(breakpoints)
        patterns = sum(each.is_regex and each.enabled for each in self.breakpoints)
        self._max_steps = MAX_STEPS_AT_ONCE // max(1, patterns)
        self.is_idle = not any(each.enabled for each in self.breakpoints)
        kept = {each.id for each in self.breakpoints if _place(each) == _place(before.get(each.id))}
        self.hits = {key: count for key, count in self.hits.items() if key in kept}
        self._passed = {(key, what) for key, what in self._passed if key in kept}

    def match_explanation(self, what: Explanation) -> Breakpoint | None:
        """The breakpoint before the turn that begins now, if there is one."""
        if not isinstance(what, SpeakerDecisionEvent):
            return None
        met = [each for each in self._on("agent", "before") if any(map(each.names, what.chosen))]
        return self._first(met)

    def match_progress(self, what: Explanation) -> Breakpoint | None:
        """The breakpoint that a termination condition has come to."""
        if not isinstance(what, TerminationProgressEvent):
            return None
        return self._first([each for each in self._on("progress") if self._is_new_visit(each, _far(what, each.limit))])

    def match_item(self, item: BaseMessage, usage: Usage) -> Breakpoint | None:
        """The breakpoint at a message or event, if there is one."""
        return self._first([each for each in self._enabled() if self._matches(each, item, usage)])

    def match_call(self, name: str, when: Literal["before", "after"]) -> Breakpoint | None:
        """The breakpoint at a call of a tool, if there is one."""
        return self._first([each for each in self._on("tool", when) if each.names(name)])

    def _enabled(self) -> Iterator[Breakpoint]:
        return (each for each in self.breakpoints if each.enabled)

    def _on(self, moment: Moment, when: str = "") -> Iterator[Breakpoint]:
        return (each for each in self._enabled() if each.on == moment and when in ("", each.when))

    def _matches(self, each: Breakpoint, item: BaseMessage, usage: Usage) -> bool:
        match each.on:
            case "agent":
                return each.when == "after" and item.is_chat and each.names(item.source)
            case "message":
                return each.names(type(item).__name__)
            case "text":
                return each.names(item.source) and each.is_in(item.to_text(), self._max_steps)
            case "tokens":
                spent = usage.prompt_tokens + usage.completion_tokens
                return self._is_new_visit(each, {"tokens"} if spent >= each.limit else set())
            case "cost":
                return self._is_new_visit(each, {"cost"} if usage.micro_usd >= each.limit * 1_000_000 else set())
            case _:
                return False

    def _is_new_visit(self, each: Breakpoint, reached: set[str]) -> bool:
        """What goes over a limit is met once, and not with all that follows."""
        new = {(each.id, what) for what in reached} - self._passed
        self._passed |= new
        return bool(new)

    def _first(self, met: Iterable[Breakpoint]) -> Breakpoint | None:
        """Count all that are met; the first at which the run waits."""
        found: Breakpoint | None = None
        for each in met:
            count = self.hits[each.id] = self.hits.get(each.id, 0) + 1
            if found is None and each.visit in (None, count):
                found = each
        return found


def _place(each: Breakpoint | None) -> Breakpoint | None:
    return None if each is None else each.model_copy(update={"enabled": True})


def _far(what: TerminationProgressEvent, per_cent: float) -> set[str]:
    """The conditions that are so far, and not over."""
    return {
        "/".join((*what.path, condition.where, condition.unit))
        for condition in what.conditions
        if condition.limit and (condition.done or 0) * 100 >= per_cent * condition.limit
    }


def _nth(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
