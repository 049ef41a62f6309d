"""Contexts that count messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from studio.contexts.base import ChatCompletionContext, InitialMessages
from studio.messages import AssistantMessage, FunctionExecutionResultMessage, History, LLMMessage, Prompt, UserMessage


class UnboundedChatCompletionContext(ChatCompletionContext):
    """Shows the model the whole conversation."""

    provider = "autogen_core.model_context.UnboundedChatCompletionContext"
    aliases = (
        "autogen_agentchat.agents._assistant_agent.UnboundedChatCompletionContext",
        "autogen_agentchat.agents._code_executor_agent.UnboundedChatCompletionContext",
        "autogen_agentchat.agents._society_of_mind_agent.UnboundedChatCompletionContext",
        "autogen_agentchat.teams._group_chat._selector_group_chat.UnboundedChatCompletionContext",
        "autogen_core.model_context._unbounded_chat_completion_context.UnboundedChatCompletionContext",
        "studio.contexts.UnboundedChatCompletionContext",
    )
    positional = ("initial_messages",)

    initial_messages: InitialMessages = None

    def whole(self) -> History | None:
        if type(self) is UnboundedChatCompletionContext and isinstance(messages := self._messages, History):
            return messages
        return None  # a derived class may do something when it is asked

    async def shown_after(self, head: Sequence[LLMMessage]) -> Sequence[LLMMessage]:
        is_whole = type(self).get_messages is UnboundedChatCompletionContext.get_messages
        if is_whole and isinstance(self._messages, History):
            return Prompt(head, self._messages)
        return await super().shown_after(head)


class BufferedChatCompletionContext(ChatCompletionContext):
    """Shows the model only the last messages."""

    provider = "autogen_core.model_context.BufferedChatCompletionContext"
    aliases = (
        "autogen_core.model_context._buffered_chat_completion_context.BufferedChatCompletionContext",
        "studio.contexts.BufferedChatCompletionContext",
    )
    positional = ("buffer_size", "initial_messages")

    buffer_size: Annotated[int, Field(gt=0, description="Number of last messages that the model sees.", examples=[10])]
    initial_messages: InitialMessages = None

    async def get_messages(self) -> list[LLMMessage]:
        """The last messages; a tool result whose call is cut off does not stand first."""
        return _without_leading_result(self._messages[-self.buffer_size :])


class HeadAndTailChatCompletionContext(ChatCompletionContext):
    """Shows the model the beginning and the end of the conversation."""

    provider = "autogen_core.model_context.HeadAndTailChatCompletionContext"
    aliases = (
        "autogen_core.model_context._head_and_tail_chat_completion_context.HeadAndTailChatCompletionContext",
        "studio.contexts.HeadAndTailChatCompletionContext",
    )
    positional = ("head_size", "tail_size", "initial_messages")

    head_size: Annotated[int, Field(ge=1, description="Number of first messages that the model sees.", examples=[2])]
    tail_size: Annotated[int, Field(ge=1, description="Number of last messages that the model sees.", examples=[8])]
    initial_messages: InitialMessages = None

    async def get_messages(self) -> list[LLMMessage]:
        """Head, a note of how many are left out, tail; calls and results stay together or go together."""
        skipped = len(self._messages) - self.head_size - self.tail_size
        if skipped <= 0:
            return list(self._messages)
        head = self._messages[: self.head_size]
        if isinstance(head[-1], AssistantMessage) and isinstance(head[-1].content, list):
            head = head[:-1]
        tail = _without_leading_result(self._messages[-self.tail_size :])
        return [*head, UserMessage(content=f"Skipped {skipped} messages.", source="System"), *tail]


def _without_leading_result(messages: list[LLMMessage]) -> list[LLMMessage]:
    return messages[1:] if messages and isinstance(messages[0], FunctionExecutionResultMessage) else messages
