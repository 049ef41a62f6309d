"""No engine: the least that CPython can do so that the consumer sees the same messages.

A turn awaits a model, keeps a context for each agent and a thread for the team, and gives a message with AgentChat's
fields. Nobody chooses, stops, pauses, cancels or counts.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

from pydantic import BaseModel, Field

ENGINE = "floor"
IMPORT = "import asyncio, pydantic"
REPLY = (
    "The quarterly figures show a moderate increase over the previous period, mostly because of the new "
    "pricing, and the second region still needs a closer look before we can agree on next steps for the team."
)
TASK = "Please discuss the quarterly figures and agree on the next steps."


class Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int


class Text(BaseModel):
    id: str = Field(default_factory=lambda: str(uuid4()))
    source: str
    models_usage: Usage | None = None
    metadata: dict[str, str] = {}
    created_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    content: str
    type: Literal["TextMessage"] = "TextMessage"


class Heard(BaseModel):
    content: str
    source: str
    type: Literal["UserMessage"] = "UserMessage"


class Said(BaseModel):
    content: str
    thought: str | None = None
    source: str
    type: Literal["AssistantMessage"] = "AssistantMessage"


class Result(BaseModel):
    finish_reason: str
    content: str
    usage: Usage
    cached: bool


USAGE = Usage(prompt_tokens=100, completion_tokens=36)


async def model(messages: list[Heard | Said]) -> Result:
    del messages
    return Result(finish_reason="stop", content=REPLY, usage=USAGE, cached=False)


async def turns_of(count: int) -> AsyncGenerator[Text, None]:
    names = ("writer", "critic")
    contexts: dict[str, list[Heard | Said]] = {name: [Heard(content=TASK, source="user")] for name in names}
    thread = [Text(source="user", content=TASK)]
    for turn in range(count):
        speaker, other = names[turn & 1], names[1 - (turn & 1)]
        result = await model(contexts[speaker])
        contexts[speaker].append(Said(content=result.content, source=speaker))
        message = Text(source=speaker, content=result.content, models_usage=result.usage)
        contexts[other].append(Heard(content=message.content, source=speaker))
        thread.append(message)
        yield message


def round_robin(turns: int) -> tuple[Callable[[Callable[[], None]], Awaitable[None]], int]:
    async def run(tick: Callable[[], None]) -> None:
        async for _ in turns_of(turns):
            tick()

    return run, turns
