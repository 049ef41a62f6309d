"""A memory that is a list in the config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, JsonValue, PrivateAttr, TypeAdapter

from studio.memory.base import Conversation, Memory, MemoryQueryResult, UpdateContextResult
from studio.messages import CancellationToken, MemoryContent, SystemMessage

_CONTENTS = TypeAdapter(list[MemoryContent], config=ConfigDict(defer_build=True))


class ListMemory(Memory):
    """Adds a list of items to the conversation before each model call."""

    provider = "autogen_core.memory.ListMemory"
    aliases = ("autogen_core.memory._list_memory.ListMemory", "studio.memory.ListMemory")
    positional = ("name", "memory_contents")

    name: str | None = None
    memory_contents: Annotated[list[MemoryContent], Field(description="What the agent reads, in this order.")] = Field(
        default_factory=list[MemoryContent], description="What the agent reads, in this order."
    )

    _contents: list[MemoryContent] = PrivateAttr(default_factory=list[MemoryContent])

    def model_post_init(self, _context: object, /) -> None:
        self._contents = list(self.memory_contents)

    @property
    def content(self) -> list[MemoryContent]:
        """What is remembered now; differs from the config once something was added."""
        return self._contents

    async def update_context(self, model_context: Conversation) -> UpdateContextResult:
        """Add one system message with all contents, if there are any."""
        if self._contents:
            lines = "\n".join(f"{number}. {item.content}" for number, item in enumerate(self._contents, 1))
            text = f"\nRelevant memory content (in chronological order):\n{lines}\n"
            await model_context.add_message(SystemMessage(content=text))
        return UpdateContextResult(memories=MemoryQueryResult(results=list(self._contents)))

    async def query(
        self, query: str | MemoryContent = "", cancellation_token: CancellationToken | None = None, **options: Any
    ) -> MemoryQueryResult:
        """Everything, whatever the query."""
        del query, cancellation_token, options
        return MemoryQueryResult(results=list(self._contents))

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        self._contents.append(content)

    async def clear(self) -> None:
        self._contents = []

    async def save_state(self) -> Mapping[str, JsonValue]:
        return {"memory_contents": _CONTENTS.dump_python(self._contents, mode="json")}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        self._contents = _CONTENTS.validate_python(state.get("memory_contents", []))
