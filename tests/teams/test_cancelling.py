"""A run that is broken off anywhere leaves nothing behind, and goes on as if it had not been."""

from __future__ import annotations

import json
import os
from contextlib import aclosing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.messages import CancellationToken, TaskResult
from studio.teams import Team
from tests.extended import times
from tests.teams.interrupting import Interruption, Told, assert_nothing_runs, nothing_left, told
from tests.teams.remembering import TEAMS

TASK = "Please do it."
STRIDE = int(os.environ.get("CANCEL_STRIDE", times(13, 5)))
"""Every fifth point where a run can wait is met, at other ones by each of several tests; 1 meets all, in minutes."""


async def finish(team: Team, expected: Told) -> Told:
    """Go on unless all is said, or begin where nothing was heard yet; what was said in all."""
    if await told(team) != expected:
        result = await team.run() if team.thread else await team.run(task=TASK)
        assert result.stop_reason
    return await told(team)


async def uninterrupted(kind: str) -> Told:
    team = TEAMS[kind]()
    await team.run(task=TASK)
    return await told(team)


async def check_usable(team: Team, kind: str, expected: Told) -> None:
    """See that a team whose run was broken off goes on, also elsewhere, and can begin anew."""
    await told(team)
    elsewhere = TEAMS[kind]()
    await elsewhere.load_state(json.loads(json.dumps(await team.save_state())))
    assert await finish(elsewhere, expected) == expected
    assert await finish(team, expected) == expected
    await team.reset()
    await team.run(task=TASK)
    assert await told(team) == expected


@pytest.mark.slow
@pytest.mark.parametrize("kind", TEAMS)
async def test_a_run_that_is_cancelled_wherever_it_waits_goes_on_to_the_same_end(kind: str):
    expected, point = await uninterrupted(kind), 1
    async with nothing_left():
        while True:
            team = TEAMS[kind]()
            if not await Interruption(point).run(team.run(task=TASK)):
                break
            assert_nothing_runs()
            await check_usable(team, kind, expected)
            point += STRIDE
    assert point > STRIDE


@pytest.mark.slow
@pytest.mark.parametrize("kind", TEAMS)
async def test_a_run_that_is_left_after_any_of_its_events_goes_on_to_the_same_end(kind: str):
    expected, count, is_over = await uninterrupted(kind), 0, False
    async with nothing_left():
        while not is_over:
            team, count = TEAMS[kind](), count + times(3, 1)
            is_over = await leave_after(count, team)
            assert_nothing_runs()
            await check_usable(team, kind, expected)
    assert count > len(expected[""])


async def leave_after(count: int, team: Team) -> bool:
    """Close a run after so many items; whether it has given its result by then."""
    async with aclosing(team.run_stream(task=TASK)) as items:
        async for item in items:
            count -= 1
            if isinstance(item, TaskResult):
                return True
            if not count:
                return False
    raise AssertionError("a run ends with its result")


@pytest.mark.slow
@pytest.mark.parametrize("kind", TEAMS)
async def test_a_cancelled_token_ends_a_run_that_then_goes_on_to_the_same_end(kind: str):
    expected, count = await uninterrupted(kind), 0
    async with nothing_left():
        while True:
            team, token, count = TEAMS[kind](), CancellationToken(), count + STRIDE
            steps = Interruption(count, cancel=token.cancel)
            if not await steps.run(team.run(task=TASK, cancellation_token=token)):
                break
            assert_nothing_runs()
            await check_usable(team, kind, expected)


@pytest.mark.slow
@settings(max_examples=times(20, 60))
@given(st.sampled_from(list(TEAMS)), st.sets(st.integers(1, 40), min_size=1, max_size=4))
async def test_a_run_that_is_cancelled_again_while_it_ends_leaves_nothing_behind(kind: str, points: set[int]):
    expected, team = await uninterrupted(kind), TEAMS[kind]()
    await Interruption(*points).run(team.run(task=TASK))
    assert_nothing_runs()
    await check_usable(team, kind, expected)
