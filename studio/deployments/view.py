"""What callers see of a run: an allow-list, and the only one. Protocols rename these events and add nothing.

The entries of a log hold prompts, tool calls, the words of all agents, and errors in the words of their libraries. What
is not named here stays inside.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, JsonValue

from studio.components import JsonObject
from studio.components.templates import fill_in
from studio.deployments.settings import DeploymentSettings
from studio.errors import ConfigError
from studio.runs import EntryKind, LogEntry, RunState
from studio.runs.middleware.budget import BUDGET_EXCEEDED

VIEWED: frozenset[EntryKind] = frozenset({"message", "event", "state"})
"""The kinds of entries that a view is made from."""
ANSWERS = frozenset({"TextMessage", "MultiModalMessage"})
STRUCTURED = "StructuredMessage["
"""How the type of a message begins whose content follows a schema; the name of the schema follows."""
TOOL_ANSWER = "ToolCallSummaryMessage"
PERSON = "user"
"""The source of the task, and of what a person says to a team meanwhile."""


class CallState(StrEnum):
    """Where a call is, as its caller sees it: a pause by an operator only takes longer."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    FINISHED = "finished"
    STOPPED = "stopped"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        return self not in (CallState.QUEUED, CallState.RUNNING, CallState.WAITING)


class _Seen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Question(_Seen):
    """What a call waits for. Only one that is `for` the caller has an ID, and words."""

    to: Literal["caller", "operator"]
    id: str = ""
    prompt: str = ""
    choices: Sequence[JsonValue] = ()
    answer_schema: JsonObject | None = None


class Failure(_Seen):
    """Why a call has no answer, in the studio's own words."""

    code: str
    message: str


FOR_OPERATOR = Question(to="operator")
FAILURES = {
    BUDGET_EXCEEDED: Failure(code=BUDGET_EXCEEDED, message="The call reached a limit of this deployment and stopped."),
    "stopped": Failure(code="stopped", message="The call was stopped before it had an answer."),
    "cancelled": Failure(code="cancelled", message="The call was canceled."),
    "failed": Failure(code="run_failed", message="The team could not finish this call."),
}


class CallEvent(NamedTuple):
    """Something that a caller is told. `seq` is that of its entry in the log, and names the place in a stream."""

    seq: int
    name: Literal["running", "message", "waiting", "ended"]
    text: str = ""
    source: str = ""


class CallView:
    """A call as its log so far tells it; `fold` takes the entries in their order, from the first."""

    def __init__(self, settings: DeploymentSettings) -> None:
        self._settings = settings
        self._people = {PERSON}
        self._asked: set[str] = set()
        self.state = CallState.QUEUED
        self.answer = ""
        self.answer_data: JsonObject | None = None
        """The answer of an agent that answers by a schema."""
        self.question: Question | None = None
        self.failure: Failure | None = None
        self.last_seq = 0
        self.changed_at: datetime | None = None

    @property
    def has_answer(self) -> bool:
        """Whether there is nothing to wait for but the caller's own answer."""
        return self.state.is_final or (self.question is not None and self.question.to == "caller")

    def fold(self, entry: LogEntry) -> CallEvent | None:
        """Take in one entry; what callers are told of it."""
        self.last_seq, self.changed_at = entry.seq, entry.at
        if entry.kind == "state":
            return self._change_state(entry.seq, entry.body)
        if entry.kind == "event" and (body := entry.body).get("type") == "UserInputRequestedEvent":
            self._people.add(str(body.get("source")))  # what it says next are a person's words
            self._asked.add(str(body.get("request_id")))
        if entry.kind == "message":
            return self._take_message(entry.seq, entry.body)
        return None

    def _take_message(self, seq: int, body: JsonObject) -> CallEvent | None:
        kind, source = str(body.get("type")), str(body.get("source"))
        is_structured = kind.startswith(STRUCTURED)
        is_answer = is_structured or kind in ANSWERS or (kind == TOOL_ANSWER and self._settings.tool_results)
        if not is_answer or source in self._people:
            return None
        content = body.get("content")
        text = _shown(content, body.get("format_string")) if is_structured else _text_of(content)
        if self._settings.answer_from in ("", source):
            self.answer = text
            self.answer_data = content if is_structured and isinstance(content, dict) else None
        return CallEvent(seq, "message", text, source) if self._settings.sees == "messages" else None

    def _change_state(self, seq: int, body: JsonObject) -> CallEvent | None:
        before = self.state, self.question
        self.state, self.question, self.failure = _as_seen(body, self._asked)
        if (self.state, self.question) == before:
            return None
        if self.state.is_final:
            return CallEvent(seq, "ended")
        return CallEvent(seq, "waiting" if self.state is CallState.WAITING else "running")


def _as_seen(body: JsonObject, asked: Collection[str]) -> tuple[CallState, Question | None, Failure | None]:
    """Of a `state` entry: anything that this does not know is told as a failure without a reason.

    Args:
        body: What the entry says.
        asked: IDs of the questions that agents have asked a person.
    """
    state = body.get("state")
    if state == RunState.FINISHED:
        return CallState.FINISHED, None, None
    if state == RunState.RUNNING:
        return CallState.RUNNING, None, None
    if state == RunState.PAUSED:
        question = _question(body.get("pending"), asked)
        return (CallState.WAITING if question else CallState.RUNNING), question, None
    if state == RunState.CANCELLED:
        return CallState.CANCELLED, None, FAILURES["cancelled"]
    if state == RunState.STOPPED:
        error = body.get("error")
        code = BUDGET_EXCEEDED if isinstance(error, dict) and error.get("code") == BUDGET_EXCEEDED else "stopped"
        return CallState.STOPPED, None, FAILURES[code]
    return CallState.FAILED, None, FAILURES["failed"]


def _question(pending: JsonValue, asked: Collection[str]) -> Question | None:
    """Only what an agent asks its person goes to callers. Operators get what the studio asks, or a tool's server."""
    if not isinstance(pending, dict):
        return None
    if pending.get("kind", "input") != "input" or pending.get("request_id") not in asked:
        return FOR_OPERATOR
    details = pending.get("details")
    details = details if isinstance(details, dict) else {}
    choices, schema = details.get("choices"), details.get("schema")
    return Question(
        to="caller",
        id=str(pending.get("request_id", "")),
        prompt=str(pending.get("prompt", "")),
        choices=choices if isinstance(choices, list) else (),
        answer_schema=schema if isinstance(schema, dict) else None,
    )


def _shown(content: JsonValue, template: JsonValue) -> str:
    """A structured answer in the words that its agent has for it, or as JSON."""
    if isinstance(content, dict) and isinstance(template, str):
        with suppress(ConfigError):
            return fill_in(template, "format_string", **content)
    return _text_of(content)


def _text_of(content: JsonValue) -> str:
    """The words of a message; of several parts those that are text, of an object its JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part for part in content if isinstance(part, str))
    return json.dumps(content, ensure_ascii=False)
