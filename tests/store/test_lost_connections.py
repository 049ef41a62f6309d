"""What a database has written though its answer was lost stands in it once, and what it has not is written."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from studio.runs import Draft, LeaseLost, NewRun, RunState, RunStatus
from studio.store import StorageUnavailable, Store, open_store
from tests.store.breaking import BreakableWay, breakable
from tests.store.postgres import PostgresServer, find_programs, running_server

RUNNING = RunStatus(state=RunState.RUNNING, reason="start")
NEW = NewRun(component={"provider": "x"}, task="Go.", task_text="Go.")


@pytest.fixture
async def opened(postgres: PostgresServer, tmp_path: Path) -> AsyncGenerator[tuple[Store, BreakableWay]]:
    with tempfile.TemporaryDirectory() as folder:  # the path of a socket must be short
        async with (
            postgres.database() as url,
            breakable(url, postgres.socket, Path(folder)) as (broken_url, way),
            open_store(tmp_path, broken_url) as store,
        ):
            yield store, way


async def test_a_commit_whose_answer_was_lost_is_not_written_twice(opened: tuple[Store, BreakableWay]) -> None:
    store, way = opened
    lease = await store.runs.create(NEW)
    taken = await store.runs.create(NEW)
    await store.runs.take_over(taken.run_id)
    way.cut_commits = 1
    told = store.runs.append(taken, [Draft("event", {"number": 0})], RUNNING)
    first = store.runs.append(lease, [Draft("event", {"number": 1})], RUNNING)
    second = store.runs.append(lease, [Draft("event", {"number": 2}), Draft("event", {"number": 3})], RUNNING)
    assert [entry.seq for entry in [*await first, *await second]] == [1, 2, 3]
    with pytest.raises(LeaseLost):
        await told
    assert way.cut_commits == 0
    await store.runs.append(lease, [Draft("event", {"number": 4})], RUNNING)
    log = await store.runs.read(lease.run_id)
    assert [(entry.seq, entry.body["number"]) for entry in log] == [(1, 1), (2, 2), (3, 3), (4, 4)]


async def test_a_database_that_is_gone_is_told_in_a_sentence(postgres: PostgresServer, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with (
            postgres.database() as url,
            breakable(url, postgres.socket, Path(folder)) as (broken_url, way),
            open_store(tmp_path, broken_url) as store,
        ):
            way.is_open = False
            way.cut()
            (Path(folder) / ".s.PGSQL.5432").unlink()
            for _ in range(2):
                with pytest.raises(StorageUnavailable, match="cannot be used"):
                    await store.ping()


async def test_a_database_that_was_restarted_is_used_at_once(tmp_path: Path) -> None:
    programs = find_programs()
    if programs is None:
        pytest.skip("No PostgreSQL server is installed.")
    with running_server(programs, keeps_commits=True) as server:
        async with open_store(tmp_path, server.url("postgres").render_as_string()) as store:
            lease = await store.runs.create(NEW)
            await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.start)
            assert (await store.runs.get(lease.run_id)).id == lease.run_id
            await store.runs.create(NEW)


async def test_entries_are_written_once_the_database_is_reached_again(opened: tuple[Store, BreakableWay]) -> None:
    store, way = opened
    lease = await store.runs.create(NEW)
    await store.runs.append(lease, [Draft("event", {"number": 1})], RUNNING)
    way.cut()
    assert [entry.seq for entry in await store.runs.append(lease, [Draft("event", {"number": 2})], RUNNING)] == [2]
    assert [entry.body["number"] for entry in await store.runs.read(lease.run_id)] == [1, 2]
