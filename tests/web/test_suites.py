"""Suites hang on teams: checked before they are kept, with cases made from runs and tried on past ones."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.services.team_suites import MAX_RUNS
from studio.store.suites import MAX_SUITES
from tests.web.documents import assistant, team
from tests.web.following import ended

SUITE: dict[str, Any] = {"suite": "greetings", "scorers": [{"includes": "{target}"}]}


def made(client: TestClient) -> tuple[str, str]:
    """A team and a finished run of it, which answers with a greeting."""
    run_id = ended(client, team(assistant("greeter", "Good morning."), max_messages=2), "Greet me.")
    return str(client.get(f"/api/runs/{run_id}").json()["team_id"]), run_id


def added(client: TestClient, team_id: str, **more: object) -> Any:
    answer = client.post(f"/api/teams/{team_id}/suites", json={"document": {**SUITE, **more}})
    assert answer.status_code == 201, answer.text
    return answer.json()


def kept(client: TestClient, suite_id: str, run_id: str, **more: object) -> Any:
    return client.post(f"/api/suites/{suite_id}/cases", json={"run_id": run_id, "why": "went_well", **more})


def test_a_suite_is_kept_with_its_team_until_it_is_deleted(client: TestClient):
    team_id, _ = made(client)
    suite = added(client, team_id, cases=[{"task": "Greet me.", "target": "morning"}])
    (listed,) = client.get(f"/api/teams/{team_id}/suites").json()
    assert (listed["name"], listed["revision"], listed["case_count"]) == ("greetings", 1, 1)
    assert "document" not in listed
    assert client.get(f"/api/suites/{suite['id']}").json() == suite
    assert client.delete(f"/api/suites/{suite['id']}").status_code == 204
    assert client.get(f"/api/suites/{suite['id']}").status_code == 404
    assert client.get(f"/api/teams/{team_id}/suites").json() == []
    assert client.get("/api/teams/none/suites").status_code == 404
    assert client.post("/api/teams/none/suites", json={"document": SUITE}).status_code == 404


def test_a_save_of_an_older_revision_is_refused(client: TestClient):
    team_id, _ = made(client)
    path = f"/api/suites/{added(client, team_id)['id']}"
    first = client.put(path, json={"document": {**SUITE, "suite": "hello"}, "revision": 1})
    assert (first.status_code, first.json()["revision"], first.json()["name"]) == (200, 2, "hello")
    assert client.put(path, json={"document": SUITE, "revision": 1}).status_code == 409
    assert client.get(path).json()["name"] == "hello"


def test_all_mistakes_are_told_and_nothing_is_kept(client: TestClient):
    team_id, _ = made(client)
    document = {"suite": "x", "scorers": [{"incudes": "x"}, {"number": "{target}"}], "cases": [{"tsk": "x"}]}
    answer = client.post(f"/api/teams/{team_id}/suites", json={"document": document})
    assert answer.status_code == 422, answer.text
    where = [finding["where"] for finding in answer.json()["findings"]]
    assert where == ["/scorers/0", "/cases/0/task", "/cases/0/tsk"]
    assert client.get(f"/api/teams/{team_id}/suites").json() == []


def test_a_run_becomes_a_case_with_one_request(client: TestClient):
    team_id, run_id = made(client)
    suite = added(client, team_id)
    answer = kept(client, suite["id"], run_id, id="greet", target="morning", tags=["short"])
    assert answer.status_code == 201, answer.text
    (case,) = answer.json()["document"]["cases"]
    assert case == {
        "id": "greet",
        "task": "Greet me.",
        "target": "morning",
        "tags": ["short"],
        "origin": {"run": run_id, "why": "went_well"},
    }
    assert answer.json()["case_count"] == 1
    assert kept(client, suite["id"], run_id, id="greet", target="x").status_code == 422
    assert kept(client, suite["id"], "none", target="x").status_code == 404
    lacking = kept(client, suite["id"], run_id, id="other")
    assert "The case has no `target`." in lacking.json()["error"]["message"]


def test_a_run_that_went_wrong_needs_a_scorer(client: TestClient):
    team_id, run_id = made(client)
    suite = added(client, team_id)
    refused = kept(client, suite["id"], run_id, why="went_wrong", target="evening")
    assert refused.status_code == 422
    assert "needs a scorer" in refused.json()["error"]["message"]
    scorers = [{"not": {"includes": "morning"}}]
    assert kept(client, suite["id"], run_id, why="went_wrong", target="evening", scorers=scorers).status_code == 201


def test_past_runs_are_scored_for_nothing(client: TestClient):
    team_id, run_id = made(client)
    _, other = made(client)
    stranger = ended(client, team(assistant("greeter", "Hi."), max_messages=2), "Something else.")
    suite = added(client, team_id, cases=[{"task": "Greet me.", "target": "evening"}], always=["no_errors"])
    before = client.get("/api/runs").json()
    answer = client.post(f"/api/suites/{suite['id']}/scores", json={"run_ids": [run_id, other, stranger]})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["counts"] == {"pass": 0, "fail": 2, "unscored": 0}
    assert [run["verdict"] for run in found["runs"]] == ["fail", "fail", None]
    invariant, includes = found["runs"][0]["scores"]
    assert (invariant["scorer"], invariant["invariant"], invariant["verdict"]) == ("no_errors", True, "pass")
    assert includes["reason"] == "The answer does not include “evening”."
    entries = client.get(f"/api/runs/{run_id}/events").json()["entries"]
    assert [entry["kind"] for entry in entries if entry["seq"] in includes["places"]] == ["message"]
    assert client.get("/api/runs").json() == before


@pytest.mark.parametrize("run_ids", [[], ["none"], ["x"] * (MAX_RUNS + 1), [7]])
def test_what_cannot_be_scored_is_refused(client: TestClient, run_ids: list[object]):
    team_id, _ = made(client)
    path = f"/api/suites/{added(client, team_id)['id']}/scores"
    assert client.post(path, json={"run_ids": run_ids}).status_code in (404, 422)


def test_bounds(client: TestClient):
    team_id, _ = made(client)
    long = [{"id": f"case-{number}", "task": "x" * 150_000, "target": "x"} for number in range(4)]
    answer = client.post(f"/api/teams/{team_id}/suites", json={"document": {**SUITE, "cases": long}})
    assert answer.status_code == 413, answer.text
    for _ in range(MAX_SUITES):
        added(client, team_id)
    assert client.post(f"/api/teams/{team_id}/suites", json={"document": SUITE}).status_code == 409


def test_suites_go_with_their_team(client: TestClient):
    team_id, _ = made(client)
    suite = added(client, team_id)
    client.delete(f"/api/teams/{team_id}")
    client.delete("/api/trash")
    assert client.get(f"/api/suites/{suite['id']}").status_code == 404
