"""Memories as AutoGen's scripts make, ask and dump them."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


def test_configs_are_checked_and_may_be_changed_read_and_compared(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.memory.chromadb import ChromaDBVectorMemoryConfig, HttpChromaDBVectorMemoryConfig
        from autogen_ext.memory.redis import RedisMemory, RedisMemoryConfig
        from pydantic import ValidationError

        for wrong in ({"distance_metric": "approximate"}, {"algorithm": "pythagoras"}):
            try:
                RedisMemoryConfig(**wrong)
            except ValidationError as error:
                print(error.error_count())
        config = RedisMemoryConfig()
        config.top_k = 3
        memory = RedisMemory(config)
        print(memory.top_k, memory.config == config, RedisMemory().config.top_k)
        http = HttpChromaDBVectorMemoryConfig(collection_name="mine")
        print(http.host, http.port, http.ssl, http.headers, isinstance(http, ChromaDBVectorMemoryConfig))
    """)
    assert outcome.lines == ["1", "1", "3 True 10", "localhost 8000 False None True"]


def test_a_config_of_mem0_has_its_defaults(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.memory.mem0 import Mem0Memory, Mem0MemoryConfig

        config = Mem0MemoryConfig(user_id="me", is_cloud=False, config={"path": ":memory:"})
        memory = Mem0Memory(config.user_id, config.limit, config.is_cloud, config.api_key, config.config)
        print(memory.dump_component().config)
    """)
    assert outcome.lines == ["{'user_id': 'me', 'limit': 10, 'is_cloud': False, 'config': {'path': ':memory:'}}"]


def test_a_config_hides_its_keys_when_it_is_printed(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.memory.chromadb import HttpChromaDBVectorMemoryConfig
        from autogen_ext.memory.mem0 import Mem0MemoryConfig
        from autogen_ext.memory.redis import RedisMemoryConfig

        key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
        local = {"llm": {"config": {"api_key": key}}}
        print(Mem0MemoryConfig(api_key=key, config=local), HttpChromaDBVectorMemoryConfig(headers={"x-api-key": key}))
        print(repr(RedisMemoryConfig(password=key)))
    """)
    assert "sk-abc" not in outcome.out


def test_a_memory_of_a_list_passes_over_the_options_of_others(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core.memory import ListMemory, MemoryContent

        memory = ListMemory(memory_contents=[MemoryContent(content="tea", mime_type="text/plain")])
        print([item.content for item in asyncio.run(memory.query("x", top_k=2)).results])
        print(memory.dump_component().description)
    """)
    assert outcome.lines == ["['tea']", "Adds a list of items to the conversation before each model call."]
