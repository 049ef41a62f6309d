"""Evaluations whose runs reuse answers: of the same case and epoch, of finished evaluations or the baseline's own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.services.evaluation_runs import OVER_BUDGET
from tests.fakes.openai_server import OpenAIServer
from tests.web.evaluating import added_suite, cells_of, over, started
from tests.web.following import events
from tests.web.reusing import pair, saved, speak

TODAY = f"{datetime.now(UTC):%Y-%m-%d}"


@pytest.fixture
def model(openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    speak(openai_server)
    return openai_server


def evaluated(client: TestClient, suite_id: str, **plan: Any) -> tuple[Any, list[Any]]:
    """An evaluation that has ended, and its cells."""
    found = over(client, started(client, suite_id, **plan))
    assert found["state"] == "finished", found
    return found, cells_of(client, found["id"])


def counts(cells: list[Any], version: int) -> list[tuple[int, int]]:
    """Answers that the runs of a version reused, and calls that they made themselves."""
    return [(cell["reused_count"], cell["asked_count"]) for cell in cells if cell["version"] == version]


def said(client: TestClient, cells: list[Any], version: int) -> dict[tuple[str, int], list[str]]:
    """What agents said in the runs of a version, by case and epoch."""
    return {
        (cell["case"], cell["epoch"]): [
            entry["body"]["content"]
            for entry in events(client, cell["run_id"])
            if entry["kind"] == "message" and entry["body"]["source"] != "user"
        ]
        for cell in cells
        if cell["version"] == version
    }


def test_a_version_reuses_what_the_baseline_was_answered_and_asks_from_the_change_on(
    client: TestClient, model: OpenAIServer
):
    suite_id = saved(client, pair(model.url), pair(model.url, critic="Be strict."))
    first, recorded = evaluated(client, suite_id, version=1, repeats=2)
    assert {cell["verdict"] for cell in recorded} == {"pass", "fail"}, "also a run that failed is reused"
    assert model.request_count == 8
    found, cells = evaluated(client, suite_id, version=2, against=1, repeats=2, reuse_days=7)
    assert model.request_count == 8 + 4, "only the critic of the new version is asked"
    assert counts(cells, 2) == [(2, 0)] * 4
    assert counts(cells, 1) == [(1, 1)] * 4
    before, baseline, after = said(client, recorded, 1), said(client, cells, 2), said(client, cells, 1)
    assert baseline == before
    for key, (writer, critic) in after.items():
        assert writer == before[key][0], "of the same case and epoch"
        assert critic not in {each for answers in before.values() for each in answers}
    assert found["usd"] == pytest.approx(first["usd"] / 2)
    assert found["usd_saved"] == pytest.approx(first["usd"] * 1.5)
    assert found["tokens"] == first["tokens"] / 2
    assert found["reused"] == [
        f"0 of 4 runs of version 2 reuse recorded answers throughout, 4 in part. Answers are from {TODAY} on.",
        f"4 of 4 runs of version 1 reuse recorded answers throughout. Answers are from {TODAY} on.",
        "Reused answers count in the difference, and add no evidence to that of the runs they are from.",
    ]
    assert (found["difference"]["mean"], found["difference"]["pairs"]) == (0, 2)


def test_to_evaluate_again_costs_nothing_and_adds_no_evidence(client: TestClient, model: OpenAIServer):
    suite_id = saved(client, pair(model.url), pair(model.url, critic="Be strict."))
    plan = {"version": 2, "against": 1, "repeats": 2, "reuse_days": 7}
    found, _ = evaluated(client, suite_id, **plan)
    asked = model.request_count
    again, cells = evaluated(client, suite_id, **plan)
    assert model.request_count == asked
    assert counts(cells, 1) == counts(cells, 2) == [(2, 0)] * 4
    assert (again["usd"], again["tokens"]) == (0, 0)
    assert (again["sentence"], again["versions"]) == (found["sentence"], found["versions"])


def test_without_a_recorded_run_the_baseline_of_the_same_evaluation_is_reused(client: TestClient, model: OpenAIServer):
    suite_id = saved(client, pair(model.url), pair(model.url, critic="Be strict."))
    _, cells = evaluated(client, suite_id, version=2, against=1, repeats=2, reuse_days=7, at_once=16)
    assert model.request_count == 8 + 4
    assert counts(cells, 2) == [(0, 0)] * 4
    assert counts(cells, 1) == [(1, 1)] * 4
    before, after = said(client, cells, 2), said(client, cells, 1)
    assert {key: answers[0] for key, answers in after.items()} == {key: answers[0] for key, answers in before.items()}


def test_only_runs_of_the_same_epoch_of_a_finished_evaluation_of_the_suite_are_reused(
    client: TestClient, model: OpenAIServer
):
    suite_id = saved(client, pair(model.url))
    team_id = client.get(f"/api/suites/{suite_id}").json()["team_id"]
    picked = client.post("/api/runs", json={"team_id": team_id, "task": "Greet me."}).json()["id"]
    with client.stream("GET", f"/api/runs/{picked}/stream") as stream:
        stream.read()
    canceled = started(client, suite_id, repeats=100, at_once=1)
    client.post(f"/api/evaluations/{canceled}/cancel").raise_for_status()
    over(client, canceled)
    other = added_suite(client, team_id, suite="other")
    evaluated(client, other, repeats=1)
    _, once = evaluated(client, suite_id, repeats=1, reuse_days=7)
    assert counts(once, 1) == [(0, 0)] * 2
    _, cells = evaluated(client, suite_id, repeats=3, reuse_days=7)
    assert [(cell["epoch"], cell["reused_count"]) for cell in cells] == [(1, 2), (1, 2), (2, 0), (2, 0), (3, 0), (3, 0)]
    answers = [answer for each in said(client, cells, 1).values() for answer in each]
    assert len(answers) == len(set(answers)) == 12, "no answer counts twice"


def test_a_preview_tells_exactly_what_will_be_asked(client: TestClient, model: OpenAIServer):
    suite_id = saved(client, pair(model.url), pair(model.url, critic="Be strict."), pair(model.url, writer="Sing."))
    path = f"/api/suites/{suite_id}/evaluations/preview"
    plan = {"version": 2, "against": 1, "repeats": 2, "reuse_days": 7}
    assert client.post(path, json={"usd": 1, **plan}).json()["reuse"] is None, "nothing is recorded"
    evaluated(client, suite_id, version=1, repeats=2)
    asked = model.request_count
    found = client.post(path, json={"usd": 1, **plan}).json()
    assert found["reuse"] == {"recorded": 8, "whole": 4, "parted": 4, "at": 0.5, "calling": 0, "looked_at": 8}
    early = client.post(path, json={"usd": 1, **plan, "version": 3}).json()
    assert (early["reuse"]["parted"], early["reuse"]["at"]) == (4, 0)
    assert model.request_count == asked, "a preview asks nothing"
    assert client.post(path, json={"usd": 1, **plan, "reuse_days": None}).json()["reuse"] is None
    done, cells = evaluated(client, suite_id, **plan)
    assert sum(not asked for _, asked in counts(cells, 1) + counts(cells, 2)) == found["reuse"]["whole"]
    assert done["usd"] == pytest.approx(found["usd_likely"])


def test_limits_of_the_team_hold_for_what_a_run_would_have_taken(client: TestClient, model: OpenAIServer):
    suite_id = saved(client, pair(model.url))
    evaluated(client, suite_id, repeats=1)
    team_id = client.get(f"/api/suites/{suite_id}").json()["team_id"]
    client.put(f"/api/teams/{team_id}/budget", json={"run": {"tokens": 200}}).raise_for_status()
    found, cells = evaluated(client, suite_id, repeats=1, reuse_days=7)
    assert counts(cells, 1) == [(2, 0)] * 2
    assert (found["tokens"], found["versions"][0]["failed"]) == (0, 2)
    assert {cell["detail"] for cell in cells} == {OVER_BUDGET}


def test_a_scorer_of_cost_counts_reused_answers(client: TestClient, model: OpenAIServer):
    suite_id = saved(client, pair(model.url))
    document = {"suite": "cheap", "scorers": [{"at_most": {"tokens": 219}}], "cases": [{"id": "one", "task": "Go."}]}
    client.put(f"/api/suites/{suite_id}", json={"document": document, "revision": 1}).raise_for_status()
    first, _ = evaluated(client, suite_id, repeats=1)
    found, cells = evaluated(client, suite_id, repeats=1, reuse_days=7)
    assert counts(cells, 1) == [(2, 0)]
    assert found["versions"][0]["failed"] == first["versions"][0]["failed"] == 1
    assert cells[0]["detail"] == "The run took 220 tokens, more than 219."


def test_the_page_says_what_was_reused(client: TestClient, model: OpenAIServer):
    suite_id = saved(client, pair(model.url), pair(model.url, critic="Be strict."))
    found, _ = evaluated(client, suite_id, version=2, against=1, repeats=1, reuse_days=7)
    page = client.get(f"/evaluations/{found['id']}").text
    assert all(sentence in page for sentence in found["reused"])
    assert "Run 1 failed, reused in part" in page
    assert "when they were drawn" in page


@pytest.mark.parametrize("days", [0, -1, 366, "x", 1.5])
def test_odd_ages_are_refused(client: TestClient, model: OpenAIServer, days: object):
    suite_id = saved(client, pair(model.url))
    body = {"usd": 1, "reuse_days": days}
    assert client.post(f"/api/suites/{suite_id}/evaluations", json=body).status_code == 422


def test_a_person_cannot_name_the_run_that_another_one_reuses(client: TestClient, model: OpenAIServer):
    suite_id = saved(client, pair(model.url))
    team_id = client.get(f"/api/suites/{suite_id}").json()["team_id"]
    body = {"team_id": team_id, "task": "Go.", "reuse": {"run_id": "x", "not_before": "2026-01-01T00:00:00Z"}}
    assert client.post("/api/runs", json=body).status_code == 422
