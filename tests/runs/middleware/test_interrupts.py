"""Holding a run now: models in flight are abandoned and asked again, tools are waited for."""

from __future__ import annotations

from studio.runs import RunState
from tests.runs.scripted import OpenStudio, World, scripted
from tests.runs.tooling import Drawer, agent, started, team, writing


async def test_a_model_in_flight_is_abandoned_and_asked_again(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "interrupt", by="ann")
        view = (await studio.until(run_id, RunState.PAUSED)).view
        assert (view.reason, list(view.in_flight)) == ("user", [])
        assert await studio.said(run_id) == ["Go."]
        world.answers.set()
        await studio.supervisor.command(run_id, "resume", by="ann")
        await studio.until(run_id, RunState.FINISHED)
        assert world.calls == ["one", "one", "two"]
        assert await studio.said(run_id) == ["Go.", "one", "two"]
        effects = [entry for entry in await studio.log(run_id) if entry.kind == "effect"]
        assert len(effects) == 2


async def test_a_message_that_was_being_written_is_written_anew(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        document = team(agent("writer", "One two three.", model_client_stream=True, delay_s=0.02))
        run_id = await started(studio, document)
        await studio.batches_until(run_id, lambda batch: bool(batch.chunks))
        await studio.supervisor.command(run_id, "interrupt")
        held = await studio.until(run_id, RunState.PAUSED)
        assert held.chunks == []
        await studio.supervisor.command(run_id, "resume")
        seen = await studio.batches_until(run_id, lambda _: False)
        assert [chunk.offset for batch in seen for chunk in batch.chunks][:1] == [0]
        assert await studio.said(run_id) == ["Go.", "One two three."]


async def test_a_tool_in_flight_is_waited_for_and_listed(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        drawer.opened.clear()
        run_id = await started(studio, writing("a"))
        await drawer.called.wait()
        view = await studio.supervisor.command(run_id, "interrupt", by="ann")
        assert [(each.kind, each.name, each.agent) for each in view.in_flight] == [("tool", "write", "clerk")]
        drawer.opened.set()
        paused = (await studio.until(run_id, RunState.PAUSED)).view
        assert list(paused.in_flight) == []
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == 1


async def test_a_run_that_goes_on_lists_nothing(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one"), "Go.")
        await world.called.wait()
        assert list((await studio.supervisor.view(run_id)).in_flight) == []
        assert len((await studio.supervisor.command(run_id, "stop")).in_flight) == 1
        world.answers.set()
        await studio.until(run_id, RunState.STOPPED)


async def test_an_error_of_a_held_call_is_not_taken_for_the_hold(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: !broken"), "Go.")
        await studio.until(run_id, RunState.FAILED)
        assert world.calls == ["!broken"]
