"""The memory in Redis, against a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.components import JsonObject, all_capabilities, load_component, validate_component
from studio.contexts import UnboundedChatCompletionContext
from studio.errors import ConfigError
from studio.memory import MemoryUnavailable, RedisMemory, RedisMemoryConfig
from studio.messages import MemoryContent, SystemMessage, UserMessage
from tests.memory.embedding import letters
from tests.models.redis_program import PASSWORD, redis_program

Make = Callable[..., RedisMemory]


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real Redis server that wants a password."""
    with redis_program(tmp_path_factory.mktemp("redis")) as port:
        yield f"redis://127.0.0.1:{port}"


@pytest.fixture
async def make_memory(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Make]:
    """Memories of one collection, empty at first."""
    monkeypatch.setenv("REDIS_PASSWORD", PASSWORD)
    made: list[RedisMemory] = []

    def make(**fields: Any) -> RedisMemory:
        given = {"redis_url": redis_url, "password": "env:REDIS_PASSWORD", "prefix": request.node.name, **fields}
        memory = RedisMemory(embedding_function=letters, **given)
        made.append(memory)
        return memory

    yield make
    for memory in made:
        await memory.close()


def text(content: str) -> MemoryContent:
    return MemoryContent(content=content, mime_type="text/plain", metadata={"n": 1})


async def filled(memory: RedisMemory, *lines: str) -> RedisMemory:
    for line in lines:
        await memory.add(text(line))
    return memory


async def found(memory: RedisMemory, query: str) -> list[object]:
    return [item.content for item in (await memory.query(query)).results]


async def test_what_is_most_like_the_last_message_is_added_joined_by_blank_lines(make_memory: Make):
    memory = await filled(make_memory(top_k=2), "zzzz", "aaab", "aaaa")
    context = UnboundedChatCompletionContext()
    await context.add_message(UserMessage(content="aaaa", source="user"))
    await memory.update_context(context)
    assert (await context.get_messages())[-1] == SystemMessage(content="aaaa\n\naaab")


async def test_what_is_too_far_off_is_left_out(make_memory: Make):
    memory = await filled(make_memory(distance_threshold=0.5), "zzzz", "aaaa")
    assert await found(memory, "aaab") == ["aaaa"]


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
async def test_every_distance_puts_the_same_text_first(make_memory: Make, metric: str):
    memory = await filled(make_memory(distance_metric=metric, distance_threshold=99), "bbbb", "aaaa", "cccc")
    assert (await found(memory, "aaaa"))[0] == "aaaa"


async def test_the_latest_in_order_need_no_embedding(make_memory: Make):
    memory = await filled(make_memory(sequential=True, top_k=2), "one", "two", "three")
    assert await found(memory, "anything") == ["two", "three"]


async def test_a_query_may_ask_for_fewer_nearer_or_the_latest(make_memory: Make):
    memory = await filled(make_memory(distance_threshold=2), "aaaa", "aaab", "zzzz")
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"top_k": 1}, ["aaaa"]),
        ({"distance_threshold": 0.5}, ["aaaa", "aaab"]),
        ({"sequential": True, "top_k": 2}, ["aaab", "zzzz"]),
        ({}, ["aaaa", "aaab", "zzzz"]),
    ]
    for options, expected in cases:
        assert [item.content for item in (await memory.query("aaaa", **options)).results] == expected


async def test_one_that_knows_only_the_latest_cannot_search():
    with pytest.raises(ValueError, match="stores no vectors"):
        await RedisMemory(sequential=True).query("x", sequential=False)


async def test_it_outlives_the_connection_until_it_is_cleared(make_memory: Make):
    first = await filled(make_memory(), "aaaa")
    await first.add(MemoryContent(content={"a": 1}, mime_type="application/json"))
    await first.close()
    other = make_memory(distance_threshold=2)
    assert await found(other, "aaaa") == ["aaaa", {"a": 1}]
    await other.clear()
    assert await found(first, "aaaa") == []


async def test_a_server_that_is_not_there_is_reported_with_its_address(tmp_path: Path):
    memory = RedisMemory(config=RedisMemoryConfig(redis_url=f"unix://{tmp_path}/none", sequential=True))
    with pytest.raises(MemoryUnavailable, match="Redis at unix:"):
        await memory.query("x")


async def test_the_missing_embedding_package_is_named():
    memory = RedisMemory(redis_url="redis://127.0.0.1:9")
    with pytest.raises(ConfigError, match="pip install sentence-transformers"):
        await memory.add(text("x"))


def test_a_password_in_the_address_is_warned_of():
    config: JsonObject = {"redis_url": "redis://me:secret@db:6379"}
    report = validate_component({"provider": RedisMemory.provider, "config": config})
    assert [warning.where for warning in report.warnings] == ["/config/redis_url"]
    assert "secret" not in str([each.detail for each in report.capabilities])


def test_it_loads_and_dumps_unchanged_and_says_what_it_needs():
    memory = RedisMemory(redis_url="redis://db:6380", password="env:PW", sequential=True)
    written = memory.dump_component()
    assert load_component(written, RedisMemory).dump_component() == written
    assert [each.detail for each in all_capabilities(memory)] == ["env:PW to redis://db:6380", "redis://db:6380"]
