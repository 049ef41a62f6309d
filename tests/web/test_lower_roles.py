"""What a person has no role for is not reached another way: late bodies, deleted teams, forms, names and answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from queue import Queue
from threading import Thread
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.store import ROLES, Role
from tests.fakes.openai_server import OpenAIServer
from tests.runs.middleware.budgeted import agent, in_turn
from tests.web.direct import Asked, ask
from tests.web.documents import USER_PROXY, assistant, replay_model, team
from tests.web.pricing import priced, set_price, speaker
from tests.web.publishing import publish
from tests.web.signing_in import COOKIE, add, signed_in, work_passwords_out_quickly
from tests.web.spending import make_team, start, until_asked

KEY = "sk-canary-0123456789abcdefghij"


@pytest.fixture
def people(client: TestClient, server: TestClient) -> dict[Role, TestClient]:
    """A browser of somebody of each role, by role."""
    work_passwords_out_quickly(server)
    add(client, "admin", "admin")
    add(client, "second", "admin")
    for role in ROLES[:-1]:
        add(client, role, role)
    return {role: signed_in(server, role) for role in ROLES}


def id_of(owner: TestClient, name: str) -> str:
    return next(user["id"] for user in owner.get("/api/users").json() if user["name"] == name)


def headers_of(browser: TestClient) -> dict[str, str]:
    cookie = f"{COOKIE}={browser.cookies[COOKIE]}"
    return {"Cookie": cookie, "X-Studio-CSRF": browser.headers["X-Studio-CSRF"], "Content-Type": "application/json"}


def sent_slowly(
    server: TestClient, browser: TestClient, route: str, body: object, meanwhile: Callable[[], object]
) -> int:
    """The status of a request whose body comes after something else has happened."""
    method, path = route.split()
    asked = Asked(method, path, body=json.dumps(body).encode())
    return ask(server, asked, headers_of(browser), meanwhile=meanwhile).status


@pytest.mark.embedded
def test_whose_role_or_sign_in_ends_while_a_body_comes_does_nothing_with_it(
    server: TestClient, client: TestClient, people: dict[Role, TestClient]
):
    second, admin_id = signed_in(server, "second"), id_of(client, "admin")
    approver_id, editor_id = id_of(client, "approver"), id_of(client, "editor")
    promoted = {"name": "another", "role": "admin", "password": "correct horse battery"}

    def demote(user_id: str) -> Callable[[], object]:
        return lambda: second.put(f"/api/users/{user_id}/role", json={"role": "viewer"}).raise_for_status()

    assert sent_slowly(server, people["approver"], "POST /api/approvals", {"hashes": []}, demote(approver_id)) == 403
    own_role = f"PUT /api/users/{admin_id}/role"
    assert sent_slowly(server, people["admin"], own_role, {"role": "admin"}, demote(admin_id)) == 403
    leave = lambda: second.delete(f"/api/users/{editor_id}").raise_for_status()  # noqa: E731
    assert sent_slowly(server, people["editor"], "POST /api/teams", {"component": team()}, leave) == 403
    assert sent_slowly(server, second, "POST /api/users", promoted, int) == 201
    roles = {user["name"]: user["role"] for user in second.get("/api/users").json()}
    assert (roles["admin"], roles["approver"], "editor" in roles) == ("viewer", "viewer", False)


def test_a_key_that_is_revoked_while_a_body_comes_calls_nothing(server: TestClient, client: TestClient):
    published = publish(client)
    headers = {"Authorization": f"Bearer {published.key}", "Content-Type": "application/json"}
    asked = Asked("POST", "/d/support/calls", body=b'{"task": "Go."}')
    revoke = f"/api/deployments/support/keys/{published.key_id}"
    assert ask(server, asked, headers).status < 300
    answer = ask(server, asked, headers, meanwhile=lambda: client.delete(revoke).raise_for_status())
    assert answer.status == 403, answer.body
    assert len(client.get("/api/deployments/support/calls").json()) == 1


def test_a_team_stays_while_a_run_of_it_may_go_on(server: TestClient, client: TestClient):
    """Its rules say what its tools may be called for."""
    made = client.post("/api/teams", json={"component": team(assistant("writer", "A."), USER_PROXY)}).json()
    run_id = start(client, made["id"])
    assert until_asked(server, client, run_id)["state"] == "paused"
    refused = client.delete(f"/api/teams/{made['id']}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
    client.post(f"/api/runs/{run_id}/commands", json={"command": "cancel"}).raise_for_status()
    assert client.delete(f"/api/teams/{made['id']}").status_code == 204


def test_a_form_tells_who_only_looks_of_no_secret_and_no_variable(
    client: TestClient, people: dict[Role, TestClient], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LOWER_ROLES", KEY)
    client.put("/api/secrets/payroll", json={"value": KEY}).raise_for_status()

    def form(by: TestClient, reference: str) -> str:
        model = {**replay_model("x"), "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient"}
        component: Any = {**model, "config": {"model": "gpt-4o", "api_key": reference}}
        answer = by.post("/fragments/form", json={"component": component})
        assert answer.status_code == 200, answer.text
        return answer.text.replace(reference, "").replace(reference.partition(":")[2], "")

    assert "payroll" in form(people["editor"], "env:OTHER")
    assert form(people["editor"], "env:LOWER_ROLES") != form(people["editor"], "env:NOT_THERE_1")
    assert "payroll" not in form(people["viewer"], "env:OTHER")
    assert form(people["viewer"], "env:LOWER_ROLES") == form(people["viewer"], "env:NOT_THERE_1")
    assert form(people["viewer"], "secret:payroll") == form(people["viewer"], "secret:nothing")


def test_a_key_in_a_document_takes_the_place_of_no_other_one(client: TestClient, people: dict[Role, TestClient]):
    model: Any = {**replay_model("x"), "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient"}
    document = team({**assistant("writer"), "config": {"name": "writer", "model_client": model}})
    model["config"] = {"model": "gpt-4o", "api_key": KEY}
    kept = client.post("/api/teams", json={"component": document}).json()["component"]
    name = kept["config"]["participants"][0]["config"]["model_client"]["config"]["api_key"].partition(":")[2]
    assert people["editor"].post("/api/teams", json={"component": document}).status_code == 201
    client.put(f"/api/secrets/{name}", json={"value": "sk-canary-another-0123456789"}).raise_for_status()
    before = client.get("/api/secrets").json()
    refused = people["editor"].post("/api/teams", json={"component": document})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
    assert KEY not in refused.text
    assert client.get("/api/secrets").json() == before


def test_the_limit_of_the_whole_studio_is_raised_by_its_admins(
    server: TestClient, client: TestClient, people: dict[Role, TestClient]
):
    set_price(client)
    client.put("/api/budget", json={"day": {"micro_usd": 300}}).raise_for_status()
    run_id = start(client, make_team(client))
    run = until_asked(server, client, run_id)
    assert run["pending"]["details"]["scope"] == "studio_day"
    body = {"command": "answer", "request_id": run["pending"]["request_id"], "text": '{"action":"raise","by":100000}'}
    refused = people["editor"].post(f"/api/runs/{run_id}/commands", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "needs_role")
    assert client.get(f"/api/runs/{run_id}").json()["state"] == "paused"
    assert people["admin"].post(f"/api/runs/{run_id}/commands", json=body).status_code == 200


def test_a_call_that_no_limit_can_count_is_allowed_by_admins_where_all_teams_have_one(
    server: TestClient,
    client: TestClient,
    people: dict[Role, TestClient],
    openai_server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
):
    """The question names the tighter limit of the run, and an answer lets the call past both."""

    def is_elsewhere(url: str) -> bool:
        return url != openai_server.url  # on this machine models cost nothing

    monkeypatch.setattr("studio.models.service.is_this_machine", is_elsewhere)
    client.put("/api/budget", json={"day": {"micro_usd": 10_000}}).raise_for_status()
    document = in_turn(agent("writer", model="unheard-of", base_url=openai_server.url), turns=1)
    team_id = client.post("/api/teams", json={"component": document}).json()["id"]
    client.put(f"/api/teams/{team_id}/budget", json={"run": {"micro_usd": 300}}).raise_for_status()
    missing = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()["missing"]
    client.post("/api/approvals", json={"hashes": [each["hash"] for each in missing]}).raise_for_status()
    run_id = start(client, team_id)
    pending = until_asked(server, client, run_id)["pending"]
    assert (pending["details"]["scope"], pending["details"]["why"]) == ("run", "unpriced")
    body = {"command": "answer", "request_id": pending["request_id"], "text": "allow"}
    refused = people["editor"].post(f"/api/runs/{run_id}/commands", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "needs_role")
    assert openai_server.request_count == 0
    assert people["admin"].post(f"/api/runs/{run_id}/commands", json=body).status_code == 200


@pytest.mark.embedded
def test_nor_does_an_editor_raise_it_while_they_try_a_part(client: TestClient, people: dict[Role, TestClient]):
    set_price(client)
    client.put("/api/budget", json={"day": {"micro_usd": 300}}).raise_for_status()
    part = {"component": speaker("writer", priced(100, 0), priced(100, 0)), "message": "Go."}
    events, editor = Queue[Any](), people["editor"]

    def follow() -> None:
        with editor.stream("POST", "/api/part-runs", json=part) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: {"):
                    events.put(json.loads(line.removeprefix("data: ")))

    def asked(kind: str) -> str:
        while True:
            pending = events.get(timeout=15).get("pending")
            if pending and pending["kind"] == kind:
                return pending["request_id"]

    following = Thread(target=follow)
    following.start()
    address = f"/api/part-runs/{events.get(timeout=15)['id']}/commands"
    editor.post(address, json={"command": "answer", "request_id": asked("input"), "text": "More."}).raise_for_status()
    body = {"command": "answer", "request_id": asked("budget"), "text": '{"action":"raise","by":100000}'}
    refused = editor.post(address, json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "needs_role")
    editor.post(address, json={"command": "cancel"}).raise_for_status()
    following.join(15)
