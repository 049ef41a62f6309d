"""Memories as AutoGen's scripts derive them."""

from __future__ import annotations

from enum import Enum

from studio import memory as ours
from studio.autogen.freed import Freed


class MemoryMimeType(Enum):
    """Kinds of remembered content."""

    TEXT = "text/plain"
    JSON = "application/json"
    MARKDOWN = "text/markdown"
    IMAGE = "image/*"
    BINARY = "application/octet-stream"


class Memory(Freed, ours.Memory, stands_for=ours.Memory):
    """A memory of a script."""
