"""What is done is written down with who did it, and holds nothing of what was sent."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient

from studio.web.auth import NEEDS
from studio.web.auth.audit_words import WORDS
from tests.web.documents import team
from tests.web.doors import TOKEN, client_of
from tests.web.following import stream
from tests.web.signing_in import PASSWORD, add, signed_in, work_passwords_out_quickly

CANARY = "sk-canary-0123456789"


@pytest.fixture
def ada(client: TestClient, server: TestClient) -> TestClient:
    work_passwords_out_quickly(server)
    add(client, "Ada", "admin")
    return signed_in(server, "Ada")


def newest(admin: TestClient, count: int = 1) -> list[tuple[str, str, str, str]]:
    lines = admin.get("/api/audit", params={"limit": count}).json()
    return [(line["who"], line["action"], line["object"], line["outcome"]) for line in lines]


def test_each_change_is_written_down_with_who_made_it(ada: TestClient):
    team_id = ada.post("/api/teams", json={}).json()["id"]
    assert newest(ada) == [("Ada", "POST /api/teams", "/api/teams", "201")]
    ada.delete(f"/api/teams/{team_id}")
    assert newest(ada) == [("Ada", "DELETE /api/teams/{team_id}", f"/api/teams/{team_id}", "204")]
    ada.delete(f"/api/teams/{team_id}")
    assert newest(ada)[0][3] == "404"


def test_without_users_the_owner_is_you(client: TestClient):
    client.post("/api/teams", json={})
    assert newest(client) == [("owner", "POST /api/teams", "/api/teams", "201")]


def test_looking_is_not_written_down(ada: TestClient):
    before = newest(ada)
    ada.get("/teams")
    ada.post("/api/validate", json={"component": {}})
    assert newest(ada) == before


def test_what_a_role_may_not_do_is_written_down(ada: TestClient, server: TestClient):
    add(ada, "Bob", "viewer")
    bob = signed_in(server, "Bob")
    bob.get("/audit")
    assert newest(ada) == [("Bob", "GET /audit", "/audit", "403")]


def test_a_change_of_role_says_which(ada: TestClient):
    user_id = add(ada, "Bob", "viewer")
    ada.put(f"/api/users/{user_id}/role", json={"role": "approver"})
    assert ("Ada", "set a role", "Bob", "approver") in newest(ada, 2)


def test_a_wrong_token_is_written_down_without_the_token(ada: TestClient, server: TestClient):
    client_of(server, {"Authorization": f"Bearer {CANARY}"}).get("/api/teams")
    assert newest(ada) == [("unknown", "use a token", "", "refused")]


def test_it_holds_no_secret_no_password_and_no_token(ada: TestClient):
    ada.put("/api/secrets/openai", json={"value": CANARY})
    ada.post("/api/users", json={"name": "Bob", "password": CANARY})
    ada.put("/api/account/password", json={"old": CANARY, "new": CANARY})
    token = ada.post("/api/account/tokens", json={"label": "nightly"}).json()["token"]
    log = json.dumps(ada.get("/api/audit", params={"limit": 1000}).json())
    assert "/api/secrets/openai" in log
    for secret in (CANARY, PASSWORD, TOKEN, token, ada.cookies["studio-8040"]):
        assert secret not in log


def test_the_page_tells_it_in_words(ada: TestClient):
    ada.post("/api/teams", json={})
    team_id = ada.post("/api/teams", json={"component": team(label="Poets")}).json()["id"]
    ada.put(f"/api/teams/{team_id}/budget", json={})
    run_id = ada.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()["id"]
    stream(ada, run_id)  # a team that runs is not deleted
    page = ada.get("/audit").text
    assert "Created a team" in page
    assert re.search(rf'Set the limits of a team<br><a class="small" href="/teams/{team_id}">Poets</a>', page)
    assert "/api/" not in page.partition("<main")[2].partition("</main>")[0]
    ada.delete(f"/api/teams/{team_id}")
    assert "Deleted team" in ada.get("/audit").text
    assert "Added a user" in ada.get("/audit", params={"who": "owner"}).text
    assert "Created a team" not in ada.get("/audit", params={"who": "owner"}).text


def test_every_change_is_told_in_words():
    assert [route for route, need in NEEDS.items() if need.is_change and route not in WORDS] == []


def test_it_is_read_page_by_page(ada: TestClient):
    for _ in range(3):
        ada.post("/api/teams", json={})
    first = ada.get("/api/audit", params={"limit": 2}).json()
    second = ada.get("/api/audit", params={"limit": 2, "before": first[-1]["id"]}).json()
    ids = [line["id"] for line in first + second]
    assert ids == sorted(ids, reverse=True)
    assert len(set(ids)) == 4
