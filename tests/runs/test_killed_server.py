from __future__ import annotations

import asyncio
import os
import sys
from contextlib import aclosing
from pathlib import Path

import pytest
from pydantic import JsonValue

from studio.runs import RunAlreadyEnded, RunState, RunSummary, RunSupervisor
from studio.runs.active_run import ActiveRun
from studio.runs.journal.log import Draft
from studio.runs.replay.resume import MAX_CRASHES
from studio.store import open_store
from tests.runs.scripted import OpenStudio, World, current_world, scripted

ROOT = Path(__file__).parents[2]


async def serve_until_killed(data_dir: Path) -> None:
    """A server with one run that waits in a model call and one that waits for an answer."""
    world = World()
    current_world.set(world)
    async with open_store(data_dir) as store, RunSupervisor(store.runs, store.approvals, store.secrets) as supervisor:
        world.answers.set()
        asking = await supervisor.start(scripted("ann: ?Which?"), "Go.")
        async with aclosing(supervisor.subscribe(asking)) as batches:
            async for batch in batches:
                if batch.view.pending:
                    break
        world.answers.clear()
        world.called.clear()
        calling = await supervisor.start(scripted("a: one"), "Go.")
        await world.called.wait()
        print(calling, asking, flush=True)
        await asyncio.Event().wait()


@pytest.mark.slow
async def test_runs_of_a_killed_server_go_on_at_the_next_start(
    tmp_path: Path, open_studio: OpenStudio, world: World
) -> None:
    code = (
        "import asyncio, pathlib, sys; from tests.runs.test_killed_server import serve_until_killed; "
        "asyncio.run(serve_until_killed(pathlib.Path(sys.argv[1])))"
    )
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(tmp_path), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout
    ids = (await server.stdout.readline()).decode().split()
    server.kill()
    await server.communicate()
    calling, asking = ids
    async with open_studio() as studio:
        await studio.until(calling, RunState.FINISHED)
        assert world.calls == ["one"]
        view = await studio.supervisor.view(asking)
        assert view.pending
        await studio.supervisor.command(asking, "answer", request_id=view.pending.request_id, text="This.")
        await studio.until(asking, RunState.FINISHED)
        assert await studio.said(asking) == ["Go.", "", "This."]
        assert world.calls == ["one"]
        for run_id in ids:
            log = await studio.log(run_id)
            assert [entry.seq for entry in log] == list(range(1, len(log) + 1))


class Deadly(World):
    """Where the call of a model ends the whole server."""

    async def reply(self, text: str) -> JsonValue:
        del text
        os._exit(9)


async def die(data_dir: Path) -> None:
    """A server that dies in the run that it finds, or starts."""
    current_world.set(Deadly())
    async with open_store(data_dir) as store, RunSupervisor(store.runs, store.approvals, store.secrets) as supervisor:
        if not await store.runs.list():
            await supervisor.start(scripted("a: one"), "Go.")
        await asyncio.Event().wait()


async def died(data_dir: Path) -> None:
    code = (
        "import asyncio, pathlib, sys; from tests.runs.test_killed_server import die; "
        "asyncio.run(die(pathlib.Path(sys.argv[1])))"
    )
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(data_dir), cwd=ROOT)
    assert await server.wait() == 9


@pytest.mark.slow
async def test_a_run_in_which_the_server_died_twice_waits_for_a_person(
    tmp_path: Path, open_studio: OpenStudio, world: World
) -> None:
    await died(tmp_path)
    await died(tmp_path)
    async with open_studio() as studio:
        [run] = await studio.store.runs.list()
        waiting = (await studio.until(run.id, RunState.PAUSED)).view
        assert (waiting.reason, "crashed twice" in waiting.detail, world.calls) == ("killed", True, [])
    async with open_studio() as studio:
        assert (await studio.supervisor.view(run.id)).reason == "killed"
        await studio.supervisor.command(run.id, "continue", by="ann")
        await studio.until(run.id, RunState.FINISHED)
        assert world.calls == ["one"]


@pytest.mark.slow
async def test_a_run_that_a_person_continued_goes_on_by_itself_once_more(
    tmp_path: Path, open_studio: OpenStudio, world: World
) -> None:
    await died(tmp_path)
    await died(tmp_path)
    world.answers.clear()
    async with open_studio() as studio:
        [run] = await studio.store.runs.list()
        await studio.until(run.id, RunState.PAUSED)
    async with open_store(tmp_path) as store:  # as if the server had died after a person continued it
        lease, status = await store.runs.take_over(run.id)
        live = ActiveRun(lease, store.runs, status, last_seq=(await store.runs.summary(run.id)).last_seq)
        await live.change_state(
            RunState.RUNNING, "resume", before=[Draft("command", {"command": "continue", "by": "ann"})]
        )
    world.answers.set()
    async with open_studio() as studio:
        await studio.until(run.id, RunState.FINISHED)


@pytest.mark.slow
async def test_a_run_that_gets_further_each_time_goes_on_by_itself_only_so_often(
    tmp_path: Path, open_studio: OpenStudio, world: World
) -> None:
    await died(tmp_path)
    async with open_store(tmp_path) as store:
        [run] = await store.runs.list()
        lease, status = await store.runs.take_over(run.id)
        live = ActiveRun(lease, store.runs, status, last_seq=run.last_seq)
        for _ in range(MAX_CRASHES):
            crashed = Draft("command", {"command": "continue", "by": "", "after": "killed"})
            await live.write(crashed, Draft("explanation", {"type": "Nothing"}))
    async with open_studio() as studio:
        assert (await studio.until(run.id, RunState.PAUSED)).view.reason == "killed"
        assert world.calls == []


@pytest.mark.slow
async def test_a_run_that_ends_before_somebody_else_takes_it_up_has_ended(
    tmp_path: Path, open_studio: OpenStudio, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await died(tmp_path)
    await died(tmp_path)
    async with open_studio() as studio:
        [run] = await studio.store.runs.list()
        await studio.until(run.id, RunState.PAUSED)
        summary, is_read, may_return = studio.store.runs.summary, asyncio.Event(), asyncio.Event()

        async def read_early(run_id: str) -> RunSummary:
            found = await summary(run_id)
            is_read.set()
            await may_return.wait()
            return found

        with monkeypatch.context() as patch:
            patch.setattr(studio.store.runs, "summary", read_early)
            late = asyncio.create_task(studio.supervisor.command(run.id, "continue", by="ben"))
            await is_read.wait()
        await studio.supervisor.command(run.id, "continue", by="ann")
        await studio.until(run.id, RunState.FINISHED)
        await studio.supervisor.leave(run.id)
        may_return.set()
        with pytest.raises(RunAlreadyEnded):
            await late
        log = await studio.log(run.id)
        assert (log[-1].kind, log[-1].body["state"], world.calls) == ("state", "finished", ["one"])
