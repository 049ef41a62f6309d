"""Rules for tools bind the tools that an approver has seen: neither another name nor a try leads past them."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import JsonObject
from studio.runs import RunState
from studio.store import Role
from studio.web.app import services_of
from tests.web.documents import SOURCE, function_tool, shouting
from tests.web.following import entries, stream, wait_for
from tests.web.members import add_members, asked_by, sign_in

pytestmark = pytest.mark.slow
DENY: JsonObject = {"rules": [{"tool": "shout", "verdict": "deny"}]}
ASK: JsonObject = {"rules": [{"tool": "shout", "verdict": "ask"}]}
ALLOW: JsonObject = {"rules": [{"tool": "shout", "verdict": "allow"}], "otherwise": "ask"}
OTHERS: JsonObject = {"rules": [{"tool": "say", "verdict": "allow"}], "otherwise": "deny"}


def edited(*renames: tuple[str, str]) -> JsonObject:
    """The team that shouts, with other words in it."""
    text = json.dumps(shouting())
    for old, new in renames:
        text = text.replace(old, new)
    return json.loads(text)


RENAMED = edited(('"name": "shout"', '"name": "shout_"'), ('\\"name\\": \\"shout\\"', '\\"name\\": \\"shout_\\"'))
REWRITTEN = edited(("text.upper()", "text.upper() + '!'"))
AS_ANOTHER = edited(('"name": "shout"', '"name": "say"'), ('\\"name\\": \\"shout\\"', '\\"name\\": \\"say\\"'))


def as_role(server: TestClient, headers: dict[str, str], route: str, body: Any) -> Any:
    answer = asked_by(server, headers, route, json.dumps(body).encode())
    return answer.status, json.loads(answer.body) if answer.body[:1] in (b"{", b"[") else answer.body


def ruled(client: TestClient, policy: JsonObject) -> dict[str, Any]:
    """A team with rules, all of whose code is allowed."""
    made = client.post("/api/teams", json={"component": shouting()}).json()
    assert client.put(f"/api/teams/{made['id']}/policy", json={"policy": policy}).status_code == 200
    allow_all(client, made["id"])
    return made


def allow_all(client: TestClient, team_id: str) -> None:
    missing = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json().get("missing", [])
    if missing:
        assert client.post("/api/approvals", json={"hashes": [item["hash"] for item in missing]}).status_code == 201


def outcome(server: TestClient, client: TestClient, role: Role, policy: JsonObject, document: JsonObject) -> str:
    """What becomes of the call after somebody has saved the team like this."""
    made = ruled(client, policy)
    add_members(client)
    headers = sign_in(server, role)
    body = {"component": document, "revision": made["revision"]}
    assert as_role(server, headers, f"PUT /api/teams/{made['id']}", body)[0] == 200
    allow_all(client, made["id"])
    run_id = as_role(server, headers, "POST /api/runs", {"team_id": made["id"], "task": "Go."})[1]["id"]
    app = server.app
    assert isinstance(app, FastAPI)
    states: list[RunState] = []

    async def follow() -> None:
        services = services_of(app)
        assert services is not None
        async for batch in services.supervisor.subscribe(run_id):
            states.append(batch.view.state)
            if batch.view.state is RunState.PAUSED:
                return

    assert server.portal is not None
    server.portal.call(follow)
    if states[-1] is RunState.PAUSED:
        return "asked"
    said = [entry["body"].get("content") for entry in entries(stream(client, run_id)) if entry["kind"] == "message"]
    return "called" if {"HELLO", "HELLO!"} & set(said) else "refused"


@pytest.mark.parametrize(
    ("policy", "document", "editor", "approver"),
    [
        (DENY, RENAMED, "asked", "called"),
        (DENY, AS_ANOTHER, "asked", "called"),
        (DENY, REWRITTEN, "refused", "refused"),
        (OTHERS, RENAMED, "refused", "refused"),
        (OTHERS, AS_ANOTHER, "asked", "called"),
        (ALLOW, REWRITTEN, "asked", "called"),
        (ALLOW, shouting(), "called", "called"),
    ],
)
@pytest.mark.parametrize("role", ["editor", "approver"])
def test_a_tool_that_was_changed_by_who_may_not_approve_is_asked_about(
    server: TestClient,
    client: TestClient,
    role: Role,
    policy: JsonObject,
    document: JsonObject,
    editor: str,
    approver: str,
):
    assert outcome(server, client, role, policy, document) == {"editor": editor, "approver": approver}[role]


def test_what_an_editor_brought_stays_new_when_an_approver_saves(server: TestClient, client: TestClient):
    made = ruled(client, DENY)
    add_members(client)
    route, revision = f"PUT /api/teams/{made['id']}", made["revision"]
    names: dict[Role, str] = {"editor": "Greeters", "approver": "Others"}
    for role, name in names.items():
        body = {"component": {**RENAMED, "label": name}, "revision": revision}
        revision = as_role(server, sign_in(server, role), route, body)[1]["revision"]
    allow_all(client, made["id"])
    run_id = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).json()["id"]
    wait_for(server, run_id, RunState.PAUSED)
    assert client.get(f"/api/runs/{run_id}").json()["pending"]["details"]["tool"] == "shout_"
    assert client.put(f"/api/teams/{made['id']}/policy", json={"policy": DENY}).status_code == 200
    run_id = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).json()["id"]
    assert entries(stream(client, run_id))[-1]["body"]["state"] == "finished"


@pytest.mark.parametrize(("policy", "status"), [(DENY, 403), (OTHERS, 403), (ASK, 403), (ALLOW, 200)])
def test_no_try_leads_past_the_rules_of_a_team(server: TestClient, client: TestClient, policy: JsonObject, status: int):
    made, other = ruled(client, policy), client.post("/api/teams", json={"component": shouting()}).json()
    add_members(client)
    headers = sign_in(server, "editor")
    tool = function_tool(SOURCE)
    renamed = json.loads(json.dumps(tool).replace('"name": "shout"', '"name": "say"'))
    bench: JsonObject = {"provider": "autogen_core.tools.StaticWorkbench", "config": {"tools": [tool]}}
    agent: JsonValue = cast("Any", shouting())["config"]["participants"][0]
    parts: list[tuple[JsonValue, str]] = [(tool, "shout"), (bench, "shout"), (agent, "shout"), (renamed, "say")]
    for team_id in (made["id"], other["id"], "", "nothing"):
        for part, name in parts:
            said = json.dumps({"name": name, "arguments": {"text": "hello"}})
            body: JsonObject = {"component": part, "message": said, "team_id": team_id}
            expected = status if part is not renamed else 403
            assert as_role(server, headers, "POST /api/part-runs", body)[0] == expected, (team_id, part)
    allowed: JsonObject = {"component": tool, "message": json.dumps({"name": "shout", "arguments": {"text": "hello"}})}
    assert as_role(server, sign_in(server, "approver"), "POST /api/part-runs", allowed)[0] == 200


def test_the_studio_keeps_to_itself_what_tools_were_known(client: TestClient):
    made = ruled(client, DENY)
    forged = {"policy": {**DENY, "known": []}}
    assert client.put(f"/api/teams/{made['id']}/policy", json=forged).json()["policy"]["known"] is None
    assert client.get(f"/api/teams/{made['id']}/policy").json()["policy"]["known"] is None
    assert client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).status_code == 201


CAREFUL = (
    "def shout(text: str, times: int = 1, force: bool = False, how: str = 'all') -> str:\n    return text.upper()\n"
)


@pytest.mark.parametrize(
    ("argument", "test", "value", "given"),
    [
        ("force", "equals", "true", {"force": "yes"}),
        ("force", "equals", "true", {"force": 1}),
        ("times", "matches", r"\d{4,}", {"times": "1_000"}),
        ("times", "equals", "2", {"times": 2.0}),
        ("times", "equals", "2", {"times": " 2 "}),
        ("how", "equals", "all", {}),
        ("times", "equals", "1", {}),
    ],
)
def test_a_rule_holds_for_what_the_tool_makes_of_its_arguments(
    client: TestClient, argument: str, test: str, value: str, given: JsonObject
):
    """A tool turns texts into numbers, and has defaults for what a model leaves out."""
    document = cast("Any", shouting())
    agent = document["config"]["participants"][0]["config"]
    agent["tools"] = [function_tool(CAREFUL)]
    call = agent["model_client"]["config"]["chat_completions"][0]["content"][0]
    call["arguments"] = json.dumps({"text": "hello", **given})
    team_id = client.post("/api/teams", json={"component": document}).json()["id"]
    when = [{"argument": argument, "test": test, "value": value}]
    policy = {"rules": [{"tool": "shout", "verdict": "deny", "when": when}]}
    assert client.put(f"/api/teams/{team_id}/policy", json={"policy": policy}).status_code == 200
    allow_all(client, team_id)
    run_id = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()["id"]
    said = json.dumps(entries(stream(client, run_id)))
    assert "This call was refused." in said
    assert "HELLO" not in said
