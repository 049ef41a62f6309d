"""The scripted model: says what its author wrote, word by word if asked, and costs nothing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Self

from pydantic import Field, JsonValue, PrivateAttr, model_validator

from studio.components import JsonObject, Warn
from studio.errors import ModelRefused
from studio.messages import (
    MAX_TEXT,
    CreateResult,
    LLMMessage,
    RequestUsage,
    ToolSchema,
    count_words,
    digest_over,
    sum_over,
    text_answer,
    word_count,
)
from studio.models.base import ChatCompletionClient, HasSchema, ModelCall, Spent
from studio.models.coercion import complete_model_info
from studio.models.info import KnownInfo, ModelInfo
from studio.models.spending import TokenBound

TOTAL_TOKENS = 10_000
"""What AutoGen's client starts `remaining_tokens` from."""
WORDS_PER_WHOLE_REPLY = 10
"""A reply that is not streamed takes as long as so many words."""


class NoMoreReplies(ModelRefused, ValueError):
    """The script of a Replay client has come to its end."""

    code = "no_more_replies"


class ReplayChatCompletionClient(ChatCompletionClient):
    """Replies from a script, in order. For demos and tests, without a key or a network."""

    provider = "autogen_ext.models.replay.ReplayChatCompletionClient"
    keywords = "script mock fake test demo"
    aliases = (
        "autogen_ext.models.replay._replay_chat_completion_client.ReplayChatCompletionClient",
        "studio.models.ReplayChatCompletionClient",
        "ReplayChatCompletionClient",
    )
    component_type: ClassVar[str] = "replay_chat_completion_client"
    is_scripted = True
    positional = ("chat_completions", "model_info")
    starts_with: ClassVar[Mapping[str, JsonValue]] = {"repeats": True}
    at_the_end: ClassVar[str] = "The script has no more replies."
    """What the error says after the last reply."""

    chat_completions: Annotated[
        list[str | CreateResult],
        Field(
            description="Scripted replies, one for each call: text, or a whole result with tool calls.",
            examples=[["Hello! I am scripted.", "TERMINATE"]],
            json_schema_extra={"x-multiline": True},
        ),
    ]
    model_info: Annotated[
        ModelInfo | None,
        Field(
            title="Model capabilities",
            description="AutoGen's `model_info`: what this client claims to support. Empty: nothing.",
            exclude_if=lambda info: isinstance(info, KnownInfo),
        ),
    ] = None
    delay_s: Annotated[
        float | None,
        Field(
            ge=0,
            le=60,
            description="Between the words of a streamed reply, in seconds. A whole reply takes as long as ten words.",
        ),
    ] = None

    repeats: Annotated[
        bool,
        Field(
            description="Start again after the last reply. Off: the run fails when the script ends.",
            exclude_if=lambda value: not value,  # AutoGen's client has no such field
        ),
    ] = False

    _index: int = PrivateAttr(default=0)
    _cached: bool = PrivateAttr(default=True)
    _is_long: bool = PrivateAttr(default=False)

    @model_validator(mode="after")
    def _fill_info(self) -> Self:
        if self.model_info is None:
            nothing = KnownInfo(
                vision=False, function_calling=False, json_output=False, family="unknown", structured_output=False
            )
            object.__setattr__(self, "model_info", nothing)
        self._is_long = any(isinstance(reply, str) and len(reply) > MAX_TEXT for reply in self.chat_completions)
        return self

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        return complete_model_info(config, warn)

    def reset(self) -> None:
        """Start the script again."""
        self._index = 0
        self._spent = Spent()

    def set_cached_bool_value(self, value: bool) -> None:
        """What `CreateResult.cached` says for replies that are text."""
        self._cached = value

    def context_length(self) -> int:
        return TOTAL_TOKENS

    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[HasSchema | ToolSchema] = ()) -> int:
        """Words, as AutoGen's client counts: only of messages that are text."""
        del tools
        return sum_over(messages, word_count)

    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[HasSchema | ToolSchema] = ()) -> int:
        del messages, tools
        return max(0, TOTAL_TOKENS - self._spent.prompt_count - self._spent.completion_count)

    def _begin_call(self) -> int:
        """Take the next reply."""
        taken = self._index
        self._index = taken + 1
        return taken

    def _give_up_call(self, place: int) -> None:
        """Put the reply back, unless another one was taken since."""
        if self._index == place + 1:
            self._index = place

    def _scripted(self, index: int) -> str | CreateResult | None:
        """The reply to a call, counted from 0; None after the end of the script."""
        count = len(self.chat_completions)
        if self.repeats and count:
            return self.chat_completions[index % count]
        return self.chat_completions[index] if index < count else None

    def _reply(self, call: ModelCall) -> CreateResult:
        reply = self._scripted(self._index - 1)
        if reply is None:
            raise NoMoreReplies(self.at_the_end, fix="Repeat the script, add a reply, or stop the team earlier.")
        if isinstance(reply, CreateResult):
            return reply
        count = len(reply.split()) if len(reply) <= MAX_TEXT else count_words(reply)
        return text_answer(reply, self.count_tokens(call.messages), count, is_cached=self._cached)

    async def _long_reply(self, call: ModelCall) -> CreateResult:
        """The reply; others have their turn before and after it, since the question may be as long."""
        for measure in (self.count_tokens, digest_over):
            measure(call.messages)
            await asyncio.sleep(0)
        result = self._reply(call)
        await asyncio.sleep(0)
        return result

    def _count(self, call: ModelCall, result: CreateResult) -> CreateResult:
        """Count the words of the question, whatever a result of the script says of them."""
        said, count = result.usage, self.count_tokens(call.messages)
        is_so = said.prompt_tokens == count and not said.cached_tokens
        self._spent.add(call, said, said if is_so else RequestUsage(count, said.completion_tokens))
        return result

    @property
    def is_free(self) -> bool:
        return True

    def token_bound(self, call: ModelCall) -> TokenBound | None:
        """Exactly what the next reply takes: it is written already."""
        if self._scripted(self._index - 1) is None:
            return TokenBound(0, 0, is_set=True)
        usage = self._reply(call).usage
        return TokenBound(usage.prompt_tokens, usage.completion_tokens, is_set=True)

    async def _create(self, call: ModelCall) -> CreateResult:
        result = await self._long_reply(call) if self._is_long else self._reply(call)
        if self.delay_s:
            await asyncio.sleep(WORDS_PER_WHOLE_REPLY * self.delay_s)
        return result

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        result = await self._long_reply(call) if self._is_long else self._reply(call)
        # As AutoGen: a reply that is a whole result is not cut into words.
        is_text = isinstance(self._scripted(self._index - 1), str)
        text = result.content if is_text and isinstance(result.content, str) else ""
        for word in _words(text, keep_lines=self.delay_s is not None):
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            yield word
        yield result


def _words(text: str, *, keep_lines: bool) -> Iterator[str]:
    """Cut a reply for streaming. AutoGen puts one space after each word; at a reader's pace, lines stay lines."""
    if keep_lines:
        yield from (found[0] for found in re.finditer(r"\S+\s*", text))
        return
    word = ""
    for found in re.finditer(r"\S+", text):
        if word:
            yield f"{word} "
        word = found[0]
    if word:
        yield word
