"""Handing a message into a conversation under way."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from studio.errors import ConfigError, Conflict
from studio.runs import Breakpoint, RunState, RunSupervisor
from studio.runs.replay import entries_of, reexecute
from studio.store import open_store
from tests.fakes.openai_server import HEADERS, OpenAIServer
from tests.runs.holding import PAIR, held_at, prompts
from tests.runs.replay.driving import Everything, said_in, to_its_end, whole_log
from tests.runs.replay.generated import KINDS, answer, generated_team
from tests.runs.scripted import OpenStudio, World, scripted
from tests.runs.tooling import agent, started, team

LIMIT: JsonValue = {
    "provider": "autogen_agentchat.conditions.MaxMessageTermination",
    "component_type": "termination",
    "config": {"max_messages": 3},
}


async def test_everybody_hears_it_before_the_next_turn(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id, _ = await held_at(studio, PAIR)
        data = {"source": "user", "text": "Be brief."}
        await studio.supervisor.command(run_id, "inject", by="ann", data=dict(data))
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "One.", "Be brief.", "Two."]
        told = await prompts(studio, run_id)
        assert "Be brief." in told[1]
        handed_in = [entry.body for entry in await studio.log(run_id) if entry.body.get("content") == "Be brief."]
        assert (handed_in[0]["source"], handed_in[0]["metadata"]) == ("user", {"handed_in_by": "ann"})


async def test_it_can_be_said_in_the_name_of_an_agent(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id, _ = await held_at(studio, PAIR)
        await studio.supervisor.command(run_id, "inject", data={"source": "critic", "text": "Hm."})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert "Hm." in (await prompts(studio, run_id))[1]
        assert (await studio.said(run_id))[-1] == "Two."


async def test_a_run_ends_at_its_limit_when_several_are_injected_at_once(open_studio: OpenStudio) -> None:
    document = team(agent("writer", "One.", "Three."), agent("critic", "Two."), turns=9, termination_condition=LIMIT)
    async with open_studio() as studio:
        run_id, _ = await held_at(studio, document)
        for text in ("Be brief.", "Be kind.", "Be done."):
            await studio.supervisor.command(run_id, "inject", data={"source": "user", "text": text})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "One.", "Be brief.", "Be kind.", "Be done."]


async def test_a_team_inside_hears_it_with_the_team_around_it(open_studio: OpenStudio) -> None:
    inner = team(agent("x", "B."), agent("y", "C."), name="inner", turns=2)
    document = team(inner, agent("writer", "D."), turns=2)
    async with open_studio() as studio:
        at_x = Breakpoint(id="b", on="agent", when="after", name="x")
        run_id = await started(studio, document, breakpoints=[at_x])
        await studio.until(run_id, RunState.PAUSED)
        await studio.supervisor.command(run_id, "inject", data={"text": "Hm."})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "B.", "C.", "Hm.", "D."]
        assert "Hm." in (await prompts(studio, run_id))[-1]


@pytest.mark.parametrize("data", [{}, {"text": "  "}, {"text": 5}])
async def test_nothing_can_not_be_handed_in(open_studio: OpenStudio, data: dict[str, str]) -> None:
    async with open_studio() as studio:
        run_id, _ = await held_at(studio, PAIR)
        with pytest.raises(ConfigError):
            await studio.supervisor.command(run_id, "inject", data=dict(data))
        await studio.supervisor.command(run_id, "cancel")


@pytest.mark.slow
async def test_what_was_said_is_heard_once_although_the_server_stops_before(
    open_studio: OpenStudio, world: World
) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "inject", by="ann", data={"text": "Hm."})
    world.answers.set()
    async with open_studio() as studio:
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "Hm.", "one", "two"]  # the turn that was broken off begins again
        replay = await studio.supervisor.replay(run_id)
        await studio.until(replay, RunState.FINISHED)
        assert await studio.said(replay) == ["Go.", "Hm.", "one", "two"]


async def test_what_was_heard_is_not_said_again_after_a_stop(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two", "a: three"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "inject", data={"text": "Hm."})
        await studio.supervisor.command(run_id, "pause")
        world.answers.set()
        await studio.until(run_id, RunState.PAUSED)
        await studio.supervisor.command(run_id, "step")
        await studio.until(run_id, RunState.PAUSED, "step")
        assert await studio.said(run_id) == ["Go.", "one", "Hm."]
    async with open_studio() as studio:
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "one", "Hm.", "two", "three"]


async def test_a_run_that_ends_after_its_turn_takes_no_message(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "stop")
        with pytest.raises(Conflict, match="stopping"):
            await studio.supervisor.command(run_id, "inject", data={"text": "Hm."})
        world.answers.set()
        await studio.until(run_id, RunState.STOPPED)


async def test_so_many_messages_wait_and_no_more(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        for number in range(20):
            await studio.supervisor.command(run_id, "inject", data={"text": f"Hm {number}."})
        with pytest.raises(Conflict, match="20 messages"):
            await studio.supervisor.command(run_id, "inject", data={"text": "Hm."})
        world.answers.set()
        await studio.until(run_id, RunState.FINISHED)
        assert (await studio.said(run_id))[2:22] == [f"Hm {number}." for number in range(20)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7, 14), ids=KINDS)  # whose first is no person
async def test_every_kind_of_team_hears_it_and_does_so_again(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    holds = iter([HEADERS])
    openai_server.always(lambda request: replace(answer(request), hold=next(holds, None)))
    document = generated_team(seed, openai_server.url)
    async with (
        open_store(tmp_path) as store,
        RunSupervisor(store.runs, Everything(), store.secrets) as supervisor,
    ):
        run_id = await supervisor.start(document, "Go.")
        await asyncio.to_thread(openai_server.wait_until_held)
        await supervisor.command(run_id, "inject", data={"text": "Mind the gap."})
        openai_server.release()
        view = await to_its_end(supervisor, run_id)
        assert view.state is RunState.FINISHED, view.detail
        record, log = await store.runs.get(run_id), await whole_log(store, run_id)
        [heard] = [entry.seq for entry in log if entry.body.get("content") == "Mind the gap."]
        assert any("Mind the gap." in str(request.body) for request in openai_server.requests)

        again = await reexecute(record.component, record.task, entries_of(store.runs, run_id), run_id=run_id)
        assert again.divergence is None, again.divergence
        replay = await supervisor.replay(run_id)
        assert (await to_its_end(supervisor, replay)).state is RunState.FINISHED
        assert said_in(await whole_log(store, replay)) == said_in(log)
        fork = await supervisor.fork(run_id, heard)
        assert (await to_its_end(supervisor, fork)).state is RunState.FINISHED
        assert sorted(said_in(await whole_log(store, fork))) == sorted(said_in(log))
