from __future__ import annotations

import pytest

from studio.agents import cleanup
from studio.errors import Conflict, NotFound
from studio.runs import CommandName, RunAlreadyEnded, RunState
from tests.runs.scripted import OpenStudio, World, scripted


async def test_a_paused_run_makes_no_model_call(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        view = await studio.supervisor.command(run_id, "pause", by="ann")
        assert (view.state, view.is_finishing) == (RunState.RUNNING, True)
        world.answers.set()
        paused = await studio.until(run_id, RunState.PAUSED)
        assert (paused.view.reason, paused.view.is_finishing) == ("user", False)
        assert world.calls == ["one"]
        await studio.supervisor.command(run_id, "resume", by="ann")
        await studio.until(run_id, RunState.FINISHED)
        assert world.calls == ["one", "two"]


async def test_a_step_makes_exactly_one_entry(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: +two and more", "a: #three", "a: four"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "pause")
        world.answers.set()
        await studio.until(run_id, RunState.PAUSED, "user")
        for expected in (["twoandmore"], ["three"], ["four"]):
            before = await studio.said(run_id)
            view = await studio.supervisor.command(run_id, "step")
            assert (view.state, view.reason) == (RunState.RUNNING, "step")
            await studio.until(run_id, RunState.PAUSED, "step")
            assert await studio.said(run_id) == before + expected
        await studio.supervisor.command(run_id, "step")
        await studio.until(run_id, RunState.FINISHED)


async def test_stop_ends_after_the_turn(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        assert (await studio.supervisor.command(run_id, "stop")).is_finishing
        world.answers.set()
        stopped = await studio.until(run_id, RunState.STOPPED)
        assert (stopped.view.reason, stopped.view.detail) == ("user", "Stopped by the user.")
        assert await studio.said(run_id) == ["Go.", "one"]


async def test_stop_lets_a_paused_run_end(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two", "a: three"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "pause")
        world.answers.set()
        await studio.until(run_id, RunState.PAUSED)
        await studio.supervisor.command(run_id, "stop")
        await studio.until(run_id, RunState.STOPPED)
        assert "three" not in world.calls


async def test_cancel_ends_a_hanging_call_now(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "cancel", by="ann")
        await studio.until(run_id, RunState.CANCELLED)
        log = await studio.log(run_id)
        assert [(entry.kind, entry.body.get("by")) for entry in log[-2:]] == [("command", "ann"), ("state", None)]
        assert world.closed == ["script"]


async def test_cancel_ends_a_run_that_has_hardly_begun(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one"), "Go.")
        await studio.supervisor.command(run_id, "cancel")
        last = (await studio.batches_until(run_id, lambda _: False))[-1]
        assert last.view.state in (RunState.CANCELLED, RunState.FINISHED)


async def test_an_answer_is_used_once(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("ann: ?Which one?", "a: done"), "Go.")
        waiting = (await studio.until(run_id, RunState.PAUSED, "input")).view.pending
        assert waiting is not None
        assert (waiting.source, waiting.prompt) == ("ann", "Which one?")
        assert (await studio.store.runs.get(run_id)).status.pending == waiting
        with pytest.raises(Conflict):
            await studio.supervisor.command(run_id, "answer", request_id="another", text="x")
        view = await studio.supervisor.command(run_id, "answer", request_id=waiting.request_id, text="this")
        assert (view.state, view.pending) == (RunState.RUNNING, None)
        with pytest.raises(Conflict):
            await studio.supervisor.command(run_id, "answer", request_id=waiting.request_id, text="that")
        await studio.until(run_id, RunState.FINISHED)
        assert (await studio.said(run_id))[2:] == ["this", "done"]


async def test_a_pause_while_waiting_for_an_answer_holds_after_it(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("ann: ?Which one?", "a: done"), "Go.")
        waiting = (await studio.until(run_id, RunState.PAUSED, "input")).view.pending
        assert waiting is not None
        await studio.supervisor.command(run_id, "pause")
        await studio.supervisor.command(run_id, "answer", request_id=waiting.request_id, text="this")
        await studio.until(run_id, RunState.PAUSED, "user")
        assert (await studio.said(run_id))[-1] == "this"
        assert "done" not in world.calls


@pytest.mark.parametrize(("command", "end"), [("stop", RunState.STOPPED), ("cancel", RunState.CANCELLED)])
async def test_a_run_that_waits_for_an_answer_can_be_ended(
    open_studio: OpenStudio, command: CommandName, end: RunState
) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("ann: ?Which one?"), "Go.")
        await studio.until(run_id, RunState.PAUSED, "input")
        await studio.supervisor.command(run_id, command)
        await studio.until(run_id, end)


async def test_a_pause_lets_the_message_that_is_being_written_come(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.holds_chunks = True
        run_id = await studio.supervisor.start(scripted("a: +one two", "a: three"), "Go.")
        await studio.batches_until(run_id, lambda batch: bool(batch.chunks))
        await studio.supervisor.command(run_id, "pause")
        await world.let_chunk(2)
        await studio.until(run_id, RunState.PAUSED)
        assert await studio.said(run_id) == ["Go.", "onetwo"]


async def test_commands_to_an_ended_run_are_refused(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one"), "Go.")
        await studio.until(run_id, RunState.FINISHED)
        with pytest.raises(RunAlreadyEnded):
            await studio.supervisor.command(run_id, "resume")
        with pytest.raises(NotFound):
            await studio.supervisor.command("nothing", "resume")


@pytest.mark.slow
async def test_asking_for_what_is_so_already_changes_nothing(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "resume")
        await studio.supervisor.command(run_id, "pause")
        await studio.supervisor.command(run_id, "pause")
        with pytest.raises(Conflict):
            await studio.supervisor.command(run_id, "step")
        commands = [entry.body["command"] for entry in await studio.log(run_id) if entry.kind == "command"]
        assert commands == ["start", "pause"]


async def test_a_stop_that_comes_before_the_team_has_begun_is_heard(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one", "a: two", "a: three"), "Go.")
        await studio.supervisor.command(run_id, "stop")
        await studio.until(run_id, RunState.STOPPED)
        assert len(world.calls) <= 1


async def test_a_question_that_opens_after_a_stop_ends_the_run(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("ann: ?Which one?"), "Go.")
        await world.called.wait()
        assert (await studio.supervisor.command(run_id, "stop")).is_finishing
        world.answers.set()
        stopped = await studio.until(run_id, RunState.STOPPED)
        assert stopped.view.pending is None


async def test_a_run_whose_clients_hang_at_their_end_can_be_cancelled(
    open_studio: OpenStudio, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup, "RELEASE_LIMIT_S", 0.01)
    async with open_studio() as studio:
        world.holds_release = True
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "cancel")
        await studio.until(run_id, RunState.CANCELLED)


async def test_a_second_cancel_does_not_wait_for_what_hangs(
    open_studio: OpenStudio, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup, "RELEASE_LIMIT_S", 60)
    async with open_studio() as studio:
        world.holds_release = True
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "cancel")
        await world.closing.wait()
        assert not (await studio.supervisor.command(run_id, "cancel")).state.is_final
        await studio.until(run_id, RunState.CANCELLED)
