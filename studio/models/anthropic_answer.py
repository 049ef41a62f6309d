"""What Anthropic's service answers, whole or in pieces, as a `CreateResult`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from studio.components import JsonObject
from studio.messages import CreateResult, FinishReasons, FunctionCall, RequestUsage
from studio.models.service_errors import cut_short, no_answer
from studio.models.thought import ThoughtFrame

if TYPE_CHECKING:
    from anthropic.types import (
        Message,
        MessageDeltaUsage,
        RawContentBlockDeltaEvent,
        RawMessageStreamEvent,
        Usage,
    )

_FINISH: dict[str, FinishReasons] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "function_calls",
    "refusal": "content_filter",
}
_DELTAS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""Which field of its block a delta adds to, and its own field of the same name."""


@dataclass
class Answer:
    """The content blocks of an answer, and how it ended."""

    blocks: list[JsonObject] = field(default_factory=list[JsonObject])
    stop_reason: str | None = None
    usage: RequestUsage = field(default_factory=lambda: RequestUsage(prompt_tokens=0, completion_tokens=0))

    def text_of(self, kind: str, name: str) -> str:
        return "".join(str(block.get(name) or "") for block in self.blocks if block.get("type") == kind)

    def result(self) -> CreateResult:
        """The whole answer.

        Raises:
            ModelUnavailable: The service did not say that it was complete.
        """
        if self.stop_reason is None:
            raise cut_short() if self.blocks else no_answer()
        text, thought = self.text_of("text", "text"), self.text_of("thinking", "thinking")
        calls = [_call(block) for block in self.blocks if block.get("type") == "tool_use"]
        return CreateResult(
            finish_reason="function_calls" if calls else _FINISH.get(self.stop_reason, "unknown"),
            content=calls or text,
            usage=self.usage,
            cached=False,
            thought=(text or thought if calls else thought) or None,
        )

    def signed_thoughts(self) -> list[JsonObject]:
        """What came before the tool calls, when it was signed; the service wants it back with their results."""
        before = [block for block in self.blocks if block.get("type") != "tool_use"]
        is_signed = any(block.get("signature") or block.get("type") == "redacted_thinking" for block in before)
        return before if is_signed else []


def whole_answer(message: Message) -> Answer:
    """The answer of a call that was not streamed."""
    blocks = [cast("JsonObject", block.model_dump(mode="json", exclude_none=True)) for block in message.content or ()]
    return Answer(blocks, message.stop_reason, _usage(message.usage))


@dataclass
class AnswerFold:
    """Takes the pieces of a streamed answer and makes the whole of them."""

    answer: Answer = field(default_factory=Answer)
    frame: ThoughtFrame = field(default_factory=ThoughtFrame)

    def add(self, event: RawMessageStreamEvent) -> Iterator[str]:
        """Take one event; gives the text to show at once."""
        if event.type == "message_start":
            self.answer.usage = _usage(event.message.usage)
        elif event.type == "content_block_start":
            block = cast("JsonObject", event.content_block.model_dump(mode="json", exclude_none=True))
            self.answer.blocks.append({**block, "json": ""} if block["type"] == "tool_use" else block)
        elif event.type == "content_block_delta":
            yield from self._add_delta(event)
        elif event.type == "message_delta":
            self.answer.stop_reason = event.delta.stop_reason or self.answer.stop_reason
            self.answer.usage = _updated(self.answer.usage, event.usage)

    def _add_delta(self, event: RawContentBlockDeltaEvent) -> Iterator[str]:
        delta = cast("JsonObject", event.delta.model_dump(mode="json"))
        block = self.answer.blocks[-1] if self.answer.blocks else {}
        if delta["type"] == "input_json_delta":
            block["json"] = str(block.get("json", "")) + str(delta["partial_json"])
            return
        name = _DELTAS.get(str(delta["type"]))
        if name is None:
            return
        piece = str(delta[name])
        block[name] = str(block.get(name) or "") + piece
        if name == "text" and piece:
            yield from self.frame.text(piece)
        elif name == "thinking" and piece:
            yield from self.frame.thought(piece)


def _call(block: JsonObject) -> FunctionCall:
    # A streamed call has its arguments in pieces of JSON; one without arguments has no pieces.
    arguments = str(block.get("json") or "") or json.dumps(block.get("input") or {})
    return FunctionCall(id=str(block["id"]), name=str(block["name"]), arguments=arguments)


def _usage(usage: Usage | None) -> RequestUsage:
    if usage is None:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)
    read = usage.cache_read_input_tokens or 0
    return RequestUsage(
        prompt_tokens=(usage.input_tokens or 0) + (usage.cache_creation_input_tokens or 0) + read,
        completion_tokens=usage.output_tokens or 0,
        cached_tokens=read,
    )


def _updated(usage: RequestUsage, delta: MessageDeltaUsage | None) -> RequestUsage:
    """The counts of a delta are totals, not additions."""
    completion = delta.output_tokens if delta else None
    return usage.model_copy(update={"completion_tokens": completion or usage.completion_tokens})
