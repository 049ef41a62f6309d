"""A suite that gates releases: no version goes live before its evaluation passes, unless an admin says why."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.evaluating import added_suite, added_team, greeter, over, started
from tests.web.signing_in import add, signed_in, work_passwords_out_quickly

BOTH = "Good morning and good evening."
GATE = {"releases": True}
LIVE = "/api/deployments/greet/live"


def gated(client: TestClient, *answers: str, **gate: Any) -> tuple[str, str]:
    """A published team with a version for each answer and a release of the newest, and a suite that gates releases."""
    team_id = added_team(client, answers[0])
    client.post("/api/deployments", json={"team_id": team_id, "name": "greet"}).raise_for_status()
    for revision, answer in enumerate(answers[1:], 1):
        body = {"component": greeter(answer), "revision": revision}
        client.put(f"/api/teams/{team_id}", json=body).raise_for_status()
    client.post("/api/deployments/greet/releases", json={}).raise_for_status()
    return team_id, added_suite(client, team_id, gate={**GATE, **gate})


def refused(answer: Any) -> Any:
    """What keeps a release back."""
    assert answer.status_code == 409, answer.text
    assert answer.json()["error"]["code"] == "gate_not_passed"
    return answer.json()["required"]


def test_a_release_goes_live_once_its_version_passes(client: TestClient):
    team_id, suite_id = gated(client, "Good evening.", BOTH)
    [missing] = refused(client.put(LIVE, json={"number": 2}))
    assert (missing["outcome"], missing["suite"]) == ("missing", "greetings")
    refused(client.put("/api/deployments/greet/canary", json={"number": 2, "percent": 10}))
    page = client.get("/deployments/greet/releases/2").text
    assert 'data-required="missing"' in page
    over(client, started(client, suite_id, version=1, repeats=1))  # another version
    assert refused(client.put(LIVE, json={"number": 2}))[0]["outcome"] == "missing"
    passing = over(client, started(client, suite_id, version=2, against=1, repeats=1))
    assert f"/evaluations/{passing['id']}" in client.get("/deployments/greet/releases/2").text
    assert client.put(LIVE, json={"number": 2}).json()["live"] == 2
    other = client.post("/api/deployments", json={"team_id": team_id, "name": "other"})
    assert other.status_code == 201, "version 2 passed, and nothing else is live there"


def test_one_that_fails_does_not_and_an_older_one_that_passed_does_not_count(client: TestClient):
    _, suite_id = gated(client, BOTH, "Good evening.", at_least=20)
    found = over(client, started(client, suite_id, version=2, repeats=1))
    [failed] = refused(client.put(LIVE, json={"number": 2}))
    assert (failed["outcome"], failed["evaluation_id"]) == ("failed", found["id"])
    assert failed["reasons"] == ["The pass rate may be as low as 9 %; at least 20 % is needed."]


def test_a_suite_that_changed_asks_for_a_new_evaluation(client: TestClient):
    _, suite_id = gated(client, "Good evening.", BOTH)
    over(client, started(client, suite_id, version=2, repeats=1))
    kept = client.get(f"/api/suites/{suite_id}").json()
    more = {"id": "night", "task": "Greet me at night.", "target": "night"}
    document = {**kept["document"], "cases": [*kept["document"]["cases"], more]}
    client.put(f"/api/suites/{suite_id}", json={"document": document, "revision": 1}).raise_for_status()
    assert refused(client.put(LIVE, json={"number": 2}))[0]["outcome"] == "missing"


def test_to_roll_back_needs_no_evaluation(client: TestClient):
    _, suite_id = gated(client, "Good evening.", BOTH)
    over(client, started(client, suite_id, version=2, repeats=1))
    client.put(LIVE, json={"number": 2}).raise_for_status()
    assert client.put(LIVE, json={"number": 1}).json()["live"] == 1


def test_a_team_is_first_published_only_if_it_passes(client: TestClient):
    team_id = added_team(client, "Nothing.")
    added_suite(client, team_id, gate=GATE)
    refused(client.post("/api/deployments", json={"team_id": team_id, "name": "greet"}))
    body = {"team_id": team_id, "name": "greet", "override": "A trial."}
    assert client.post("/api/deployments", json=body).status_code == 201


@pytest.mark.embedded
def test_an_admin_overrides_a_gate_with_a_reason_in_the_audit_log(server: TestClient, client: TestClient):
    gated(client, "Good evening.", BOTH)
    work_passwords_out_quickly(server)
    add(client, "ada", "admin")
    add(client, "ed", "editor")
    admin, editor = signed_in(server, "ada"), signed_in(server, "ed")
    body = {"number": 2, "override": "Fix for ACME; the service of the judge is down."}
    answer = editor.put(LIVE, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "needs_role")
    refused(admin.put(LIVE, json={**body, "override": "  "}))
    assert admin.put(LIVE, json=body).json()["live"] == 2
    log = admin.get("/audit").text
    assert "Overrode the gate of a release" in log
    assert "Reason: Fix for ACME; the service of the judge is down." in log


def test_the_page_of_a_suite_shows_and_offers_its_gate(client: TestClient):
    team_id = added_team(client, BOTH)
    suite_id = added_suite(client, team_id)
    assert "Set gate" in client.get(f"/suites/{suite_id}/settings").text
    other = added_suite(client, team_id, gate={"at_least": 70, "unscored": 2.5, "worse": "ignore"})
    page = client.get(f"/suites/{other}/settings").text
    assert "at least 70 %" in page
    assert "Up to 2.5 % of the runs are unscored." in page
    assert "proved worse than the one it is compared with.</li>" not in page
    wrong = client.post(f"/api/teams/{team_id}/suites", json={"document": {"suite": "s", "gate": {"at_least": 700}}})
    assert wrong.status_code == 422
