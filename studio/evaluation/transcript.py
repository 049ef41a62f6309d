"""What happened in a finished run, as scorers read it: plain values taken from its log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import ModelUnavailable
from studio.runs import LogEntry, RunStatus
from studio.runs.comparing.steps import text_of
from studio.runs.journal.answers import REUSED
from studio.runs.state import RunState

USER = "user"
"""Who says the task."""
Ending = Literal["ended", "failed", "unavailable", "cut_short", "active"]
"""How a run ended: by itself; with an error of the team; because a model service did not answer; because a person or a
server stopped it; or not yet."""


@dataclass(frozen=True)
class Said:
    """A message of the conversation."""

    seq: int
    source: str
    text: str


@dataclass(frozen=True)
class ToolCall:
    """A tool call of the log. `arguments` are text where the model wrote no JSON."""

    seq: int
    source: str
    name: str
    arguments: JsonValue
    result: str | None = None
    """None where there is none in the log."""
    has_failed: bool = False

    @property
    def has_succeeded(self) -> bool:
        return self.result is not None and not self.has_failed


@dataclass(frozen=True)
class HandedOff:
    """One agent handed the conversation to another."""

    seq: int
    source: str
    target: str


@dataclass(frozen=True)
class ReusedAnswers:
    """What a run took over from another one, and what that would have cost now.

    Args:
        count: Answers of models and tools that were reused.
        asked: Model calls that were made anew.
        since: When the oldest of the answers was drawn.
    """

    count: int = 0
    asked: int = 0
    micro_usd: int = 0
    tokens: int = 0
    unpriced_calls: int = 0
    ms: int = 0
    since: datetime | None = None


NOTHING_REUSED = ReusedAnswers()


@dataclass(frozen=True)
class Transcript:
    """How a run ended and what its log says.

    Args:
        said: All messages, that of the task included, oldest first.
        calls: All tool calls but those that were handoffs.
        questions: The entries with which a person was asked.
        errors: What failed on the way: the entry, and a sentence.
        stopped_by: The conditions that stopped the team, in words.
        variables: The context variables at the end.
        reused: The answers of another run.
        replies: What the functions of scorers in Python said of it, by their source.
    """

    status: RunStatus
    started_at: datetime | None = None
    ended_at: datetime | None = None
    said: tuple[Said, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    handoffs: tuple[HandedOff, ...] = ()
    questions: tuple[int, ...] = ()
    errors: tuple[tuple[int, str], ...] = ()
    stopped_by: tuple[str, ...] = ()
    variables: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    model_failed: bool = False
    reused: ReusedAnswers = NOTHING_REUSED
    replies: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])

    @property
    def ending(self) -> Ending:
        state = self.status.state
        if state is RunState.FINISHED:
            return "ended"
        if state is RunState.FAILED:
            return "unavailable" if self.model_failed else "failed"
        return "cut_short" if state.is_final else "active"

    @property
    def detail(self) -> str:
        """Why it stopped or failed, as the run says."""
        return self.status.detail

    @cached_property
    def turns(self) -> tuple[Said, ...]:
        """What the participants said."""
        return tuple(each for each in self.said if each.source != USER)

    @property
    def seconds(self) -> float | None:
        """From its start to its end, and what reused answers took when they were drawn."""
        start, end = self.started_at, self.ended_at
        return (end - start).total_seconds() + self.reused.ms / 1000 if start and end else None

    @property
    def tokens(self) -> int:
        """Of all model calls, also of those whose answers were reused."""
        return self.status.usage.prompt_tokens + self.status.usage.completion_tokens + self.reused.tokens

    @property
    def micro_usd(self) -> int:
        """As `tokens`, in millionths of a dollar."""
        return self.status.usage.micro_usd + self.reused.micro_usd

    @property
    def unpriced_calls(self) -> int:
        """As `tokens`: how many calls have no known price."""
        return self.status.usage.unpriced_calls + self.reused.unpriced_calls


def read_transcript(
    status: RunStatus, started_at: datetime | None, ended_at: datetime | None, entries: Iterable[LogEntry]
) -> Transcript:
    """Take from a log what scorers look at. Entries that are not as the studio writes them are passed over."""
    reader = _Reader()
    for entry in entries:
        if entry.kind in ("message", "event", "explanation", "state"):
            reader.read(entry)
        elif entry.kind == "command":
            reader.read_command(entry)
        elif entry.kind == "effect" and reader.is_reusing:
            reader.read_effect(entry)
    return replace(reader.transcript(status), started_at=started_at, ended_at=ended_at)


class _Reader:
    """Collects what the entries say, one after the other."""

    def __init__(self) -> None:
        self._said: list[Said] = []
        self._calls: list[ToolCall] = []
        self._unanswered: dict[tuple[str, str], int] = {}
        self._handoffs: list[HandedOff] = []
        self._questions: list[int] = []
        self._errors: list[tuple[int, str]] = []
        self._stopped_by: list[str] = []
        self._variables: dict[str, JsonValue] = {}
        self._model_failed = False
        self.is_reusing = False
        self._reused = NOTHING_REUSED

    def read_command(self, entry: LogEntry) -> None:
        """The first one says whether the run reuses answers; other runs have effects that are not worth reading."""
        if entry.seq == 1:
            self.is_reusing = "reuse" in entry.body

    def read_effect(self, entry: LogEntry) -> None:
        body, total = entry.body, self._reused
        origin = body.get(REUSED)
        if isinstance(origin, dict):
            self._reused = _with_answer(total, origin)
        elif body.get("effect") == "model":
            self._reused = replace(total, asked=total.asked + 1)

    def read(self, entry: LogEntry) -> None:
        body = entry.body
        kind, source = str(body.get("type", "")), str(body.get("source", ""))
        if entry.kind == "message":
            self._said.append(Said(entry.seq, source, text_of(body)))
            if kind == "HandoffMessage":
                self._hand_off(entry.seq, source, body)
        elif entry.kind == "state":
            error = body.get("error")
            self._model_failed = isinstance(error, dict) and error.get("code") == ModelUnavailable.code
        elif kind == "ToolCallRequestEvent":
            self._request(entry.seq, source, body)
        elif kind == "ToolCallExecutionEvent":
            self._answer(entry.seq, source, body)
        elif kind == "UserInputRequestedEvent":
            self._questions.append(entry.seq)
        elif kind == "TerminationProgressEvent":
            self._stop(body)
        elif kind == "ContextVariablesEvent":
            self._set_variables(body)

    def transcript(self, status: RunStatus) -> Transcript:
        return Transcript(
            status=status,
            said=tuple(self._said),
            calls=tuple(self._calls),
            handoffs=tuple(self._handoffs),
            questions=tuple(self._questions),
            errors=tuple(self._errors),
            stopped_by=tuple(self._stopped_by),
            variables=self._variables,
            model_failed=self._model_failed,
            reused=self._reused,
        )

    def _request(self, seq: int, source: str, body: JsonObject) -> None:
        for call in _objects(body.get("content")):
            self._unanswered[source, str(call.get("id", ""))] = len(self._calls)
            self._calls.append(ToolCall(seq, source, str(call.get("name", "")), _parsed(call.get("arguments"))))

    def _answer(self, seq: int, source: str, body: JsonObject) -> None:
        for result in _objects(body.get("content")):
            place = self._unanswered.pop((source, str(result.get("call_id", ""))), None)
            text, has_failed = str(result.get("content", "")), result.get("is_error") is True
            if place is not None:
                self._calls[place] = replace(self._calls[place], result=text, has_failed=has_failed)
            if has_failed:
                self._errors.append((seq, f"{result.get('name', 'A tool')} failed: {text[:200]}"))

    def _hand_off(self, seq: int, source: str, body: JsonObject) -> None:
        """A handoff is made by a tool call whose result is its message."""
        self._handoffs.append(HandedOff(seq, source, str(body.get("target", ""))))
        text = body.get("content")
        for place in reversed(range(len(self._calls))):
            if self._calls[place].source == source and self._calls[place].result == text:
                del self._calls[place]
                self._unanswered.clear()  # its places have moved; the calls of a turn are answered before its message
                return

    def _stop(self, body: JsonObject) -> None:
        if body.get("path"):  # of a nested team
            return
        for condition in _objects(body.get("conditions")):
            if condition.get("has_fired") is True:
                self._stopped_by.append(str(condition.get("in_words", "")))

    def _set_variables(self, body: JsonObject) -> None:
        content, removed = body.get("content"), body.get("removed")
        self._variables.update(content if isinstance(content, dict) else {})
        for name in removed if isinstance(removed, list) else []:
            self._variables.pop(str(name), None)


def _with_answer(total: ReusedAnswers, origin: JsonObject) -> ReusedAnswers:
    """The sum with an answer that says where it came from."""
    found = origin.get("spent")
    spent = found if isinstance(found, dict) else {}
    try:
        at = datetime.fromisoformat(str(origin.get("at")))
    except ValueError:
        at = None
    known = [each for each in (total.since, at) if each is not None and each.tzinfo is not None]
    return ReusedAnswers(
        count=total.count + 1,
        asked=total.asked,
        micro_usd=total.micro_usd + _count(spent, "micro_usd"),
        tokens=total.tokens + _count(spent, "prompt_tokens") + _count(spent, "completion_tokens"),
        unpriced_calls=total.unpriced_calls + ("micro_usd" in spent and spent["micro_usd"] is None),
        ms=total.ms + _count(spent, "ms"),
        since=min(known, default=None),
    )


def _count(spent: JsonObject, name: str) -> int:
    value = spent.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def _objects(value: JsonValue) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _parsed(arguments: JsonValue) -> JsonValue:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
