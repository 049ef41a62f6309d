"""Messages on their way."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager
from contextvars import Context
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
    is_logged: bool
    """Whether the event log is read."""
    variables: Context = field(init=False)
    """In which it is handled."""

    def link(self, task: asyncio.Task[None]) -> None:
        """Its handler waits in this task, which is cancelled once its sender does not wait for the answer any more."""
        self.answer.add_done_callback(lambda _: None if task.done() else task.cancel())

    def unlink(self, task: asyncio.Task[None]) -> None:
        """The handler ends."""

    def refuse(self, error: BaseException) -> None:
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
    is_logged: bool
    variables: Context = field(init=False)

    def link(self, task: asyncio.Task[None]) -> None:
        """What intervenes is not cancelled."""

    def unlink(self, task: asyncio.Task[None]) -> None:
        """Nor was it linked."""

    def refuse(self, error: BaseException) -> None:
        """Nobody waits for it."""


@dataclass(eq=False, slots=True)
class Handling:
    """One agent handles a message that was published."""

    message: Any
    publication: Publication
    recipient: AgentId
    variables: Context
    ended: asyncio.Future[None] | None
    """Waited for where the publication has a span."""

    def link(self, task: asyncio.Task[None]) -> None:
        """Its handler waits in this task, which the sender's token cancels."""
        if self.publication.can_be_cancelled:
            self.publication.context.cancellation_token.link_future(task)

    def unlink(self, task: asyncio.Task[None]) -> None:
        """The handler ends; the token no longer reaches its task."""
        if self.publication.can_be_cancelled:
            self.publication.context.cancellation_token.unlink_future(task)

    def refuse(self, error: BaseException) -> None:
        """Nobody waits for it but its publication."""
        del error
        self.end()

    def end(self) -> None:
        if self.ended is not None and not self.ended.done():
            self.ended.set_result(None)


Item = Delivery | Publication | Handling


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
