"""What code of agents can ask about where it runs. All of it belongs to one task, and to those that it starts."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from studio.actors.identity import AgentId, AgentType, TopicId
from studio.messages import CancellationToken

_subscribing: ContextVar[AgentType | None] = ContextVar("_subscribing", default=None)
_handling: ContextVar[tuple[AgentId, str] | None] = ContextVar("_handling", default=None)
"""The agent whose handler runs, and the source of its default topics."""


@dataclass
class MessageContext:
    """What comes with a message.

    Args:
        sender: The agent that sent or published it; None for code outside of agents.
        topic_id: Where it was published; None if it was sent to one agent.
        is_rpc: Whether it was sent to one agent, which answers.
        cancellation_token: Ends the handling of it.
        message_id: Of this message.
    """

    sender: AgentId | None
    topic_id: TopicId | None
    is_rpc: bool
    cancellation_token: CancellationToken
    message_id: str


class SubscriptionInstantiationContext:
    """The type of the agents that are being registered, for the factories of their subscriptions."""

    def __init__(self) -> None:
        raise RuntimeError("This class is not made; ask its class methods.")

    @classmethod
    @contextmanager
    def populate_context(cls, ctx: AgentType) -> Generator[None]:
        """Within the block subscriptions of such agents are made."""
        before = _subscribing.set(ctx)
        try:
            yield
        finally:
            _subscribing.reset(before)

    @classmethod
    def agent_type(cls) -> AgentType:
        """Raises: RuntimeError: No agent type is being registered."""
        if (found := _subscribing.get()) is None:
            raise RuntimeError("No subscription is being made here.")
        return found


class MessageHandlerContext:
    """The agent whose handler runs."""

    def __init__(self) -> None:
        raise RuntimeError("This class is not made; ask its class methods.")

    @classmethod
    @contextmanager
    def populate_context(cls, ctx: AgentId) -> Generator[None]:
        """Within the block this agent handles a message."""
        before = _handling.set((ctx, ctx.key))
        try:
            yield
        finally:
            _handling.reset(before)

    @classmethod
    def agent_id(cls) -> AgentId:
        """Raises: RuntimeError: No handler runs."""
        if (found := _handling.get()) is None:
            raise RuntimeError("No message is being handled here.")
        return found[0]


def handle_in_this_task(agent_id: AgentId, topic_source: str | None = None) -> None:
    """Let this agent be the one that handles a message, until the running task ends.

    Args:
        agent_id: The agent.
        topic_source: Of its default topics; None for its key.
    """
    _handling.set((agent_id, agent_id.key if topic_source is None else topic_source))


class DefaultTopicId(TopicId):
    """The topic of agents that are not told of any other. In a handler its source is the key of the agent."""

    def __init__(self, type: str = "default", source: str | None = None) -> None:
        handling = _handling.get()
        super().__init__(type, source if source is not None else handling[1] if handling else "default")
