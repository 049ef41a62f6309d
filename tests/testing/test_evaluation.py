"""`evaluate_team` in a test: it fails where the gate does, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.agents import AssistantAgent
from studio.cli import main
from studio.conditions import MaxMessageTermination
from studio.models import ReplayChatCompletionClient
from studio.runs import NotApproved
from studio.teams import RoundRobinGroupChat, Team
from studio.testing import GateNotPassed, evaluate_team
from tests.cli.evaluating import BOTH, SUITE, many_cases, written
from tests.fakes.openai_server import OpenAIServer
from tests.web.documents import shouting
from tests.web.evaluating import greeter
from tests.web.reusing import pair, speak

pytestmark = pytest.mark.slow


def make_team(answer: str) -> Team:
    """A team as a program has it."""
    model = ReplayChatCompletionClient(chat_completions=[answer])
    agent = AssistantAgent(name="greeter", model_client=model)
    return RoundRobinGroupChat(participants=[agent], termination_condition=MaxMessageTermination(max_messages=2))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return written(tmp_path, "a.suite.yaml", SUITE)


def test_a_team_of_a_program_or_a_file_passes(suite: Path, tmp_path: Path):
    found = evaluate_team(suite, team=make_team(BOTH), repeats=2)
    assert found.sentence == "The team passes 100 % (34–100)."
    file = written(tmp_path, "team.json", greeter(BOTH))
    assert evaluate_team(str(suite), team=str(file), repeats=1).report.result.tally.passed == 2


def test_it_fails_with_what_did_not_pass(suite: Path):
    with pytest.raises(GateNotPassed) as raised:
        evaluate_team(suite, team=make_team("Good morning."), repeats=1)
    lines = str(raised.value).splitlines()
    assert lines[:3] == [
        "passed    morning  (the team .)",
        "failed    evening  (the team F)",
        "    the team, run 1: The answer does not include “evening”.",
    ]
    assert lines[-1] == "Gate failed. 1 run failed."
    assert raised.value.result.report.result.tally.failed == 1


def test_a_team_that_is_worse_than_a_saved_baseline_fails(tmp_path: Path):
    suite, baseline = written(tmp_path, "a.suite.yaml", many_cases(12)), tmp_path / "baseline.jsonl.gz"
    file = written(tmp_path, "team.json", greeter(BOTH))
    assert main(["eval", "run", str(suite), str(file), "--repeats", "2", "--save-baseline", str(baseline)]) == 0
    assert evaluate_team(suite, team=file, against=baseline, repeats=2).recorded_at is not None
    with pytest.raises(GateNotPassed, match="worse than the baseline"):
        evaluate_team(suite, team=make_team("Good night."), against=baseline, repeats=2)


def test_answers_of_the_baseline_are_reused(
    suite: Path, tmp_path: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    speak(openai_server)
    baseline = written(tmp_path, "old.json", pair(openai_server.url))
    file = written(tmp_path, "new.json", pair(openai_server.url, critic="Be strict."))
    with pytest.raises(NotApproved):
        evaluate_team(suite, team=file, against=baseline, repeats=1, usd=1)
    assert openai_server.request_count == 0
    evaluate_team(suite, team=file, against=baseline, repeats=1, usd=1, approve=True)
    assert openai_server.request_count == 4 + 2


def test_code_of_a_team_runs_once_it_is_approved(suite: Path, tmp_path: Path):
    file = written(tmp_path, "team.json", shouting())
    with pytest.raises(NotApproved):
        evaluate_team(suite, team=file, repeats=1)
    with pytest.raises(GateNotPassed, match="the team, run 1: The answer does not include"):
        evaluate_team(suite, team=file, repeats=1, approve=True)
