"""Answers that were given before are given again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Annotated, ClassVar, TypeVar, cast

from pydantic import Field, JsonValue, PrivateAttr, ValidationError

from studio.components import JsonObject
from studio.effects import canonical_json, sha256_hex
from studio.messages import CreateResult, LLMMessage, RequestUsage, ToolSchema
from studio.models.base import ChatCompletionClient, HasSchema, ModelCall
from studio.models.cache_store import CacheStore, CacheValue, InMemoryStore
from studio.models.info import ModelInfo
from studio.models.spending import TokenBound

T = TypeVar("T")

CHAT_CACHE_VALUE_TYPE = CreateResult | list[str | CreateResult]
"""What a cache keeps of an answer, or of a streamed one. Scripts name it in the brackets of a store."""


class ChatCompletionCache(ChatCompletionClient):
    """Caches the answers of another model client and returns them for equal requests.

    Cached answers cost no tokens and are marked `cached`.
    """

    provider = "autogen_ext.models.cache.ChatCompletionCache"
    aliases = (
        "autogen_ext.models.cache._chat_completion_cache.ChatCompletionCache",
        "studio.models.ChatCompletionCache",
        "ChatCompletionCache",
    )
    component_type: ClassVar[str] = "chat_completion_cache"
    positional: ClassVar[tuple[str, ...]] = ("client", "store")

    client: Annotated[ChatCompletionClient, Field(description="Called when no answer is stored.")]
    store: Annotated[CacheStore | None, Field(description="Where answers are kept. Empty: in memory.")] = None

    _own_store: InMemoryStore = PrivateAttr(default_factory=lambda: InMemoryStore())

    @property
    def info(self) -> ModelInfo:
        return self.client.info

    @property
    def source(self) -> str:
        return self.client.source

    def settings(self) -> JsonObject:
        return self.client.settings()

    # The look-up and the question are one effect, that of this client: its `_create` asks the inner one's `_create`,
    # which makes none. A repeated run gets what was recorded and looks nothing up.

    async def _create(self, call: ModelCall) -> CreateResult:
        key = self._key(call)
        found = _pieces_of(await self._in_store(lambda store: store.get(key)))
        if found is not None:
            return found[1]
        with self.client._turn():
            result = await self.client._create(self.client.limited(call))
        await self._keep(key, result)
        return result

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        key = self._key(call)
        found = _pieces_of(await self._in_store(lambda store: store.get(key)))
        if found is not None:
            for piece in found[0]:
                yield piece
            yield found[1]
            return
        pieces: list[str] = []
        whole: CreateResult | None = None
        with self.client._turn():
            async with aclosing(self.client._create_stream(self.client.limited(call))) as items:
                async for item in items:
                    if not isinstance(item, str):
                        whole = item
                        break
                    pieces.append(item)
                    yield item
        if whole is not None:  # given when the turn is over: nobody asks for more, which would give the call up
            await self._keep(key, [*pieces, whole])
            yield whole

    def _key(self, call: ModelCall) -> str:
        """Equal for equal questions to the same model with the same settings, whether streamed or not."""
        return sha256_hex(f"{canonical_json(self.settings())}\n{call._replace(kind='create').digest}")

    async def _keep(self, key: str, value: CHAT_CACHE_VALUE_TYPE) -> None:
        await self._in_store(lambda store: store.set(key, value))

    async def _in_store(self, ask: Callable[[CacheStore], T]) -> T:
        store = self.store or self._own_store
        return await asyncio.to_thread(ask, store) if store.blocks else ask(store)

    def _count(self, call: ModelCall, result: CreateResult) -> CreateResult:
        return result if result.cached else self.client._count(call, result)

    def actual_usage(self) -> RequestUsage:
        return self.client.actual_usage()

    def total_usage(self) -> RequestUsage:
        return self.client.total_usage()

    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[HasSchema | ToolSchema] = ()) -> int:
        return self.client.count_tokens(messages, tools=tools)

    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[HasSchema | ToolSchema] = ()) -> int:
        return self.client.remaining_tokens(messages, tools=tools)

    def context_length(self) -> int:
        return self.client.context_length()

    @property
    def is_free(self) -> bool:
        return self.client.is_free

    def is_charged(self, answer: JsonObject) -> bool:
        return answer.get("cached") is not True and self.client.is_charged(answer)

    def limited(self, call: ModelCall) -> ModelCall:
        """The call as it is, by which its answer is found; the inner client is asked for a short one."""
        return call

    def token_bound(self, call: ModelCall) -> TokenBound | None:
        return self.client.token_bound(call)

    async def close(self) -> None:
        await self.client.close()
        await self._in_store(lambda store: store.close())


def _pieces_of(stored: CacheValue) -> tuple[list[str], CreateResult] | None:
    """A stored answer: its pieces as they were streamed, or all text at once, and the whole; None if it is none."""
    if isinstance(stored, str):
        try:
            stored = cast("JsonValue", json.loads(stored))
        except ValueError:
            return None
    parts = stored if isinstance(stored, list) else [stored]
    wholes = [part for part in parts if not isinstance(part, str)]
    try:
        result = CreateResult.model_validate(wholes[-1] if wholes else None).model_copy(update={"cached": True})
    except ValidationError:
        return None
    pieces = [part for part in parts if isinstance(part, str)]
    if not pieces and isinstance(result.content, str) and result.content:
        pieces = [result.content]
    return pieces, result
