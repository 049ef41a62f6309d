"""What the engine asks of the world, as JSON with a canonical hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from pydantic import JsonValue

EffectKind = Literal["model", "tool", "input", "memory", "code", "clock"]
Perform = Callable[[], Awaitable[JsonValue]]
StreamItem = str | dict[str, JsonValue]
"""A piece of text as it arrives, or, last, the whole result as JSON."""


_write_canonically = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical_json(value: JsonValue) -> str:
    """The same text for equal JSON values: sorted keys, no spaces."""
    return _write_canonically(value)


def sha256_hex(text: str) -> str:
    """SHA-256 of the text; lone surrogates, which JSON allows, are kept apart and do not fail."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class EffectRequest:
    """What the engine asks of the world.

    Args:
        kind: Sort of effect.
        source: Who asks, such as the agent's or tool's name.
        make_body: Makes the whole request as plain JSON; only called when somebody wants to read it.
        make_digest: Makes a short text that is equal exactly for equal bodies. A model call gives one made of the
            digests of its messages, so that hashing a call does not serialise the whole conversation again.
    """

    kind: EffectKind
    source: str
    make_body: Callable[[], JsonValue]
    make_digest: Callable[[], str] | None = None

    @cached_property
    def body(self) -> JsonValue:
        return self.make_body()

    @cached_property
    def hash(self) -> str:
        """SHA-256 over kind, source and body; equal requests have equal hashes."""
        digest = self.make_digest() if self.make_digest else canonical_json(self.body)
        return sha256_hex(f"{self.kind}\n{self.source}\n{digest}")


class AsyncGeneratorLike(Protocol):
    """An async iterator that can be closed early."""

    def __aiter__(self) -> AsyncIterator[StreamItem]: ...

    async def aclose(self) -> None: ...
