"""Wrong guesses are counted for all processes, and through a restart."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from studio.store import open_store
from tests.store.stores import OpenStore

LIMITS = {"a": 3, "b": 2}


async def test_guesses_are_allowed_up_to_the_limit_of_each_subject(open_it: OpenStore) -> None:
    async with open_it() as store:
        guesses = store.wrong_guesses
        assert [await guesses.count(LIMITS) for _ in range(2)] == [0, 0]
        assert 0 < await guesses.count(LIMITS) <= 61
        assert [await guesses.wait_s({"a": 3}), await guesses.count({"a": 3})] == [0, 0]
        assert await guesses.wait_s({"a": 3}) > 0
        await guesses.take_back(["a", "b"])
        assert await guesses.wait_s(LIMITS) == 0


async def test_many_at_once_are_allowed_no_more(open_it: OpenStore) -> None:
    async with open_it() as store:
        waits = await asyncio.gather(*(store.wrong_guesses.count({"a": 3}) for _ in range(12)))
        assert waits.count(0) == 3


async def test_a_restart_forgets_no_guesses(open_it: OpenStore) -> None:
    for _ in range(3):
        async with open_it() as store:
            assert await store.wrong_guesses.count({"a": 3}) == 0
    async with open_it() as store:
        assert await store.wrong_guesses.count({"a": 3}) > 0


async def test_after_the_window_guesses_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_store(tmp_path) as store:
        assert await store.wrong_guesses.count({"a": 1}) == 0
        assert await store.wrong_guesses.count({"a": 1}) > 0
        monkeypatch.setattr("studio.store.wrong_guesses.WINDOW", timedelta(0))
        assert await store.wrong_guesses.count({"a": 1}) == 0
