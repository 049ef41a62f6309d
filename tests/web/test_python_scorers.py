"""Scorers in Python: called in the sandbox, once a person approved exactly their source for the suite's team."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.runs import RunControl, RunState
from studio.sandbox import JailUnavailable, UnavailableJail
from studio.settings import Settings
from tests.sandbox.jailed import best_jail
from tests.web.evaluating import added_suite, added_team, cells_of, over, started
from tests.web.following import wait_for

GREETS = "def score(run, case):\n    return [case['target'] in run['answer'], 'It looks for ' + case['target'] + '.']"
PLAN = {"usd": 1, "repeats": 1}

pytestmark = pytest.mark.slow


def scorer(source: str = GREETS) -> dict[str, Any]:
    return {"python": {"source": source}}


def approve(client: TestClient, refused: Any) -> Any:
    body = {"hashes": [each["hash"] for each in refused["missing"]], "suite_id": refused["suite_id"], "scope": "team"}
    return client.post("/api/approvals", json=body)


def test_a_scorer_in_python_judges_once_its_source_is_approved(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."), scorers=[scorer()])
    path = f"/api/suites/{suite_id}/evaluations"
    warning = client.post(f"{path}/preview", json=PLAN).json()["warnings"][0]
    assert warning == "The scorers are not approved yet: Runs a scorer of the suite, in Python."
    refused = client.post(path, json=PLAN)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_approved")
    assert [each["detail"] for each in refused.json()["missing"]] == [GREETS], "all that runs is shown"
    approved = approve(client, refused.json())
    assert approved.status_code == 201, approved.text
    team_id = client.get(f"/api/suites/{suite_id}").json()["team_id"]
    assert [each["scope"] for each in approved.json()] == [f"team:{team_id}"]
    found = over(client, started(client, suite_id, repeats=1), 60)
    assert (found["versions"][0]["passed"], found["versions"][0]["failed"]) == (1, 1)
    scores = {cell["case"]: cell["scores"][0]["reason"] for cell in cells_of(client, found["id"])}
    assert scores == {"morning": "It looks for morning.", "evening": "It looks for evening."}
    assert "no longer asks" not in client.get(f"/teams/{team_id}/review").text, "the suite needs the approval"


def test_a_source_that_was_changed_is_another_one(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."), scorers=[scorer()])
    path = f"/api/suites/{suite_id}/evaluations"
    approve(client, client.post(path, json=PLAN).json()).raise_for_status()
    document = client.get(f"/api/suites/{suite_id}").json()["document"]
    changed = {**document, "scorers": [scorer(f"{GREETS}\n")]}
    client.put(f"/api/suites/{suite_id}", json={"document": changed, "revision": 1}).raise_for_status()
    assert client.post(path, json=PLAN).status_code == 403


def test_an_approval_holds_for_the_team_of_the_suite_alone_and_for_its_own_scorers(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."), scorers=[scorer()])
    other_id = added_suite(client, added_team(client, "Good evening."), scorers=[scorer()])
    refused = client.post(f"/api/suites/{suite_id}/evaluations", json=PLAN).json()
    approve(client, refused).raise_for_status()
    assert client.post(f"/api/suites/{other_id}/evaluations", json=PLAN).status_code == 403
    unknown = approve(client, {"missing": [{"hash": "0" * 64}], "suite_id": suite_id})
    assert (unknown.status_code, unknown.json()["error"]["message"][:27]) == (404, "This suite does not need '0")
    assert approve(client, {**refused, "suite_id": "none"}).status_code == 404


def test_what_is_revoked_meanwhile_is_called_no_more(client: TestClient):
    slow = "import time\ndef score(run, case):\n    time.sleep(0.3)\n    return True"
    cases = [{"id": f"{number}", "task": f"Task {number}."} for number in range(12)]
    suite_id = added_suite(client, added_team(client, "Good morning."), scorers=[scorer(slow)], cases=cases)
    refused = client.post(f"/api/suites/{suite_id}/evaluations", json=PLAN).json()
    approve(client, refused).raise_for_status()
    evaluation_id = started(client, suite_id, repeats=1, at_once=1)
    client.delete(f"/api/approvals/{refused['missing'][0]['hash']}").raise_for_status()
    found = over(client, evaluation_id, 60)
    assert found["versions"][0]["unscored"] >= 10
    assert cells_of(client, evaluation_id)[-1]["detail"].startswith("The scorer is not approved yet.")


def test_a_scorer_is_confined(client: TestClient, settings: Settings):
    best_jail()
    source = f"""def score(run, case):
    try:
        return [False, open({str(settings.data_dir / "token")!r}).read() + str(__import__("os").listdir("."))]
    except OSError as error:
        return [True, type(error).__name__]
"""
    (settings.data_dir / "token").write_text("secret", encoding="utf-8")
    suite_id = added_suite(client, added_team(client, "Good morning."), scorers=[scorer(source)])
    approve(client, client.post(f"/api/suites/{suite_id}/evaluations", json=PLAN).json()).raise_for_status()
    found = over(client, started(client, suite_id, repeats=1), 60)
    assert found["versions"][0]["passed"] == 2, cells_of(client, found["id"])


def test_what_a_scorer_returns_raises_or_reaches_for(client: TestClient):
    sources = {
        "true": ("def score(run, case): return True", "pass", "The scorer returned True."),
        "number": ("def score(run, case): return 0.7", "unscored", "neither True nor False"),
        "raises": ("def score(run, case): return 1 / 0", "unscored", "The scorer failed"),
        "network": (
            "import socket\ndef score(run, case): socket.create_connection(('127.0.0.1', 80), 1)",
            "unscored",
            "The scorer failed",
        ),
        "hangs": ("import time\ndef score(run, case): time.sleep(60)", "unscored", "The scorer failed"),
    }
    cases = [
        {"id": name, "task": f"Do {name}.", "scorers": [{"python": {"source": source, "seconds": 1}}]}
        for name, (source, _, _) in sources.items()
    ]
    suite_id = added_suite(client, added_team(client, "Good morning."), scorers=[], cases=cases)
    approve(client, client.post(f"/api/suites/{suite_id}/evaluations", json=PLAN).json()).raise_for_status()
    found = over(client, started(client, suite_id, repeats=1), 60)
    for cell in cells_of(client, found["id"]):
        _, verdict, reason = sources[cell["case"]]
        assert (cell["verdict"], reason in cell["scores"][0]["reason"]) == (verdict, True), cell


def test_past_runs_are_not_scored_by_code(client: TestClient):
    team_id = added_team(client, "Good morning.")
    suite_id = added_suite(client, team_id, scorers=[scorer()])
    approve(client, client.post(f"/api/suites/{suite_id}/evaluations", json=PLAN).json()).raise_for_status()
    run_id = client.post("/api/runs", json={"team_id": team_id, "task": "Greet me."}).json()["id"]
    wait_for(client, run_id, RunState.FINISHED)
    (found,) = client.post(f"/api/suites/{suite_id}/scores", json={"run_ids": [run_id]}).json()["runs"]
    assert found["scores"][0]["reason"] == "Scorers in Python are called in evaluations, once they are approved."


def test_a_plan_is_refused_where_nothing_confines_code(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    suite_id = added_suite(client, added_team(client, "Good morning."), scorers=[scorer()])
    monkeypatch.setattr(RunControl, "jail", UnavailableJail(JailUnavailable("No sandbox.")))
    refused = client.post(f"/api/suites/{suite_id}/evaluations", json=PLAN)
    assert (refused.status_code, len(refused.json()["findings"])) == (422, 1)
    assert "No sandbox." in refused.json()["findings"][0]["message"]
