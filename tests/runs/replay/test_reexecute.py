from __future__ import annotations

from typing import cast

import pytest
from pydantic import JsonValue

from studio.components import JsonObject
from studio.effects import EffectRequest, Recorded
from studio.runs import RunState, state_at
from studio.runs.replay import entries_of, reexecute
from tests.runs.scripted import OpenStudio, World, scripted
from tests.runs.tooling import agent, team


async def test_a_run_is_repeated_from_its_log_without_asking_the_world(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: hello", "b: #hm", "a: bye"), "Greet.")
        await studio.until(run_id, RunState.FINISHED)
        calls = list(world.calls)
        record = await studio.store.runs.get(run_id)
        asked: list[JsonValue] = []

        def look(request: EffectRequest, entry: Recorded) -> None:
            assert entry.body["request"] == request.hash
            asked.append(request.body)

        again = await reexecute(
            record.component, record.task, entries_of(studio.store.runs, run_id), run_id=record.namespace, look=look
        )
    assert [item.to_text() for item in again.items if item.is_kept] == ["Greet.", "hello", "hm", "bye"]
    assert asked == [{"text": "hello"}, {"text": "#hm"}, {"text": "bye"}]
    assert (world.calls, again.divergence, again.error) == (calls, None, None)


async def test_a_run_is_repeated_up_to_an_entry(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: hello", "a: bye"), "Greet.")
        await studio.until(run_id, RunState.FINISHED)
        record = await studio.store.runs.get(run_id)
        for entry in await studio.log(run_id):
            again = await reexecute(
                record.component,
                record.task,
                entries_of(studio.store.runs, run_id),
                entry.seq,
                run_id=run_id,
                with_state=True,
            )
            kept = [item for item in again.items if item.is_kept]
            log = await studio.log(run_id)
            said = [each for each in log[: entry.seq] if each.kind in ("message", "event")]
            assert [item.id for item in kept] == [each.body["id"] for each in said]
            assert again.state["type"] == "TeamState"


async def test_another_team_diverges_at_the_first_difference(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: hello", "a: bye"), "Greet.")
        await studio.until(run_id, RunState.FINISHED)
        other = scripted("a: hello", "a: goodbye")
        again = await reexecute(other, "Greet.", entries_of(studio.store.runs, run_id), run_id=run_id)
        assert again.divergence
        second = [entry for entry in await studio.log(run_id) if entry.kind == "effect"][1]
        assert again.divergence.seq == second.seq
        assert "model a" in again.divergence.expected


async def test_the_state_behind_an_entry_is_that_of_a_team_that_stopped_there(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(team(agent("a", "one", "two"), agent("b", "uno"), turns=3), "Go.")
        await studio.until(run_id, RunState.FINISHED)
        (first,) = [entry for entry in await studio.log(run_id) if entry.body.get("content") == "one"]
        found = await state_at(studio.store.runs, studio.store.approvals, run_id, first.seq)
        assert (found.is_exact, found.unrecorded) == (True, ())
        manager = cast("JsonObject", found.state["agent_states"])["RoundRobinGroupChatManager"]
        thread = cast("list[JsonObject]", cast("JsonObject", manager)["message_thread"])
        assert [message["content"] for message in thread] == ["Go.", "one"]


async def test_a_run_whose_requests_were_hashed_otherwise_says_so(
    open_studio: OpenStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_studio() as studio:
        with monkeypatch.context() as before:
            before.setattr("studio.effects.request.HASH_VERSION", "0:")
            run_id = await studio.supervisor.start(scripted("a: hello", "b: bye"), "Greet.")
            await studio.until(run_id, RunState.FINISHED)
        record = await studio.store.runs.get(run_id)
        again = await reexecute(
            record.component, record.task, entries_of(studio.store.runs, run_id), run_id=record.namespace
        )
    assert again.divergence is not None
    assert "Another version of the studio" in again.divergence.note
