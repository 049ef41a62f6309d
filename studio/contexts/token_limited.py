"""The context that counts tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from studio.contexts.base import ChatCompletionContext, InitialMessages
from studio.messages import AssistantMessage, FunctionExecutionResultMessage, LLMMessage, ToolSchema
from studio.models import ChatCompletionClient


class TokenLimitedChatCompletionContext(ChatCompletionContext):
    """Shows the model as much of the conversation as fits, without its middle."""

    provider = "autogen_core.model_context.TokenLimitedChatCompletionContext"
    aliases = (
        "autogen_core.model_context._token_limited_chat_completion_context.TokenLimitedChatCompletionContext",
        "studio.contexts.TokenLimitedChatCompletionContext",
    )
    positional = ("model_client",)

    model_client: Annotated[ChatCompletionClient, Field(description="Counts the tokens.")]
    token_limit: Annotated[
        int | None,
        Field(gt=0, description="Upper bound on the tokens that the model sees. Empty: the model's own limit."),
    ] = None
    tool_schema: Annotated[
        list[ToolSchema] | None,
        Field(description="Schemas of tools, counted with the messages.", json_schema_extra={"x-advanced": True}),
    ] = None
    initial_messages: InitialMessages = None

    async def get_messages(self) -> list[LLMMessage]:
        """The messages that fit; results of calls that had to go are left out too."""
        messages = self._messages
        # AutoGen takes one message after the other out of the middle and counts each time. What stays depends on the
        # number alone, and fewer messages never have more tokens, so the number can be searched for.
        removed = bisect_left(
            range(len(messages)), True, key=lambda count: self._tokens_over(_outer(messages, count)) <= 0
        )
        return _without_orphans(_outer(messages, removed))

    def _tokens_over(self, messages: Sequence[LLMMessage]) -> int:
        tools = self.tool_schema or ()
        if self.token_limit is None:
            return -self.model_client.remaining_tokens(messages, tools=tools)
        return self.model_client.count_tokens(messages, tools=tools) - self.token_limit


def _outer(messages: Sequence[LLMMessage], removed: int) -> list[LLMMessage]:
    """The messages without so many of their middle; the start keeps one more than the end where they are odd."""
    kept = len(messages) - removed
    head = (kept + 1) // 2
    return [*messages[:head], *messages[len(messages) - (kept - head) :]] if removed else list(messages)


def _without_orphans(messages: list[LLMMessage]) -> list[LLMMessage]:
    """Leave out results whose call had to go, which services refuse; AutoGen only does so where they come first."""
    if messages and isinstance(messages[0], FunctionExecutionResultMessage):
        messages = messages[1:]
    calls = {
        call.id
        for message in messages
        if isinstance(message, AssistantMessage) and isinstance(message.content, list)
        for call in message.content
    }
    return [
        message
        for message in messages
        if not isinstance(message, FunctionExecutionResultMessage)
        or all(result.call_id in calls for result in message.content)
    ]
