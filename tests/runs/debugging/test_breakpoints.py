"""Breakpoints and steps."""

from __future__ import annotations

import pytest
from pydantic import JsonValue, ValidationError

from studio.errors import ConfigError
from studio.messages import TextMessage
from studio.runs import Breakpoint, RunState, ToolPolicy, ToolRule
from studio.runs.debugging.breakpoints import BreakpointSet
from studio.runs.journal.log import Usage
from tests.runs.scripted import OpenStudio, Studio, World, scripted
from tests.runs.tooling import Drawer, agent, asked, decide, reply, started, team, writing

PAIR = team(agent("writer", "One.", "Three."), agent("critic", "Two.", "Four."), turns=4)


def at(on: str, **more: JsonValue) -> Breakpoint:
    return Breakpoint.model_validate({"id": "b", "on": on, **more})


async def stops(studio: Studio, run_id: str, command: str = "resume", **data: JsonValue) -> list[list[str]]:
    """What had been said at each stop, until the run ends; it goes on with this command."""
    found: list[list[str]] = []
    while not (await studio.batches_until(run_id, lambda batch: batch.view.state is not RunState.RUNNING))[
        -1
    ].view.state.is_final:
        found.append(await studio.said(run_id))
        assert command in ("resume", "step")
        await studio.supervisor.command(run_id, command, data=data)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "said"),
    [
        (at("agent", name="critic"), [["Go.", "One."], ["Go.", "One.", "Two.", "Three."]]),
        (at("agent", name="critic", when="after", visit=2), [["Go.", "One.", "Two.", "Three.", "Four."]]),
        (at("agent", name="cr*", visit=1), [["Go.", "One."]]),
        (at("message", name="TextMessage", visit=3), [["Go.", "One.", "Two."]]),
        (at("text", text="wo."), [["Go.", "One.", "Two."]]),
        (at("text", text="^T.*e\\.$", is_regex=True), [["Go.", "One.", "Two.", "Three."]]),
        (at("text", text="o", name="writer"), []),
        (at("tokens", limit=4), [["Go.", "One.", "Two."]]),
        (at("progress", limit=75), [["Go.", "One.", "Two.", "Three."]]),
        (at("agent", name="nobody"), []),
        (at("agent", name="critic", enabled=False), []),
    ],
)
async def test_a_run_waits_at_its_breakpoint(open_studio: OpenStudio, place: Breakpoint, said: list[list[str]]) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, PAIR, breakpoints=[place])
        assert await stops(studio, run_id) == said


async def test_a_pause_tells_which_breakpoint_and_how_often_it_was_met(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, PAIR, breakpoints=[at("agent", name="critic")])
        view = (await studio.until(run_id, RunState.PAUSED)).view
        assert (view.reason, view.detail) == ("breakpoint", "Breakpoint: before critic speaks.")
        assert view.hits == {"b": 1}
        await studio.supervisor.command(run_id, "cancel")


async def test_a_breakpoint_is_set_and_taken_away_while_it_runs(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "b: two", "a: three", "b: four"), "Go.")
        await world.called.wait()
        places: JsonValue = [at("text", text="o").model_dump()]
        await studio.supervisor.command(run_id, "breakpoints", by="ann", data={"breakpoints": places})
        world.answers.set()
        await studio.until(run_id, RunState.PAUSED)
        assert (await studio.said(run_id))[-1] == "one"
        await studio.supervisor.command(run_id, "breakpoints", by="ann", data={"breakpoints": []})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        told = [entry.body["by"] for entry in await studio.log(run_id) if entry.body.get("command") == "breakpoints"]
        assert told == ["ann", "ann"]


async def test_before_a_tool_its_arguments_can_be_changed(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a"), breakpoints=[at("tool", name="write")])
        question = await asked(studio, run_id, "breakpoint")
        assert drawer.calls == []
        await decide(studio, run_id, question, verdict="allow", arguments={"path": "b"})
        await studio.until(run_id, RunState.FINISHED)
        assert drawer.calls == [{"path": "b"}]


async def test_after_a_tool_its_result_can_be_changed(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a"), breakpoints=[at("tool", when="after")])
        question = await asked(studio, run_id, "breakpoint")
        assert question.details["result"] == "wrote a"
        await decide(studio, run_id, question, verdict="allow", text="wrote nothing")
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == 1
        assert "wrote nothing" in (await studio.said(run_id))[-2]
        effects = [entry.body for entry in await studio.log(run_id) if entry.body.get("effect") == "tool"]
        assert "'was': 'wrote a'" in str(effects[0])


@pytest.mark.parametrize(("command", "end"), [("resume", RunState.FINISHED), ("step", RunState.PAUSED)])
async def test_a_call_at_a_breakpoint_goes_on_unchanged(
    open_studio: OpenStudio, drawer: Drawer, command: str, end: RunState
) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, writing("a"), breakpoints=[at("tool")])
        await asked(studio, run_id, "breakpoint")
        assert command in ("resume", "step")
        await studio.supervisor.command(run_id, command)
        await studio.until(run_id, end, "step" if command == "step" else None)
        assert drawer.calls == [{"path": "a", "text": "x"}]
        await studio.supervisor.shut_down()


async def test_a_call_that_is_asked_about_is_asked_about_once(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        policy = ToolPolicy(rules=(ToolRule(tool="write"),))
        run_id = await started(studio, writing("a"), policy=policy, breakpoints=[at("tool")])
        await decide(studio, run_id, await asked(studio, run_id), verdict="allow")
        view = (await studio.until(run_id, RunState.FINISHED)).view
        assert view.hits == {"b": 1}
        assert len(drawer.calls) == 1


NESTED = team(agent("lead", "A.", "D."), team(agent("x", "B."), agent("y", "C."), name="inner", turns=2), turns=3)


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("event", ["A.", "B.", "C.", "D."]),
        ("turn", ["A.", "B.", "C.", "D."]),
        ("over", ["A.", "C.", "D."]),
    ],
)
async def test_a_step_goes_as_far_as_it_says(open_studio: OpenStudio, until: str, said: list[str]) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, NESTED, breakpoints=[at("message", visit=1)])
        assert [texts[-1] for texts in await stops(studio, run_id, "step", until=until)] == ["Go.", *said]


async def test_a_step_to_the_next_agent_ends_before_it_speaks(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, PAIR, breakpoints=[at("message", visit=1)])
        found = await stops(studio, run_id, "step", until="agent")
        assert [len(texts) for texts in found] == [1, 1, 2, 3, 4]


async def test_a_turn_with_calls_is_one_step(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        drawer.opened.set()
        busy = team(agent("clerk", reply({"path": "a"}), "Done."), agent("critic", "Good."), turns=2)
        run_id = await started(studio, busy, breakpoints=[at("message", visit=1)])
        found = await stops(studio, run_id, "step", until="turn")
        assert [texts[-1] for texts in found] == ["Go.", "Done.", "Good."]


async def test_a_step_to_nowhere_is_refused(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await started(studio, PAIR, breakpoints=[at("message")])
        await studio.until(run_id, RunState.PAUSED)
        with pytest.raises(ConfigError):
            await studio.supervisor.command(run_id, "step", data={"until": "lunch"})
        await studio.supervisor.command(run_id, "cancel")


def test_a_breakpoint_keeps_its_count_when_others_change() -> None:
    watch = BreakpointSet()
    watch.replace([at("tool")])
    assert watch.match_call("write", "before") is not None
    watch.replace([at("tool", enabled=False), at("text", text="x").model_copy(update={"id": "c"})])
    assert watch.hits == {"b": 1}
    watch.replace([at("tool", name="other")])
    assert (watch.hits, watch.is_idle) == ({}, False)


def test_a_cost_is_met_once_when_it_is_reached() -> None:
    watch = BreakpointSet()
    watch.replace([at("cost", limit=0.5)])
    said = TextMessage(source="writer", content="One.")
    met = [watch.match_item(said, Usage(micro_usd=spent)) is not None for spent in (499_999, 500_000, 900_000)]
    assert met == [False, True, False]


@pytest.mark.parametrize("bad", [{"on": "text"}, {"on": "tokens"}, {"on": "text", "text": "(", "is_regex": True}])
def test_a_breakpoint_that_could_never_be_met_is_refused(bad: dict[str, JsonValue]) -> None:
    with pytest.raises(ValidationError):
        Breakpoint.model_validate({"id": "b", **bad})
