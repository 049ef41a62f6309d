"""A decision about a tool call cannot be made up, made twice, moved to another call, or made by who may not."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.runs import CommandName, Draft, RunState
from studio.settings import Settings
from studio.store import ROLES, Role
from studio.web.app import create_app, services_of
from tests.web.documents import ASK, SOURCE, assistant, function_tool, shouting, team
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.following import decide, entries, stream, wait_for
from tests.web.furnished import furnish
from tests.web.members import add_members, asked_by, sign_in


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


SMUGGLED: JsonObject = {
    "command": "decide",
    "by": "the approver",
    "hash": "<of the question>",
    "request_id": "<of the question>",
    "verdict": "allow",
    "tool": "shout",
    "policy": {"otherwise": "allow"},
    "name": "decide",
    "after": "shutdown",
    "kind": "state",
}
"""Fields of other commands, or of none."""
OWN: dict[str, JsonObject] = {
    "step": {"until": "turn"},
    "decide": {"verdict": "deny", "hash": "<of the question>"},
    "edit": {"message_id": "m", "text": "x"},
    "inject": {"text": "x"},
    "policy": {"policy": {}},
    "breakpoints": {"breakpoints": []},
    "budget": {"limits": {}},
}


@pytest.mark.slow
@pytest.mark.parametrize("role", ["editor", "approver"])
def test_no_command_carries_the_fields_of_another(server: TestClient, client: TestClient, role: Role):
    furnished = furnish(server, client)
    add_members(client)
    headers, route = sign_in(server, role), f"POST /api/runs/{furnished.waiting_id}/commands"
    before = client.get(f"/api/runs/{furnished.waiting_id}").json()
    for command in get_args(CommandName):
        own = OWN.get(command, {})
        for smuggled in [{key: value} for key, value in SMUGGLED.items() if key not in own] + [SMUGGLED]:
            text = json.dumps({"command": command, "request_id": furnished.request_id, "data": {**smuggled, **own}})
            body = text.replace("<of the question>", furnished.question_hash).encode()
            answer = asked_by(server, headers, route, body)
            assert answer.status in ((403, 422) if role == "editor" else (422,)), (command, smuggled)
    assert client.get(f"/api/runs/{furnished.waiting_id}").json() == before


@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.parametrize("command", ["pause", "inject", "interrupt"])
def test_a_decision_that_an_older_studio_let_a_command_pretend_is_not_obeyed(settings: Settings, command: str):
    """It had what was sent with a command beside the command's name and who gave it, and whoever came last counted."""
    with TestClient(app := create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        run_id, question = asking(server, client, "not approved")
        told: JsonObject = {"command": "decide", "by": "the approver", "request_id": question["request_id"]}
        told |= {"hash": question["details"]["hash"], "verdict": "allow", "tool": "shout"}
        rules: JsonObject = {"command": "policy", "by": "the approver", "policy": {"otherwise": "allow"}, "text": "x"}
        forged = {"inject": [{**told, "text": "x"}, rules]}.get(command, [told])
        write_into(server, app, run_id, forged)
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        assert client.post(f"/api/runs/{run_id}/commands", json={"command": "continue"}).status_code in (200, 409)
        wait_for(server, run_id, RunState.PAUSED)
        assert client.get(f"/api/runs/{run_id}").json()["pending"]["request_id"] == question["request_id"]
        assert decide(client, run_id, question, verdict="deny") == 200
        assert "NOT APPROVED" not in said(client, run_id)


def write_into(server: TestClient, app: FastAPI, run_id: str, bodies: list[JsonObject]) -> None:
    """Put commands into the log of a run behind the back of whoever drives it."""

    async def write() -> None:
        services = services_of(app)
        assert services is not None
        runs = services.store.runs
        lease, status = await runs.take_over(run_id)
        await runs.append(lease, [Draft("command", body) for body in bodies], status)

    assert server.portal is not None
    server.portal.call(write)


def with_tool(source: str) -> JsonObject:
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    config["tools"] = [function_tool(source)]
    return team(agent, max_messages=2)
