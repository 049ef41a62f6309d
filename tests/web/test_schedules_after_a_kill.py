"""The studio is killed while schedules are due: after the restart each has fired exactly once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from studio.components import JsonObject
from tests.web.documents import assistant, team
from tests.web.publishing import deployed
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
COUNT = 16
YEARLY = {"cron": "0 0 1 1 *", "zone": "UTC"}


def changed(data_dir: Path, statement: str, *values: Any) -> list[Any]:
    """What the database of a studio answers, which may run meanwhile."""
    with closing(sqlite3.connect(data_dir / "studio.db", timeout=30)) as database, database:
        return database.execute(statement, values).fetchall()


def moment(ago: timedelta) -> str:
    return (datetime.now(UTC) - ago).strftime("%Y-%m-%d %H:%M:%S.%f")


def waited_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def scheduled(owner: httpx.Client) -> None:
    component = team(assistant("writer", "The answer."), max_messages=2)
    made = owner.post("/api/teams", json={"component": component}).json()
    settings: JsonObject = {"limits": {"calls_at_once": 100, "calls_per_minute": 1000}}
    deployed(owner, {"team_id": made["id"], "name": "timed", "settings": settings, "key_label": "shop"})
    for number in range(COUNT):
        body = {**YEARLY, "task": f"Task {number}."}
        owner.post("/api/deployments/timed/schedules", json=body).raise_for_status()


def last_states(owner: httpx.Client) -> list[str]:
    found = owner.get("/api/deployments/timed/schedules").json()
    return [each["last"]["state"] if each["last"] else "not yet" for each in found]


def run_states(owner: httpx.Client, calls: list[Any]) -> set[str]:
    return {owner.get(f"/api/runs/{each['id']}").json()["state"] for each in calls}


def test_schedules_that_are_due_at_a_kill_fire_once(tmp_path: Path):
    with studio(tmp_path) as (process, owner):
        scheduled(owner)
        changed(tmp_path, "UPDATE schedule SET due_at = ?", moment(timedelta(seconds=1)))
        waited_for(lambda: bool(changed(tmp_path, "SELECT 1 FROM call LIMIT 1")))
        process.kill()
    before = changed(tmp_path, "SELECT state FROM firing")
    assert len([each for each in before if each == ("called",)]) < COUNT, "it was killed on the way"

    with studio(tmp_path) as (_, owner):
        # A firing belongs to the server that was killed for a minute; that minute is over.
        changed(tmp_path, "UPDATE firing SET try_at = ? WHERE try_at IS NOT NULL", moment(timedelta(seconds=1)))
        waited_for(lambda: last_states(owner) == ["called"] * COUNT)
        calls = owner.get("/api/deployments/timed/calls").json()
        waited_for(lambda: run_states(owner, calls) == {"finished"})
    tasks = changed(tmp_path, "SELECT task FROM firing ORDER BY task")
    assert tasks == sorted((f"Task {number}.",) for number in range(COUNT))
    assert len(calls) == COUNT, "none was called twice, and none not at all"
