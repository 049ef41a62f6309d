"""A full disk, a locked file, damaged pages: told in a sentence, and nothing else is lost. And space is given back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from studio.errors import RunFailed, SetupError
from studio.runs import Draft, NewRun, RunState, RunStatus
from studio.store import StorageUnavailable, Store, open_store
from studio.store.housekeeping import MAX_LOG_BYTES, MIN_FREED, tidy
from tests.store.stores import OpenStore, locked, sqlite_only

ENDED = RunStatus(state=RunState.FINISHED, reason="end")
LARGE = "x" * 200_000


async def ended_run(store: Store, size: int = 1) -> str:
    run = await store.runs.create(NewRun({"provider": "x"}, "Go.", "Go."))
    await store.runs.append(run, [Draft("event", {"content": LARGE}) for _ in range(size)], ENDED)
    return run.run_id


async def read_all(folder: Path) -> None:
    async with open_store(folder) as store:
        await store.teams.list()
        await store.runs.list()


def page_count(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("PRAGMA page_count").fetchone()[0])


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.store.sqlite.PRAGMAS", ("busy_timeout = 20", "journal_mode = WAL"))


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that may not grow beyond two megabytes."""
    pragmas = ("busy_timeout = 20", "journal_mode = WAL", "max_page_count = 500")
    monkeypatch.setattr("studio.store.sqlite.PRAGMAS", pragmas)
    monkeypatch.setattr("studio.store.appender.PATIENCE_S", 0)


@pytest.mark.slow
@sqlite_only
async def test_the_space_of_deleted_runs_is_given_back(open_it: OpenStore, tmp_path: Path) -> None:
    file = tmp_path / "studio.db"
    async with open_it() as store:
        before = page_count(file)
        run_id = await ended_run(store, 30)
        assert page_count(file) > before + 1_000
        await store.runs.delete(run_id)
        while tidy(file):
            pass
        assert page_count(file) <= before + 2 * MIN_FREED


@sqlite_only
async def test_a_log_that_a_long_reader_made_large_is_cut(open_it: OpenStore, tmp_path: Path) -> None:
    file, log = tmp_path / "studio.db", tmp_path / "studio.db-wal"
    async with open_it() as store:
        with closing(sqlite3.connect(file, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM run").fetchone()
            await ended_run(store, 60)
            tidy(file)
            assert log.stat().st_size > MAX_LOG_BYTES
        tidy(file)
        assert log.stat().st_size == 0


@sqlite_only
async def test_tidying_waits_for_nobody(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it() as store:
        await store.runs.delete(await ended_run(store, 30))
        with locked(tmp_path):
            assert not tidy(tmp_path / "studio.db")


@sqlite_only
@pytest.mark.usefixtures("impatient")
async def test_a_locked_database_is_told_in_a_sentence(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it() as store:
        with locked(tmp_path), pytest.raises(StorageUnavailable, match="another program has locked it"):
            await store.teams.create({"provider": "x"})
        await store.teams.create({"provider": "x"})


@pytest.mark.slow
@sqlite_only
@pytest.mark.usefixtures("impatient")
async def test_a_database_that_is_locked_at_the_start_is_told_in_a_sentence(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it():
        pass
    with locked(tmp_path), pytest.raises(SetupError, match="another program has locked it") as told:
        async with open_it():
            pass
    assert "Close that program" in told.value.fix


@sqlite_only
@pytest.mark.usefixtures("small_disk")
async def test_a_full_disk_is_told_in_a_sentence_and_loses_nothing_else(open_it: OpenStore) -> None:
    async with open_it() as store:
        kept = await store.teams.create({"provider": "x"})
        with pytest.raises(StorageUnavailable, match="the disk is full"):
            await store.teams.create({"provider": "x", "config": {"text": LARGE * 20}})
        with pytest.raises(RunFailed, match="the disk is full"):
            await ended_run(store, 20)
        assert [team.id for team in await store.teams.list()] == [kept.id]
        await store.teams.rename(kept.id, "Still here")


@pytest.mark.slow
@sqlite_only
async def test_damaged_pages_are_told_in_a_sentence(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it() as store:
        await ended_run(store, 30)
        for number in range(50):
            await store.teams.create({"provider": "x", "config": {"text": LARGE, "number": number}})
    file = tmp_path / "studio.db"
    content = bytearray(file.read_bytes())
    content[4096 * 8 :] = b"\xff" * (len(content) - 4096 * 8)
    file.write_bytes(content)
    with pytest.raises(SetupError, match="the file is damaged") as told:
        await read_all(tmp_path)
    assert "\n" not in str(told.value)
