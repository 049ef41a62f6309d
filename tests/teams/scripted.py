"""Agents and teams that follow a script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from pydantic import JsonValue

from studio.agents import AssistantAgent
from studio.conditions import MaxMessageTermination
from studio.effects import EffectRequest, HumanQuestion, LiveEffects, Perform, StreamItem
from studio.messages import BaseMessage, CreateResult, FunctionCall, RequestUsage
from studio.models import ModelInfo, ReplayChatCompletionClient
from studio.teams import RoundRobinGroupChat

ABLE: ModelInfo = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "family": "unknown",
    "structured_output": True,
}


def scripted(*replies: str | CreateResult) -> ReplayChatCompletionClient:
    """A model that gives these replies in order."""
    return ReplayChatCompletionClient(chat_completions=list(replies), model_info=ABLE)


def agent(name: str, *replies: str | CreateResult, **config: Any) -> AssistantAgent:
    """An agent whose model gives these replies in order."""
    return AssistantAgent(name, scripted(*replies), **config)


def wishes(*calls: tuple[str, str]) -> CreateResult:
    """A model's wish for these calls: name and arguments."""
    made = [FunctionCall(id=f"call_{index}", name=name, arguments=text) for index, (name, text) in enumerate(calls)]
    return CreateResult(
        finish_reason="function_calls",
        content=made,
        usage=RequestUsage(prompt_tokens=1, completion_tokens=1),
        cached=False,
    )


def said(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Source and text of messages."""
    return [(message.source, message.to_text()) for message in messages]


class CountingWorld(LiveEffects):
    """The world, counting what is asked of it; a person answers from a list."""

    def __init__(self, *answers: str) -> None:
        super().__init__(self._reply)
        self._answers = list(answers)
        self.asked: list[str] = []
        self.bodies: list[JsonValue] = []
        self.questions: list[HumanQuestion] = []

    async def _reply(self, question: HumanQuestion) -> str:
        self.questions.append(question)
        return self._answers.pop(0)

    def _note(self, request: EffectRequest) -> None:
        self.asked.append(request.kind)
        self.bodies.append(request.body)

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        self._note(request)
        return await super().call(request, perform)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        self._note(request)
        async for item in super().stream(request, perform):
            yield item


def pair(limit: int = 4, replies: int = 9) -> RoundRobinGroupChat:
    """Two agents that count, until so many messages are there."""
    numbers = [str(number) for number in range(1, replies + 1)]
    return RoundRobinGroupChat(
        participants=[agent("a", *numbers), agent("b", *numbers)],
        termination_condition=MaxMessageTermination(max_messages=limit),
    )
