"""Runs that go on from others: forks, re-runs, replays."""

from __future__ import annotations

import pytest

from studio.components import JsonObject
from studio.errors import ConfigError, Conflict
from studio.runs import Fixed, ForkOptions, LogEntry, RunState
from tests.runs.scripted import OpenStudio, Studio, World, scripted
from tests.runs.tooling import Drawer, agent, reply, team

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


async def finished(studio: Studio, run_id: str) -> list[str]:
    await studio.until(run_id, RunState.FINISHED)
    return await studio.said(run_id)


async def run(studio: Studio, *lines: str) -> str:
    run_id = await studio.supervisor.start(scripted(*lines), "Go.")
    await studio.until(run_id, RunState.FINISHED)
    return run_id


async def entry_saying(studio: Studio, run_id: str, text: str) -> LogEntry:
    return next(entry for entry in await studio.log(run_id) if entry.body.get("content") == text)


async def test_a_fork_shares_the_first_entries_and_asks_only_for_the_rest(
    open_studio: OpenStudio, world: World
) -> None:
    async with open_studio() as studio:
        parent = await run(studio, "a: one", "a: two", "a: three")
        at = (await entry_saying(studio, parent, "two")).seq
        world.calls.clear()
        child = await studio.supervisor.fork(parent, at)
        assert await finished(studio, child) == ["Go.", "one", "two", "three"]
        assert world.calls == ["three"]
        theirs, own = await studio.log(parent), await studio.log(child)
        assert [entry._replace(run_id="") for entry in own[:at]] == [entry._replace(run_id="") for entry in theirs[:at]]
        assert [entry.seq for entry in own] == list(range(1, len(own) + 1))
        assert own[at].body["command"] == "fork"
        record = await studio.store.runs.get(child)
        assert (record.parent_id, record.parent_seq, record.root_id, record.origin) == (parent, at, parent, "fork")


async def test_a_fork_of_a_fork_reads_through_both(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        first = await run(studio, "a: one", "a: two", "a: three")
        second = await studio.supervisor.fork(first, (await entry_saying(studio, first, "one")).seq)
        assert await finished(studio, second) == ["Go.", "one", "two", "three"]
        third = await studio.supervisor.fork(second, (await entry_saying(studio, second, "two")).seq)
        assert await finished(studio, third) == ["Go.", "one", "two", "three"]
        line = await studio.store.runs.line(first)
        assert [(each.id, each.parent_id) for each in line] == [(first, None), (second, first), (third, second)]
        with pytest.raises(Conflict):
            await studio.store.runs.delete(first)


async def test_a_fork_with_a_message_changed_shows_it_in_its_own_log(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        parent = await run(studio, "a: one", "a: two", "a: three")
        message = await entry_saying(studio, parent, "two")
        world.calls.clear()
        child = await studio.supervisor.fork(
            parent, message.seq, ForkOptions(edits={str(message.body["id"]): "something else"})
        )
        assert await finished(studio, child) == ["Go.", "one", "something else", "three"]
        assert world.calls == ["three"]
        dropping = await studio.supervisor.fork(parent, message.seq, ForkOptions(edits={str(message.body["id"]): None}))
        assert await finished(studio, dropping) == ["Go.", "one", "three"]


async def test_a_fork_with_another_result_of_an_effect(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        parent = await run(studio, "a: one", "a: *two", "a: three")
        effect = [entry for entry in await studio.log(parent) if entry.kind == "effect"][1]
        world.calls.clear()
        child = await studio.supervisor.fork(
            parent, effect.seq, ForkOptions(results={effect.seq: {"content": "changed"}})
        )
        await finished(studio, child)
        effects = [entry for entry in await studio.log(child) if entry.kind == "effect"]
        assert effects[1].body["result"] == {"content": "changed"}
        assert world.calls == ["three"]


async def test_a_fork_with_another_team_keeps_what_was_said_before(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        parent = await run(studio, "a: one", "a: two")
        at = (await entry_saying(studio, parent, "one")).seq
        world.calls.clear()
        other = scripted("a: uno", "a: dos")
        assert isinstance(other, dict)
        child = await studio.supervisor.fork(parent, at, ForkOptions(component=other))
        assert await finished(studio, child) == ["Go.", "one", "dos"]
        assert world.calls == ["dos"]


async def test_a_fork_with_another_task_begins_anew(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        parent = await run(studio, "a: one")
        child = await studio.supervisor.fork(parent, 5, ForkOptions(task="Come."))
        assert await finished(studio, child) == ["Come.", "one"]


async def test_a_fork_with_another_text_of_the_task_is_another_task(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        parent = await run(studio, "a: one")
        task = await entry_saying(studio, parent, "Go.")
        child = await studio.supervisor.fork(parent, task.seq, ForkOptions(edits={str(task.body["id"]): "Come."}))
        assert await finished(studio, child) == ["Come.", "one"]
        assert (await studio.store.runs.get(child)).task == "Come."
        with pytest.raises(ConfigError, match="removed"):
            await studio.supervisor.fork(parent, task.seq, ForkOptions(edits={str(task.body["id"]): None}))


async def test_a_task_with_a_picture_keeps_it_in_a_fork_with_other_words(open_studio: OpenStudio) -> None:
    picture: JsonObject = {"image": f"data:image/png;base64,{PNG}"}
    async with open_studio() as studio:
        parent = await studio.supervisor.start(scripted("a: one"), ["Go.", picture])
        await studio.until(parent, RunState.FINISHED)
        task = (await studio.store.runs.read(parent, kinds=["message"]))[0]
        child = await studio.supervisor.fork(parent, task.seq, ForkOptions(edits={str(task.body["id"]): "Come."}))
        assert (await studio.store.runs.get(child)).task == ["Come.", picture]


async def test_what_a_person_said_is_said_otherwise_in_a_fork(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        parent = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(parent, "inject", by="ann", data={"text": "Hm."})
        world.answers.set()
        await studio.until(parent, RunState.FINISHED)
        heard = await entry_saying(studio, parent, "Hm.")
        world.calls.clear()
        wish = ForkOptions(edits={str(heard.body["id"]): "Ah."})
        child = await studio.supervisor.fork(parent, heard.seq, wish, by="bob")
        assert await finished(studio, child) == ["Go.", "one", "Ah.", "two"]
        said = await entry_saying(studio, child, "Ah.")
        assert said.body["metadata"] == {"handed_in_by": "bob"}
        assert world.calls == ["two"]
        dropping = await studio.supervisor.fork(parent, heard.seq, ForkOptions(edits={str(heard.body["id"]): None}))
        assert await finished(studio, dropping) == ["Go.", "one", "two"]


async def test_one_of_several_results_is_changed_and_no_tool_is_called_again(
    open_studio: OpenStudio, drawer: Drawer
) -> None:
    clerk = agent("clerk", reply({"path": "a"}, {"path": "b"}), max_tool_iterations=1)
    async with open_studio() as studio:
        parent = await studio.supervisor.start(team(clerk), "Go.")
        assert (await finished(studio, parent))[-1] == "wrote a\nwrote b"
        log = await studio.log(parent)
        first, second = [entry.seq for entry in log if entry.kind == "effect" and entry.body["effect"] == "tool"]
        [executed] = [entry.seq for entry in log if entry.body.get("type") == "ToolCallExecutionEvent"]
        other: JsonObject = {"value": "lost", "text": "lost"}
        for changed, said in [(first, "lost\nwrote b"), (second, "wrote a\nlost")]:
            child = await studio.supervisor.fork(parent, executed, ForkOptions(results={changed: other}))
            assert (await finished(studio, child))[-1] == said
        assert len(drawer.calls) == 2


async def test_a_fork_of_what_is_not_there_is_refused(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        parent = await run(studio, "a: one")
        for seq, wish in [
            (99, ForkOptions()),
            (3, ForkOptions(edits={"nothing": "x"})),
            (3, ForkOptions(results={1: None})),
        ]:
            with pytest.raises(ConfigError):
                await studio.supervisor.fork(parent, seq, wish)


async def test_a_failed_run_is_run_again_from_its_failure(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.refusals = 1
        run_id = await studio.supervisor.start(scripted("a: one", "a: refused"), "Go.")
        await studio.until(run_id, RunState.FAILED)
        world.calls.clear()
        again = await studio.supervisor.rerun(run_id, "failure")
        assert await finished(studio, again) == ["Go.", "one", "refused"]
        assert world.calls == ["refused"]


async def test_a_rerun_from_the_beginning_asks_everything_again(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        run_id = await run(studio, "a: one", "a: two")
        again = await studio.supervisor.rerun(run_id)
        assert await finished(studio, again) == ["Go.", "one", "two"]
        assert world.calls == ["one", "two"] * 2


async def test_a_replay_says_the_same_and_asks_nothing(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one", "a: +two three", "ann: ?Which?", "a: *end"), "Go.")
        waiting = await studio.until(run_id, RunState.PAUSED)
        assert waiting.view.pending
        await studio.supervisor.command(run_id, "answer", request_id=waiting.view.pending.request_id, text="This.")
        await studio.until(run_id, RunState.FINISHED)
        world.calls.clear()
        replay = await studio.supervisor.replay(run_id)
        await studio.until(replay, RunState.FINISHED)
        assert world.calls == []
        bodies = [without_time(entry) for entry in await studio.log(run_id) if entry.kind in ("message", "event")]
        again = [without_time(entry) for entry in await studio.log(replay) if entry.kind in ("message", "event")]
        assert again == bodies
        assert (await studio.store.runs.get(replay)).status.usage.prompt_tokens == 0


def without_time(entry: LogEntry) -> JsonObject:
    return {name: value for name, value in entry.body.items() if name != "created_at"}


async def test_a_replay_of_a_run_that_was_broken_off_ends_where_the_record_ends(
    open_studio: OpenStudio, world: World
) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "cancel")
        await studio.until(run_id, RunState.CANCELLED)
        replay = await studio.supervisor.replay(run_id)
        last = await studio.until(replay, RunState.FINISHED)
        assert last.view.detail == "The recording ends here."


async def test_a_replay_with_a_fixed_result_shows_where_that_leads_elsewhere(
    open_studio: OpenStudio, drawer: Drawer
) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(team(agent("clerk", reply({"path": "a"}), "done")), "Go.")
        await studio.until(run_id, RunState.FINISHED)
        same = await studio.supervisor.replay(run_id, {"write": Fixed(fixed="wrote a")})
        await studio.until(same, RunState.FINISHED)
        other = await studio.supervisor.replay(run_id, {"write": Fixed(fixed="wrote nothing")})
        detail = (await studio.until(other, RunState.FAILED)).view.detail
        assert "'wrote a'" in detail
        assert "wrote nothing" in detail
        assert len(drawer.calls) == 1
        live = await studio.supervisor.replay(run_id, {"write": "live"})
        await studio.until(live, RunState.FINISHED)
        assert len(drawer.calls) == 2
        asking = await studio.supervisor.replay(run_id, {"write": "ask"})
        view = (await studio.until(asking, RunState.PAUSED)).view
        assert view.pending
        await studio.supervisor.command(asking, "answer", request_id=view.pending.request_id, text="wrote a")
        await studio.until(asking, RunState.FINISHED)
