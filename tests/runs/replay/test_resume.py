"""Runs that are taken up again from their logs: after a stop of the server, or after a long wait."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from studio.components import Capability
from studio.runs import NotApproved, RunState
from studio.runs.journal.log import SHOWN
from studio.store import open_store
from tests.runs.scripted import OpenStudio, Studio, World, scripted


async def dense(studio: Studio, run_id: str) -> bool:
    log = await studio.log(run_id)
    return [entry.seq for entry in log] == list(range(1, len(log) + 1))


async def test_a_run_goes_on_after_the_server_was_stopped(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one", "b: #hm", "b: two", "a: +three four"), "Go.")
        await studio.batches_until(run_id, lambda batch: any(entry.kind == "message" for entry in batch.entries))
        world.answers.clear()
        world.called.clear()
    asked = len(world.calls)
    world.answers.set()
    async with open_studio() as studio:
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "one", "hm", "two", "threefour"]
        assert await dense(studio, run_id)
        effects = await studio.store.runs.read(run_id, kinds=["effect"])
        assert len(effects) == 4
        assert len(world.calls) <= max(asked, 4) + 1  # the call that was under way is made again


async def test_what_the_person_holds_stays_held_after_a_stop(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "pause")
        world.answers.set()
        await studio.until(run_id, RunState.PAUSED)
        before = (await studio.supervisor.view(run_id)).last_seq
    async with open_studio() as studio:
        view = await studio.supervisor.view(run_id)
        assert (view.state, view.reason, view.last_seq) == (RunState.PAUSED, "user", before)
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "one", "two"]
        assert world.calls == ["one", "two"]
        assert await dense(studio, run_id)


async def test_a_run_that_waits_is_read_whole_when_it_is_taken_up(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "pause")
        world.answers.set()
        paused = await studio.until(run_id, RunState.PAUSED)
        before = await studio.store.runs.read(run_id, kinds=SHOWN)
    async with open_studio() as studio:
        await studio.supervisor.command(run_id, "pause")  # is paused already: nothing is written
        batches = await studio.batches_until(run_id, lambda batch: batch.last_seq >= paused.last_seq)
        assert [entry for batch in batches for entry in batch.entries] == list(before)


async def test_a_step_after_a_stop_is_one_step(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two", "a: three"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "pause")
        world.answers.set()
        await studio.until(run_id, RunState.PAUSED)
    async with open_studio() as studio:
        await studio.supervisor.command(run_id, "step")
        await studio.until(run_id, RunState.PAUSED, "step")
        assert await studio.said(run_id) == ["Go.", "one", "two"]


async def test_a_page_that_follows_a_waiting_run_sees_it_go_on(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("ann: ?Which?", "a: one"), "Go.")
        await studio.until(run_id, RunState.PAUSED)
    async with open_studio() as studio, asyncio.TaskGroup() as group:
        page = group.create_task(studio.batches_until(run_id, lambda _: False))
        view = await studio.supervisor.view(run_id)
        assert view.pending
        await studio.supervisor.command(run_id, "answer", request_id=view.pending.request_id, text="This.")
        batches = await page
        seqs = [entry.seq for batch in batches for entry in batch.entries]
        assert seqs == sorted(set(seqs))
        assert batches[-1].view.state is RunState.FINISHED
        assert await studio.said(run_id) == ["Go.", "", "This.", "one"]


async def test_a_run_that_waits_long_for_its_person_is_put_away_and_comes_back(
    open_studio: OpenStudio, world: World
) -> None:
    async with open_studio(rest_s=0) as studio:
        run_id = await studio.supervisor.start(scripted("a: one", "ann: ?Which?", "a: two"), "Go.")
        await studio.until(run_id, RunState.PAUSED)
        await studio.supervisor.leave(run_id)
        view = await studio.supervisor.view(run_id)
        assert view.pending
        await studio.supervisor.command(run_id, "answer", request_id=view.pending.request_id, text="This.")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "one", "", "This.", "two"]
        log = await studio.log(run_id)
        assert log[view.last_seq].body["command"] == "answer"  # being away left no trace
        assert world.calls == ["one", "?Which?", "two"]


@pytest.mark.slow
async def test_a_run_whose_approval_was_taken_back_does_not_go_on(
    open_studio: OpenStudio, world: World, tmp_path: Path
) -> None:
    reach = Capability("host", "Reach it.", "example.org:443")
    async with open_studio() as studio:
        await studio.store.approvals.approve([reach], by="ann")
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", needs=["example.org:443"]), "Go.")
        await world.called.wait()
    async with open_store(tmp_path) as store:
        await store.approvals.revoke(reach.hash)
    async with open_studio() as studio:
        view = (await studio.until(run_id, RunState.PAUSED, "approval")).view
        assert "Not approved" in view.detail
        with pytest.raises(NotApproved):
            await studio.supervisor.command(run_id, "resume")
        await studio.store.approvals.approve([reach], by="ann")
        world.answers.set()
        await studio.supervisor.command(run_id, "continue")
        await studio.until(run_id, RunState.FINISHED)
