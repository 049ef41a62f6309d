"""Messages on their way."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, cast

from studio.actors.context import MessageContext
from studio.actors.identity import AgentId, TopicId


@dataclass(eq=False, slots=True)
class Delivery:
    """A message to one agent, and what will be its answer."""

    message: Any
    context: MessageContext
    recipient: AgentId
    answer: asyncio.Future[Any]
    task: asyncio.Task[None] | None = field(default=None, init=False)
    """Handles it."""

    def refuse(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(eq=False, slots=True)
class Publication:
    """A message to all subscribers of a topic."""

    message: Any
    context: MessageContext
    topic_id: TopicId
    can_be_cancelled: bool
    """Whether its sender has a token for it."""

    def refuse(self, error: Exception) -> None:
        """Nobody waits for it."""


@dataclass(eq=False, slots=True)
class Handling:
    """One agent handles a message that was published."""

    task: asyncio.Task[None] | None = field(default=None, init=False)


class Spans:
    """Writes a span of OpenTelemetry for each step of a message.

    Args:
        provider: A `TracerProvider`.
    """

    def __init__(self, provider: Any) -> None:
        self._tracer = provider.get_tracer("autogen_core")

    def span(self, operation: str, target: AgentId | TopicId, kind: str) -> AbstractContextManager[object]:
        """Named as AutoGen names it: `autogen process writer.(default)-A`; `kind` is A for an agent, T for a topic."""
        key = target.key if isinstance(target, AgentId) else target.source
        found = self._tracer.start_as_current_span(f"autogen {operation} {target.type}.({key})-{kind}")
        return cast("AbstractContextManager[object]", found)
