"""The lock of a database goes on when its holder is silent, and stays with one that only lost its connection."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Awaitable
from pathlib import Path

import pytest

from studio.errors import SetupError
from studio.store import Store, open_store
from studio.store.server_lock import Fenced
from tests.store.breaking import BreakableWay, breakable
from tests.store.postgres import PostgresServer


@pytest.fixture
async def opened(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[tuple[Store, BreakableWay, Store]]:
    """A store that reaches its database by a way that can break, and another one that always does."""
    monkeypatch.setattr("studio.store.server_lock.BEAT_S", 0.3)
    monkeypatch.setattr("studio.store.server_lock.RETRY_S", 0.05)
    monkeypatch.setattr("studio.store.server_lock.SILENT_S", 2.0)
    with tempfile.TemporaryDirectory() as folder:  # the path of a socket must be short
        async with (
            postgres.database() as url,
            breakable(url, postgres.socket, Path(folder)) as (broken_url, way),
            open_store(tmp_path / "a", broken_url) as store,
            open_store(tmp_path / "b", url) as other,
        ):
            yield store, way, other


async def own(store: Store, owns: asyncio.Event | None = None) -> None:
    """Drive the runs until cancelled."""
    async with store.runs.own_runs():
        if owns:
            owns.set()
        await asyncio.Event().wait()


async def own_soon(store: Store) -> None:
    """Take the lock as soon as it is to be had, and give it back."""
    while True:
        try:
            async with store.runs.own_runs():
                return
        except SetupError:
            await asyncio.sleep(0.1)


async def test_a_silent_server_is_cut_off_and_told_so(opened: tuple[Store, BreakableWay, Store]) -> None:
    store, way, other = opened
    owns, taken = asyncio.Event(), asyncio.Event()

    async def take() -> None:
        await owns.wait()
        with pytest.raises(SetupError, match="Another studio is running"):
            async with other.runs.own_runs():
                pass
        way.freeze()
        await own_soon(other)
        async with other.runs.own_runs():
            taken.set()
            way.thaw()
            await first

    async with asyncio.TaskGroup() as group:
        first = group.create_task(_fenced(own(store, owns)))
        group.create_task(take())
    assert taken.is_set()


async def _fenced(owning: Awaitable[None]) -> None:
    with pytest.raises(Fenced):
        await owning


async def test_a_lost_connection_does_not_lose_the_lock(opened: tuple[Store, BreakableWay, Store]) -> None:
    store, way, other = opened
    async with store.runs.own_runs():
        for _ in range(2):
            way.cut()
            await asyncio.sleep(1.2)
            with pytest.raises(SetupError, match="Another studio is running"):
                async with other.runs.own_runs():
                    pass
