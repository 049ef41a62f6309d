"""Scorers in Python: they run in the sandbox, once they are approved, and judge what no other scorer can."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from studio.components import JsonObject
from tests.cli.conftest import Studio
from tests.cli.evaluating import SUITE, written
from tests.extended import sample, times
from tests.processes import Outcome
from tests.web.evaluating import greeter

pytestmark = pytest.mark.slow

MORNING = "Good morning."
HUMANEVAL = Path(__file__).parents[1] / "evaluation" / "published" / "humaneval-60.jsonl"
CHECK = '''\
def score(run, case):
    """The answer completes the task, and passes the tests of the case."""
    fields = case["fields"]
    names = {}
    try:
        exec(case["task"] + fields["solution"] + "\\n" + fields["test"], names)
        names["check"](names[fields["entry_point"]])
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"
    return True
'''


def suite_with(scorer: str) -> str:
    """A suite with one scorer in Python, which is given as JSON."""
    return SUITE.replace('includes: "{target}"', f"python: {scorer}")


def judged(studio: Studio, folder: Path, scorer: str) -> tuple[int, Any]:
    """What a scorer says of runs that answer "Good morning."."""
    suite, team = written(folder, "a.suite.yaml", suite_with(scorer)), written(folder, "team.json", greeter(MORNING))
    code, out, err = studio("eval", "run", suite, team, "--repeats", 1, "--approve", "--json")
    assert err == "", err
    return code, json.loads(out)


def test_a_function_decides_by_the_run_and_the_case(studio: Studio, tmp_path: Path):
    source = (
        "def score(run, case):\n"
        "    assert run['messages'][0] == {'source': 'user', 'text': case['task']}\n"
        "    assert run['calls'] == [] and run['stopped_by']\n"
        "    return case['target'] in run['answer'], 'It says ' + run['answer']\n"
    )
    code, found = judged(studio, tmp_path, json.dumps(source))
    assert code == 1
    assert [(each["case"], each["group"]) for each in found["cases"]] == [("morning", "passed"), ("evening", "failed")]
    assert found["cases"][1]["reasons"] == ["the team, run 1: It says Good morning."]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise ValueError('no')", "The scorer failed: “no”"),
        ("return 0.7", "neither True nor False"),
        ("while True: pass", "longer than 1 s"),
        ("import socket; socket.create_connection(('127.0.0.1', 1), 1); return True", "The scorer failed"),
    ],
)
def test_what_is_no_verdict_is_unscored(studio: Studio, tmp_path: Path, body: str, reason: str):
    scorer = json.dumps({"source": f"def score(run, case):\n    {body}\n", "seconds": 1})
    code, found = judged(studio, tmp_path, scorer)
    assert (code, {each["group"] for each in found["cases"]}) == (2, {"unscored"})
    assert reason in found["cases"][0]["reasons"][0]


def test_nothing_runs_before_it_is_approved(studio_process: Callable[..., Outcome], tmp_path: Path):
    suite = written(tmp_path, "a.suite.yaml", suite_with('"def score(run, case): return True"'))
    team = written(tmp_path, "team.json", greeter(MORNING))
    code, out, err = studio_process("eval", "run", suite, team)
    assert (code, out) == (2, "")
    assert "Runs a scorer of the suite, in Python." in err


@pytest.mark.parametrize(
    ("source", "mistake"),
    [("def score(run:", "it is no Python"), ("def judge(run, case): pass", "it has no `def score(run, case)`")],
)
def test_a_mistake_is_found_before_anything_runs(studio: Studio, tmp_path: Path, source: str, mistake: str):
    code, out, _ = studio("eval", "check", written(tmp_path, "a.suite.yaml", suite_with(json.dumps(source))))
    assert code == 1
    assert mistake in out


def humaneval(folder: Path, solution: str) -> Path:
    """Cases of HumanEval with a solution that is judged in place of the answer."""
    cases: list[JsonValue] = []
    for line in sample(HUMANEVAL.read_text(encoding="utf-8").splitlines(), 20):
        row = json.loads(line)
        whole = str(row["canonical_solution"])
        cut = whole[: len(whole) // 2].rpartition("\n")[0]
        fields: JsonObject = {"solution": whole if solution == "canonical" else cut}
        fields |= {"test": row["test"], "entry_point": row["entry_point"]}
        cases.append({"id": row["task_id"].replace("/", "-"), "task": row["prompt"], "fields": fields})
    suite: JsonObject = {"suite": "HumanEval", "scorers": [{"python": {"source": CHECK}}], "cases": cases}
    return written(folder, "humaneval.suite.json", suite)


@pytest.mark.parametrize(
    ("solution", "group"), [pytest.param("canonical", "passed", marks=pytest.mark.extended), ("cut", "failed")]
)
def test_solutions_of_humaneval(studio: Studio, tmp_path: Path, solution: str, group: str):
    team = written(tmp_path, "team.json", greeter("See the case."))
    suite = humaneval(tmp_path, solution)
    _, out, err = studio("eval", "run", suite, team, "--repeats", 1, "--at-once", 16, "--approve", "--json")
    assert err == ""
    found = json.loads(out)["cases"]
    assert len(found) == times(20, 60)
    assert [each for each in found if each["group"] != group] == []
