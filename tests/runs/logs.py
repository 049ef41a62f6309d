"""Logs as tests write them down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from studio.components import JsonObject
from studio.runs import LogEntry

STARTED = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def text(source: str, content: str) -> JsonObject:
    return {"type": "TextMessage", "source": source, "content": content, "id": f"{source}-{content}"}


def call(source: str, name: str, arguments: str, call_id: str = "call-1") -> JsonObject:
    wish: JsonValue = {"id": call_id, "name": name, "arguments": arguments}
    return {"type": "ToolCallRequestEvent", "source": source, "content": [wish]}


def log_of(*bodies: JsonObject) -> list[LogEntry]:
    """A log with one message or event each second."""
    return list(_entries(bodies))


def said(*lines: str) -> list[LogEntry]:
    """A log of texts, each `source: text`."""
    return log_of(*(text(*line.split(": ", 1)) for line in lines))


def _entries(bodies: Sequence[JsonObject]) -> Iterator[LogEntry]:
    for seq, body in enumerate(bodies, 1):
        kind = "event" if str(body["type"]).endswith("Event") else "message"
        yield LogEntry("run", seq, STARTED + timedelta(seconds=seq), kind, body)
