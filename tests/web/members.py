"""People of a shared studio, each signed in as their browser would be."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from fastapi.testclient import TestClient

from studio.store import ROLES, Role
from tests.web.direct import Answer, Asked, ask
from tests.web.signing_in import work_passwords_out_quickly

PASSWORD = "a long password that only tests know"
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "http://127.0.0.1:8040"}


def sign_in(server: TestClient, role: Role) -> dict[str, str]:
    """The headers of a browser in which the member with that role has signed in just now."""
    form = urlencode({"name": f"the {role}", "password": PASSWORD}).encode()
    answer = ask(server, Asked("POST", "/login", body=form, headers=FORM))
    assert answer.status == 303, answer.status
    cookie = answer.headers["set-cookie"].partition(";")[0]
    page = ask(server, Asked("GET", "/teams"), {"Cookie": cookie})
    found = re.search(rb'name="csrf-token" content="([^"]+)"', page.body)
    assert found
    return {"Cookie": cookie, "X-Studio-CSRF": found[1].decode()}


def add_members(client: TestClient) -> dict[Role, str]:
    """A user for each role, by id; from then on the studio is a shared one."""
    work_passwords_out_quickly(client)
    made: dict[Role, str] = {}
    for role in reversed(ROLES):
        answer = client.post("/api/users", json={"name": f"the {role}", "role": role, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        made[role] = answer.json()["id"]
    return made


def asked_by(
    server: TestClient, headers: dict[str, str], route: str, body: bytes = b"", *, address: str = "127.0.0.1"
) -> Answer:
    """How a route answers, given as `METHOD /path`."""
    method, path = route.split(" ", 1)
    path, _, query = path.partition("?")
    sent = {"Content-Type": "application/json"} if method in {"POST", "PUT", "PATCH"} else {}
    return ask(server, Asked(method, path, query, body, sent, address), headers)
