"""Owners schedule calls of their deployments, and see what became of them."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.services.schedule_calls import ScheduleCalls
from studio.store.schedules import CLAIM, GRACE
from tests.waiting import MAX_S
from tests.web.publishing import Published, publish, running

pytestmark = pytest.mark.timeout(60)
YEARLY: dict[str, Any] = {"cron": "0 0 1 1 *", "zone": "Europe/Berlin", "task": "Say hello."}


def scheduled(published: Published, **wanted: Any) -> Any:
    answer = published.owner.post(f"/api/deployments/{published.name}/schedules", json={**YEARLY, **wanted})
    assert answer.status_code == 201, answer.text
    return answer.json()


def listed(published: Published) -> Any:
    return published.owner.get(f"/api/deployments/{published.name}/schedules").json()


def come(server: TestClient, schedule: Any, *, desks: int = 1, later: timedelta = timedelta(0)) -> int:
    """The next time of a schedule, as so many servers see it."""
    services, now = running(server), datetime.fromisoformat(schedule["next_times"][0]) + later
    servers = [ScheduleCalls(services.store, services.calls) for _ in range(desks)]

    async def at_once() -> int:
        return sum(await asyncio.gather(*(each.call_due(now) for each in servers)))

    assert server.portal is not None
    return server.portal.call(at_once)


def calls(published: Published) -> Any:
    return published.owner.get(f"/api/deployments/{published.name}/calls").json()


def test_the_next_five_times_are_told_in_their_zone(client: TestClient):
    schedule = scheduled(publish(client))
    times = [datetime.fromisoformat(each) for each in schedule["next_times"]]
    assert len(times) == 5
    assert {each.strftime("%d.%m. %H:%M %z") for each in times} == {"01.01. 00:00 +0100"}
    assert all(each > datetime.now(UTC) for each in times)
    assert schedule["last"] is None


def test_servers_that_see_a_time_together_begin_one_ordinary_call(client: TestClient, server: TestClient):
    published = publish(client)
    schedule = scheduled(published)
    assert come(server, schedule, desks=4) == 1
    [after] = listed(published)
    assert after["last"]["state"] == "called"
    assert after["next_times"][0] == schedule["next_times"][1]
    [call] = calls(published)
    assert (call["id"], call["protocol"]) == (after["last"]["call_id"], "schedule")
    assert client.get(f"/api/runs/{call['id']}").is_success
    assert published.caller.get(f"/d/support/calls/{call['id']}").status_code == 404, "it belongs to no caller"


def test_a_server_killed_after_it_began_a_call_leads_to_no_second_one(client: TestClient, server: TestClient):
    published = publish(client)
    schedule = scheduled(published)
    services = running(server)
    settle = services.store.schedules.settle

    async def killed(*_: object, **__: object) -> None:
        raise ConnectionError("killed before it was written down")

    services.store.schedules.settle = killed  # type: ignore[method-assign]
    assert come(server, schedule) == 1
    services.store.schedules.settle = settle  # type: ignore[method-assign]
    assert listed(published)[0]["last"]["state"] == "due"
    client.patch(f"/api/deployments/support/schedules/{schedule['id']}", json={"task": "Another task."})
    assert come(server, schedule, later=CLAIM) == 1
    last = listed(published)[0]["last"]
    assert [each["id"] for each in calls(published)] == [last["call_id"]]


def test_a_call_that_cannot_begin_is_tried_for_an_hour(
    client: TestClient, server: TestClient, monkeypatch: pytest.MonkeyPatch
):
    async def begin(*_: object) -> None:
        raise ValueError("whatever is wrong")

    published = publish(client)
    schedule = scheduled(published)
    monkeypatch.setattr(running(server).calls.__class__, "begin", begin)
    assert come(server, schedule) == 1
    assert listed(published)[0]["last"]["state"] == "due"
    assert come(server, schedule, later=GRACE + CLAIM) == 1
    assert "within an hour" in listed(published)[0]["last"]["detail"]
    assert come(server, schedule, later=2 * GRACE) == 0


def test_limits_hold_for_schedules_and_refusals_are_told(client: TestClient, server: TestClient):
    published = publish(client, limits={"calls_per_minute": 1})
    published.call()
    assert come(server, scheduled(published)) == 1
    [after] = listed(published)
    assert (after["last"]["state"], after["last"]["call_id"]) == ("refused", None)
    assert after["last"]["detail"]
    assert len(calls(published)) == 1


def test_a_schedule_is_called_beside_its_times(client: TestClient):
    published = publish(client)
    schedule = scheduled(published, is_on=False)
    firings = f"/api/deployments/{published.name}/schedules/{schedule['id']}/firings"
    answer = client.post(firings)
    assert (answer.status_code, answer.json()["state"], answer.json()["call_id"]) == (202, "due", None)
    deadline = time.monotonic() + MAX_S
    while (firing := client.get(firings).json()[0])["state"] == "due" and time.monotonic() < deadline:
        time.sleep(0.05)
    [call] = calls(published)
    assert (firing["state"], firing["call_id"], call["protocol"]) == ("called", call["id"], "schedule")
    assert listed(published)[0]["next_times"] == [], "it is still off"
    assert client.post(f"/api/deployments/{published.name}/schedules/none/firings").status_code == 404


def test_one_call_beside_the_times_waits_at_a_time(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ScheduleCalls, "call_due", _nothing)
    published = publish(client)
    firings = f"/api/deployments/{published.name}/schedules/{scheduled(published)['id']}/firings"
    assert [client.post(firings).status_code for _ in range(2)] == [202, 409]


async def _nothing(self: ScheduleCalls, now: datetime) -> int:
    del self, now
    return 0


def test_a_schedule_that_is_off_or_deleted_does_not_fire(client: TestClient, server: TestClient):
    published = publish(client)
    schedule = scheduled(published)
    address = f"/api/deployments/support/schedules/{schedule['id']}"
    assert client.patch(address, json={"is_on": False}).json()["next_times"] == []
    assert come(server, schedule) == 0
    assert client.patch(address, json={"is_on": True}).json()["next_times"] == schedule["next_times"]
    assert come(server, schedule) == 1
    assert len(client.get(f"{address}/firings").json()) == 1
    assert client.delete(address).status_code == 204
    assert listed(published) == []
    assert len(calls(published)) == 1, "its calls stay"
    assert client.get(f"{address}/firings").status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"cron": "0 0 30 2 *"},
        {"cron": "61 * * * *"},
        {"cron": "* * * * * *"},
        {"cron": "\0"},
        {"cron": "*" * 5000},
        {"cron": 5},
        {"zone": "Mars/Base"},
        {"zone": "../../etc/passwd"},
        {"task": ""},
        {"task": "x" * 20_001},
        {"extra": 1},
    ],
)
def test_what_cannot_be_a_schedule_is_refused(client: TestClient, wrong: Any):
    published = publish(client)
    answer = client.post("/api/deployments/support/schedules", json={**YEARLY, **wrong})
    assert 400 <= answer.status_code < 500, answer.text
    assert listed(published) == []


def test_a_change_that_cannot_be_read_changes_nothing(client: TestClient):
    published = publish(client)
    before = scheduled(published)
    answer = client.patch(f"/api/deployments/support/schedules/{before['id']}", json={"zone": "Mars", "task": "Other."})
    assert 400 <= answer.status_code < 500
    assert listed(published) == [before]
