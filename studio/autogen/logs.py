"""What AutoGen writes to its event log, as scripts read it: model calls and tool calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from studio.actors.log_events import LogEvent, handling_agent, logger
from studio.messages import CreateResult, LLMMessage


class _OfAgent(LogEvent):
    """Names the agent: the one that is told, or the one whose handler runs."""

    def __init__(self, kind: str, agent_id: object, **fields: Any) -> None:
        named = handling_agent() if agent_id is None else agent_id
        super().__init__(kind, **fields, agent_id=None if named is None else str(named))


class _CountsTokens(_OfAgent):
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


class LLMStreamStartEvent(_OfAgent):
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


class ToolCallEvent(_OfAgent):
    """A tool was called and has answered."""

    def __init__(self, *, tool_name: str, arguments: Mapping[str, Any], result: str, agent_id: object = None) -> None:
        super().__init__("ToolCall", agent_id, tool_name=tool_name, arguments=dict(arguments), result=result)


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
