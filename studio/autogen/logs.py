"""What AutoGen writes to its event log, as scripts read it: model calls and tool calls."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, cast

from studio.autogen.core import EVENT_LOGGER_NAME
from studio.messages import CreateResult, LLMMessage

logger = logging.getLogger(EVENT_LOGGER_NAME)


class LogEvent:
    """An entry of the log: its fields in `kwargs`, its text JSON."""

    def __init__(self, kind: str, agent_id: object, **fields: Any) -> None:
        self.kwargs: dict[str, Any] = {"type": kind, **fields, "agent_id": None if agent_id is None else str(agent_id)}

    def __str__(self) -> str:
        return json.dumps(self.kwargs, default=str)


class _CountsTokens(LogEvent):
    @property
    def prompt_tokens(self) -> int:
        return cast("int", self.kwargs["prompt_tokens"])

    @property
    def completion_tokens(self) -> int:
        return cast("int", self.kwargs["completion_tokens"])


class LLMCallEvent(_CountsTokens):
    """A model was asked and has answered."""

    def __init__(
        self,
        *,
        messages: Sequence[Mapping[str, Any]],
        response: Mapping[str, Any],
        prompt_tokens: int,
        completion_tokens: int,
        agent_id: object = None,
        **fields: Any,
    ) -> None:
        counts = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
        super().__init__("LLMCall", agent_id, messages=messages, response=response, **counts, **fields)


class LLMStreamStartEvent(LogEvent):
    """A model begins to answer."""

    def __init__(self, *, messages: Sequence[Mapping[str, Any]], agent_id: object = None, **fields: Any) -> None:
        super().__init__("LLMStreamStart", agent_id, messages=messages, **fields)


class LLMStreamEndEvent(_CountsTokens):
    """A streamed answer is complete."""

    def __init__(
        self,
        *,
        response: Mapping[str, Any],
        prompt_tokens: int,
        completion_tokens: int,
        agent_id: object = None,
        **fields: Any,
    ) -> None:
        counts = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
        super().__init__("LLMStreamEnd", agent_id, response=response, **counts, **fields)


class ToolCallEvent(LogEvent):
    """A tool was called and has answered."""

    def __init__(self, *, tool_name: str, arguments: Mapping[str, Any], result: str, agent_id: object = None) -> None:
        super().__init__("ToolCall", agent_id, tool_name=tool_name, arguments=dict(arguments), result=result)


def is_wanted() -> bool:
    """Whether anybody reads the log."""
    return logger.isEnabledFor(logging.INFO)


def log_question(messages: Sequence[LLMMessage]) -> None:
    """Note that a streamed answer begins."""
    logger.info(LLMStreamStartEvent(messages=_plain(messages)))


def log_answer(messages: Sequence[LLMMessage], result: CreateResult, *, is_streamed: bool) -> None:
    """Note what a model has answered."""
    usage, response = result.usage, result.model_dump(mode="json")
    counts = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
    if is_streamed:
        logger.info(LLMStreamEndEvent(response=response, **counts))
    else:
        logger.info(LLMCallEvent(messages=_plain(messages), response=response, **counts))


def log_tool(name: str, arguments: Mapping[str, Any], result: str) -> None:
    """Note what a tool has answered."""
    logger.info(ToolCallEvent(tool_name=name, arguments=arguments, result=result))


def _plain(messages: Sequence[LLMMessage]) -> list[dict[str, Any]]:
    return [dict(message.json_body) for message in messages]
