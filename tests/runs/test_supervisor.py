from __future__ import annotations

import asyncio
import base64
from contextlib import aclosing

import pytest
from pydantic import JsonValue

from studio.components import Capability
from studio.errors import Conflict, InvalidComponent, NotFound, SetupError
from studio.runs import InvalidTask, NotApproved, RunState, supervisor
from tests.runs.scripted import OpenStudio, World, scripted


async def test_a_run_logs_what_the_team_says_and_finishes(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: hello", "b: #hm", "a: bye"), "Greet.")
        last = await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Greet.", "hello", "hm", "bye"]
        assert last.view.usage.prompt_tokens == 9
        log = await studio.log(run_id)
        assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
        assert [entry.kind for entry in log if entry.kind != "explanation"][:5] == [
            "command",
            "state",
            "message",
            "effect",
            "message",
        ]
        assert log[-1].body == {
            "state": "finished",
            "reason": "condition",
            "detail": "Maximum number of turns 2 reached.",
        }
        row = await studio.store.runs.get(run_id)
        assert (row.status.state, row.last_seq, row.status.usage.completion_tokens) == (RunState.FINISHED, len(log), 6)


async def test_closing_the_page_keeps_the_run_alive(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await studio.batches_until(run_id, lambda batch: bool(batch.entries))
        world.answers.set()
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Go.", "one", "two"]


async def test_a_page_that_comes_back_misses_and_doubles_nothing(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one", "a: two", "a: three"), "Go.")
        first = await studio.batches_until(run_id, lambda batch: bool(batch.entries))
        rest = await studio.batches_until(run_id, lambda _: False, after=first[-1].last_seq)
        seqs = [entry.seq for batch in [*first, *rest] for entry in batch.entries]
        shown = [entry.seq for entry in await studio.log(run_id) if entry.kind != "effect"]
        assert seqs == shown


async def test_two_pages_see_the_same(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: +one two", "b: three"), "Go.")
        async with asyncio.TaskGroup() as group:
            pages = [group.create_task(studio.batches_until(run_id, lambda _: False)) for _ in range(2)]
            await world.called.wait()
            world.answers.set()
        one, other = ([entry for batch in page.result() for entry in batch.entries] for page in pages)
        assert one == other
        assert [entry.seq for entry in one] == [e.seq for e in await studio.log(run_id) if e.kind != "effect"]


async def test_a_failing_run_says_why_and_does_not_end_its_siblings(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        healthy = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        failing = await studio.supervisor.start(scripted("a: !no answer in time"), "Go.")
        world.answers.set()
        await studio.until(failing, RunState.FAILED)
        await studio.until(healthy, RunState.FINISHED)
        assert (await studio.log(failing))[-1].body["error"] == {
            "code": "model_unavailable",
            "message": "no answer in time",
            "fix": "Try again.",
            "where": "",
        }


async def test_a_page_that_joins_late_gets_the_text_so_far(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.holds_chunks = True
        run_id = await studio.supervisor.start(scripted("a: +one 😀 three"), "Go.")
        early = await studio.batches_until(run_id, lambda batch: bool(batch.chunks))
        await world.let_chunk(2)
        await world.chunk_asked.acquire()
        late = await studio.batches_until(run_id, lambda batch: bool(batch.chunks))
        assert [(chunk.offset, chunk.text) for chunk in early[-1].chunks] == [(0, "one")]
        assert [(chunk.offset, chunk.text) for chunk in late[-1].chunks] == [(0, "one😀three")]
        world.chunk_turns.release()
        ended = await studio.batches_until(run_id, lambda _: False)
        assert ended[-1].chunks == []


async def test_chunks_reach_an_open_page_piece_by_piece(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.holds_chunks = True
        run_id = await studio.supervisor.start(scripted("a: +one 😀 three"), "Go.")
        pieces: list[tuple[int, str]] = []
        async with aclosing(studio.supervisor.subscribe(run_id)) as batches:
            async for batch in batches:
                pieces += [(chunk.offset, chunk.text) for chunk in batch.chunks]
                if batch.chunks:
                    await world.let_chunk()
        assert pieces == [(0, "one"), (3, "😀"), (5, "three")]


async def test_nothing_runs_before_a_person_allowed_it(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        team = scripted("a: one", needs=["example.org:443"])
        with pytest.raises(NotApproved) as refused:
            await studio.supervisor.start(team, "Go.")
        assert [capability.detail for capability in refused.value.missing] == ["example.org:443"]
        assert await studio.store.runs.list() == []
        await studio.store.approvals.approve([Capability("host", "Reach it.", "example.org:443")], by="ann")
        run_id = await studio.supervisor.start(team, "Go.")
        await studio.until(run_id, RunState.FINISHED)
        assert world.calls == ["one"]


async def test_what_cannot_run_is_refused_before_there_is_a_run(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        with pytest.raises(InvalidComponent):
            await studio.supervisor.start({"provider": "os.system", "component_type": "team", "config": {}}, "Go.")
        tasks: list[JsonValue] = ["", " ", [], [{"image": "http://example.org/cat.png"}], 7]
        for task in tasks:
            with pytest.raises(InvalidTask):
                await studio.supervisor.start(scripted("a: one"), task)
        assert await studio.store.runs.list() == []


@pytest.mark.slow
async def test_a_stopped_server_leaves_its_runs_paused(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        hanging = await studio.supervisor.start(scripted("a: one"), "Go.")
        await world.called.wait()
        await studio.supervisor.shut_down()
        view = await studio.supervisor.view(hanging)
        assert (view.state, view.reason) == (RunState.PAUSED, "shutdown")


async def test_an_answer_that_comes_while_the_server_stops_is_kept_and_nothing_more_is_asked(
    open_studio: OpenStudio, world: World
) -> None:
    async with open_studio() as studio, asyncio.TaskGroup() as group:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        group.create_task(studio.supervisor.shut_down())
        with pytest.raises(Conflict):  # so it is stopping by now
            await studio.supervisor.start(scripted("a: other"), "Go.")
        world.answers.set()
    assert world.calls == ["one"]
    async with open_studio() as studio:
        await studio.until(run_id, RunState.FINISHED)
        assert world.calls == ["one", "two"]
        assert await studio.said(run_id) == ["Go.", "one", "two"]


@pytest.mark.slow
async def test_pages_hear_of_the_servers_stop(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio, asyncio.TaskGroup() as group:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one"), "Go.")
        page = group.create_task(studio.batches_until(run_id, lambda _: False))
        await world.called.wait()
        await studio.supervisor.shut_down()
        assert (await page)[-1].view.reason == "shutdown"
        with pytest.raises(Conflict):
            await studio.supervisor.start(scripted("a: one"), "Go.")


@pytest.mark.slow
async def test_a_run_that_does_not_hear_its_end_is_told_again(
    open_studio: OpenStudio, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "FINISH_S", 0.01)
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: deaf"), "Go.")
        await world.called.wait()
        await studio.supervisor.shut_down()
        assert (await studio.supervisor.view(run_id)).reason == "shutdown"


async def test_one_folder_has_one_server(open_studio: OpenStudio) -> None:
    async with open_studio():
        with pytest.raises(SetupError, match="Another studio"):
            async with open_studio():
                pass


async def test_a_subscription_to_an_unknown_run_is_refused(open_studio: OpenStudio) -> None:
    async with open_studio() as studio, aclosing(studio.supervisor.subscribe("nothing")) as batches:
        with pytest.raises(NotFound):
            await anext(batches)


async def test_a_page_that_never_reads_on_holds_nobody_up(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted(*["a: +one two"] * 20), "Go.")
        async with aclosing(studio.supervisor.subscribe(run_id)) as lazy:
            await anext(lazy)
            await studio.until(run_id, RunState.FINISHED)
            rest = [batch async for batch in lazy]
            assert rest[-1].last_seq == (await studio.supervisor.view(run_id)).last_seq


async def test_a_run_that_somebody_else_took_over_writes_no_more(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        sibling = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        taken = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await studio.batches_until(taken, lambda batch: any(entry.kind == "message" for entry in batch.entries))
        await studio.store.runs.take_over(taken)
        before = (await studio.store.runs.summary(taken)).last_seq
        world.answers.set()
        last = await studio.until(taken, RunState.FAILED)
        assert "driven by another process" in last.view.detail
        assert (await studio.store.runs.summary(taken)).last_seq == before
        await studio.until(sibling, RunState.FINISHED)


async def test_an_assistant_that_streams_is_shown_piece_by_piece_and_counted(open_studio: OpenStudio) -> None:
    assistant: JsonValue = {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "config": {
            "name": "writer",
            "model_client_stream": True,
            "model_client": {
                "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
                "component_type": "replay_chat_completion_client",
                "config": {"chat_completions": ["Once upon a time", "The end"]},
            },
        },
    }
    team: JsonValue = {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "config": {"participants": [assistant], "max_turns": 2},
    }
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(team, "Tell.")
        last = await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["Tell.", "Once upon a time", "The end"]
        assert last.view.usage.completion_tokens > 0
        effects = await studio.store.runs.read(run_id, kinds=["effect"])
        assert [entry.body["effect"] for entry in effects] == ["model", "model"]
        ids = [entry.body["id"] for entry in await studio.store.runs.read(run_id, kinds=["message"])]
        assert len(set(ids)) == 3


async def test_a_picture_reaches_the_team(open_studio: OpenStudio) -> None:
    dot = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n a dot").decode()
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one"), ["What is this?", {"image": dot}])
        await studio.until(run_id, RunState.FINISHED)
        (message, *_) = await studio.store.runs.read(run_id, kinds=["message"])
        assert message.body["type"] == "MultiModalMessage"
        assert (await studio.store.runs.get(run_id)).task_text == "What is this?\n<image>"


@pytest.mark.slow
async def test_a_team_that_is_cancelled_from_inside_has_failed(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: cancelled inside"), "Go.")
        assert (await studio.until(run_id, RunState.FAILED)).view.detail
        assert (await studio.store.runs.get(run_id)).status.state is RunState.FAILED


async def test_half_a_character_becomes_the_sign_for_a_missing_one(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: !bad \ud800 thing"), "Go \udc00.", team_name="\ud800")
        await studio.until(run_id, RunState.FAILED)
        run = await studio.store.runs.get(run_id)
        assert (run.status.detail, run.task, run.team_name) == ("bad \ufffd thing", "Go \ufffd.", "\ufffd")
        error = (await studio.log(run_id))[-1].body["error"]
        assert isinstance(error, dict)
        assert error["message"] == "bad \ufffd thing"
