"""What the engine asks of the world, as JSON with a canonical hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

from pydantic import JsonValue

EffectKind = Literal["model", "tool", "input", "memory", "code", "clock"]
Perform = Callable[[], Awaitable[JsonValue]]
StreamItem = str | dict[str, JsonValue]
"""A piece of text as it arrives, or, last, the whole result as JSON."""


HASH_VERSION = "2:"
"""Raised when equal requests get another hash than before: runs that were recorded then cannot be told to fit."""

_write_canonically = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical_json(value: JsonValue) -> str:
    """The same text for equal JSON values: sorted keys, no spaces."""
    return _write_canonically(value)


def sha256_hex(text: str) -> str:
    """SHA-256 of the text; lone surrogates, which JSON allows, are kept apart and do not fail."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class ToolCall:
    """What a request to a tool is about, for those who may refuse it, change it, or edit what it gave.

    Args:
        name: Of the tool, as the model sees it.
        arguments: By name, as the model wrote them.
        agent: Who calls it; empty where nobody told.
        perform_with: Calls the tool with arguments that may be others.
        answer: Makes a result that the model reads as this text, and as an error or not.
        text_of: What the model reads of a result, and whether it is an error.
        taken: Arguments as the tool takes them: in the types that it wants, with its defaults for those left out.
    """

    name: str
    arguments: dict[str, JsonValue]
    agent: str
    perform_with: Callable[[dict[str, JsonValue]], Awaitable[JsonValue]]
    answer: Callable[[str, bool], dict[str, JsonValue]]
    text_of: Callable[[JsonValue], tuple[str, bool]]
    taken: Callable[[dict[str, JsonValue]], dict[str, JsonValue]] = dict


@dataclass(eq=False)
class EffectRequest:
    """What the engine asks of the world. Nobody changes one; to make one that is frozen takes three times as long.

    Args:
        kind: Sort of effect.
        source: Who asks, such as the agent's or tool's name.
        make_body: Makes the whole request as plain JSON; only called when somebody wants to read it.
        make_digest: Makes a text that is equal exactly for equal bodies. A model call gives one with the digest of its
            conversation, so that hashing a call does not write down the whole conversation again.
        about: What guards on the way look at, such as what a model call may cost at the most; no part of the request.
        tool: The call of a tool that this is; no part of the hash, since the body says it.
        is_safe: Whether asking again changes nothing in the world; no part of the request. Of models, the clock and
            persons it is always so.
    """

    kind: EffectKind
    source: str
    make_body: Callable[[], JsonValue]
    make_digest: Callable[[], str] | None = None
    tool: ToolCall | None = None
    about: object = None
    is_safe: bool = False
    _hash: str = field(default="", init=False, repr=False)

    @cached_property
    def body(self) -> JsonValue:
        return self.make_body()

    @property
    def hash(self) -> str:
        """SHA-256 over kind, source and body, behind the version of this recipe; equal requests have equal hashes."""
        if not self._hash:
            digest = self.make_digest() if self.make_digest else canonical_json(self.body)
            self._hash = HASH_VERSION + sha256_hex(f"{self.kind}\n{self.source}\n{digest}")
        return self._hash


class AsyncGeneratorLike(Protocol):
    """An async iterator that can be closed early."""

    def __aiter__(self) -> AsyncIterator[StreamItem]: ...

    async def aclose(self) -> None: ...
