"""An evaluation that several workers share: one is killed on the way, and each cell has one run all the same."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from studio.models.prices import PriceBook
from studio.runs import BudgetRegistry, RunControl, SpendingScope
from studio.services.evaluation_runs import EvaluationRuns
from studio.store import Store, open_store
from tests.fleet.processes import Fleet
from tests.web.evaluating import added_suite, added_team, cells_of, over, started

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
CASES = [{"id": f"case-{number}", "task": f"Task {number}.", "target": "morning"} for number in range(20)]


def test_workers_share_an_evaluation_and_one_is_killed(processes: Fleet):
    owner, other = processes.web(), processes.web()
    suite_id = added_suite(owner, added_team(owner, "Good morning."), cases=CASES)
    evaluation_id = started(owner, suite_id, repeats=4, at_once=8)
    first, _ = processes.worker(), processes.worker()
    until = time.monotonic() + 60
    while (found := other.get(f"/api/evaluations/{evaluation_id}").json())["versions"][0]["passed"] < 10:
        assert time.monotonic() < until, found
        time.sleep(0.02)
    first.kill()
    assert found["ended_at"] is None, "it was killed on the way"
    found = over(other, evaluation_id, 60)
    assert found["state"] == "finished"
    assert (found["versions"][0]["passed"], found["versions"][0]["open"]) == (80, 0)
    cells = cells_of(other, evaluation_id)
    listed = other.get("/api/runs", params={"listing": "evaluation", "limit": 200}).json()
    runs = [run for run in listed if run["started_at"]]
    assert {run["id"] for run in runs} == {cell["run_id"] for cell in cells}
    assert Counter(cell["case"] for cell in cells) == {case["id"]: 4 for case in CASES}
    assert {run["state"] for run in runs} == {"finished"}


class SlowControl:
    """Begins a run when it may."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.is_asked, self.may_begin = asyncio.Event(), asyncio.Event()

    async def start(self, *_: object, run_id: str, **__: object) -> None:
        self.begun.append(run_id)
        self.is_asked.set()
        await self.may_begin.wait()


def driver(store: Store, control: SlowControl) -> EvaluationRuns:
    books = SpendingScope(PriceBook(), BudgetRegistry())
    return EvaluationRuns(store, cast("RunControl", control), books, cast("Any", None))


@pytest.fixture
def waiting_evaluation(processes: Fleet) -> str:
    """The ID of one that no worker carries out."""
    replica = processes.web()
    return started(replica, added_suite(replica, added_team(replica, "Good morning."), cases=CASES[:2]), at_once=2)


async def test_a_server_keeps_the_cells_that_it_is_at_work_on(
    waiting_evaluation: str, processes: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    claim = timedelta(seconds=2)
    monkeypatch.setattr("studio.store.evaluations.CLAIM", claim)
    monkeypatch.setattr("studio.services.evaluation_runs.KEEP_S", 0.2)
    slow, other = SlowControl(), SlowControl()
    other.may_begin.set()
    async with (
        open_store(tmp_path / "a", processes.url) as store,
        open_store(tmp_path / "b", processes.url) as beside,
        asyncio.TaskGroup() as group,
    ):
        advancing = group.create_task(driver(store, slow).advance(waiting_evaluation, datetime.now(UTC)))
        await slow.is_asked.wait()
        until = datetime.now(UTC) + 1.5 * claim
        while (now := datetime.now(UTC)) < until:
            await driver(beside, other).advance(waiting_evaluation, now)
            await asyncio.sleep(0.1)
        assert other.begun == []
        slow.may_begin.set()
        await advancing
        cells = [active.cell for active in await beside.evaluations.active(waiting_evaluation)]
        assert [cell.run_id for cell in cells] == slow.begun
        assert {(cell.state, cell.try_at) for cell in cells} == {("running", None)}
