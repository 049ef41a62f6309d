"""Calls of tools that were under way when the server went down."""

from __future__ import annotations

from typing import Literal, cast

import pytest

from studio.components import JsonObject
from studio.effects import idempotency_key
from studio.messages import ToolSchema
from studio.runs import Breakpoint, Draft, PendingInput, RunState, ToolPolicy, ToolRule
from studio.runs.journal.log import RunStatus
from studio.runs.middleware.approvals import Decision, decision_draft
from studio.tools import BaseTool, ToolReturn
from tests.runs.scripted import OpenStudio, Studio
from tests.runs.tooling import (
    Drawer,
    agent,
    asked,
    current_drawer,
    decide,
    effects_of,
    reply,
    started,
    team,
    writing,
)


class KeyTool(BaseTool):
    """Tells the key that goes with its call, and can hang."""

    provider = "tests.runs.KeyTool"
    is_safe: bool = False

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride]
        return ToolSchema(name="key", description="Tells.", parameters={"type": "object", "properties": {}})

    @property
    def is_safe_to_repeat(self) -> bool:
        return self.is_safe

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        drawer = current_drawer.get()
        drawer.calls.append({"key": idempotency_key(), **arguments})
        drawer.called.set()
        await drawer.opened.wait()
        return ToolReturn("done", "done")


def asking(*, is_safe: bool = False) -> JsonObject:
    """A team whose agent calls the tool once."""
    clerk = agent("clerk", reply({}, tool="key"), "Bye.", tools=())
    assert isinstance(clerk, dict)
    config = clerk["config"]
    assert isinstance(config, dict)
    tool: JsonObject = {"provider": KeyTool.provider, "config": {"is_safe": is_safe}}
    document = team({**clerk, "config": {**config, "tools": [tool]}})
    assert isinstance(document, dict)
    return document


async def broken_off(
    open_studio: OpenStudio,
    drawer: Drawer,
    document: JsonObject,
    grace: pytest.MonkeyPatch,
    policy: ToolPolicy | None = None,
) -> str:
    """A run whose server stopped while its tool was at work."""
    grace.setattr("studio.runs.supervisor.GRACE_S", 0)
    drawer.opened.clear()
    async with open_studio() as studio:
        run_id = await started(studio, document, policy=policy)
        await drawer.called.wait()
    drawer.opened.set()
    return run_id


async def question(studio: Studio, run_id: str) -> PendingInput:
    view = (await studio.until(run_id, RunState.PAUSED, "approval")).view
    assert view.pending
    assert view.pending.kind == "outcome"
    return view.pending


async def test_a_person_is_asked_what_came_of_a_call_that_was_broken_off(
    open_studio: OpenStudio, drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await broken_off(open_studio, drawer, asking(), monkeypatch)
    async with open_studio() as studio:
        pending = await question(studio, run_id)
        assert len(drawer.calls) == 1
        assert pending.details["idempotency_key"] == drawer.calls[0]["key"]
        await studio.supervisor.command(run_id, "answer", request_id=pending.request_id, text="again")
        await studio.until(run_id, RunState.FINISHED)
        assert [call["key"] for call in drawer.calls] == [pending.request_id] * 2


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"outcome": "result", "text": "it was done"}', {"value": "it was done", "text": "it was done"}),
        ("failed", {"error": "The call was interrupted and counts as failed."}),
    ],
)
async def test_what_the_person_says_is_the_recorded_result(
    open_studio: OpenStudio, drawer: Drawer, monkeypatch: pytest.MonkeyPatch, answer: str, found: JsonObject
) -> None:
    run_id = await broken_off(open_studio, drawer, asking(), monkeypatch)
    async with open_studio() as studio:
        pending = await question(studio, run_id)
        await studio.supervisor.command(run_id, "answer", request_id=pending.request_id, text="what?")
        await studio.supervisor.command(run_id, "answer", request_id=pending.request_id, text=answer)
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == 1
        (effect,) = effects_of(await studio.log(run_id), "tool")
        assert effect["result"] == found


async def test_a_tool_that_the_team_lets_run_again_is_run_again(
    open_studio: OpenStudio, drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = ToolPolicy(repeatable=("ke?",))
    run_id = await broken_off(open_studio, drawer, asking(), monkeypatch, policy)
    async with open_studio() as studio:
        await studio.until(run_id, RunState.FINISHED)
        first, again = (call["key"] for call in drawer.calls)
        assert first == again


async def test_a_person_may_stop_a_run_that_is_in_doubt(
    open_studio: OpenStudio, drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await broken_off(open_studio, drawer, asking(), monkeypatch)
    async with open_studio() as studio:
        pending = await question(studio, run_id)
        await studio.supervisor.command(run_id, "answer", request_id=pending.request_id, text="stop")
        await studio.until(run_id, RunState.STOPPED)
        assert len(drawer.calls) == 1


async def test_a_tool_that_is_safe_to_repeat_is_called_again(
    open_studio: OpenStudio, drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await broken_off(open_studio, drawer, asking(is_safe=True), monkeypatch)
    async with open_studio() as studio:
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == 2


async def test_a_stopping_server_waits_for_a_tool_at_work(open_studio: OpenStudio, drawer: Drawer) -> None:
    async with open_studio() as studio:
        drawer.opened.clear()
        run_id = await studio.supervisor.start(asking(), "Go.")
        await drawer.called.wait()
        drawer.opened.set()
    async with open_studio() as studio:
        await studio.until(run_id, RunState.FINISHED)
        assert len(drawer.calls) == 1


@pytest.mark.slow
@pytest.mark.parametrize("verdict", ["allow", "ask"])
async def test_a_call_whose_result_a_person_looked_at_is_not_in_doubt(
    open_studio: OpenStudio, drawer: Drawer, verdict: Literal["allow", "ask"]
) -> None:
    """It was carried out, with the arguments that were approved; only that somebody has seen it is missing."""
    policy = ToolPolicy(rules=(ToolRule(tool="*", verdict=verdict),))
    behind = Breakpoint.model_validate({"id": "b", "on": "tool", "when": "after"})
    async with open_studio() as studio:
        run_id = await started(studio, writing("a"), policy=policy, breakpoints=[behind])
        if verdict == "ask":
            approval = await asked(studio, run_id)
            await decide(studio, run_id, approval, verdict="allow", arguments={"path": "b"})
        looked = await asked(studio, run_id, "breakpoint")
    written = "wrote b" if verdict == "ask" else "wrote a"
    assert looked.details["result"] == written
    async with open_studio() as studio:
        again = await asked(studio, run_id, "breakpoint")
        assert (again.request_id, again.details["result"]) == (looked.request_id, written)
        await decide(studio, run_id, again, verdict="allow")
        await studio.until(run_id, RunState.FINISHED)
        (effect,) = effects_of(await studio.log(run_id), "tool")
    assert len(drawer.calls) == 1
    assert cast("JsonObject", effect["result"])["text"] == written


@pytest.mark.parametrize(("kind", "calls"), [("breakpoint", 1), ("approval", 0)])
async def test_to_let_a_call_go_on_from_a_breakpoint_is_no_approval_after_a_kill(
    open_studio: OpenStudio, drawer: Drawer, kind: str, calls: int
) -> None:
    """Somebody let it go on, the server was killed, and by then a rule asks about the same call."""
    before = Breakpoint.model_validate({"id": "b", "on": "tool"})
    async with open_studio() as studio:
        run_id = await started(studio, writing("a"), breakpoints=[before])
        question = await asked(studio, run_id, "breakpoint")
        runs, settings = studio.store.runs, studio.store.settings
        if kind == "approval":
            team_id = (await runs.summary(run_id)).team_id or ""
            await settings.set_policy(team_id, ToolPolicy(otherwise="ask"))
            await settings.set_breakpoints(team_id, [])
        lease, _ = await runs.take_over(run_id)
        told = decision_draft(question, Decision(hash=str(question.details["hash"]), verdict="allow"), "ann")
        state = Draft("state", {"state": "running", "reason": "answer", "detail": ""})
        await runs.append(lease, [told, state], RunStatus(state=RunState.RUNNING, reason="answer"))
    async with open_studio() as studio:
        await studio.until(run_id, RunState.PAUSED if kind == "approval" else RunState.FINISHED)
        assert len(drawer.calls) == calls
