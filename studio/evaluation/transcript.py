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
class Transcript:
    """How a run ended and what its log says.

    Args:
        said: All messages, that of the task included, oldest first.
        calls: All tool calls but those that were handoffs.
        questions: The entries with which a person was asked.
        errors: What failed on the way: the entry, and a sentence.
        stopped_by: The conditions that stopped the team, in words.
        variables: The context variables at the end.
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
        start, end = self.started_at, self.ended_at
        return (end - start).total_seconds() if start and end else None


def read_transcript(
    status: RunStatus, started_at: datetime | None, ended_at: datetime | None, entries: Iterable[LogEntry]
) -> Transcript:
    """Take from a log what scorers look at. Entries that are not as the studio writes them are passed over."""
    reader = _Reader()
    for entry in entries:
        if entry.kind in ("message", "event", "explanation", "state"):
            reader.read(entry)
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


def _objects(value: JsonValue) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _parsed(arguments: JsonValue) -> JsonValue:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
