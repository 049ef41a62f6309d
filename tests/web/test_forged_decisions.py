"""A decision about a tool call cannot be made up, made twice, moved to another call, or made by who may not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.runs import RunState
from studio.store import ROLES, Role
from tests.web.documents import assistant, function_tool, team
from tests.web.furnished import furnish
from tests.web.members import add_members, asked_by, sign_in
from tests.web.test_inbox import ASK, SOURCE, decide, shouting
from tests.web.test_runs_api import entries, stream, wait_for


def asking(server: TestClient, client: TestClient, text: str) -> tuple[str, dict[str, Any]]:
    """A run that waits for a decision about `shout(text)`, and its question."""
    document = json.loads(json.dumps(shouting()).replace("hello", text))
    made = client.post("/api/teams", json={"component": document}).json()
    client.put(f"/api/teams/{made['id']}/policy", json=ASK)
    body = {"team_id": made["id"], "task": "Go."}
    for item in client.post("/api/runs", json=body).json().get("missing", []):
        assert client.post("/api/approvals", json={"hashes": [item["hash"]]}).status_code == 201
    run_id = client.post("/api/runs", json=body).json()["id"]
    wait_for(server, run_id, RunState.PAUSED)
    return run_id, client.get(f"/api/runs/{run_id}").json()["pending"]


def said(client: TestClient, run_id: str) -> list[str]:
    return [entry["body"]["content"] for entry in entries(stream(client, run_id)) if entry["kind"] == "message"]


def test_a_decision_is_bound_to_its_run_its_question_and_its_arguments(server: TestClient, client: TestClient):
    kind_id, kind = asking(server, client, "kind words")
    rude_id, rude = asking(server, client, "rude words")
    moved: list[tuple[str, dict[str, Any]]] = [
        (rude_id, kind),
        (kind_id, rude),
        (rude_id, {**rude, "details": kind["details"]}),
        (rude_id, {**kind, "details": rude["details"]}),
        (rude_id, {**rude, "request_id": ""}),
        (rude_id, {**rude, "details": {"hash": ""}}),
    ]
    statuses = [decide(client, run_id, question, verdict="allow") for run_id, question in moved]
    assert statuses == [409] * len(moved)
    assert client.get(f"/api/runs/{rude_id}").json()["pending"] == rude
    assert decide(client, kind_id, kind, verdict="allow") == 200
    assert said(client, kind_id)[-1] == "KIND WORDS"
    assert client.get(f"/api/runs/{rude_id}").json()["pending"] == rude


def test_a_decision_that_was_sent_again_counts_once(server: TestClient, client: TestClient):
    run_id, question = asking(server, client, "once")
    assert [decide(client, run_id, question, verdict="allow") for _ in range(3)] == [200, 409, 409]
    assert said(client, run_id).count("ONCE") == 1
    made = [entry["body"] for entry in entries(stream(client, run_id)) if entry["body"].get("command") == "decide"]
    assert len(made) == 1


def test_a_decision_of_the_parent_does_not_count_in_its_fork(server: TestClient, client: TestClient):
    run_id, question = asking(server, client, "again")
    before = question["details"].get("seq") or client.get(f"/api/runs/{run_id}").json()["last_seq"]
    assert decide(client, run_id, question, verdict="allow") == 200
    said(client, run_id)
    forked = client.post(f"/api/runs/{run_id}/fork", json={"seq": min(before, 1)}).json()["id"]
    wait_for(server, forked, RunState.PAUSED)
    assert decide(client, forked, question, verdict="allow") == 409
    assert client.get(f"/api/runs/{forked}").json()["pending"] is not None


@pytest.mark.slow
def test_only_an_approver_decides_and_the_log_says_who_did(server: TestClient, client: TestClient):
    furnished = furnish(server, client)
    add_members(client)
    data = {"hash": furnished.question_hash, "verdict": "allow"}
    body, signed_by_another = (
        json.dumps({"command": "decide", "request_id": furnished.request_id, "data": each}).encode()
        for each in (data, {**data, "by": "the admin"})
    )
    route = f"POST /api/runs/{furnished.waiting_id}/commands"
    for role in ("viewer", "editor"):
        assert asked_by(server, sign_in(server, role), route, body).status == 403
    assert client.get(f"/api/runs/{furnished.waiting_id}").json()["pending"]["request_id"] == furnished.request_id
    assert asked_by(server, sign_in(server, "approver"), route, signed_by_another).status == 422
    assert asked_by(server, sign_in(server, "approver"), route, body).status == 200
    told = [entry["body"] for entry in entries(stream(client, furnished.waiting_id))]
    assert [body["by"] for body in told if body.get("command") == "decide"] == ["the approver"]


@pytest.mark.slow
def test_only_an_approver_lets_new_code_run(server: TestClient, client: TestClient):
    """And what they allowed is that code, not what it becomes."""
    add_members(client)
    made = client.post("/api/teams", json={"component": with_tool(SOURCE)}).json()
    start = json.dumps({"team_id": made["id"], "task": "Go."}).encode()
    refused = json.loads(asked_by(server, sign_in(server, "editor"), "POST /api/runs", start).body)
    approval = json.dumps({"hashes": [item["hash"] for item in refused["missing"]]}).encode()
    statuses: dict[Role, int] = {
        role: asked_by(server, sign_in(server, role), "POST /api/approvals", approval).status for role in ROLES
    }
    assert statuses == {"viewer": 403, "editor": 403, "approver": 201, "admin": 201}
    assert asked_by(server, sign_in(server, "editor"), "POST /api/runs", start).status == 201
    edited = {"component": with_tool(SOURCE.replace("upper", "lower")), "revision": made["revision"]}
    assert client.put(f"/api/teams/{made['id']}", json=edited).status_code == 200
    assert asked_by(server, sign_in(server, "editor"), "POST /api/runs", start).status == 403


def with_tool(source: str) -> JsonObject:
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    config["tools"] = [function_tool(source)]
    return team(agent, max_messages=2)
