"""Memories as AutoGen's scripts derive them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from studio import memory as ours
from studio.autogen.compat_base import Freed
from studio.autogen.tools import FreedTool
from studio.memory import canvas_memory
from studio.messages import MemoryContent


class MemoryMimeType(str, Enum):  # noqa: UP042 -- AutoGen's prints as an `Enum` does
    """Kinds of remembered content; each equals its text, which is what a content holds."""

    TEXT = "text/plain"
    JSON = "application/json"
    MARKDOWN = "text/markdown"
    IMAGE = "image/*"
    BINARY = "application/octet-stream"


class Memory(Freed, ours.Memory, stands_for=ours.Memory):
    """A memory of a script."""


class RedisMemory(Freed, ours.RedisMemory, stands_for=ours.RedisMemory):
    """Stores memories in Redis and retrieves those most similar to the last message, or the latest."""

    provider = ours.RedisMemory.provider
    aliases = ours.RedisMemory.aliases

    @property
    def config(self) -> Any:
        """Its fields, as a script gives them."""
        return ours.RedisMemoryConfig(**{name: getattr(self, name) for name in ours.RedisMemory.model_fields})


class UpdateFileTool(FreedTool, canvas_memory.UpdateFileTool, stands_for=canvas_memory.UpdateFileTool):
    """Writes whole files; made for a canvas of the script's own."""

    def __init__(self, canvas: ours.TextCanvas) -> None:
        super().__init__()
        self._canvas = canvas


class ApplyPatchTool(FreedTool, canvas_memory.ApplyPatchTool, stands_for=canvas_memory.ApplyPatchTool):
    """Changes files by diffs; made for a canvas of the script's own."""

    def __init__(self, canvas: ours.TextCanvas) -> None:
        super().__init__()
        self._canvas = canvas


class ListMemory(Freed, ours.ListMemory, stands_for=ours.ListMemory):
    """Adds a list of items to the conversation before each model call."""  # its config is what it holds now

    provider = ours.ListMemory.provider
    aliases = ours.ListMemory.aliases

    def __init__(self, name: str | None = None, memory_contents: Sequence[MemoryContent] | None = None) -> None:
        super().__init__(name=name or "default_list_memory", memory_contents=list(memory_contents or ()))

    def model_post_init(self, _context: object, /) -> None:
        self._contents = self.memory_contents  # one list: what is added is dumped

    async def clear(self) -> None:
        self._contents.clear()
