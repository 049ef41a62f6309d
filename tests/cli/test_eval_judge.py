"""Judges in suites of files: asked by `studio eval run`, and by nothing that costs nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from studio.store import open_store
from tests.cli.conftest import Studio, Typed
from tests.cli.evaluating import SUITE, written
from tests.fakes.openai_server import OpenAIServer
from tests.web.documents import replay_model
from tests.web.evaluating import greeter
from tests.web.judging import MET, judge_model, reply, speak_and_judge
from tests.web.reusing import pair

pytestmark = pytest.mark.slow


def suite_with(**fields: object) -> str:
    """A suite whose only scorer is a judge."""
    return SUITE.replace('includes: "{target}"', f"judge: {json.dumps({'criteria': ['Greets.'], **fields})}")


def test_a_judge_is_asked_for_the_team_and_for_its_recorded_baseline(studio: Studio, tmp_path: Path):
    suite = written(tmp_path, "a.suite.yaml", suite_with(model=replay_model(reply(MET))))
    team, baseline = written(tmp_path, "team.json", greeter("Good morning.")), tmp_path / "base.jsonl.gz"
    assert studio("eval", "run", suite, team, "--repeats", 2, "--save-baseline", baseline)[0] == 0
    worse = written(tmp_path, "worse.json", greeter("Good night."))
    options = ("--against", baseline, "--repeats", 2, "--usd", 1, "--worse", "ignore", "--unscored", 100, "--json")
    code, out, err = studio("eval", "run", suite, worse, *options)
    assert err == "", err
    found = json.loads(out)
    tallies = {each["version"]: each["tally"] for each in found["versions"]}
    assert (code, tallies["the baseline"]["passed"], tallies["the team"]["unscored"]) == (0, 4, 4)
    assert "quotes what was not said" in found["cases"][0]["reasons"][0]


def test_the_agreement_of_a_kept_evaluation_is_printed(studio: Studio, tmp_path: Path):
    suite = written(tmp_path, "a.suite.yaml", suite_with(model=replay_model(reply(MET))))
    team, data = written(tmp_path, "team.json", greeter("Good morning.")), tmp_path / "kept"
    assert studio("eval", "run", suite, team, "--repeats", 1, "--keep", data / "data")[0] == 0
    evaluation_id, labels = asyncio.run(labeled(data / "data"))
    code, out, err = studio("eval", "labels", evaluation_id, "--data-dir", data / "data")
    assert (code, err) == (0, "")
    assert out.splitlines()[:3] == [
        "2 labeled runs; people disagree on 0.",
        "A judge finds: “Greets.”",
        "    Agrees with people on 50 % (9–91) of 2 runs. Passes 100 % (21–100) of 1 that people pass. "
        "Fails 0 % (0–79) of 1 that people fail.",
    ]
    found = json.loads(studio("eval", "labels", evaluation_id, "--json", "--data-dir", data / "data")[1])
    assert (len(found["labels"]), found["agreements"][0]["too_kind"]) == (labels, 1)
    assert studio("eval", "labels", "none", "--data-dir", data / "data")[0] != 0


async def labeled(data_dir: Path) -> tuple[str, int]:
    """The ID of the evaluation in a studio, whose two runs are labeled now."""
    async with open_store(data_dir) as store:
        (row,) = await store.evaluations.list()
        await store.evaluation_labels.add(row.id, 1, "pass", "", "ann")
        await store.evaluation_labels.add(row.id, 2, "fail", "", "ann")
        return row.id, 2


def test_a_judge_needs_approval_and_a_model(
    typed: Typed, tmp_path: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("JUDGE_KEY", "key")
    speak_and_judge(openai_server)
    team = written(tmp_path, "team.json", pair(openai_server.url))
    suite = written(tmp_path, "a.suite.yaml", suite_with(model=judge_model(openai_server.url)))
    code, _, err = typed("eval", "run", suite, team, "--repeats", 1)
    assert (code, "env:JUDGE_KEY" in err, openai_server.request_count) == (2, True, 0)
    code, out, err = typed("eval", "run", suite, team, "--repeats", 1, "--approve")
    assert (code, openai_server.request_count) == (0, 6)
    assert err == (
        "The judge asks gpt-4o, which the team asks, too. Models favor their own answers; choose another one.\n"
    )
    assert "660 tokens." in out
    named = written(tmp_path, "b.suite.yaml", suite_with(connection="Checker"))
    code, _, err = typed("eval", "run", named, team, "--approve", "--data-dir", tmp_path / "nowhere")
    assert (code, "There is no model connection 'Checker' for a judge." in err) == (2, True)
