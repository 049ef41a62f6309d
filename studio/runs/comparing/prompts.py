"""The exact prompt of a model call: what it holds, what fills the context window, and what is new in it. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, cast

from pydantic import JsonValue

from studio.effects import canonical_json, sha256_hex
from studio.models.base import BYTES_PER_TOKEN, TOKENS_PER_IMAGE, TOKENS_PER_MESSAGE
from studio.models.info import context_tokens
from studio.runs.comparing.alignment import Row, align
from studio.runs.comparing.steps import RunStep, text_of
from studio.runs.journal.log import JsonObject

PartKind = Literal["system", "tools", "memory", "history", "results", "format"]
PARTS: dict[PartKind, str] = {
    "system": "System message",
    "tools": "Tools",
    "memory": "Memory",
    "history": "Conversation",
    "results": "Tool results",
    "format": "Answer format",
}
"""In the order in which they are shown."""
REMINDER = "\nRelevant memory content"
"""How the text of most memories begins; one that stands before everything else is told by it."""


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt. `role` is system, user, assistant or tool."""

    role: str
    source: str
    text: str
    part: PartKind
    token_count: int


@dataclass(frozen=True, slots=True)
class ToolShown:
    """A tool that the model was told of."""

    name: str
    description: str
    schema: JsonObject
    token_count: int

    @property
    def schema_text(self) -> str:
        return json.dumps(self.schema, indent=2, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Share:
    """What one sort of content takes of the context window."""

    part: PartKind
    name: str
    count: int
    """Messages or tools."""
    token_count: int


@dataclass(frozen=True)
class PromptView:
    """A prompt in parts. Tokens are estimates of the same rule by which contexts are trimmed.

    `limit` is the length of the model's context; None where nobody knows the model.
    """

    model: str
    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolShown, ...]
    shares: tuple[Share, ...]
    limit: int | None

    @property
    def token_count(self) -> int:
        return sum(share.token_count for share in self.shares)


def view_of(body: JsonValue) -> PromptView:
    """Take the body of a model request apart, as `ModelCall.as_json` made it."""
    request = body if isinstance(body, dict) else {}
    messages = tuple(_messages(_listed(request.get("messages"))))
    tools = tuple(_tool(schema) for schema in _listed(request.get("tools")))
    settings = request.get("client")
    model = str(settings.get("model") or "") if isinstance(settings, dict) else ""
    wanted = request.get("json_output")
    format_tokens = _tokens_of(canonical_json(wanted)) if isinstance(wanted, dict) else 0
    shares = tuple(_shares(messages, tools, format_tokens))
    return PromptView(model, messages, tools, shares, context_tokens(model) if model else None)


def changes(before: PromptView, after: PromptView) -> list[Row]:
    """The messages and tools of two prompts of one agent, aligned: what came in, went out and was changed."""
    return align(list(_entries(before)), list(_entries(after)))


def _entries(view: PromptView) -> Iterator[RunStep]:
    at = datetime(1970, 1, 1, tzinfo=UTC)
    for number, tool in enumerate(view.tools, 1):
        text = f"{tool.name}: {tool.description}\n{json.dumps(tool.schema, ensure_ascii=False)}"
        yield RunStep(number, at, tool.name, "tool", text, sha256_hex(text))
    for number, message in enumerate(view.messages, 1 + len(view.tools)):
        source = message.source or message.role
        yield RunStep(number, at, source, message.part, message.text, sha256_hex(message.text))


def _shares(messages: Sequence[PromptMessage], tools: Sequence[ToolShown], format_tokens: int) -> Iterator[Share]:
    for part, name in PARTS.items():
        if part == "format":
            count, tokens = int(format_tokens > 0), format_tokens
        elif part == "tools":
            count, tokens = len(tools), sum(tool.token_count for tool in tools)
        else:
            those = [message for message in messages if message.part == part]
            count, tokens = len(those), sum(message.token_count for message in those)
        if count:
            yield Share(part, name, count, tokens)


def _messages(bodies: Sequence[JsonObject]) -> Iterator[PromptMessage]:
    is_head = True
    for body in bodies:
        kind = str(body.get("type", ""))
        is_head = is_head and kind == "SystemMessage"
        yield PromptMessage(
            role=_ROLES.get(kind, "user"),
            source=str(body.get("source") or ""),
            text=_text(body),
            part=_part(body, kind, is_head),
            token_count=_message_tokens(body),
        )


_ROLES = {
    "SystemMessage": "system",
    "UserMessage": "user",
    "AssistantMessage": "assistant",
    "FunctionExecutionResultMessage": "tool",
}


def _part(body: JsonObject, kind: str, is_head: bool) -> PartKind:
    if kind == "FunctionExecutionResultMessage":
        return "results"
    if kind != "SystemMessage":
        return "history"
    return "system" if is_head and not str(body.get("content", "")).startswith(REMINDER) else "memory"


def _text(body: JsonObject) -> str:
    thought = body.get("thought")
    said = text_of(body)
    return f"[thought] {thought}\n{said}" if isinstance(thought, str) and thought else said


def _tool(schema: JsonObject) -> ToolShown:
    parameters = schema.get("parameters")
    return ToolShown(
        name=str(schema.get("name", "")),
        description=str(schema.get("description", "")),
        schema=parameters if isinstance(parameters, dict) else {},
        token_count=_tokens_of(canonical_json(schema)),
    )


def _message_tokens(body: JsonObject) -> int:
    """As `ChatCompletionClient.count_tokens`, over JSON."""
    content = body.get("content")
    if isinstance(content, str):
        return TOKENS_PER_MESSAGE + _tokens_of(content)
    parts = content if isinstance(content, list) else []
    return TOKENS_PER_MESSAGE + sum(TOKENS_PER_IMAGE if _is_picture(part) else _part_tokens(part) for part in parts)


def _part_tokens(part: JsonValue) -> int:
    if isinstance(part, str):
        return _tokens_of(part)
    return _tokens_of(json.dumps(part, ensure_ascii=False, separators=(",", ":")))


def _is_picture(part: JsonValue) -> bool:
    return isinstance(part, dict) and len(part) == 1 and "data" in part


def _tokens_of(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


def _listed(value: JsonValue) -> list[JsonObject]:
    return [cast("JsonObject", item) for item in value if isinstance(item, dict)] if isinstance(value, list) else []
