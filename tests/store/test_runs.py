from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from studio.errors import Conflict, NotFound
from studio.runs import Draft, LeaseLost, LogEntry, LogUnavailable, NewRun, PendingInput, RunState, RunStatus, Usage
from studio.store import RunFilter
from tests.store.statements import statements
from tests.store.stores import OpenStore, locked, sqlite_only

RUNNING = RunStatus(state=RunState.RUNNING, reason="start")
NEW = NewRun(component={"provider": "x"}, task="Go.", task_text="Go.")


def event(number: int) -> Draft:
    return Draft("event", {"number": number})


async def done(written: asyncio.Future[Sequence[LogEntry]]) -> None:
    """Something that a task can wait for."""
    await written


async def test_numbers_are_dense_whoever_writes_at_once(open_it: OpenStore) -> None:
    async with open_it() as store:
        leases = [await store.runs.create(NEW) for _ in range(3)]
        async with asyncio.TaskGroup() as group:
            for number in range(60):
                drafts = [event(number)] * (1 + number % 3)
                group.create_task(done(store.runs.append(leases[number % 3], drafts, RUNNING)))
        for lease in leases:
            log = await store.runs.read(lease.run_id)
            assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
            assert (await store.runs.summary(lease.run_id)).last_seq == len(log)


@pytest.mark.slow
async def test_entries_stand_in_the_order_of_the_calls(open_it: OpenStore) -> None:
    async with open_it() as store:
        lease = await store.runs.create(NEW)
        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(done(store.runs.append(lease, [event(number)], RUNNING)))
        assert [entry.body["number"] for entry in await store.runs.read(lease.run_id)] == list(range(20))


async def test_an_entry_is_in_the_database_when_the_append_returns(open_it: OpenStore) -> None:
    async with open_it() as store, open_it() as other:
        lease = await store.runs.create(NEW)
        written = await store.runs.append(lease, [event(1), event(2)], RUNNING)
        read = await other.runs.read(lease.run_id)
        assert [(entry.seq, entry.at, entry.body) for entry in read] == [(one.seq, one.at, one.body) for one in written]


async def test_an_older_owner_can_write_no_more(open_it: OpenStore) -> None:
    async with open_it() as store:
        old = await store.runs.create(NEW)
        await store.runs.append(old, [event(1)], RUNNING)
        new, status = await store.runs.take_over(old.run_id)
        assert status == RUNNING
        with pytest.raises(LeaseLost):
            await store.runs.append(old, [event(2)], RUNNING)
        await store.runs.append(new, [event(3)], RUNNING)
        assert [(entry.seq, entry.body["number"]) for entry in await store.runs.read(old.run_id)] == [(1, 1), (2, 3)]


async def test_a_refused_append_does_not_fail_its_neighbours(open_it: OpenStore) -> None:
    async with open_it() as store:
        lost = await store.runs.create(NEW)
        await store.runs.take_over(lost.run_id)
        good = await store.runs.create(NEW)

        async def refused() -> None:
            with pytest.raises(LeaseLost):
                await store.runs.append(lost, [event(1)], RUNNING)

        async def unwritable() -> None:
            with pytest.raises(LogUnavailable):
                await store.runs.append(good, [Draft("event", {"body": object()})], RUNNING)  # pyright: ignore[reportArgumentType]

        async with asyncio.TaskGroup() as group:
            group.create_task(done(store.runs.append(good, [event(1)], RUNNING)))
            group.create_task(refused())
            group.create_task(unwritable())
            group.create_task(done(store.runs.append(good, [event(2)], RUNNING)))
        assert [(entry.seq, entry.body["number"]) for entry in await store.runs.read(good.run_id)] == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    "status",
    [
        RunStatus(state=RunState.RUNNING, reason="start", detail="\ud800"),
        RunStatus(state=RunState.RUNNING, reason="start", usage=Usage(prompt_tokens=10**30)),
    ],
    ids=["half a character", "a huge number"],
)
async def test_what_the_database_cannot_hold_fails_alone(open_it: OpenStore, status: RunStatus) -> None:
    async with open_it() as store:
        good, bad = [await store.runs.create(NEW) for _ in range(2)]

        async def unwritable() -> None:
            with pytest.raises(LogUnavailable):
                await store.runs.append(bad, [event(1)], status)

        async with asyncio.TaskGroup() as group:
            group.create_task(unwritable())
            group.create_task(done(store.runs.append(good, [event(1)], RUNNING)))
        await store.runs.append(bad, [event(2)], RUNNING)
        for lease in (good, bad):
            assert [entry.seq for entry in await store.runs.read(lease.run_id)] == [1]


async def test_an_ending_may_hold_what_text_in_a_database_may_not(open_it: OpenStore) -> None:
    async with open_it() as store:
        lease = await store.runs.create(NewRun({"provider": "x"}, "Go \0", "Go \0"))
        failed = RunStatus(state=RunState.FAILED, reason="error", detail="It said \0.")
        await store.runs.append(lease, [Draft("event", {"content": "\0"})], failed)
        run = await store.runs.get(lease.run_id)
        assert (run.task, run.status.state, run.status.detail[:7]) == ("Go \0", RunState.FAILED, "It said")


async def test_sessions_are_told_the_newest_first(open_it: OpenStore) -> None:
    async with open_it() as store:
        first, other = [await store.runs.create(NEW) for _ in range(2)]
        for begun in (first, other, first):
            await store.runs.create(replace(NEW, session_id=begun.run_id))
        sessions = await store.runs.sessions()
        assert [(session[0].id, len(session)) for session in sessions] == [(first.run_id, 3), (other.run_id, 2)]


@sqlite_only
async def test_an_append_does_not_write_the_task_again(open_it: OpenStore, tmp_path: Path) -> None:
    large = 2_000_000
    async with open_it() as store:
        lease = await store.runs.create(NewRun({"provider": "x"}, "x" * large, "x"))
    async with open_it() as store:
        for number in range(3):
            await store.runs.append(
                lease, [event(number)], RunStatus(state=RunState.RUNNING, reason="start", detail="d" * number)
            )
        assert (tmp_path / "studio.db-wal").stat().st_size < large
        assert (await store.runs.get(lease.run_id)).task == "x" * large


async def test_an_append_that_nobody_waits_for_any_more_is_written(open_it: OpenStore) -> None:
    async with open_it() as store:
        lease = await store.runs.create(NEW)
        task = asyncio.ensure_future(store.runs.append(lease, [event(1)], RUNNING))
        await asyncio.sleep(0)
        task.cancel()
        await store.runs.append(lease, [event(2)], RUNNING)
        assert [entry.seq for entry in await store.runs.read(lease.run_id)] == [1, 2]


async def test_the_row_says_what_the_log_says(open_it: OpenStore) -> None:
    pending = PendingInput(request_id="q", source="ann", prompt="Which?")
    paused = RunStatus(
        state=RunState.PAUSED, reason="input", pending=pending, usage=Usage(prompt_tokens=5, completion_tokens=1)
    )
    async with open_it() as store:
        lease = await store.runs.create(NEW)
        assert (await store.runs.get(lease.run_id)).started_at is None
        await store.runs.append(lease, [event(1)], RUNNING)
        await store.runs.append(lease, [event(2)], paused)
        record = await store.runs.get(lease.run_id)
        assert (record.status, record.last_seq, record.ended_at) == (paused, 2, None)
        assert record.started_at
        assert record.started_at.utcoffset() is not None
        await store.runs.append(lease, [event(3)], RunStatus(state=RunState.FINISHED, reason="end"))
        record = await store.runs.get(lease.run_id)
        assert record.ended_at
        assert record.status.pending is None


async def test_a_log_is_read_in_pages_and_by_kind(open_it: OpenStore) -> None:
    async with open_it() as store:
        lease = await store.runs.create(NEW)
        kinds = [Draft("effect", {}) if number % 2 else event(number) for number in range(10)]
        await store.runs.append(lease, kinds, RUNNING)
        assert [entry.seq for entry in await store.runs.read(lease.run_id, after=3, limit=2)] == [4, 5]
        assert [entry.seq for entry in await store.runs.read(lease.run_id, after=3, kinds=["event"])] == [5, 7, 9]


async def test_runs_of_a_team_outlive_it(open_it: OpenStore) -> None:
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"})
        lease = await store.runs.create(NewRun({"provider": "x"}, "Go.", "Go.", team.id, "Pair"))
        assert [run.id for run in await store.runs.list(RunFilter(team_id=team.id))] == [lease.run_id]
        with pytest.raises(Conflict):
            await store.teams.delete(team.id)
        await store.runs.append(lease, [event(1)], RunStatus(state=RunState.FAILED, reason="error"))
        await store.teams.delete(team.id)
        run = await store.runs.get(lease.run_id)
        assert (run.team_id, run.team_name, run.component) == (None, "Pair", {"provider": "x"})


async def test_a_run_of_an_unknown_team_is_refused(open_it: OpenStore) -> None:
    async with open_it() as store:
        with pytest.raises(NotFound):
            await store.runs.create(NewRun({}, "Go.", "Go.", "nothing", ""))


async def test_only_an_ended_run_can_be_deleted(open_it: OpenStore) -> None:
    async with open_it() as store:
        lease = await store.runs.create(NEW)
        await store.runs.append(lease, [event(1)], RUNNING)
        with pytest.raises(NotFound):
            await store.runs.delete(lease.run_id)
        await store.runs.append(lease, [event(2)], RunStatus(state=RunState.FAILED, reason="error"))
        await store.runs.delete(lease.run_id)
        assert await store.runs.read(lease.run_id) == []


@sqlite_only
async def test_a_locked_database_is_waited_for_once_and_not_for_each_run(
    open_it: OpenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.store.sqlite.PRAGMAS", ("journal_mode = WAL", "busy_timeout = 20"))
    monkeypatch.setattr("studio.store.appender.PATIENCE_S", 0)
    async with open_it() as store:
        runs = [await store.runs.create(NEW) for _ in range(9)]
        with locked(tmp_path), statements() as asked:
            writing = [store.runs.append(run, [event(1)], RUNNING) for run in runs]
            told = await asyncio.gather(*writing, return_exceptions=True)
        assert [type(error) for error in told] == [LogUnavailable] * 9
        assert "another program has locked it" in str(told[0])
        assert [statement for statement, *_ in asked].count("BEGIN IMMEDIATE") == 1


@sqlite_only
async def test_runs_wait_with_their_logs_until_a_locked_database_is_free(
    open_it: OpenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.store.sqlite.PRAGMAS", ("journal_mode = WAL", "busy_timeout = 20"))
    is_told = asyncio.Event()

    def tell(*said: object) -> None:
        assert "another program has locked it" in str(said)
        is_told.set()

    monkeypatch.setattr("studio.store.appender.logger.warning", tell)
    async with open_it() as store:
        run = await store.runs.create(NEW)
        with locked(tmp_path):
            writing = store.runs.append(run, [event(1)], RUNNING)
            await asyncio.wait_for(is_told.wait(), 20)
        await writing
        assert [entry.seq for entry in await store.runs.read(run.run_id)] == [1]
