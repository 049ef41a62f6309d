"""What a factory can ask about the agent that it makes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from studio.actors.identity import AgentId
from studio.actors.protocols import AgentRuntime

_being_made: ContextVar[tuple[AgentRuntime, AgentId] | None] = ContextVar("_being_made", default=None)


class AgentInstantiationContext:
    """The runtime and the ID of the agent that is being made, for factories and constructors."""

    def __init__(self) -> None:
        raise RuntimeError("This class is not made; ask its class methods.")

    @classmethod
    @contextmanager
    def populate_context(cls, ctx: tuple[AgentRuntime, AgentId]) -> Generator[None]:
        """Within the block an agent is made."""
        before = _being_made.set(ctx)
        try:
            yield
        finally:
            _being_made.reset(before)

    @classmethod
    def current_runtime(cls) -> AgentRuntime:
        """Raises: RuntimeError: No agent is being made."""
        return _of_agent_being_made()[0]

    @classmethod
    def current_agent_id(cls) -> AgentId:
        """Raises: RuntimeError: No agent is being made."""
        return _of_agent_being_made()[1]

    @classmethod
    def is_in_factory_call(cls) -> bool:
        return _being_made.get() is not None


def _of_agent_being_made() -> tuple[AgentRuntime, AgentId]:
    if (found := _being_made.get()) is None:
        raise RuntimeError("No agent is being made here: register a factory, and let the runtime make the agent.")
    return found
