"""A cache around a client: the second time the same question costs nothing."""

import asyncio
import tempfile

from autogen_core import InMemoryStore
from autogen_core.models import UserMessage
from autogen_ext.cache_store.diskcache import DiskCacheStore
from autogen_ext.models.cache import ChatCompletionCache
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
    await ask_twice(InMemoryStore())
    with tempfile.TemporaryDirectory() as folder:
        await ask_twice(DiskCacheStore(Cache(folder)))


asyncio.run(main())
