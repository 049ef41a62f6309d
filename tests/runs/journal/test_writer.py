"""Entries on their way to the log: what waits for them, what they are written with, and what happens when they fail."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import JsonValue

from studio.effects import EffectKind, EffectRequest, RecordingEffects
from studio.runs import Draft, Lease, LeaseLost, LogEntry, LogUnavailable, RunState, RunStatus
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.commands import Command, dispatch
from studio.runs.journal import writer
from studio.runs.journal.writer import MAX_UNWRITTEN
from tests.runs.memory_log import MemoryLog
from tests.runs.scripted import OpenStudio, World, scripted
from tests.waiting import until

LEASE = Lease("run", 1)
Written = asyncio.Future[Sequence[LogEntry]]


def said(text: str) -> Draft:
    return Draft("message", {"source": "a", "content": text})


class HeldLog(MemoryLog):
    """A log that commits when the test lets it, refuses what says "bad", and can be taken over."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[list[str]] = []
        self.is_lost = False
        self._open = asyncio.Event()
        self._open.set()
        self._asked = asyncio.Event()
        self._held: list[tuple[Written, Sequence[Draft], RunStatus]] = []

    def append(self, lease: Lease, drafts: Sequence[Draft], status: RunStatus) -> Written:
        assert lease == LEASE
        written: Written = asyncio.get_running_loop().create_future()
        self._held.append((written, drafts, status))
        self._asked.set()
        if self._open.is_set():
            self._commit()
        return written

    def hold(self) -> None:
        self._open.clear()
        self._asked.clear()

    async def asked(self) -> None:
        """Wait until something was given to the log since it was held."""
        await self._asked.wait()

    def let_go(self) -> None:
        self._open.set()
        self._commit()

    def _commit(self) -> None:
        held, self._held = self._held, []
        for written, drafts, status in held:
            self.commits.append([str(draft.body.get("content", draft.kind)) for draft in drafts])
            if self.is_lost:
                written.set_exception(LeaseLost("The run has another owner."))
            elif any(draft.body.get("content") == "bad" for draft in drafts):
                written.set_exception(LogUnavailable("The disk is full."))
            else:
                super().append(LEASE, drafts, status)
                written.set_result(self.entries[-len(drafts) :])

    @property
    def texts(self) -> list[str]:
        return [str(entry.body.get("content", entry.kind)) for entry in self.entries]


@pytest.fixture
def log() -> HeldLog:
    return HeldLog()


@pytest.fixture
async def run(log: HeldLog, monkeypatch: pytest.MonkeyPatch) -> ActiveRun:
    """One that has just written, so that what nobody waits for is left to gather for as long as a test takes."""
    monkeypatch.setattr(writer, "GATHER_S", 60.0)
    run = ActiveRun(LEASE, log, RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    log.commits.clear()
    return run


async def ask_world(run: ActiveRun, log: HeldLog, kind: EffectKind) -> list[str]:
    """Perform an effect.

    Returns:
        What the log held at that moment.
    """
    held: list[str] = []

    async def perform() -> JsonValue:
        held.extend(log.texts)
        return kind

    recording = RecordingEffects(run.record_effect, run_id=run.id, written=run.wait_written)
    await recording.call(EffectRequest(kind, "a", lambda: None), perform)
    return held


async def test_nothing_is_shown_before_it_is_committed(run: ActiveRun, log: HeldLog) -> None:
    log.hold()
    bell = run.notifier.wait_handle()
    await run.append(said("one"))
    async with asyncio.TaskGroup() as group:
        group.create_task(run.wait_written())
        await log.asked()
        assert (run.view.last_seq, run.recent.since(1, ["message"]), bell.is_set()) == (1, [], False)
        log.let_go()
    assert (run.view.last_seq, bell.is_set()) == (2, True)


@pytest.mark.parametrize("kind", ["tool", "code", "input", "memory"])
async def test_what_must_not_be_done_twice_waits_for_the_log(run: ActiveRun, log: HeldLog, kind: EffectKind) -> None:
    log.hold()
    await run.append(said("one"))
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(ask_world(run, log, kind))
        await log.asked()
        log.let_go()
    assert asking.result() == ["state", "one"]


async def test_a_model_is_asked_while_the_log_is_written(run: ActiveRun, log: HeldLog) -> None:
    log.hold()
    await run.append(said("one"))
    assert await ask_world(run, log, "model") == ["state"]
    log.let_go()
    await run.wait_written()
    assert log.commits == [["one", "effect"]]


async def test_an_answer_goes_into_the_log_at_once_although_nobody_waits_for_it(
    log: HeldLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is killed then has it; only what comes right behind it is gathered."""
    monkeypatch.setattr(writer, "GATHER_S", 60.0)
    run = ActiveRun(LEASE, log, RunStatus())
    await ask_world(run, log, "model")
    assert log.commits == [["effect"]]
    for text in ("one", "two"):
        await run.append(said(text))
    assert log.commits == [["effect"]]
    await run.wait_written()
    assert log.commits == [["effect"], ["one", "two"]]


async def test_after_a_failed_commit_no_tool_is_called(run: ActiveRun, log: HeldLog) -> None:
    await run.append(said("bad"))
    with pytest.raises(LogUnavailable):
        await ask_world(run, log, "tool")
    with pytest.raises(LogUnavailable):
        await run.append(said("one"))
    assert log.texts == ["state"]


async def test_what_stands_before_a_bad_entry_is_written_and_nothing_behind_it(run: ActiveRun, log: HeldLog) -> None:
    for text in ("one", "two", "bad", "three"):
        await run.append(said(text))
    with pytest.raises(LogUnavailable):
        await run.wait_written()
    assert log.texts == ["state", "one", "two"]
    assert run.view.last_seq == 3
    await run.end(Ending.failed(LogUnavailable("The disk is full.")))
    assert log.texts == ["state", "one", "two", "state"]
    assert run.view.state is RunState.FAILED


async def test_a_run_that_was_taken_over_writes_nothing_more(run: ActiveRun, log: HeldLog) -> None:
    log.is_lost = True
    for text in ("one", "two"):
        await run.append(said(text))
    with pytest.raises(LeaseLost):
        await run.wait_written()
    assert log.commits == [["one", "two"]]
    with pytest.raises(LeaseLost):
        await run.append(said("three"))


async def test_a_command_whose_entry_was_lost_with_others_is_not_confirmed(run: ActiveRun, log: HeldLog) -> None:
    await run.append(said("bad"))
    with pytest.raises(LogUnavailable):
        await dispatch(run, Command("pause", "ann"))
    assert log.texts == ["state"]


async def test_what_waits_when_a_run_is_cancelled_is_written_before_its_end(run: ActiveRun, log: HeldLog) -> None:
    log.hold()
    async with asyncio.TaskGroup() as group:
        await run.append(said("one"))
        waiting = group.create_task(run.wait_written())
        await log.asked()
        await run.append(said("two"))
        waiting.cancel()
        group.create_task(run.end(Ending(RunState.CANCELLED, "user")))
        await until(waiting.done)
        log.let_go()
    assert log.texts == ["state", "one", "two", "state"]
    assert run.view.state is RunState.CANCELLED


async def test_a_state_that_somebody_waits_for_is_seen_before_the_next(run: ActiveRun, log: HeldLog) -> None:
    seen: list[tuple[RunState, str]] = []

    async def change(state: RunState, reason: str) -> None:
        await run.change_state(state, "user" if reason == "user" else "resume")
        seen.append((run.view.state, run.view.reason))

    log.hold()
    async with asyncio.TaskGroup() as group:
        group.create_task(run.write(said("one")))
        await log.asked()
        group.create_task(change(RunState.PAUSED, "user"))
        group.create_task(change(RunState.RUNNING, "resume"))
        log.let_go()
    assert seen == [(RunState.PAUSED, "user"), (RunState.RUNNING, "resume")]
    assert log.commits == [["one"], ["state"], ["state"]]


async def test_a_run_that_is_faster_than_its_log_waits_for_it(run: ActiveRun, log: HeldLog) -> None:
    log.hold()
    ahead: list[int] = []

    async def drive() -> None:
        for number in range(MAX_UNWRITTEN + 50):
            await run.append(said(str(number)))
            ahead.append(number + 2 - len(log.texts))  # the log began with an entry for the state

    async with asyncio.TaskGroup() as group:
        group.create_task(drive())
        await log.asked()
        log.let_go()
    await run.wait_written()
    assert max(ahead) == MAX_UNWRITTEN - 1
    assert log.texts[1:] == [str(number) for number in range(MAX_UNWRITTEN + 50)]
    assert len(log.commits) == 2


def refuse(folder: Path, text: str) -> None:
    """Let the database take no message that says this."""
    with closing(sqlite3.connect(folder / "studio.db")) as database:
        database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON run_event "
            f"WHEN NEW.kind = 'message' AND json_extract(NEW.body, '$.content') = '{text}' "
            "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )


async def test_a_database_that_fails_within_a_run_ends_it_before_its_next_tool(
    open_studio: OpenStudio, world: World, tmp_path: Path
) -> None:
    async with open_studio() as studio:
        refuse(tmp_path, "two")
        run_id = await studio.supervisor.start(scripted("a: one", "a: two", "a: *three", "a: four"), "Go.")
        last = await studio.until(run_id, RunState.FAILED)
        assert "the disk is full" in last.view.detail
        assert world.calls == ["one", "two"]
        assert await studio.said(run_id) == ["Go.", "one"]
        error = (await studio.log(run_id))[-1].body["error"]
        assert isinstance(error, dict)
        assert error["code"] == "log_unavailable"
        assert error["fix"]


async def test_runs_side_by_side_keep_their_order(open_studio: OpenStudio) -> None:
    lines = [f"a: {number}" for number in range(30)]
    async with open_studio() as studio:
        run_ids = [await studio.supervisor.start(scripted(*lines), "Go.") for _ in range(5)]
        for run_id in run_ids:
            await studio.until(run_id, RunState.FINISHED)
            log = await studio.log(run_id)
            assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
            assert await studio.said(run_id) == ["Go.", *(str(number) for number in range(30))]
            asked = [entry.kind for entry in log if entry.kind in ("effect", "message")]
            assert asked == ["message", *["effect", "message"] * 30]


@pytest.mark.parametrize(
    "error", [RuntimeError("The driver is gone."), None], ids=["an error of any kind", "cancelled"]
)
async def test_whoever_waits_for_a_log_that_breaks_is_told(error: Exception | None) -> None:
    class Broken(MemoryLog):
        def append(
            self, lease: Lease, drafts: Sequence[Draft], status: RunStatus
        ) -> asyncio.Future[Sequence[LogEntry]]:
            del lease, drafts, status
            appended: asyncio.Future[Sequence[LogEntry]] = asyncio.get_running_loop().create_future()
            if error is None:
                appended.cancel()
            else:
                appended.set_exception(error)
            return appended

    run = ActiveRun(LEASE, Broken(), RunStatus())
    async with asyncio.timeout(5):
        with pytest.raises(LogUnavailable):
            await run.change_state(RunState.RUNNING, "start")
        await run.end(Ending(RunState.FAILED, "error"))
    assert run.view.state is RunState.FAILED
