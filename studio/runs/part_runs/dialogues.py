"""Parts of a team that are tried alone: the person says something, the part answers, until the person has had enough.

Each is played by a run like a team is. Between two answers the run waits for the person, so what the part remembers of
the conversation stays, and whoever leaves ends it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from pydantic import JsonValue

from studio import effects
from studio.agents import Participant
from studio.agents.cleanup import release_all
from studio.agents.tool_round import Toolbox
from studio.effects import HumanQuestion
from studio.errors import ConfigError
from studio.messages import (
    AssistantMessage,
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    CreateResult,
    FunctionCall,
    LLMMessage,
    ModelClientStreamingChunkEvent,
    SystemMessage,
    TaskResult,
    TextMessage,
    ThoughtEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    ToolEvent,
)
from studio.models import ChatCompletionCache, ChatCompletionClient
from studio.tools import Workbench

PERSON = "user"
NEXT = ""
"""Who asks for the person's next message: the try itself, which no agent can be named like."""
MODEL = "model"
WORKBENCH = "tools"


class NoToolCall(ConfigError):
    """What was said to a tool is no call."""

    code = "no_tool_call"


class PartDriver:
    """Base of what is tried: takes what the person says, one message at a time."""

    def __init__(self) -> None:
        self._is_over = False
        self.outcome = ""
        """How the last answer ended, in words."""

    async def run_stream(self, task: str | BaseChatMessage) -> AsyncGenerator[BaseMessage | TaskResult, None]:
        """Answer the task and whatever the person says after it."""
        said = TextMessage(content=task, source=PERSON) if isinstance(task, str) else task
        try:
            while True:
                async with aclosing(self.answer(said)) as items:
                    async for item in items:
                        yield item
                if self._is_over:
                    break
                said = TextMessage(content=await self._next(), source=PERSON)
            yield TaskResult(messages=[], stop_reason=self.outcome or None)
        finally:
            await self.release()

    def request_stop(self, reason: str) -> None:
        """End after the answer in progress."""
        del reason
        self._is_over = True

    def answer(self, said: BaseChatMessage) -> AsyncGenerator[BaseMessage, None]:
        """Give what is said and done in answer, and set `outcome`."""
        raise NotImplementedError

    async def release(self) -> None:
        """Let go of what the answers needed."""

    async def _next(self) -> str:
        return await effects.ask_human(HumanQuestion(effects.new_id(), NEXT, self.outcome))


class ModelDriver(PartDriver):
    """Asks a model, without an agent around it."""

    def __init__(self, client: ChatCompletionClient, system_message: str = "") -> None:
        super().__init__()
        self._client = client
        self._conversation: list[LLMMessage] = [SystemMessage(content=system_message)] if system_message else []

    async def answer(self, said: BaseChatMessage) -> AsyncGenerator[BaseMessage, None]:
        yield said
        self._conversation.append(said.to_model_message())
        message_id = effects.new_id()
        async with aclosing(self._client.create_stream(self._conversation)) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    yield ModelClientStreamingChunkEvent(content=piece, source=MODEL, full_message_id=message_id)
                    continue
                self._conversation.append(AssistantMessage(content=piece.content, thought=piece.thought, source=MODEL))
                self.outcome = _finish(piece, isinstance(self._client, ChatCompletionCache) and piece.cached)
                if piece.thought:
                    yield ThoughtEvent(content=piece.thought, source=MODEL)
                yield TextMessage(id=message_id, content=_text_of(piece), source=MODEL, models_usage=piece.usage)

    async def release(self) -> None:
        await release_all(self._client.close)


class ParticipantDriver(PartDriver):
    """Talks with one agent, or gives a team one task after the other."""

    def __init__(self, participant: Participant) -> None:
        super().__init__()
        self._participant = participant

    async def answer(self, said: BaseChatMessage) -> AsyncGenerator[BaseMessage, None]:
        async with aclosing(self._participant.execute([said], CancellationToken(), True)) as items:
            async for item in items:
                if isinstance(item, TaskResult):
                    self.outcome = item.stop_reason or ""
                else:
                    yield item

    async def release(self) -> None:
        await release_all(self._participant.release)


class ToolDriver(PartDriver):
    """Calls tools: the person says `{"name": ..., "arguments": {...}}`, or `{}` to see which tools there are."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._tools = Toolbox(WORKBENCH, [workbench], {})

    async def answer(self, said: BaseChatMessage) -> AsyncGenerator[BaseMessage, None]:
        name, arguments = _call_in(said.to_text())
        schemas = await self._tools.schemas()
        if not name:
            self.outcome = f"{len(schemas)} tool{'' if len(schemas) == 1 else 's'}"
            listed = cast("JsonValue", schemas)
            yield ToolEvent(tool=WORKBENCH, name="list", content=listed, source=WORKBENCH)
            return
        call = FunctionCall(id=effects.new_id(), name=name, arguments=json.dumps(arguments))
        yield ToolCallRequestEvent(content=[call], source=name)
        async with aclosing(self._tools.run([call], CancellationToken())) as items:
            async for item in items:
                if isinstance(item, list):
                    self.outcome = "the call failed" if any(result.is_error for result in item) else ""
                    yield ToolCallExecutionEvent(content=item, source=name)
                else:
                    yield item

    async def release(self) -> None:
        await self._tools.stop()


def _call_in(text: str) -> tuple[str, dict[str, JsonValue]]:
    """Name and arguments of the wanted call; no name asks for the list.

    Raises:
        NoToolCall: The text says something else.
    """
    try:
        wanted: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoToolCall("The input of a tool must be a call as JSON.", fix="Give `name` and `arguments`.") from error
    call: dict[str, JsonValue] = {"name": "", "arguments": {}}
    call |= wanted if isinstance(wanted, dict) else {"name": None}
    name, arguments = call["name"], call["arguments"]
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise NoToolCall("`name` must be text and `arguments` an object.")
    return name, arguments


def _text_of(result: CreateResult) -> str:
    """What the model said; calls, which it was not offered, as JSON."""
    content = result.content
    return content if isinstance(content, str) else json.dumps([call.model_dump() for call in content], indent=2)


def _finish(result: CreateResult, is_from_cache: bool) -> str:
    words = {"length": "cut off at the token limit", "content_filter": "blocked by the service's content filter"}
    reason = words.get(result.finish_reason, result.finish_reason)
    return f"{reason}, answered from the cache" if is_from_cache else reason
