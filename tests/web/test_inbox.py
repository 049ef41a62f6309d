"""Open questions over all runs, and the breakpoints and rules of a team, through the API."""

from __future__ import annotations

from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.runs import RunState
from tests.web.documents import ASK, shouting, team
from tests.web.following import decide, entries, stream, wait_for


def waiting(server: TestClient, client: TestClient) -> str:
    """A run that waits for a decision about a tool."""
    made = client.post("/api/teams", json={"component": shouting()}).json()
    assert client.put(f"/api/teams/{made['id']}/policy", json=ASK).status_code == 200
    body = {"team_id": made["id"], "task": "Go."}
    missing = client.post("/api/runs", json=body).json()["missing"]
    client.post("/api/approvals", json={"hashes": [item["hash"] for item in missing]})
    run_id = client.post("/api/runs", json=body).json()["id"]
    wait_for(server, run_id, RunState.PAUSED)
    return run_id


def test_a_tool_that_asks_is_found_in_the_inbox_and_decided_there(server: TestClient, client: TestClient):
    run_id = waiting(server, client)
    (found,) = client.get("/api/inbox").json()
    assert (found["run_id"], found["reason"], found["team_name"]) == (run_id, "approval", "Greeters")
    assert found["pending"]["details"]["arguments"] == {"text": "hello"}
    assert found["since"]
    assert decide(client, run_id, found["pending"], verdict="allow", arguments={"text": "bye"}) == 200
    said = [entry["body"] for entry in entries(stream(client, run_id)) if entry["kind"] == "message"]
    assert said[-1]["content"] == "BYE"
    assert client.get("/api/inbox").json() == []


def test_a_decision_that_was_not_asked_for_like_that_is_refused(server: TestClient, client: TestClient):
    run_id = waiting(server, client)
    pending = client.get("/api/inbox").json()[0]["pending"]
    assert decide(client, run_id, {**pending, "request_id": "made up"}, verdict="allow") == 409
    assert decide(client, run_id, {**pending, "details": {"hash": "0" * 64}}, verdict="allow") == 409
    answer = {"command": "answer", "request_id": pending["request_id"], "text": "yes"}
    assert client.post(f"/api/runs/{run_id}/commands", json=answer).status_code == 409
    assert decide(client, run_id, pending, verdict="deny", reason="No.") == 200
    assert decide(client, run_id, pending, verdict="allow") == 409


def test_a_stranger_decides_nothing(server: TestClient, client: TestClient, browser: TestClient, stranger: TestClient):
    run_id = waiting(server, client)
    pending = client.get("/api/inbox").json()[0]["pending"]
    assert decide(stranger, run_id, pending, verdict="allow") == 401
    assert decide(browser, run_id, pending, verdict="allow") == 403  # signed in, but no page of ours sent it
    assert client.get("/api/inbox").json()[0]["pending"] == pending
    assert stranger.get("/api/inbox").status_code == 401


def test_breakpoints_are_kept_with_the_team_and_not_in_it(client: TestClient):
    made = client.post("/api/teams", json={"component": team()}).json()
    before = client.get(f"/api/teams/{made['id']}").json()
    point = {"id": "b1", "on": "agent", "name": "critic"}
    body = {"breakpoints": [point]}
    assert client.put(f"/api/teams/{made['id']}/breakpoints", json=body).status_code == 200
    kept = client.get(f"/api/teams/{made['id']}/breakpoints").json()["breakpoints"]
    assert [(each["on"], each["name"], each["enabled"]) for each in kept] == [("agent", "critic", True)]
    assert client.get(f"/api/teams/{made['id']}").json() == before
    assert client.put("/api/teams/none/breakpoints", json=body).status_code == 404
    assert (
        client.put(
            f"/api/teams/{made['id']}/breakpoints", json={"breakpoints": [{"id": "x", "on": "text"}]}
        ).status_code
        == 422
    )


def test_a_run_takes_up_breakpoints_that_are_set_while_it_waits(server: TestClient, client: TestClient):
    made = client.post("/api/teams", json={"component": team()}).json()
    address = f"/api/teams/{made['id']}/breakpoints"
    client.put(address, json={"breakpoints": [{"id": "b1", "on": "agent", "name": "writer"}]})
    run_id = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).json()["id"]
    wait_for(server, run_id, RunState.PAUSED)
    client.put(address, json={"breakpoints": []})
    assert client.post(f"/api/runs/{run_id}/commands", json={"command": "resume"}).status_code == 200
    told = [entry["body"] for entry in entries(stream(client, run_id)) if entry["kind"] == "command"]
    expected: JsonObject = {"command": "breakpoints", "by": "owner", "breakpoints": []}
    assert [{**body, **expected} == body for body in told].count(True) == 1


def test_the_inbox_has_a_page(client: TestClient):
    assert "Inbox" in client.get("/inbox").text
