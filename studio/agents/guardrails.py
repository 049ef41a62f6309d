"""Guardrails: watch what reaches an agent and what it answers, and step in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from studio.agents.base import Step
from studio.components import Component
from studio.messages import (
    BaseChatMessage,
    CancellationToken,
    GuardrailEvent,
    ModelClientStreamingChunkEvent,
    Response,
    StopMessage,
    TextMessage,
)

Watched = Literal["input", "output"]
Turn = Callable[[], AsyncGenerator[Step, None]]


class Guardrail(Component):
    """Watches texts. A subclass says what trips it."""

    component_type: ClassVar[str] = "guardrail"

    name: Annotated[str, Field(min_length=1, description="Shown when the guardrail trips.", examples=["guardrail"])]
    message: Annotated[
        str, Field(title="Replacement message", description="The agent's answer when the guardrail trips.")
    ] = "I cannot help with that."
    action: Annotated[
        Literal["replace", "stop"],
        Field(
            title="On violation",
            description="`replace`: the answer is the replacement message. `stop`: the same as a stop message.",
        ),
    ] = "replace"

    async def check(self, text: str, cancellation_token: CancellationToken | None = None) -> str | None:
        """Why the text trips it, or None."""
        raise NotImplementedError

    async def release(self) -> None:
        """End of a run: let go of connections."""


async def guarded(
    source: str,
    rails: tuple[Sequence[Guardrail], Sequence[Guardrail]],
    messages: Sequence[BaseChatMessage],
    token: CancellationToken | None,
    turn: Turn,
) -> AsyncGenerator[Step, None]:
    """A turn of an agent between its guardrails.

    Args:
        source: The agent's name.
        rails: What watches its input, and what watches its output.
        messages: What is new to the agent. What trips the first does not reach it.
        token: Cancels a model that checks.
        turn: Begins the turn. What it streams is held back when its output is watched.
    """
    before, after = rails
    for message in messages:
        if (event := await _tripped(source, before, "input", message.to_text(), token)) is not None:
            yield event[0]
            yield Response(chat_message=event[1], inner_messages=[event[0]])
            return
    async with aclosing(turn()) as steps:
        async for step in steps:
            if not isinstance(step, Response):
                if not (after and isinstance(step, ModelClientStreamingChunkEvent)):
                    yield step
                continue
            event = await _tripped(source, after, "output", step.chat_message.to_text(), token)
            if event is None:
                yield step
                continue
            answer = event[1].model_copy(update={"models_usage": step.chat_message.models_usage})
            yield event[0]
            yield Response(chat_message=answer, inner_messages=[*(step.inner_messages or ()), event[0]])


async def _tripped(
    source: str, rails: Sequence[Guardrail], watched: Watched, text: str, token: CancellationToken | None
) -> tuple[GuardrailEvent, BaseChatMessage] | None:
    """The event and the answer of the first guardrail that trips."""
    for rail in rails:
        reason = await rail.check(text, token)
        if reason is not None:
            kind = StopMessage if rail.action == "stop" else TextMessage
            event = GuardrailEvent(source=source, guardrail=rail.name, watched=watched, content=reason)
            return event, kind(content=rail.message, source=source)
    return None
