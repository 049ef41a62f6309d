"""People label the runs of an evaluation without seeing what scorers say of them."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from studio.store import evaluation_labels
from tests.web.evaluating import added_suite, added_team, cells_of, over, started


def test_runs_are_labeled_one_after_the_other(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    team_id = added_team(client, "Good morning.")
    evaluation_id = started(client, added_suite(client, team_id), repeats=2)
    over(client, evaluation_id)
    path = f"/evaluations/{evaluation_id}/labels"
    page = client.get(path).text
    assert "0 labeled by you, 4 to go." in page
    assert "Good morning." in page
    assert "data-scores" not in page
    assert "does not include" not in page, "a person labels without the scores"
    assert "/runs/" not in page, "nor does a link tell the version"
    evening = next(cell for cell in cells_of(client, evaluation_id) if cell["case"] == "evening")
    for verdict in ("skip", "fail"):
        body = {"position": evening["position"], "verdict": verdict, "note": " Wrong time. "}
        added = client.post(f"/api{path}", json=body)
        assert added.status_code == 201, added.text
        assert added.json()["note"] == "Wrong time."
    again = client.get(f"/fragments{path}").text
    assert "1 labeled by you, 3 to go." in again
    assert f'data-cell="{evening["position"]}"' not in again
    assert "The scorers say fail." in again
    labeled = client.get(path, params={"cell": evening["position"]}).text
    assert "does not include “evening”" in labeled
    found = client.get(f"/api{path}").json()["labels"]
    assert [(each["verdict"], each["case"], each["run_id"]) for each in found] == [
        (verdict, "evening", evening["run_id"]) for verdict in ("skip", "fail")
    ]
    assert found[0]["by"]
    monkeypatch.setattr(evaluation_labels, "MAX_LABELS", 2)
    assert client.post(f"/api{path}", json={"position": 1, "verdict": "pass"}).status_code == 409
    assert client.delete(f"/api/evaluations/{evaluation_id}").status_code == 204
    assert client.get(f"/api{path}").status_code == 404


def test_what_cannot_be_labeled_is_refused(client: TestClient):
    evaluation_id = started(client, added_suite(client, added_team(client, "Good morning.")), repeats=100, at_once=1)
    path = f"/evaluations/{evaluation_id}/labels"
    assert client.post(f"/api{path}", json={"position": 200, "verdict": "pass"}).status_code == 409
    assert client.get(path, params={"cell": 200}).status_code == 409
    client.post(f"/api/evaluations/{evaluation_id}/cancel")
    over(client, evaluation_id)
    for body in ({"position": 0, "verdict": "pass"}, {"position": 1, "verdict": "good"}, {"position": 1}):
        assert client.post(f"/api{path}", json=body).status_code == 422
    assert client.post(f"/api{path}", json={"position": 999, "verdict": "pass"}).status_code == 404
    assert client.post("/api/evaluations/none/labels", json={"position": 1, "verdict": "pass"}).status_code == 404
    assert client.get("/evaluations/none/labels").status_code == 404


def test_a_run_that_was_deleted_says_so(client: TestClient):
    evaluation_id = started(client, added_suite(client, added_team(client, "Good morning.")), repeats=1)
    over(client, evaluation_id)
    cell = cells_of(client, evaluation_id)[0]
    client.delete(f"/api/runs/{cell['run_id']}").raise_for_status()
    page = client.get(f"/evaluations/{evaluation_id}/labels", params={"cell": 1}).text
    assert "There is no run" in page


def test_a_hostile_note_is_kept_and_shown_as_text(client: TestClient):
    evaluation_id = started(client, added_suite(client, added_team(client, "Good morning.")), repeats=1)
    over(client, evaluation_id)
    path = f"/evaluations/{evaluation_id}/labels"
    body = b'{"position": 1, "verdict": "fail", "note": "<b onclick=x>a\\u0000b\\ud800</b>"}'
    added = client.post(f"/api{path}", content=body, headers={"Content-Type": "application/json"})
    assert added.status_code == 201, added.text
    assert added.json()["note"].startswith("<b onclick=x>a")
    for page in (client.get(path, params={"cell": 1}), client.get(f"/evaluations/{evaluation_id}")):
        assert page.status_code == 200
        assert "<b onclick" not in page.text
    kept = added.json()["note"].replace("\0", "\ufffd")  # PostgreSQL has no place for the first
    assert client.get(f"/api{path}").json()["labels"][0]["note"].replace("\0", "\ufffd") == kept
