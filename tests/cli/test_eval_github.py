"""`studio eval run --github` shows cases at their lines of a pull request, and adds to the summary of the job."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Studio
from tests.cli.evaluating import BOTH, SUITE, many_cases, written
from tests.web.evaluating import greeter

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The summary of the job, which works in a folder of the repository."""
    summary = tmp_path / "summary.md"
    summary.write_text("Before.\n", encoding="utf-8")
    (tmp_path / "evals").mkdir()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    return summary


def commands(studio: Studio, tmp_path: Path, answer: str, *options: object, suite: str = SUITE) -> list[str]:
    file = written(tmp_path / "evals", "a.suite.yaml", suite)
    team = written(tmp_path, "team.json", greeter(answer))
    _, out, err = studio("eval", "run", file, team, "--repeats", 1, "--github", *options)
    assert err == ""
    return [line for line in out.splitlines() if line.startswith("::")]


def test_a_case_that_the_gate_fails_for_is_an_error_at_its_line(studio: Studio, tmp_path: Path, job: Path):
    found = commands(studio, tmp_path, "Good morning.")
    assert found == [
        "::error file=evals/a.suite.yaml,line=6,title=evening%3A failed::the team, run 1: The answer does not include "
        "“evening”.",
        "::error title=Gate failed.::1 run failed.",
    ]
    before, heading, _, *rest = job.read_text(encoding="utf-8").splitlines()
    assert (before, heading) == ("Before.", "### greetings")
    assert rest[0] == "Gate failed. 1 run failed. The team passes 50 % &#40;9–91&#41;."
    assert rest[-1].startswith("| evening | failed | 0 of 1 | the team, run 1&#58; The answer")


def test_cases_of_a_file_beside_the_suite_are_shown_there(studio: Studio, tmp_path: Path):
    rows = '{"id": "morning", "task": "Greet.", "target": "morning"}\n{"id": "noon", "task": "Hi.", "target": "noon"}\n'
    suite = 'suite: greetings\nscorers:\n  - includes: "{target}"\ncases: rows.jsonl\n'
    written(tmp_path / "evals", "rows.jsonl", rows)
    assert "::error file=evals/rows.jsonl,line=2,title=noon%3A failed::" in "".join(
        commands(studio, tmp_path, "Good morning.", suite=suite)
    )


def test_what_got_worse_is_a_warning_where_the_gate_passes(studio: Studio, tmp_path: Path, job: Path):
    baseline = written(tmp_path, "old.json", greeter(BOTH))
    found = commands(studio, tmp_path, "Good morning.", "--against", baseline)
    assert [line.partition("::the")[0] for line in found] == [
        "::warning file=evals/a.suite.yaml,line=6,title=evening%3A worse"
    ]
    assert "| evening | worse | 0 of 1, 1 of 1 |" in job.read_text(encoding="utf-8")


def test_nothing_is_annotated_where_all_pass(studio: Studio, tmp_path: Path, job: Path):
    assert commands(studio, tmp_path, BOTH) == []
    assert "| Case |" not in job.read_text(encoding="utf-8")


def test_texts_of_cases_are_no_markdown_and_no_command(studio: Studio, tmp_path: Path, job: Path):
    suite = SUITE.replace("target: evening", 'target: "![x](https://example.com/a|b)\\n::warning::x%0A"')
    (first, _) = commands(studio, tmp_path, "Good morning.", suite=suite)
    assert "::warning::x%250A" in first
    summary = job.read_text(encoding="utf-8")
    assert "https://" not in summary
    assert "a|b" not in summary
    assert "![x]" not in summary


def test_a_long_list_is_cut(studio: Studio, tmp_path: Path, job: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.evaluation.github.MAX_SUMMARY_ROWS", 2)
    commands(studio, tmp_path, "Good night.", suite=many_cases(5))
    assert job.read_text(encoding="utf-8").endswith("And 3 more.\n")


def test_json_cannot_be_mixed_with_commands(studio: Studio, tmp_path: Path):
    file = written(tmp_path, "a.suite.yaml", SUITE)
    code, out, err = studio("eval", "run", file, file, "--github", "--json")
    assert (code, out) == (2, "")
    assert "choose --github or --json" in err
