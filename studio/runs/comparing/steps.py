"""What was done in a run, one act after the other, in the words and numbers by which two runs can be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from pydantic import JsonValue

from studio.effects import sha256_hex
from studio.runs.journal.log import JsonObject, LogEntry

NOUNS = {
    "TextMessage": "message",
    "MultiModalMessage": "message",
    "StopMessage": "stop",
    "HandoffMessage": "handoff",
    "ToolCallSummaryMessage": "tool summary",
    "ToolCallRequestEvent": "tool call",
    "ToolCallExecutionEvent": "tool result",
    "CodeGenerationEvent": "code",
    "CodeExecutionEvent": "code result",
    "UserInputRequestedEvent": "question",
    "MemoryQueryEvent": "memory",
    "ThoughtEvent": "thought",
    "ContextVariablesEvent": "variables",
    "SelectSpeakerEvent": "next speaker",
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SHOWN_FIELDS = ("content", "results", "target", "result", "context", "removed", "guardrail", "tool", "name")
"""What a step says beside its text. Ids, times and the tokens differ in any two runs."""


@dataclass(frozen=True)
class RunStep:
    """A message or event of a run. `seconds` is how long after the step before it came."""

    seq: int
    at: datetime
    source: str
    type: str
    text: str
    what: str
    """Equal for steps that say the same."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, str]:
        """Who did what sort of thing."""
        return self.source, self.type

    @property
    def noun(self) -> str:
        return noun_of(self.type)

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @cached_property
    def words(self) -> frozenset[str]:
        """The first words of the text, to tell how alike two steps are."""
        return frozenset(self.text[:2_000].split())


def noun_of(message_type: str) -> str:
    """The sort of message or event in words."""
    if message_type.startswith("StructuredMessage"):
        return "message"
    plain = re.sub(r"(Event|Message)$", "", message_type)
    return NOUNS.get(message_type) or _CAMEL.sub(" ", plain).lower() or "event"


def steps_in(entries: Iterable[LogEntry]) -> list[RunStep]:
    """The messages and events of a log, oldest first; all other entries are passed over."""
    return list(_steps(entries))


def _steps(entries: Iterable[LogEntry]) -> Iterator[RunStep]:
    before: datetime | None = None
    for entry in entries:
        if entry.kind not in ("message", "event"):
            continue
        seconds = max(0.0, (entry.at - before).total_seconds()) if before else 0.0
        before = entry.at
        yield _step(entry, seconds)


def _step(entry: LogEntry, seconds: float) -> RunStep:
    body = entry.body
    usage = body.get("models_usage")
    used = usage if isinstance(usage, dict) else {}
    return RunStep(
        seq=entry.seq,
        at=entry.at,
        source=str(body.get("source", "")),
        type=str(body.get("type", "")),
        text=text_of(body),
        what=_what(body),
        prompt_tokens=_count(used.get("prompt_tokens")),
        completion_tokens=_count(used.get("completion_tokens")),
        seconds=seconds,
    )


def _what(body: JsonObject) -> str:
    shown: JsonObject = {key: value for key in _SHOWN_FIELDS if (value := body.get(key)) is not None}
    if len(shown) == 1 and isinstance(content := shown.get("content"), str):
        return content  # most say nothing else
    return sha256_hex(json.dumps(_without_ids(shown), sort_keys=True))


def text_of(body: JsonObject) -> str:
    """What a message or event says, as text for a person; pictures by the start of their hash."""
    content = body.get("content")
    if content is None and isinstance(result := body.get("result"), dict):
        return str(result.get("output", ""))
    if isinstance(content, str):
        return content
    parts: list[JsonValue] = content if isinstance(content, list) else [content]
    return "\n".join(_part(part) for part in parts)


def _part(part: JsonValue) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return json.dumps(part, ensure_ascii=False)
    if isinstance(data := part.get("data"), str) and len(part) == 1:
        return f"[picture {sha256_hex(data)[:8]}]"
    if isinstance(arguments := part.get("arguments"), str):
        return f"{part.get('name')}({_settled(arguments)})"
    if "call_id" in part or "mime_type" in part:
        said = part.get("content")
        name = f"{part['name']}: " if part.get("name") else ""
        return name + (said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
    return json.dumps(part, ensure_ascii=False, indent=2)


def _without_ids(value: JsonValue) -> JsonValue:
    """The value without the ids of tool calls, which are made anew each time, and with arguments in one spelling."""
    if isinstance(value, list):
        return [_without_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "arguments" in value and "id" in value:
        value = {**value, "arguments": _settled(str(value["arguments"]))}
    return {key: _without_ids(item) for key, item in value.items() if key not in ("id", "call_id")}


def _settled(arguments: str) -> str:
    """JSON in one spelling; other text as it is."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def _count(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
