from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack, aclosing

from studio.runs import Draft, EntryKind, Lease, LogEntry, RunState, RunStatus
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.feed import PAGE_SIZE, follow, read_finished
from studio.runs.journal.buffers import MAX_RECENT
from studio.runs.view import RunView
from tests.runs.memory_log import MemoryLog

HELLO = Draft("message", {"source": "a", "content": "hello"})


class BusyLog(MemoryLog):
    """A log in which the message is written while a page reads it."""

    run: ActiveRun | None = None

    async def read(
        self, run_id: str, *, after: int = 0, limit: int = 500, kinds: Collection[EntryKind] | None = None
    ) -> Sequence[LogEntry]:
        if self.run is not None:
            run, self.run = self.run, None
            await run.write(HELLO)
            run.add_chunk("a", "m2", "next")
        return await super().read(run_id, after=after, limit=limit, kinds=kinds)


async def test_a_message_is_not_shown_once_more_as_unfinished() -> None:
    log = BusyLog()
    await log.append(Lease("run", 1), [HELLO], RunStatus())  # before this process drove the run: not in its memory
    run = ActiveRun(Lease("run", 1), log, RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    run.add_chunk("a", "m1", "hel")
    log.run = run
    async with aclosing(follow(run, log)) as batches:
        first = await anext(batches)
        assert ([entry.seq for entry in first.entries], first.chunks) == ([1, 2, 3], [])
        second = await anext(batches)
        assert [(chunk.message_id, chunk.text) for chunk in second.chunks] == [("m2", "next")]


async def test_words_that_come_fast_are_shown_together() -> None:
    run = ActiveRun(Lease("run", 1), MemoryLog(), RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    words = [f"{number} " for number in range(100)]
    async with aclosing(follow(run, MemoryLog())) as batches:
        await anext(batches)
        shown: list[str] = []
        async with asyncio.TaskGroup() as group:
            group.create_task(_write(run, words))
            while sum(map(len, shown)) < len("".join(words)):
                shown += [chunk.text for chunk in (await anext(batches)).chunks]
    assert "".join(shown) == "".join(words)
    assert shown[0] == "0 "  # at once: until it comes, a person does not know that there is an answer
    assert len(shown) < len(words) / 2


async def _write(run: ActiveRun, words: Sequence[str]) -> None:
    for word in words:
        run.add_chunk("a", "m1", word)
        await asyncio.sleep(0)


async def test_a_long_log_comes_in_pages_and_nothing_is_left_out() -> None:
    log = MemoryLog()
    run = ActiveRun(Lease("run", 1), log, RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    await run.write(*[HELLO] * (2 * PAGE_SIZE))
    await run.end(Ending(RunState.FINISHED, "end"))
    batches = [batch async for batch in follow(run, log, 3)]
    seqs = [entry.seq for batch in batches for entry in batch.entries]
    assert seqs == list(range(4, 2 * PAGE_SIZE + 3))
    assert max(len(batch.entries) for batch in batches) == PAGE_SIZE


async def test_pages_that_keep_up_do_not_ask_the_log() -> None:
    log = MemoryLog()
    run = ActiveRun(Lease("run", 1), log, RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    async with AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(aclosing(follow(run, log))) for _ in range(3)]
        for seq in range(2, 3 * MAX_RECENT):
            for page in pages:
                assert [entry.seq for entry in (await anext(page)).entries] == [seq - 1]
            await run.write(HELLO)
    assert log.read_count == 0


async def test_a_page_that_is_behind_goes_to_the_log_and_misses_nothing() -> None:
    log = MemoryLog()
    run = ActiveRun(Lease("run", 1), log, RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    async with aclosing(follow(run, log)) as page:
        seqs = [entry.seq for entry in (await anext(page)).entries]
        for _ in range(MAX_RECENT + 1):
            await run.write(HELLO, Draft("effect", {}))
        await run.end(Ending(RunState.FINISHED, "end"))
        seqs += [entry.seq async for batch in page for entry in batch.entries]
    assert log.read_count == 1
    assert seqs == [entry.seq for entry in log.entries if entry.kind != "effect"]


async def test_entries_whose_writer_left_are_shown_all_the_same() -> None:
    log = MemoryLog()
    run = ActiveRun(Lease("run", 1), log, RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    await log.append(Lease("run", 1), [HELLO], RunStatus(state=RunState.RUNNING, reason="start"))
    await run.end(Ending(RunState.FINISHED, "end"))
    assert [entry.seq async for batch in follow(run, log) for entry in batch.entries] == [1, 2, 3]


async def test_the_status_is_only_told_again_when_it_is_another_one() -> None:
    run = ActiveRun(Lease("run", 1), MemoryLog(), RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    async with aclosing(follow(run, MemoryLog())) as page:
        assert (await anext(page)).is_view_news
        for word in ("more", "and more"):
            run.add_chunk("a", "m1", word)
            batch = await anext(page)
            assert ([chunk.text for chunk in batch.chunks], batch.is_view_news) == ([word], False)
        run.gate.pause("user")
        run.notifier.notify()
        assert (await anext(page)).is_view_news


async def test_who_reads_a_run_while_it_is_taken_up_is_shown_each_entry_once() -> None:
    """What was read of the status is older than what is read of the log then."""
    log = MemoryLog()
    await log.append(Lease("run", 1), [HELLO], RunStatus())
    view = RunView(last_seq=1)
    await log.append(Lease("run", 1), [Draft("command", {"command": "continue"}), HELLO], RunStatus())
    async with aclosing(read_finished(log, "run", view)) as batches:
        [shown] = [batch async for batch in batches]
    assert ([entry.seq for entry in shown.entries], shown.last_seq) == ([1, 2, 3], 3)
