"""A run whose branches work side by side, and people who command it at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from pydantic import JsonValue

from studio.effects import HumanQuestion
from studio.runs import Lease, RunState, RunStatus
from studio.runs.active_run import ActiveRun
from studio.runs.commands import Command, dispatch
from tests.runs.memory_log import MemoryLog
from tests.waiting import until


@pytest.fixture
async def run() -> AsyncGenerator[ActiveRun]:
    """A running run that is held at the gate."""
    live = ActiveRun(Lease("run", 1), MemoryLog(), RunStatus())
    await live.change_state(RunState.RUNNING, "start")
    async with asyncio.TaskGroup() as group:
        await dispatch(live, Command("pause", "ann"))
        driver = group.create_task(live.wait_at_gate())
        await until(lambda: live.gate.is_held)
        yield live
        driver.cancel()


async def test_resume_and_pause_at_the_same_moment_hold_the_run(run: ActiveRun) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(dispatch(run, Command("resume", "ann")))
        group.create_task(dispatch(run, Command("pause", "ben")))
    await until(lambda: run.gate.is_held and run.view.state is RunState.PAUSED)
    assert (run.view.state, run.view.reason) == (RunState.PAUSED, "user")


async def test_an_answer_to_a_held_run_leaves_it_held(run: ActiveRun) -> None:
    async with asyncio.TaskGroup() as group:
        branch = group.create_task(run.human.ask(HumanQuestion("q1", "ann", "Which?")))
        await until(lambda: run.view.reason == "input")
        await dispatch(run, Command("answer", "ann", "q1", "this"))
        assert await branch == "this"
    assert run.gate.is_held
    assert (run.view.state, run.view.reason, run.view.pending) == (RunState.PAUSED, "user", None)


async def test_a_question_stays_open_while_another_branch_comes_to_the_gate() -> None:
    run = ActiveRun(Lease("run", 1), MemoryLog(), RunStatus())
    await run.change_state(RunState.RUNNING, "start")
    async with asyncio.TaskGroup() as group:
        branch = group.create_task(run.human.ask(HumanQuestion("q1", "ann", "Which?")))
        await until(lambda: run.view.pending is not None)
        await dispatch(run, Command("pause", "ann"))
        driver = group.create_task(run.wait_at_gate())
        await until(lambda: run.gate.is_held)
        assert run.view.pending is not None
        branch.cancel()
        driver.cancel()


async def test_a_count_of_tokens_that_no_model_can_mean_is_cut(run: ActiveRun) -> None:
    result: JsonValue = {"usage": {"prompt_tokens": 10**30, "completion_tokens": -5}}
    for _ in range(2):
        run.record_effect({"effect": "model", "result": result})
    await run.wait_written()
    assert 0 < run.view.usage.prompt_tokens < 2**53
    assert run.view.usage.completion_tokens == 0
