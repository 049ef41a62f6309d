"""The store and the memory in Redis reach a real server through the guard, by the very address that it judged."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from studio.components import env
from studio.egress import resolving
from studio.memory import MemoryUnavailable, RedisMemory
from studio.messages import MemoryContent
from studio.models import RedisStore
from tests.models.redis_program import PASSWORD, certificate, redis_program

HOST = "cache.lan"
"""Nobody but the tests' own resolver knows this name."""


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_PASSWORD", PASSWORD)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with redis_program(tmp_path_factory.mktemp("redis")) as port:
        yield port


@pytest.fixture
def encrypted_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server whose certificate is `HOST`'s, and is trusted."""
    public, options = certificate(tmp_path, HOST)
    monkeypatch.setenv("SSL_CERT_FILE", str(public))
    with redis_program(tmp_path, *options) as port:
        yield port


@contextmanager
def leading_to(*addresses: str) -> Generator[list[str]]:
    """Every name leads to these addresses; the names that were looked up."""
    asked: list[str] = []

    def resolve(host: str, _: int) -> Sequence[str]:
        asked.append(host)
        return addresses

    with resolving(resolve):
        yield asked


def store_at(host: str, port: int, *, ssl: bool = False) -> RedisStore:
    return RedisStore(host=host, port=port, password=env("REDIS_PASSWORD"), ssl=ssl)


def memory_at(url: str) -> RedisMemory:
    return RedisMemory(redis_url=url, password=env("REDIS_PASSWORD"), sequential=True, prefix=url)


async def remembered(memory: RedisMemory) -> list[object]:
    try:
        await memory.add(MemoryContent(content="aaaa", mime_type="text/plain"))
        return [item.content for item in (await memory.query("aaaa")).results]
    finally:
        await memory.close()


def test_a_store_keeps_its_values_for_others_and_for_later(port: int):
    first, second = store_at("127.0.0.1", port), store_at("127.0.0.1", port)
    first.set("k", [1, {"a": None}])
    assert second.get("k") == [1, {"a": None}]
    first.close()
    assert first.get("k") == [1, {"a": None}]
    assert first.get("other", "nothing") == "nothing"
    for store in (first, second):
        store.close()


def test_a_store_that_is_refused_saves_nothing_and_says_so_once(port: int, caplog: pytest.LogCaptureFixture):
    store = RedisStore(host="127.0.0.1", port=port)
    store.set("k", 1)
    assert store.get("k") is None
    store.close()
    [warning] = caplog.messages
    assert f"127.0.0.1:{port} is not used: " in warning
    assert "authenticated" in warning


def test_a_store_goes_to_the_address_that_was_judged_and_again_when_it_was_cut_off(port: int):
    with leading_to("127.0.0.1") as asked, Redis(port=port, password=PASSWORD) as other:
        store = store_at(HOST, port)
        store.set("k", 1)
        assert asked == [HOST]
        other.client_kill_filter(_type="normal", skipme=True)  # pyright: ignore[reportUnknownMemberType] -- untyped keywords
        assert [store.get("k"), store.get("k")][1] == 1
        assert asked == [HOST] * 2
        store.close()


async def test_a_memory_goes_to_the_address_that_was_judged(port: int):
    with leading_to("127.0.0.1") as asked:
        assert await remembered(memory_at(f"redis://{HOST}:{port}")) == ["aaaa"]
    assert asked == [HOST]


async def test_an_address_where_nobody_listens_is_passed_over(port: int):
    with leading_to("::1", "127.0.0.1"):
        store = store_at(HOST, port)
        await asyncio.to_thread(store.set, "passed", "over")
        assert await asyncio.to_thread(store.get, "passed") == "over"
        store.close()
        assert await remembered(memory_at(f"redis://{HOST}:{port}/1")) == ["aaaa"]


@pytest.mark.slow
async def test_over_tls_the_certificate_must_be_that_of_the_name(encrypted_port: int):
    with leading_to("127.0.0.1"):
        store, wrong = (store_at(host, encrypted_port, ssl=True) for host in (HOST, "other.lan"))
        for each in (store, wrong):
            each.set("k", 1)
        assert (store.get("k"), wrong.get("k")) == (1, None)
        for each in (store, wrong):
            each.close()
        assert await remembered(memory_at(f"rediss://{HOST}:{encrypted_port}")) == ["aaaa"]
        with pytest.raises(MemoryUnavailable, match="certificate"):
            await remembered(memory_at(f"rediss://other.lan:{encrypted_port}"))
