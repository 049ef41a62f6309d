"""The model cache and its stores as AutoGen's scripts make them, derive them and reach into them."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Self

from pydantic import PrivateAttr

from studio import models as ours
from studio.autogen.compat_base import Freed
from studio.autogen.models import FreedClient


class CacheStore(Freed, ours.CacheStore, stands_for=ours.CacheStore):
    """A store of a script. It is asked in the script's own thread, which alone may use a database that it opened."""

    blocks: ClassVar[bool] = False


class _Around(CacheStore):
    """A store that only behaves like one, such as a stand-in of a test."""

    _store: Any = PrivateAttr()

    def __init__(self, store: Any) -> None:
        super().__init__()
        self._store = store

    def get(self, key: str, default: Any = None) -> Any:
        return self._store.get(key, default)

    def set(self, key: str, value: Any) -> None:
        self._store.set(key, value)


class ChatCompletionCache(FreedClient, ours.ChatCompletionCache, stands_for=ours.ChatCompletionCache):
    """Can do what the client can that it asks."""

    provider = ours.ChatCompletionCache.provider
    aliases = ours.ChatCompletionCache.aliases

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        store = named.get("store")
        if not (store is None or isinstance(store, dict | ours.CacheStore)):
            named["store"] = _Around(store)
        super().__init__(**named)

    @property
    def model_info(self) -> ours.ModelInfo:  # pyright: ignore[reportIncompatibleVariableOverride] -- no field of it
        return self.info


class InMemoryStore(Freed, ours.InMemoryStore, stands_for=ours.InMemoryStore):
    """Shows what it holds."""

    provider = ours.InMemoryStore.provider
    aliases = ours.InMemoryStore.aliases

    @property
    def store(self) -> dict[str, Any]:
        """Everything by its key."""
        return self._values


class DiskCacheStore(Freed, ours.DiskCacheStore, stands_for=ours.DiskCacheStore):
    """Keeps its file beside the `diskcache` that it is given."""

    provider = ours.DiskCacheStore.provider
    aliases = ours.DiskCacheStore.aliases

    @property
    def cache(self) -> Self:
        """What holds the answers: a `diskcache`, which is read with pickle, does not, so clearing it would not do."""
        return self


class RedisStore(Freed, ours.RedisStore, stands_for=ours.RedisStore):
    """Reads and writes values that are not JSON as AutoGen does: numbers and texts as they are."""

    provider = ours.RedisStore.provider
    aliases = ours.RedisStore.aliases

    @property
    def cache(self) -> Any:
        """The client of Redis."""
        return self._connected()

    def get(self, key: str, default: Any = None) -> Any:
        raw: Any = None
        with self._forgiving():
            raw = self._connected().get(key)
        if raw is None:
            return default
        try:
            text = raw.decode() if isinstance(raw, bytes) else raw
        except UnicodeDecodeError:
            return default
        try:
            return json.loads(text)
        except (TypeError, ValueError):
            return text

    def set(self, key: str, value: Any) -> None:
        if isinstance(value, int | float | str | bytes) and not isinstance(value, bool):
            with self._forgiving():
                self._connected().set(key, value)
        else:
            super().set(key, value)
