"""What an OpenAI-compatible service answers, whole or in pieces, as a `CreateResult`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from studio.components.readable_json import usable_name
from studio.messages import CreateResult, FinishReasons, FunctionCall, RequestUsage
from studio.messages.llm import ChatCompletionTokenLogprob, TopLogprob
from studio.models.service_errors import cut_short, no_answer
from studio.models.thought import ThoughtFrame, split_thought

if TYPE_CHECKING:
    from openai.types import CompletionUsage
    from openai.types.chat import ChatCompletion
    from openai.types.chat import ChatCompletionTokenLogprob as OpenAITokenLogprob

Piece = Mapping[str, Any]
"""A piece of a streamed answer, or a part of one, as its JSON has it: to make the SDK's objects of each word of an
answer takes longer than all that is done with the word."""

_FINISH: dict[str, FinishReasons] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "function_calls",
    "function_call": "function_calls",
    "end_turn": "stop",
    "tool_use": "function_calls",
}
_NO_USAGE = RequestUsage(prompt_tokens=0, completion_tokens=0)


def result_from(completion: ChatCompletion) -> CreateResult:
    """The answer of a call that was not streamed.

    Raises:
        ModelUnavailable: The service answered, but said nothing.
    """
    choices = cast("Sequence[object] | None", completion.choices)
    if not choices:
        raise no_answer()
    choice = completion.choices[0]
    message = choice.message
    thought = _reasoning_of(message)
    text = message.content or ""
    calls = [
        FunctionCall(id=call.id, name=usable_name(call.function.name), arguments=_as_text(call.function.arguments))
        for call in message.tool_calls or ()
        if call.type == "function"
    ]
    logprobs = choice.logprobs.content if choice.logprobs else None
    return _assemble(text, calls, thought, choice.finish_reason, _usage(completion.usage), _logprobs(logprobs))


@dataclass
class Fold:
    """Takes the pieces of a streamed answer and makes the whole of them.

    Reasoning that the service sends apart from the text is passed on between `<think>` and `</think>`, as AutoGen does.
    """

    text: list[str] = field(default_factory=list[str])
    reasoning: list[str] = field(default_factory=list[str])
    calls: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    logprobs: list[ChatCompletionTokenLogprob] = field(default_factory=list[ChatCompletionTokenLogprob])
    finish_reason: str | None = None
    usage: RequestUsage = _NO_USAGE
    frame: ThoughtFrame = field(default_factory=ThoughtFrame)

    def add(self, chunk: Piece) -> Iterator[str]:
        """Take one piece; gives the text to show at once."""
        if usage := chunk.get("usage"):
            self.usage = _usage_in(usage)
        for choice in (chunk.get("choices") or ())[:1]:
            yield from self._add_choice(choice)

    def _add_choice(self, choice: Piece) -> Iterator[str]:
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        if logprobs := choice.get("logprobs"):
            self.logprobs += _logprobs_in(logprobs)
        delta: Piece | None = choice.get("delta")
        if not delta:
            return
        if reasoning := _reasoning_in(delta):
            self.reasoning.append(reasoning)
            yield from self.frame.thought(reasoning)
        if content := delta.get("content"):
            self.text.append(content)
            yield from self.frame.text(content)
        for call in delta.get("tool_calls") or ():
            self._add_call(call)

    def end_thought(self) -> Iterator[str]:
        """Close the frame around the reasoning, if it is open."""
        yield from self.frame.end()

    def _add_call(self, piece: Piece) -> None:
        call = self.calls.setdefault(piece.get("index") or 0, ["", "", ""])
        call[0] += piece.get("id") or ""
        if function := piece.get("function"):
            call[1] += function.get("name") or ""
            call[2] += function.get("arguments") or ""

    def result(self) -> CreateResult:
        """The whole answer.

        Raises:
            ModelUnavailable: The stream ended before the service said that it was complete.
        """
        if self.finish_reason is None:
            raise no_answer() if not self.text and not self.calls else cut_short()
        calls = [
            FunctionCall(id=call_id, name=usable_name(name), arguments=arguments)
            for _, (call_id, name, arguments) in sorted(self.calls.items())
        ]
        thought = "".join(self.reasoning) or None
        return _assemble("".join(self.text), calls, thought, self.finish_reason, self.usage, self.logprobs or None)


def _assemble(
    text: str,
    calls: list[FunctionCall],
    thought: str | None,
    finish_reason: str,
    usage: RequestUsage,
    logprobs: list[ChatCompletionTokenLogprob] | None,
) -> CreateResult:
    if calls:
        # Some services say "stop" beside tool calls; the calls themselves are the better witness.
        reason: FinishReasons = "function_calls"
        content: str | list[FunctionCall] = calls
        thought = text or thought
    else:
        reason = _FINISH.get(finish_reason, "unknown")
        inline, content = split_thought(text)
        thought = thought or inline
    return CreateResult(
        finish_reason=reason, content=content, usage=usage, cached=False, logprobs=logprobs, thought=thought
    )


def _reasoning_of(message: object) -> str | None:
    """What the SDK keeps as an extra field of a message."""
    return _reasoning_in(cast("Piece", getattr(message, "model_extra", None) or {}))


def _reasoning_in(fields: Piece) -> str | None:
    """DeepSeek, vLLM and others send `reasoning_content`, some `reasoning`."""
    found = fields.get("reasoning_content") or fields.get("reasoning")
    return found if isinstance(found, str) else None


def _as_text(arguments: object) -> str:
    """Arguments are text by the API, but some services send an object."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _usage(usage: CompletionUsage | None) -> RequestUsage:
    # Compatible services leave fields out or null them, whatever the SDK's types say.
    prompt = cast("int | None", usage.prompt_tokens) if usage else 0
    completion = cast("int | None", usage.completion_tokens) if usage else 0
    details = usage.prompt_tokens_details if usage else None
    cached = details.cached_tokens if details else None
    return RequestUsage(prompt_tokens=prompt or 0, completion_tokens=completion or 0, cached_tokens=cached or 0)


def _usage_in(piece: Piece) -> RequestUsage:
    from openai.types import CompletionUsage

    return _usage(CompletionUsage.construct(**piece))


def _logprobs_in(piece: Piece) -> list[ChatCompletionTokenLogprob]:
    from openai.types.chat.chat_completion_chunk import ChoiceLogprobs

    return _logprobs(ChoiceLogprobs.construct(**piece).content) or []


def _logprobs(content: Sequence[OpenAITokenLogprob] | None) -> list[ChatCompletionTokenLogprob] | None:
    if not content:
        return None
    return [
        ChatCompletionTokenLogprob(
            token=item.token,
            logprob=item.logprob,
            top_logprobs=[TopLogprob(logprob=top.logprob, bytes=top.bytes) for top in item.top_logprobs],
            bytes=item.bytes,
        )
        for item in content
    ]
