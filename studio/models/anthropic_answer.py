"""What Anthropic's service answers, whole or in pieces, as a `CreateResult`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from studio.components import JsonObject
from studio.messages import CreateResult, FinishReasons, FunctionCall, RequestUsage
from studio.models.service_errors import cut_short, no_answer
from studio.models.thought import ThoughtFrame

if TYPE_CHECKING:
    from anthropic.types import Message

Event = Mapping[str, Any]
"""A piece of a streamed answer, or a part of one, as its JSON has it: to make the SDK's objects of each word of an
answer takes longer than all that is done with the word."""

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
    usage = message.usage.model_dump() if message.usage else None
    return Answer(blocks, message.stop_reason, _usage(usage))


@dataclass
class AnswerFold:
    """Takes the pieces of a streamed answer and makes the whole of them."""

    answer: Answer = field(default_factory=Answer)
    frame: ThoughtFrame = field(default_factory=ThoughtFrame)

    def add(self, event: Event) -> Iterator[str]:
        """Take one event; gives the text to show at once."""
        kind = event.get("type")
        if kind == "content_block_delta":
            yield from self._add_delta(event["delta"])
        elif kind == "message_start":
            self.answer.usage = _usage(event["message"].get("usage"))
        elif kind == "content_block_start":
            block = {name: value for name, value in event["content_block"].items() if value is not None}
            self.answer.blocks.append({**block, "json": ""} if block.get("type") == "tool_use" else block)
        elif kind == "message_delta":
            self.answer.stop_reason = event["delta"].get("stop_reason") or self.answer.stop_reason
            self.answer.usage = _updated(self.answer.usage, event.get("usage"))

    def _add_delta(self, delta: Event) -> Iterator[str]:
        block = self.answer.blocks[-1] if self.answer.blocks else {}
        if delta.get("type") == "input_json_delta":
            block["json"] = str(block.get("json", "")) + str(delta["partial_json"])
            return
        name = _DELTAS.get(str(delta.get("type")))
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


def _usage(usage: Event | None) -> RequestUsage:
    if not usage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)
    read = usage.get("cache_read_input_tokens") or 0
    return RequestUsage(
        prompt_tokens=(usage.get("input_tokens") or 0) + (usage.get("cache_creation_input_tokens") or 0) + read,
        completion_tokens=usage.get("output_tokens") or 0,
        cached_tokens=read,
    )


def _updated(usage: RequestUsage, delta: Event | None) -> RequestUsage:
    """The counts of a delta are totals, not additions."""
    completion = (delta or {}).get("output_tokens")
    return usage.model_copy(update={"completion_tokens": completion or usage.completion_tokens})
