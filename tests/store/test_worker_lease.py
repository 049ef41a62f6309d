"""A worker that is silent for long is replaced; one that only lost its connection is not."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Collection
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from studio.errors import SetupError
from studio.runs import LeaseLost, NewRun, RunState, RunStatus
from studio.runs.fleet.port import LiveState
from studio.runs.journal.log import Draft
from studio.store import AlreadyRunning, Store, open_store
from studio.store.worker_lease import BEATING, SERVER_LOCK, Fenced
from tests.store.breaking import BreakableWay, breakable
from tests.store.postgres import PostgresServer

RUNNING = RunStatus(state=RunState.RUNNING, reason="start")


@pytest.fixture
async def url(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[str]:
    monkeypatch.setattr("studio.store.worker_lease.BEAT_S", 0.3)
    monkeypatch.setattr("studio.store.worker_lease.RETRY_S", 0.05)
    monkeypatch.setattr("studio.store.worker_lease.SILENT_S", 2.0)
    async with postgres.database() as url:
        yield url


@pytest.fixture
async def opened(
    url: str, postgres: PostgresServer, tmp_path: Path
) -> AsyncGenerator[tuple[Store, BreakableWay, Store]]:
    """A store that reaches its database by a way that can break, and another one that always does."""
    with tempfile.TemporaryDirectory() as folder:  # the path of a socket must be short
        async with (
            breakable(url, postgres.socket, Path(folder)) as (broken_url, way),
            open_store(tmp_path / "a", broken_url) as store,
            open_store(tmp_path / "b", url) as other,
        ):
            yield store, way, other


async def begun(store: Store) -> str:
    """A run that the store's worker drives."""
    lease = await store.runs.create(NewRun({}, "Go.", "Go.", None, ""))
    await store.runs.append(lease, [Draft("event", {"n": 1})], RUNNING)
    return lease.run_id


async def claimed_soon(store: Store) -> Collection[str]:
    """What the store's worker claims as soon as there is anything."""
    while not (run_ids := await store.fleet.claim(10)):  # noqa: ASYNC110  nothing tells of a worker that is dead
        await asyncio.sleep(0.05)
    return run_ids


async def test_a_run_has_one_driver(opened: tuple[Store, BreakableWay, Store]) -> None:
    store, _, other = opened
    async with store.runs.own_runs(), other.runs.own_runs():
        run_id = await begun(store)
        assert await store.fleet.claimed() == [run_id]
        assert not await other.fleet.claim(10)
        with pytest.raises(LeaseLost):
            await other.runs.take_over(run_id)
        await other.fleet.release([run_id])
        assert await store.fleet.claimed() == [run_id], "it is not the other's to release"
        await store.fleet.release([run_id])
        both = await asyncio.gather(store.fleet.claim(10), other.fleet.claim(10))
        assert sorted(map(len, both)) == [0, 1]


async def test_what_is_shown_of_a_run_goes_with_its_driver(opened: tuple[Store, BreakableWay, Store]) -> None:
    store, _, other = opened
    shown = LiveState({"state": "running"}, [])
    async with store.runs.own_runs():
        run_id = await begun(store)
        await store.fleet.publish({run_id: shown})
        await other.fleet.publish({run_id: LiveState({"state": "another"}, [])})
        assert await other.fleet.live(run_id) == shown, "only its driver tells of it"
        await store.fleet.release([run_id])
        assert await other.fleet.live(run_id) is None


async def test_what_was_tried_in_vain_is_left_to_others(opened: tuple[Store, BreakableWay, Store]) -> None:
    store, _, other = opened
    async with store.runs.own_runs(), other.runs.own_runs():
        run_id = await begun(store)
        await store.fleet.release([run_id])
        assert not await store.fleet.claim(10, besides=[run_id])
        assert await other.fleet.claim(10) == [run_id]


async def test_the_runs_of_one_that_leaves_are_free_at_once(opened: tuple[Store, BreakableWay, Store]) -> None:
    store, _, other = opened
    async with other.runs.own_runs():
        async with store.runs.own_runs():
            run_id = await begun(store)
        assert await other.fleet.claim(10) == [run_id]


async def test_a_silent_worker_is_replaced_and_told_so(opened: tuple[Store, BreakableWay, Store]) -> None:
    store, way, other = opened
    begins: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def work() -> None:
        with pytest.raises(Fenced):  # noqa: PT012  it comes while the block waits
            async with store.runs.own_runs():
                begins.set_result(await begun(store))
                await asyncio.Event().wait()

    async def replace() -> None:
        run_id = await begins
        async with other.runs.own_runs():
            way.freeze()
            assert await claimed_soon(other) == [run_id]
            await other.runs.take_over(run_id)
            way.thaw()
            await working
            assert await other.fleet.claimed() == [run_id]

    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        working = group.create_task(work())
        group.create_task(replace())


async def test_a_worker_that_counts_as_dead_claims_nothing(opened: tuple[Store, BreakableWay, Store], url: str) -> None:
    store, _, other = opened
    run_id = ""
    with pytest.raises(Fenced):  # noqa: PT012  it comes while the block waits
        async with store.runs.own_runs():
            run_id = await begun(store)
            engine = create_async_engine(url)
            async with engine.begin() as connection:
                await connection.execute(text("DELETE FROM worker"))
            await engine.dispose()
            assert not await store.fleet.claim(10)
            with pytest.raises(LeaseLost):
                await store.runs.take_over(run_id)
            await asyncio.Event().wait()
    async with other.runs.own_runs():
        assert await other.fleet.claim(10) == [run_id]


async def test_a_lost_connection_does_not_lose_the_lease(opened: tuple[Store, BreakableWay, Store]) -> None:
    store, way, other = opened
    async with store.runs.own_runs(), other.runs.own_runs():
        run_id = await begun(store)
        for _ in range(2):
            way.cut()
            await asyncio.sleep(1.2)
            assert not await other.fleet.claim(10)
        assert await store.fleet.claimed() == [run_id]


@pytest.mark.parametrize("name", ["", f"{BEATING}1"])
async def test_an_older_studio_that_drives_keeps_workers_out(
    opened: tuple[Store, BreakableWay, Store], url: str, name: str
) -> None:
    """One that shows that it lives is cut off when it does not; one that never showed it is left alone."""
    store = opened[0]
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as older:
        await older.execute(text("SELECT set_config('application_name', :name, false)"), {"name": name})
        await older.execute(text("SELECT pg_advisory_lock(:key)"), {"key": SERVER_LOCK})
        with pytest.raises(AlreadyRunning):
            async with store.runs.own_runs():
                pass
        await asyncio.sleep(2.2)
        try:
            async with store.runs.own_runs():
                assert name
        except SetupError:
            assert not name
        await older.invalidate()
    await engine.dispose()
