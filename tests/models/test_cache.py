"""The chat completion cache and its stores."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import cast

import pytest
from pydantic import JsonValue

from studio import effects
from studio.components import all_capabilities, env, load_component
from studio.effects import RecordingEffects
from studio.errors import ConfigError
from studio.messages import CreateResult, LLMMessage, UserMessage
from studio.models import (
    CacheStore,
    ChatCompletionCache,
    DiskCacheStore,
    InMemoryStore,
    OpenAIChatCompletionClient,
    RedisStore,
    ReplayChatCompletionClient,
)
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.fakes.redis_server import RedisServer
from tests.models.conftest import MakeClient

ASK: list[LLMMessage] = [UserMessage(content="hi", source="user")]
OTHER: list[LLMMessage] = [UserMessage(content="ho", source="user")]


async def collect(client: ChatCompletionCache) -> list[str | CreateResult]:
    return [item async for item in client.create_stream(ASK)]


async def test_the_same_question_is_asked_once(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say("one", "two", "three")
    client = ChatCompletionCache(client=make_client())
    answers = [await client.create(messages) for messages in (ASK, ASK, OTHER)]
    warmer = await ChatCompletionCache(client=make_client(temperature=1), store=client.store).create(ASK)
    assert [(answer.content, answer.cached) for answer in answers] == [("one", False), ("one", True), ("two", False)]
    assert warmer.content == "three"
    assert client.total_usage().prompt_tokens == 22


async def test_a_streamed_answer_comes_again_in_its_pieces(
    openai_server: OpenAIServer, make_client: MakeClient
) -> None:
    openai_server.say(Reply("one two", thought="hm"))
    client = ChatCompletionCache(client=make_client())
    first, second, whole = await collect(client), await collect(client), await client.create(ASK)
    assert second[:-1] == first[:-1] == ["<think>hm", "</think>", "one ", "two"]
    assert isinstance(second[-1], CreateResult)
    assert (second[-1].content, second[-1].thought, second[-1].cached) == ("one two", "hm", True)
    assert whole == second[-1]
    assert openai_server.request_count == 1


async def test_a_whole_answer_is_streamed_in_one_piece(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say("one two")
    client = ChatCompletionCache(client=make_client())
    result = await client.create(ASK)
    assert await collect(client) == ["one two", result.model_copy(update={"cached": True})]


async def test_each_streamed_question_takes_the_next_answer_of_a_script() -> None:
    client = ChatCompletionCache(client=ReplayChatCompletionClient(chat_completions=["one", "two"]))
    answers = [[item async for item in client.create_stream(asked)][-1] for asked in (ASK, OTHER, ASK)]
    assert [answer.content for answer in answers if isinstance(answer, CreateResult)] == ["one", "two", "one"]


async def test_what_failed_is_not_kept(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say(Reply("one two", unfinished=True), "fine")
    client = ChatCompletionCache(client=make_client())
    with pytest.raises(Exception, match="before it was complete"):
        await collect(client)
    assert (await client.create(ASK)).content == "fine"


async def test_each_call_is_one_effect_whether_asked_or_stored() -> None:
    entries: list[dict[str, JsonValue]] = []

    async def append(entry: dict[str, JsonValue]) -> None:
        entries.append(entry)

    inner = ReplayChatCompletionClient(chat_completions=["a", "b"])
    inner.set_cached_bool_value(False)
    client = ChatCompletionCache(client=inner)
    with effects.use(RecordingEffects(append, run_id="test")):
        await client.create(ASK)
        await client.create(ASK)
        await collect(client)
        await client.create(OTHER)
    results = [cast("dict[str, JsonValue]", entry["result"]) for entry in entries]
    assert [(result["content"], result["cached"]) for result in results] == [
        ("a", False),
        ("a", True),
        ("a", True),
        ("b", False),
    ]
    assert entries[0]["request"] == entries[1]["request"]


async def test_a_disk_store_outlives_its_program(
    tmp_path: Path, openai_server: OpenAIServer, make_client: MakeClient
) -> None:
    openai_server.say("one")
    directory = str(tmp_path / "cache")
    await ChatCompletionCache(client=make_client(), store=DiskCacheStore(directory=directory)).create(ASK)
    again = await ChatCompletionCache(client=make_client(), store=DiskCacheStore(directory=directory)).create(ASK)
    assert (again.content, again.cached) == ("one", True)
    assert openai_server.request_count == 1


def test_a_disk_store_holds_json_text_only(tmp_path: Path) -> None:
    store = DiskCacheStore(directory=str(tmp_path))
    store.set("k", {"a": [1, None]})
    (file,) = tmp_path.iterdir()
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT * FROM answers").fetchall() == [("k", '{"a":[1,null]}')]
        database.execute("UPDATE answers SET value = 'cos\nsystem'")
    database.close()
    assert store.get("k", "nothing") == "nothing"


async def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    client = ChatCompletionCache(
        client=ReplayChatCompletionClient(chat_completions=["a"]),
        store=DiskCacheStore(directory=str(tmp_path / "file")),
    )
    with pytest.raises(ConfigError, match="cannot be created"):
        await client.create(ASK)


@pytest.mark.parametrize("store", [InMemoryStore(), None])
def test_values_come_back_as_they_were_set(store: CacheStore | None, tmp_path: Path) -> None:
    store = store or DiskCacheStore(directory=str(tmp_path))
    assert store.get("k") is None
    values: list[JsonValue] = ["text", 42, [1, {"a": None}]]
    for value in values:
        store.set("k", value)
        assert store.get("k") == value


@pytest.mark.slow
async def test_redis_keeps_answers_for_others(
    openai_server: OpenAIServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_PASSWORD", "pw")
    openai_server.say("one")
    with RedisServer() as redis:
        stores = [RedisStore(host="127.0.0.1", port=redis.port, password=env("REDIS_PASSWORD")) for _ in range(2)]
        answers = [await ChatCompletionCache(client=make_client(), store=store).create(ASK) for store in stores]
        for store in stores:
            store.close()
        assert redis.passwords == {"pw"}
    assert [(answer.content, answer.cached) for answer in answers] == [("one", False), ("one", True)]
    assert openai_server.request_count == 1


async def test_a_run_goes_on_without_its_redis(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say("one", "two")
    client = ChatCompletionCache(client=make_client(), store=RedisStore(host="127.0.0.1", port=9))
    assert [(await client.create(ASK)).content for _ in range(2)] == ["one", "two"]


def test_an_older_diskcache_object_gives_its_place() -> None:
    class Cache:
        directory = "/data/cache"

    assert DiskCacheStore.model_validate({"directory": Cache()}).directory == "/data/cache"


def test_capabilities_are_those_of_client_and_store() -> None:
    document: JsonValue = {
        "provider": "autogen_ext.models.cache.ChatCompletionCache",
        "config": {
            "client": {"provider": "OpenAIChatCompletionClient", "config": {"model": "gpt-4o"}},
            "store": {"provider": "RedisStore", "config": {"password": "plain"}},
        },
    }
    client = load_component(document, ChatCompletionCache)
    assert isinstance(client.client, OpenAIChatCompletionClient)
    assert [capability.detail for capability in all_capabilities(client)] == [
        "env:OPENAI_API_KEY to https://api.openai.com:443/v1",
        "https://api.openai.com:443/v1",
        "gpt-4o at https://api.openai.com:443/v1",
        "env:REDIS_PASSWORD to redis://localhost:6379",
        "redis://localhost:6379",
    ]
    assert "plain" not in str(client.dump_component())


def test_a_store_may_name_the_type_of_its_values() -> None:
    for cls in (InMemoryStore, DiskCacheStore, RedisStore):
        assert cls[str] is cls
