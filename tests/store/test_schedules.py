"""A schedule fires once for each of its times, whichever servers look at it, and however often."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from studio.deployments import DeploymentSettings
from studio.store import Store
from studio.store.deployment_tables import Schedule
from studio.store.deployments import NewRelease
from studio.store.schedules import CLAIM, GRACE, Schedules
from tests.store.stores import OpenStore

pytestmark = pytest.mark.timeout(60)
START = datetime(2026, 7, 1, 12, tzinfo=UTC)
DUE = datetime(2026, 7, 2, 6, 30, tzinfo=UTC)


async def scheduled(store: Store, cron: str = "30 8 * * *", at: datetime = START) -> Schedule:
    team = await store.teams.create({}, name="Team")
    made = await store.deployments.add("support", team.id, "Team", DeploymentSettings(), NewRelease({}, 1))
    row = Schedule(
        id="s", deployment_id=made.id, cron=cron, zone="Europe/Berlin", task="Go.", created_at=at, due_at=None
    )
    return await store.schedules.add(row)


async def states(schedules: Schedules) -> list[tuple[datetime, str]]:
    return [(each.due_at, each.state) for each in await schedules.firings("s", 100)]


async def test_of_servers_that_look_at_once_one_gets_it(open_it: OpenStore):
    async with open_it() as store, open_it() as other:
        assert (await scheduled(store)).due_at == DUE
        assert await store.schedules.claim_due(DUE - timedelta(seconds=1), 8) == []
        found = await asyncio.gather(*(each.schedules.claim_due(DUE, 8) for each in (store, other)))
        assert [due.firing.due_at for dues in found for due in dues] == [DUE]
        assert await other.schedules.claim_due(DUE + CLAIM / 2, 8) == []
        assert await states(other.schedules) == [(DUE, "due")]


async def test_what_a_killed_server_claimed_is_anothers_after_a_while(open_it: OpenStore):
    async with open_it() as store:
        await scheduled(store)
        [claimed] = await store.schedules.claim_due(DUE, 8)
    async with open_it() as store:
        [again] = await store.schedules.claim_due(DUE + CLAIM, 8)
        assert (again.firing.due_at, again.firing.task) == (claimed.firing.due_at, "Go.")
        await store.schedules.settle(again.firing, "called", call_id="c")
        assert await store.schedules.claim_due(DUE + CLAIM * 3, 8) == []
        assert await states(store.schedules) == [(DUE, "called")]


async def test_times_without_a_server_are_caught_up_once_within_the_grace(open_it: OpenStore):
    async with open_it() as store:
        await scheduled(store, "*/5 * * * *")
        first = START + timedelta(minutes=5)
        assert len(await store.schedules.claim_due(first + GRACE, 8)) == 1
        assert await states(store.schedules) == [(first, "due")]
        assert await store.schedules.claim_due(first + GRACE + CLAIM / 2, 8) == []
        following = first + GRACE + timedelta(minutes=5)
        [due] = (each for each in await store.schedules.claim_due(following, 8) if each.firing.due_at != first)
        assert due.firing.due_at == following


async def test_times_that_passed_too_long_ago_are_told_as_missed(open_it: OpenStore):
    async with open_it() as store:
        await scheduled(store)
        back = DUE + GRACE + timedelta(seconds=1)
        assert await store.schedules.claim_due(back, 8) == []
        assert await states(store.schedules) == [(DUE, "missed")]
        [due] = await store.schedules.claim_due(DUE + timedelta(days=1), 8)
        assert due.firing.due_at == DUE + timedelta(days=1)


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        (datetime(2026, 3, 28, 12, tzinfo=UTC), ["29 01:00", "30 00:30"]),
        (datetime(2026, 10, 24, 12, tzinfo=UTC), ["25 00:30", "26 01:30"]),
    ],
    ids=["skipped hour", "doubled hour"],
)
async def test_each_night_has_one_when_clocks_change(open_it: OpenStore, begin: datetime, expected: list[str]):
    async with open_it() as store:
        await scheduled(store, "30 2 * * *", begin)
        for minutes in range(0, 40 * 60, 10):
            for due in await store.schedules.claim_due(begin + timedelta(minutes=minutes), 8):
                await store.schedules.settle(due.firing, "called", call_id="c")
        assert [f"{at:%d %H:%M}" for at, _ in reversed(await states(store.schedules))] == expected


async def test_a_clock_that_is_set_back_fires_nothing_twice(open_it: OpenStore):
    async with open_it() as store:
        made = await scheduled(store)
        [due] = await store.schedules.claim_due(DUE, 8)
        await store.schedules.settle(due.firing, "called", call_id="c")
        await store.schedules.change(made.deployment_id, made.id, START, cron="30 8 * * *")
        assert await store.schedules.claim_due(DUE, 8) == []
        assert await states(store.schedules) == [(DUE, "called")]
        assert (await store.schedules.get(made.deployment_id, made.id)).due_at == DUE + timedelta(days=1)
