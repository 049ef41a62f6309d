"""A saved baseline stands for the runs of a team; later versions pay for what they changed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from studio.components import JsonObject
from tests.cli.conftest import Studio
from tests.cli.evaluating import BOTH, SUITE, written
from tests.fakes.openai_server import OpenAIServer
from tests.web.evaluating import greeter
from tests.web.reusing import pair, speak

pytestmark = pytest.mark.slow


def evaluated(studio: Studio, folder: Path, team: JsonObject, *options: object, suite: str = SUITE) -> tuple[int, Any]:
    files = written(folder, "a.suite.yaml", suite), written(folder, "team.json", team)
    code, out, err = studio("eval", "run", *files, "--json", "--repeats", 2, *options)
    assert err == "", err
    return code, json.loads(out)


@pytest.fixture
def baseline(studio: Studio, tmp_path: Path) -> Path:
    """Of a team that passes both cases."""
    file = tmp_path / "baseline.jsonl.gz"
    assert evaluated(studio, tmp_path, greeter(BOTH), "--save-baseline", file)[0] == 0
    return file


def test_a_team_is_compared_with_recorded_runs(studio: Studio, tmp_path: Path, baseline: Path):
    code, found = evaluated(studio, tmp_path, greeter("Good morning."), "--against", baseline)
    assert (code, found["gate"]["outcome"]) == (0, "passed")
    assert {case["case"]: case["group"] for case in found["cases"]} == {"morning": "same", "evening": "worse"}
    assert found["sentence"].startswith("The team passes 50 % (9–91), the baseline passes 100 % (34–100).")
    assert found["tokens"] == 26, "only the runs of the team are paid for"
    assert found["notes"][0].startswith("The baseline was recorded on 20")


def test_recorded_runs_are_scored_by_the_suite_as_it_is(studio: Studio, tmp_path: Path, baseline: Path):
    stricter = SUITE.replace("scorers:\n", "scorers:\n  - not: {includes: morning}\n")
    _, found = evaluated(studio, tmp_path, greeter("Good evening."), "--against", baseline, suite=stricter)
    assert {case["case"]: case["group"] for case in found["cases"]} == {"morning": "same", "evening": "better"}


def test_a_case_without_recorded_runs_is_run_with_the_recorded_team(studio: Studio, tmp_path: Path, baseline: Path):
    changed = SUITE.replace("Greet me late.", "Greet me at night.") + "  - {id: noon, task: Greet., target: good}\n"
    _, found = evaluated(studio, tmp_path, greeter("Hello."), "--against", baseline, suite=changed)
    tallies = {case["case"]: case["versions"]["the baseline"]["passed"] for case in found["cases"]}
    assert tallies == {"morning": 2, "evening": 2, "noon": 2}


def test_an_unchanged_team_asks_nobody_and_needs_no_key(
    studio: Studio, tmp_path: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-tests-1234567890")
    speak(openai_server)
    options = ("--approve", "--usd", 1)
    file = tmp_path / "baseline.jsonl.gz"
    evaluated(studio, tmp_path, pair(openai_server.url), *options, "--save-baseline", file)
    assert openai_server.request_count == 8
    assert "sk-of-the-tests" not in gzip.decompress(file.read_bytes()).decode()
    monkeypatch.delenv("OPENAI_API_KEY")
    reusing = ("--against", file, "--reuse", *options)
    code, found = evaluated(studio, tmp_path, pair(openai_server.url), *reusing)
    assert (code, found["usd"], openai_server.request_count) == (0, 0, 8)
    assert found["notes"][1].startswith("4 of 4 runs of the team reuse recorded answers throughout.")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    evaluated(studio, tmp_path, pair(openai_server.url, critic="Be strict."), *reusing)
    assert openai_server.request_count == 8 + 4, "the changed critic is asked, the writer is not"


def packed(*lines: object) -> bytes:
    text = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    return gzip.compress(text.encode(), mtime=0)  # names of tests are made of it


HEADING: JsonObject = {
    "format": "team-studio-baseline",
    "version": 1,
    "suite": "greetings",
    "recorded_at": "2026-11-01T00:00:00Z",
    "component": greeter(BOTH),
}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (packed(HEADING)[:-12], "is damaged"),
        (packed(""), "is empty"),
        (packed({**HEADING, "version": 2}), "newer studio"),
        (packed(HEADING, {"case": "morning", "epoch": 0, "run": {}}), "Line 2"),
        (packed(HEADING, {"case": "morning", "epoch": 1, "run": {}}), "The run cannot be read"),
        (packed("{"), "JSON"),
    ],
)
def test_what_is_no_baseline_is_refused(studio: Studio, tmp_path: Path, content: bytes, said: str):
    file = tmp_path / "baseline.jsonl.gz"
    file.write_bytes(content)
    files = written(tmp_path, "a.suite.yaml", SUITE), written(tmp_path, "team.json", greeter(BOTH))
    code, out, err = studio("eval", "run", *files, "--against", file)
    assert (code, out) == (2, "")
    assert said in err


def test_no_more_is_unpacked_than_a_baseline_may_have(
    studio: Studio, tmp_path: Path, baseline: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("studio.services.recorded_baselines.MAX_UNPACKED_BYTES", 2_000)
    files = tmp_path / "a.suite.yaml", tmp_path / "team.json"
    _, _, err = studio("eval", "run", *files, "--against", baseline)
    assert "larger than a baseline may be" in err
