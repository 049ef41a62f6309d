"""What somebody is told who watches the messages of agents, such as a recorder of runs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from studio.actors.identity import AgentId, TopicId

Way = Literal["sent", "published", "answered", "failed"]


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message as it reaches its agents.

    Args:
        message: What was sent, published or answered; the error of a handler that failed.
        way: How it goes.
        sender: Who sends it; None from outside of all agents.
        recipients: Who gets it: several where it was published, None for whoever is outside.
        topic: Where it was published.
    """

    message: object
    way: Way
    sender: AgentId | None
    recipients: Sequence[AgentId | None]
    topic: TopicId | None = None


Watcher = Callable[[SeenMessage], None]
_watcher: ContextVar[Watcher | None] = ContextVar("_watcher", default=None)


@contextmanager
def watch_messages(watcher: Watcher) -> Generator[None]:
    """Tell a watcher of all messages in runtimes that are started inside the block."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def show_message(
    message: object,
    way: Way,
    sender: AgentId | None,
    recipients: Sequence[AgentId | None],
    topic: TopicId | None = None,
) -> None:
    """Tell of a message, where anybody watches."""
    if (watcher := _watcher.get()) is not None:
        watcher(SeenMessage(message, way, sender, recipients, topic))
