"""The studio is killed in the middle of an evaluation: after the restart each cell has been run and scored once."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.web.documents import USER_PROXY, assistant, replay_model, team
from tests.web.evaluating import added_suite, added_team, cells_of, over, started
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
CASES = [{"id": f"case-{number}", "task": f"Task {number}.", "target": "morning"} for number in range(20)]


def read(data_dir: Path, statement: str) -> list[Any]:
    """What the database of a studio answers, which may run meanwhile."""
    with closing(sqlite3.connect(data_dir / "studio.db", timeout=30)) as database:
        return database.execute(statement).fetchall()


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.001)


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("SELECT 1 FROM evaluation_cell WHERE state = 'starting' LIMIT 1", id="a cell starts"),
        pytest.param(
            "SELECT 1 FROM evaluation_cell WHERE state = 'running' LIMIT 1",
            id="a cell runs",
            marks=pytest.mark.extended,
        ),
        pytest.param("SELECT 1 FROM evaluation_cell WHERE state = 'done' LIMIT 1 OFFSET 9", id="ten are done"),
    ],
)
def test_an_evaluation_resumes_after_a_kill(tmp_path: Path, moment: str):
    with studio(tmp_path) as (process, owner):
        suite_id = added_suite(owner, added_team(owner, "Good morning."), cases=CASES)
        evaluation_id = started(owner, suite_id, repeats=2, at_once=8)
        wait_until(lambda: bool(read(tmp_path, moment)))
        process.kill()
    states = Counter(state for (state,) in read(tmp_path, "SELECT state FROM evaluation_cell"))
    assert states["done"] < len(CASES) * 2, "it was killed on the way"

    with studio(tmp_path) as (_, owner):
        found = over(owner, evaluation_id, 120)
        cells = cells_of(owner, evaluation_id)
    assert found["state"] == "finished"
    assert (found["versions"][0]["passed"], found["versions"][0]["open"]) == (40, 0)
    runs = read(tmp_path, "SELECT id, state, task_text FROM run WHERE started_at IS NOT NULL")
    assert {run_id for run_id, _, _ in runs} == {cell["run_id"] for cell in cells}, "each cell has one run that began"
    assert Counter(task for _, _, task in runs) == {case["task"]: 2 for case in CASES}
    assert {state for _, state, _ in runs} == {"finished"}


def test_judges_are_asked_once_across_a_kill(tmp_path: Path):
    reply = '{"criteria": [{"reason": "It greets.", "quote": "Good morning", "verdict": "met"}]}'
    scorers = [{"judge": {"criteria": ["Greets."], "model": replay_model(reply)}}]
    with studio(tmp_path) as (process, owner):
        suite_id = added_suite(owner, added_team(owner, "Good morning."), cases=CASES, scorers=scorers)
        evaluation_id = started(owner, suite_id, repeats=1, at_once=8)
        wait_until(lambda: bool(read(tmp_path, "SELECT 1 FROM evaluation_judgment LIMIT 1 OFFSET 9")))
        process.kill()
    assert read(tmp_path, "SELECT 1 FROM evaluation_cell WHERE state != 'done'"), "it was killed on the way"

    with studio(tmp_path) as (_, owner):
        found = over(owner, evaluation_id, 120)
        judges = [cell["scores"][0]["judged_by"] for cell in cells_of(owner, evaluation_id)]
    assert (found["versions"][0]["passed"], found["state"]) == (20, "finished")
    runs = read(tmp_path, "SELECT id, state FROM run WHERE team_name = 'Judge' AND started_at IS NOT NULL")
    assert sorted(runs) == sorted((each, "finished") for each in judges)
    assert len(set(judges)) == 20


@pytest.mark.extended
def test_preferences_are_asked_for_once_across_a_kill(tmp_path: Path):
    prefer = [{"question": "Which is kinder?", "model": replay_model('{"preferred": "first"}')}]
    with studio(tmp_path) as (process, owner):
        team_id = added_team(owner, "Good morning.", "Good morning, dear.")
        suite_id = added_suite(owner, team_id, cases=CASES, prefer=prefer)
        evaluation_id = started(owner, suite_id, version=2, against=1, repeats=1, at_once=4)
        wait_until(lambda: bool(read(tmp_path, "SELECT 1 FROM evaluation_preference LIMIT 1 OFFSET 5")))
        process.kill()
    assert len(read(tmp_path, "SELECT 1 FROM evaluation_preference")) < 20, "it was killed on the way"

    with studio(tmp_path) as (_, owner):
        (found,) = over(owner, evaluation_id, 120)["preferences"]
    assert (found["ties"], found["by_order"], found["unscored"]) == (20, 20, 0)
    runs = read(tmp_path, "SELECT state FROM run WHERE team_name = 'Judge' AND started_at IS NOT NULL")
    assert runs == [("finished",)] * 40


@pytest.mark.extended
def test_questions_are_answered_once_across_a_kill(tmp_path: Path):
    document = team(assistant("writer", "Where?", "When?", "Who?"), USER_PROXY, max_messages=7)
    people = {"aim": "A flight.", "model": replay_model("From Oslo.")}
    with studio(tmp_path) as (process, owner):
        team_id = owner.post("/api/teams", json={"component": document}).json()["id"]
        suite_id = added_suite(
            owner, team_id, cases=CASES[:6], people=people, scorers=[{"ends_with_speaker": "person"}]
        )
        evaluation_id = started(owner, suite_id, repeats=1, at_once=4)
        wait_until(lambda: bool(read(tmp_path, "SELECT 1 FROM evaluation_judgment LIMIT 1 OFFSET 6")))
        process.kill()
    assert read(tmp_path, "SELECT 1 FROM evaluation_cell WHERE state != 'done'"), "it was killed on the way"

    with studio(tmp_path) as (_, owner):
        assert over(owner, evaluation_id, 120)["versions"][0]["passed"] == 6
    runs = read(tmp_path, "SELECT state FROM run WHERE team_name = 'Simulated person' AND started_at IS NOT NULL")
    assert runs == [("finished",)] * 18
    said = "SELECT count(*) FROM run_event WHERE kind = 'message' AND body LIKE '%From Oslo.%'"
    assert read(tmp_path, f"{said} AND run_id IN (SELECT run_id FROM evaluation_cell)") == [(18,)]
