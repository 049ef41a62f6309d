"""An evaluation that several workers share: one is killed on the way, and each cell has one run all the same."""

from __future__ import annotations

import time
from collections import Counter

import pytest

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
    found = over(other, evaluation_id, 200)
    assert found["state"] == "finished"
    assert (found["versions"][0]["passed"], found["versions"][0]["open"]) == (80, 0)
    cells = cells_of(other, evaluation_id)
    listed = other.get("/api/runs", params={"listing": "evaluation", "limit": 200}).json()
    runs = [run for run in listed if run["started_at"]]
    assert {run["id"] for run in runs} == {cell["run_id"] for cell in cells}
    assert Counter(cell["case"] for cell in cells) == {case["id"]: 4 for case in CASES}
    assert {run["state"] for run in runs} == {"finished"}
