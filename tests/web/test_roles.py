"""Who may use which route: the table is complete, and what it says holds."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.store import ROLES, Role
from studio.web.app import create_app
from studio.web.auth import NEEDS
from studio.web.auth.guard import OPEN_PATHS
from studio.web.auth.routes import Routes
from tests.web.doors import BASE_URL, NEEDS_OF_PEOPLE, TOKEN, client_of
from tests.web.signing_in import add, signed_in, work_passwords_out_quickly


def named(app: FastAPI) -> set[str]:
    """The routes of the application, as the table names them."""
    opened = {f"GET {path}" for path in OPEN_PATHS}
    return {route.name(method) for route in Routes(app.routes).all for method in route.methods} - opened


@pytest.fixture
def people(client: TestClient, server: TestClient) -> dict[Role, TestClient]:
    """A browser of somebody of each role, by role."""
    work_passwords_out_quickly(server)
    add(client, "admin", "admin")
    for role in ROLES[:-1]:
        add(client, role, role)
    return {role: signed_in(server, role) for role in ROLES}


def test_every_route_has_a_role_and_every_role_a_route(app: FastAPI):
    assert sorted(named(app) - NEEDS.keys()) == []
    assert sorted(NEEDS.keys() - named(app)) == []


def test_what_only_looks_is_a_viewers_unless_it_tells_of_people_or_secrets():
    others = {route for route, (role, _) in NEEDS_OF_PEOPLE.items() if route.startswith("GET") and role != "viewer"}
    assert others == {
        "GET /authorize",  # reads what a client says of itself, for who may let it in
        "GET /users",
        "GET /audit",
        "GET /api/users",
        "GET /api/audit",
        "GET /api/secrets",
        "GET /api/connections/found",
        "GET /settings/health",
        "GET /settings/workers",
        "GET /api/workers",
        "GET /api/deployments/{deployment}/webhooks",
        "GET /api/deployments/{deployment}/deliveries",
    }


def test_a_viewer_changes_nothing_but_what_is_their_own():
    changes = {route for route, (role, is_change) in NEEDS_OF_PEOPLE.items() if role == "viewer" and is_change}
    assert all("/api/account/" in route for route in changes)


@pytest.mark.slow
def test_each_route_refuses_every_role_below_its_own(people: dict[Role, TestClient]):
    for route, (needed, _) in NEEDS_OF_PEOPLE.items():
        method, _, path = route.partition(" ")
        for role in ROLES[: ROLES.index(needed)]:
            answer = people[role].request(method, path.replace("{", "").replace("}", ""))
            assert answer.status_code == 403, (route, role)
            if path.startswith(("/api/", "/fragments/")):
                assert answer.json()["error"]["code"] == "needs_role"
            else:
                assert "needs the role" in answer.text


@pytest.mark.slow
def test_nobody_is_refused_what_their_role_may(people: dict[Role, TestClient]):
    for route, (needed, _) in NEEDS_OF_PEOPLE.items():
        method, _, path = route.partition(" ")
        if method == "GET" and path != "/static":
            for role in ROLES[ROLES.index(needed) :]:
                answer = people[role].get(path.format_map(_Ones()))
                assert answer.status_code not in (401, 403), (route, role)


class _Ones(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "1"


def test_a_route_that_nobody_gave_a_role_is_refused_to_everybody(settings: Settings):
    app = create_app(settings)
    ran: list[bool] = []
    app.add_api_route(
        "/api/forgotten/{name}", lambda: ran.append(True), methods=["GET", "POST"], include_in_schema=False
    )
    with TestClient(app, base_url=BASE_URL) as server:
        owner = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        for method in ("GET", "POST"):
            refused = owner.request(method, "/api/forgotten/it")
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "no_role")
    assert ran == []


@pytest.mark.slow
def test_another_role_holds_at_once(people: dict[Role, TestClient]):
    viewer, admin = people["viewer"], people["admin"]
    user_id = next(user["id"] for user in admin.get("/api/users").json() if user["name"] == "viewer")
    assert viewer.post("/api/teams", json={}).status_code == 403
    assert admin.put(f"/api/users/{user_id}/role", json={"role": "editor"}).status_code == 200
    assert viewer.post("/api/teams", json={}).status_code == 201
    assert admin.put(f"/api/users/{user_id}/role", json={"role": "viewer"}).status_code == 200
    assert viewer.post("/api/teams", json={}).status_code == 403


@pytest.mark.slow
def test_only_an_admin_lets_the_server_fetch(people: dict[Role, TestClient]):
    asked = {"url": "http://127.0.0.1:9/gallery.json"}
    for path in ("/api/galleries", "/api/galleries/preview", "/fragments/galleries/preview"):
        refused = people["approver"].post(path, json=asked)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "needs_role")
        assert people["admin"].post(path, json=asked).status_code == 422
    text = {"text": '{"provider": "autogen_agentchat.conditions.MaxMessageTermination", "config": {"max_messages": 1}}'}
    assert people["editor"].post("/api/galleries", json=text).status_code == 201


@pytest.mark.slow
def test_a_version_names_who_saved_it(people: dict[Role, TestClient]):
    editor = people["editor"]
    team = editor.post("/api/teams", json={}).json()
    body = {"component": {**team["component"], "label": "Other"}, "revision": 1, "author": "admin#browser.tab"}
    assert editor.put(f"/api/teams/{team['id']}", json=body).status_code == 200
    newest = editor.get(f"/api/teams/{team['id']}/versions").json()[0]
    assert newest["author"] == "editor#browser.tab"
