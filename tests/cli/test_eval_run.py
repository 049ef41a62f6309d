"""`studio eval run` evaluates teams of files without a server; its gate decides the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from studio.evaluation.scorers.answer import MAX_ANSWER
from tests.cli.conftest import Studio
from tests.cli.evaluating import BOTH, SUITE, many_cases, written
from tests.fakes.openai_server import OpenAIServer
from tests.processes import Outcome
from tests.web.documents import USER_PROXY, assistant, shouting, team
from tests.web.evaluating import greeter
from tests.web.reusing import pair, speak

pytestmark = pytest.mark.slow


def evaluated(studio: Studio, folder: Path, answer: str, *options: object, suite: str = SUITE) -> tuple[int, Any]:
    file = written(folder, "team.json", greeter(answer))
    data = folder / "nowhere"
    code, out, err = studio(
        "eval", "run", written(folder, "a.suite.yaml", suite), file, "--json", "--data-dir", data, *options
    )
    assert err == ""
    assert not data.exists(), "a run in the terminal leaves nothing behind"
    return code, json.loads(out)


def test_each_case_is_run_and_all_must_pass(studio: Studio, tmp_path: Path):
    code, found = evaluated(studio, tmp_path, BOTH, "--repeats", 2)
    assert (code, found["gate"]["outcome"]) == (0, "passed")
    assert found["sentence"] == "The team passes 100 % (34–100)."
    assert [(case["case"], case["group"]) for case in found["cases"]] == [("morning", "passed"), ("evening", "passed")]
    code, found = evaluated(studio, tmp_path, "Good morning.", "--repeats", 2)
    assert (code, found["gate"]) == (1, {"outcome": "failed", "reasons": ["2 runs failed."]})
    evening = found["cases"][1]
    assert evening["versions"]["the team"] == {"passed": 0, "failed": 2, "unscored": 0, "open": 0}
    assert evening["reasons"][0] == "the team, run 1: The answer does not include “evening”."


def test_what_is_printed_for_people(studio: Studio, tmp_path: Path):
    suite, file = written(tmp_path, "a.suite.yaml", SUITE), written(tmp_path, "team.json", greeter("Good morning."))
    code, out, err = studio("eval", "run", suite, file, "--repeats", 2)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "passed    morning  (the team ..)",
        "failed    evening  (the team FF)",
        "    the team, run 1: The answer does not include “evening”.",
        "$0.00, 26 tokens.",
        "The team passes 50 % (9–91).",
        "Gate failed. 2 runs failed.",
    ]


def test_a_version_that_is_proved_worse_fails(studio: Studio, tmp_path: Path):
    baseline, suite = written(tmp_path, "old.json", greeter(BOTH)), many_cases(12)
    options = ("--against", baseline, "--repeats", 2, "--at-once", 16)
    code, found = evaluated(studio, tmp_path, "Good night.", *options, suite=suite)
    assert (code, found["difference"]["comparison"]) == (1, "worse")
    assert found["gate"]["reasons"] == ["The team is worse than the baseline."]
    assert found["sentence"].startswith("The team passes 0 % (0–24), the baseline passes 100 % (76–100).")
    assert evaluated(studio, tmp_path, "Good night.", *options, "--worse", "ignore", suite=suite)[0] == 0


def test_a_difference_that_the_cases_cannot_tell_lets_through(studio: Studio, tmp_path: Path):
    baseline = written(tmp_path, "old.json", greeter(BOTH))
    code, found = evaluated(studio, tmp_path, "Good morning.", "--against", baseline, "--repeats", 1)
    assert (code, found["difference"]["comparison"]) == (0, "cannot_tell")
    assert {case["case"]: case["group"] for case in found["cases"]} == {"morning": "same", "evening": "worse"}


def test_the_lower_end_of_the_rate_must_reach_what_is_asked(studio: Studio, tmp_path: Path):
    suite = many_cases(12)
    code, found = evaluated(studio, tmp_path, BOTH, "--at-least", 80, "--repeats", 1, suite=suite)
    assert (code, found["gate"]["reasons"]) == (1, ["The pass rate may be as low as 76 %; at least 80 % is needed."])
    assert evaluated(studio, tmp_path, BOTH, "--at-least", 70, "--repeats", 1, suite=suite)[0] == 0


def test_unscored_runs_and_a_used_up_limit_cannot_be_told(studio: Studio, tmp_path: Path):
    code, found = evaluated(studio, tmp_path, "Good morning. " * (MAX_ANSWER // 10), "--repeats", 1)
    assert (code, found["gate"]["outcome"]) == (2, "cannot_tell")
    assert found["gate"]["reasons"] == ["2 of 2 runs are unscored; up to 0 % may be."]
    assert found["sentence"].startswith("The team has no scored run.")
    code, found = evaluated(studio, tmp_path, BOTH, "--tokens", 8, "--at-least", 0, "--at-once", 1)
    assert (code, found["state"], found["sentence"]) == (2, "stopped", "")
    assert found["gate"]["reasons"] == ["The evaluation did not come to its end."]


def test_a_junit_report_has_a_case_for_each_case_and_the_gate(studio: Studio, tmp_path: Path):
    report = tmp_path / "report.xml"
    evaluated(studio, tmp_path, "Good morning.\x00", "--repeats", 2, "--junit", report)
    root = ElementTree.fromstring(report.read_text(encoding="utf-8"))
    assert (root.get("name"), root.get("tests"), root.get("failures"), root.get("errors")) == (
        "greetings",
        "3",
        "2",
        "0",
    )
    cases = {case.get("name"): case for case in root.findall("testcase")}
    failure = cases["evening"].find("failure")
    assert failure is not None
    assert "does not include" in (failure.text or "")
    assert cases["morning"].find("failure") is None
    assert cases["gate"].find("failure") is not None
    counts = {each.get("name"): each.get("value") for each in cases["evening"].iter("property")}
    assert counts == {"team.passed": "0", "team.failed": "2", "team.unscored": "0"}


def test_the_runs_are_kept_where_that_is_asked(studio: Studio, tmp_path: Path):
    kept = tmp_path / "kept"
    evaluated(studio, tmp_path, BOTH, "--repeats", 1, "--keep", kept)
    suite, file = tmp_path / "a.suite.yaml", tmp_path / "team.json"
    code, _, err = studio("eval", "run", suite, file, "--keep", kept)
    assert code == 2
    assert "exists already" in err
    assert (kept / "studio.db").is_file()


def test_a_team_that_asks_a_person_fails(studio: Studio, tmp_path: Path):
    file = written(tmp_path, "team.json", team(USER_PROXY, assistant("writer"), max_messages=3))
    code, out, _ = studio("eval", "run", written(tmp_path, "a.yaml", SUITE), file, "--repeats", 1, "--json")
    assert code == 1
    assert "asked a person" in json.loads(out)["cases"][0]["reasons"][0]


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--worse", "perhaps"], "proved or ignore"), (["--junit", "/nowhere/report.xml"], "cannot be written")],
)
def test_what_cannot_be_carried_out(studio: Studio, tmp_path: Path, options: list[str], said: str):
    suite, file = written(tmp_path, "a.suite.yaml", SUITE), written(tmp_path, "team.json", greeter(BOTH))
    code, _, err = studio("eval", "run", suite, file, "--repeats", 1, *options)
    assert code == 2
    assert said in err


def test_nothing_runs_before_it_is_approved(studio_process: Callable[..., Outcome], tmp_path: Path):
    suite, file = written(tmp_path, "a.suite.yaml", SUITE), written(tmp_path, "team.json", shouting())
    code, out, err = studio_process("eval", "run", suite, file)
    assert (code, out) == (2, "")
    assert "Approval needs a terminal. Not approved" in err
    code, out, _ = studio_process("eval", "run", suite, file, "--approve", "--repeats", "1", "--json")
    assert (code, json.loads(out)["state"]) == (1, "finished")


def test_a_suite_with_mistakes_or_without_cases_cannot_be_carried_out(studio: Studio, tmp_path: Path):
    team = written(tmp_path, "team.json", greeter(BOTH))
    code, out, err = studio("eval", "run", written(tmp_path, "b.suite.yaml", "suite: b\nscrs: []\n"), team)
    assert (code, out) == (2, ""), "a gate that fails is 1"
    assert "Did you mean `scorers`?" in err
    empty = written(tmp_path, "c.suite.yaml", "suite: c\nscorers: [no_errors]\ncases: []\n")
    code, out, err = studio("eval", "run", empty, team)
    assert (code, out) == (2, "")
    assert "The suite has no cases." in err


def test_the_answers_of_the_baseline_are_reused(
    studio: Studio, tmp_path: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    speak(openai_server)
    suite = written(tmp_path, "a.suite.yaml", SUITE)
    file = written(tmp_path, "new.json", pair(openai_server.url, critic="Be strict."))
    baseline = written(tmp_path, "old.json", pair(openai_server.url))
    options = ("--against", baseline, "--repeats", 2, "--approve", "--usd", 1)
    code, out, _ = studio("eval", "run", suite, file, *options, "--reuse")
    assert code == 0
    assert openai_server.request_count == 8 + 4, "the writer of the new team is not asked"
    assert "0 of 4 runs of the team reuse recorded answers throughout, 4 in part." in out
    code, out, _ = studio("eval", "run", suite, file, *options)
    assert openai_server.request_count == 12 + 16
    assert "reuse" not in out


def test_cases_are_chosen_by_tag(studio: Studio, tmp_path: Path):
    suite = SUITE.replace("target: evening}", "target: evening, tags: [late]}")
    for options, cases in ((("--only", "late"), ["evening"]), (("--without", "late"), ["morning"])):
        _, found = evaluated(studio, tmp_path, BOTH, "--repeats", 1, *options, suite=suite)
        assert [each["case"] for each in found["cases"]] == cases
    code, out, err = studio("eval", "run", tmp_path / "a.suite.yaml", tmp_path / "team.json", "--only", "early")
    assert (code, out) == (2, "")
    assert "No case has the tag 'early'." in err


def test_the_gate_of_the_suite_decides_unless_an_option_does(studio: Studio, tmp_path: Path):
    suite = f"{SUITE}gate: {{at_least: 20}}\n"
    code, found = evaluated(studio, tmp_path, "Good morning.", "--repeats", 2, suite=suite)
    assert (code, found["gate"]["reasons"]) == (
        1,
        ["The pass rate may be as low as 9 %; at least 20 % is needed."],
    )
    code, _ = evaluated(studio, tmp_path, "Good morning.", "--repeats", 2, "--at-least", 5, suite=suite)
    assert code == 0
