"""The model cache over stores of a script, and what scripts take out of the stores themselves."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


def test_a_store_of_a_script_gets_answers_and_is_asked_in_its_own_thread(run_script: RunScript):
    outcome = run_script("""
        import asyncio, sqlite3
        from contextlib import closing
        from autogen_core import CacheStore
        from autogen_core.models import CreateResult, UserMessage
        from autogen_ext.models.cache import ChatCompletionCache
        from autogen_ext.models.replay import ReplayChatCompletionClient

        class Store(CacheStore):
            def __init__(self, database):
                self.database = database
                database.execute("CREATE TABLE answers (key TEXT PRIMARY KEY, value TEXT)")

            def get(self, key, default=None):
                row = self.database.execute("SELECT value FROM answers WHERE key = ?", (key,)).fetchone()
                return CreateResult.model_validate_json(row[0]) if row else default

            def set(self, key, value):
                self.database.execute("INSERT INTO answers VALUES (?, ?)", (key, value.model_dump_json()))

        async def main(store):
            cache = ChatCompletionCache(ReplayChatCompletionClient(["one", "two"]), store)
            for _ in range(2):
                print((await cache.create([UserMessage(content="hi", source="user")])).content)

        with closing(sqlite3.connect(":memory:")) as database:
            asyncio.run(main(Store(database)))
    """)
    assert outcome.lines == ["one", "one"]


def test_a_store_need_only_behave_like_one(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from unittest.mock import MagicMock
        from autogen_core.models import UserMessage
        from autogen_ext.models.cache import ChatCompletionCache
        from autogen_ext.models.replay import ReplayChatCompletionClient

        async def main():
            store = MagicMock()
            store.get.return_value = ["on", {"content": "one", "usage": {"prompt_tokens": 1, "completion_tokens": 1},
                                             "finish_reason": "stop", "cached": False}, "e"]
            cache = ChatCompletionCache(ReplayChatCompletionClient(["two"]), store)
            print([str(item)[:3] async for item in cache.create_stream([UserMessage(content="hi", source="user")])])
            store.get.return_value = None
            result = await cache.create([UserMessage(content="hi", source="user")])
            print(result.content, store.set.call_args.args[1] is result)

        asyncio.run(main())
    """)
    assert outcome.lines == ["['on', 'e', 'fin']", "two True"]


def test_stores_show_what_they_keep_and_where(run_script: RunScript):
    outcome = run_script("""
        from types import SimpleNamespace
        from unittest.mock import MagicMock
        from autogen_core import InMemoryStore
        from autogen_ext.cache_store.diskcache import DiskCacheStore
        from autogen_ext.cache_store.redis import RedisStore

        memory, disk, redis = InMemoryStore(), DiskCacheStore(SimpleNamespace(directory="kept")), MagicMock()
        memory.set("key", 1)
        disk.set("key", 2)
        loaded = DiskCacheStore.load_component(disk.dump_component())
        print(memory.store, loaded.cache.get("key"), loaded.cache.directory)
        loaded.cache.close()
        store = RedisStore(redis)
        store.set("key", "text")
        redis.get.return_value = b"\\xff"
        print(store.cache is redis, redis.set.call_args.args, store.get("key", "none"))
        print(memory.dump_component().description)
    """)
    assert outcome.lines == [
        "{'key': 1} 2 kept",
        "True ('key', 'text') none",
        "Stores answers in memory until the program ends.",
    ]
