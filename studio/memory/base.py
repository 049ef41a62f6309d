"""The base of memories: what an agent is reminded of before its model is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, Field, JsonValue

from studio.components import Component
from studio.messages import CancellationToken, LLMMessage, MemoryContent
from studio.tools import BaseTool


class Conversation(Protocol):
    """A model context, as far as a memory is concerned."""

    async def add_message(self, message: LLMMessage) -> None: ...

    async def get_messages(self) -> list[LLMMessage]: ...


class MemoryQueryResult(BaseModel, defer_build=True):
    """What a memory found, best first."""

    results: list[MemoryContent] = Field(default_factory=list[MemoryContent])


class UpdateContextResult(BaseModel, defer_build=True):
    """What a memory added to a conversation."""

    memories: MemoryQueryResult


class Memory(Component):
    """Remembers things and reminds agents of them.

    A memory that asks the world (a database, a service) does so through `studio.effects`, once per query.
    """

    component_type: ClassVar[str] = "memory"

    async def update_context(self, model_context: Conversation) -> UpdateContextResult:
        """Add to the conversation what is relevant to it now."""
        raise NotImplementedError

    async def query(
        self, query: str | MemoryContent = "", cancellation_token: CancellationToken | None = None, **options: Any
    ) -> MemoryQueryResult:
        """Find what is relevant to a query. What `options` there are depends on the kind of memory."""
        raise NotImplementedError

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Remember something."""
        raise NotImplementedError

    async def clear(self) -> None:
        """Forget everything."""
        raise NotImplementedError

    def tools(self) -> Sequence[BaseTool]:
        """Tools that an agent with this memory gets; none for most."""
        return ()

    async def release(self) -> None:
        """End of a run: let go of connections. They come back when they are needed again."""

    async def close(self) -> None:
        """Let go of connections."""

    async def save_state(self) -> Mapping[str, JsonValue]:
        """What a later run needs to remember the same; empty where the memory keeps that itself."""
        return {}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        """Take up a saved state."""
