"""Stores of a cache with the type of their values in brackets."""

import asyncio
import tempfile

from autogen_core import InMemoryStore
from autogen_core.models import UserMessage
from autogen_ext.cache_store.diskcache import DiskCacheStore
from autogen_ext.models.cache import CHAT_CACHE_VALUE_TYPE, ChatCompletionCache
from scripting import model

try:
    from diskcache import Cache
except ImportError:  # the studio's store needs no more than the place

    class Cache:
        def __init__(self, directory):
            self.directory = directory


async def ask_twice(store):
    client = model("Hello to you.", "This is never said.")
    cached = ChatCompletionCache(client, store)
    for _ in range(2):
        answer = await cached.create([UserMessage(content="Hello!", source="user")])
        print(answer.content, answer.cached)
    assert answer.cached and answer.content == "Hello to you."
    await client.close()


async def main():
    await ask_twice(InMemoryStore[CHAT_CACHE_VALUE_TYPE]())
    with tempfile.TemporaryDirectory() as folder:
        await ask_twice(DiskCacheStore[CHAT_CACHE_VALUE_TYPE](Cache(folder)))


asyncio.run(main())
