"""Finished runs as tests of scorers write them down."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pydantic import JsonValue

from studio.components import JsonObject
from studio.evaluation.suites import Case, RunScore, Suite, score_run
from studio.evaluation.transcript import Transcript, read_transcript
from studio.runs import LogEntry, RunStatus
from studio.runs.state import RunState
from tests.runs.logs import STARTED, call, log_of, text

FINISHED = RunStatus(state=RunState.FINISHED, reason="condition", detail="Maximum number of messages 4 reached")


def result(source: str, name: str, content: str, call_id: str = "call-1", *, is_error: bool = False) -> JsonObject:
    given: JsonValue = {"call_id": call_id, "name": name, "content": content, "is_error": is_error}
    return {"type": "ToolCallExecutionEvent", "source": source, "content": [given]}


def called(name: str, arguments: str = "{}", *, call_id: str = "call-1", is_error: bool = False) -> list[JsonObject]:
    """A tool call of the clerk, with its result."""
    return [
        call("clerk", name, arguments, call_id),
        result("clerk", name, f"result of {name}", call_id, is_error=is_error),
    ]


def ended(*bodies: JsonObject, status: RunStatus = FINISHED, entries: Sequence[LogEntry] = ()) -> Transcript:
    """A run of ten seconds with these messages and events."""
    return read_transcript(status, STARTED, STARTED + timedelta(seconds=10), [*log_of(*bodies), *entries])


def answered(answer: str) -> Transcript:
    """A run that ended with this answer of the writer."""
    return ended(text("user", "Write a label."), text("critic", "Go on."), text("writer", answer))


def judged(scorer: JsonValue, run: Transcript, **case: JsonValue) -> RunScore:
    """What one scorer, as suites write it, says of a run."""
    suite = Suite.model_validate({"suite": "test", "scorers": [scorer]})
    return score_run(suite, Case.model_validate({"task": "Write a label.", **case}), run)


def verdict(scorer: JsonValue, run: Transcript, **case: JsonValue) -> str:
    """Only its verdict."""
    return judged(scorer, run, **case).verdict
