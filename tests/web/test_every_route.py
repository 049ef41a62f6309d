"""Every route, asked by every role and by nobody, for things that are there, that are not, and that are another kind.

The routes are those of the application, and what each needs is read from its table of roles: a route that is added is
tried here as well, without a line for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.settings import Settings
from studio.store import ROLES, Role
from studio.web.app import create_app
from studio.web.auth import NEEDS
from studio.web.auth.person import CALLER, CLIENT, GUEST, SENDER, VISITOR
from tests.web.direct import Answer
from tests.web.documents import team, termination
from tests.web.doors import BASE_URL, NEEDS_OF_PEOPLE, TOKEN, client_of
from tests.web.furnished import Furnished, furnish
from tests.web.members import add_members, asked_by, sign_in

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
NUMBERS = {"seq", "number", "index"}
SIGNS_OUT = {"POST /api/account/sign-out", "DELETE /api/account/sign-ins"}
ELSEWHERE = "203.0.113.9"
"""Where those come from who guess, so that they alone are slowed down."""
CANARY = "canary-of-somebody-else"
OWN_KIND = {
    "team_id": "team",
    "run_id": "run",
    "other_id": "run",
    "session_id": "run",
    "gallery_id": "gallery",
    "user_id": "user",
    "sign_in_id": "sign-in",
    "capability_hash": "approval",
    "approval": "approval",
    "try_id": "try",
}
"""Which kind of thing each parameter names."""


@dataclass(frozen=True)
class Shared:
    """A studio with users, and something of each kind in it; what can be read of a thing has a canary in it."""

    server: TestClient
    client: TestClient
    furnished: Furnished
    ids: dict[str, str]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    app = create_app(Settings(data_dir=tmp_path_factory.mktemp("studio") / "data", token=TOKEN))
    with TestClient(app, base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        furnished, users = furnish(server, client), add_members(client)
        yield Shared(server, client, furnished, {**_things(client), **_of_accounts(server, users)})


def _of_accounts(server: TestClient, users: dict[Role, str]) -> dict[str, str]:
    """A user, and a token of the admin's: it stays when browsers are signed out."""
    asked = json.dumps({"label": CANARY}).encode()
    made = asked_by(server, sign_in(server, "admin"), "POST /api/account/tokens", asked)
    return {"user": users["viewer"], "sign-in": json.loads(made.body)["id"]}


def _things(client: TestClient) -> dict[str, str]:
    """Ids by kind."""
    component = team(label=CANARY)
    made = client.post("/api/teams", json={"component": component, "name": CANARY}).json()
    run = client.post("/api/runs", json={"team_id": made["id"], "task": CANARY}).json()
    client.get(f"/api/runs/{run['id']}/stream")  # to its end
    gallery = client.post("/api/galleries", json={"text": json.dumps(component)}).json()
    return {
        "team": made["id"],
        "run": run["id"],
        "gallery": gallery["id"],
        "approval": client.get("/api/approvals").json()[0]["id"],
    }


def filled(route: str, ids: dict[str, str], other: str = "none") -> str:
    """The address of a route, with ids for its parameters, by their names."""
    known = {name: ids.get(kind, other) for name, kind in OWN_KIND.items()}
    return PARAMETER.sub(lambda found: "1" if found[1] in NUMBERS else known.get(found[1], other), route)


def everything() -> list[str]:
    """All routes that the table of roles has for people; those that end the sign-in of who asks come last."""
    routes = [route.replace("/static", "/static/css/tokens.css") for route in NEEDS_OF_PEOPLE]
    return sorted(routes, key=lambda route: route in SIGNS_OUT)


def is_refused_for_role(answer: Answer) -> bool:
    return answer.status == 403 and b"This needs the role" in answer.body


def needed(route: str) -> Role:
    return NEEDS_OF_PEOPLE[route.replace("/static/css/tokens.css", "/static")][0]


def test_the_table_speaks_of_pages_fragments_files_and_the_api():
    prefixes = {route.split()[1].split("/")[1] for route in NEEDS}
    assert {"api", "fragments", "static", "teams", "runs"} <= prefixes
    assert len(NEEDS) > 110
    assert {need.role for need in NEEDS.values()} == {*ROLES, CALLER, CLIENT, VISITOR, GUEST, SENDER}


@pytest.mark.parametrize("role", ROLES)
def test_a_route_refuses_exactly_the_roles_below_its_own(shared: Shared, role: Role):
    headers = sign_in(shared.server, role)
    wrong: dict[str, str] = {}
    for route in everything():
        answer = asked_by(shared.server, headers, filled(route, {}))
        is_below = ROLES.index(role) < ROLES.index(needed(route))
        if answer.error or answer.status >= 500 or answer.status == 401 or is_refused_for_role(answer) != is_below:
            wrong[route] = f"{answer.status} {answer.body[:200]!r} {answer.error}"
        if route in SIGNS_OUT:
            headers = sign_in(shared.server, role)
    assert wrong == {}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong-but-long-enough"},
        {"Cookie": "studio-8040=wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"X-Studio-CSRF": TOKEN},
        {"X-Forwarded-User": "the admin", "X-Forwarded-For": "127.0.0.1"},
    ],
    ids=["nothing", "a wrong token", "a wrong cookie", "another scheme", "a header alone", "a proxy's word"],
)
def test_nobody_is_let_in_who_is_not_known(shared: Shared, headers: dict[str, str]):
    statuses = {
        route: asked_by(shared.server, headers, filled(route, shared.ids), address=ELSEWHERE).status
        for route in [*everything(), *(route for route, need in NEEDS.items() if need.role in (CALLER, VISITOR))]
        if route != "GET /login"
    }
    assert {route: status for route, status in statuses.items() if status not in {401, 429}} == {}


def test_a_member_changes_nothing_without_the_header_of_our_pages(shared: Shared):
    """Or with the one of somebody else's page."""
    cookie = {"Cookie": sign_in(shared.server, "admin")["Cookie"]}
    other = {**sign_in(shared.server, "viewer"), **cookie}
    for headers in (cookie, other):
        answers = {
            route: asked_by(shared.server, headers, filled(route, shared.ids))
            for route in everything()
            if not route.startswith("GET ")
        }
        assert {route: answer for route, answer in answers.items() if answer.status != 403} == {}


def test_who_may_not_learns_nothing_of_what_is_there(shared: Shared):
    """A refusal is the same for what exists and for what does not."""
    headers = sign_in(shared.server, "viewer")
    for route in everything():
        if needed(route) != "viewer":
            there = asked_by(shared.server, headers, filled(route, shared.ids))
            nowhere = asked_by(shared.server, headers, filled(route, {}))
            assert (there.status, there.body) == (nowhere.status, nowhere.body), route
            assert CANARY.encode() not in there.body


def foreign(shared: Shared) -> Iterator[tuple[str, str]]:
    """Each route with a parameter, with the id of each thing of another kind in its place."""
    for route in everything():
        kinds = {OWN_KIND.get(name) for name in PARAMETER.findall(route)} - {None}
        if kinds:
            yield from ((route, kind) for kind in shared.ids if kind not in kinds)


def test_the_id_of_another_kind_of_thing_leads_nowhere(shared: Shared):
    headers = sign_in(shared.server, "admin")
    tried, wrong = 0, dict[str, str]()
    for route, kind in foreign(shared):
        stranger = {each: shared.ids[kind] for each in (*shared.ids, "try")}
        for body in (b"", b"{}"):
            tried += 1
            answer = asked_by(shared.server, headers, filled(route, stranger, other="agents"), body)
            if not 400 <= answer.status < 500 or CANARY.encode() in answer.body:
                wrong[f"{route} with the id of a {kind}"] = f"{answer.status} {answer.body[:200]!r} {answer.error}"
    assert tried > 400
    assert wrong == {}


BODIES: dict[str, JsonObject] = {
    "POST /api/runs": {"team_id": "ID", "task": "Go."},
    "POST /api/teams": {"from_gallery": {"gallery_id": "ID", "group": "teams", "index": 0}},
    "POST /api/part-runs/termination": {"component": termination(3), "run_id": "ID"},
    "POST /fragments/diff": {"before": {"team_id": "ID", "version": 1}, "after": {"team_id": "ID", "version": 1}},
    "POST /fragments/places": {"gallery_id": "ID", "group": "teams", "index": 0},
    "POST /api/approvals": {"hashes": ["0" * 64], "team_id": "ID"},
    "POST /api/approvals ": {"hashes": ["0" * 64], "gallery_id": "ID"},
    "POST /api/approvals  ": {"hashes": ["ID"]},
}
RIGHT_KIND = {
    "POST /api/runs": "team",
    "POST /api/teams": "gallery",
    "POST /api/part-runs/termination": "run",
    "POST /fragments/diff": "team",
    "POST /fragments/places": "gallery",
}


@pytest.mark.parametrize("route", BODIES)
def test_nor_does_it_in_the_body_of_a_request(shared: Shared, route: str):
    headers = sign_in(shared.server, "admin")
    for kind, thing in shared.ids.items():
        if kind != RIGHT_KIND.get(route.strip()):
            body = json.dumps(BODIES[route]).replace('"ID"', json.dumps(thing)).encode()
            answer = asked_by(shared.server, headers, route.strip(), body)
            assert 400 <= answer.status < 500, (kind, answer)
            assert CANARY.encode() not in answer.body


def test_nobody_ends_or_sees_the_sign_in_of_somebody_else(shared: Shared):
    viewer, admin = sign_in(shared.server, "viewer"), sign_in(shared.server, "admin")
    theirs = shared.ids["sign-in"]
    assert asked_by(shared.server, viewer, f"DELETE /api/account/sign-ins/{theirs}").status == 404
    assert theirs.encode() not in asked_by(shared.server, viewer, "GET /api/account/sign-ins").body
    assert theirs.encode() in asked_by(shared.server, admin, "GET /api/account/sign-ins").body


def test_the_entry_of_another_run_is_not_this_ones(shared: Shared):
    """A fork has its parent's entries up to where it parted, and no further ones."""
    client, run_id = shared.client, shared.ids["run"]
    last = client.get(f"/api/runs/{run_id}").json()["last_seq"]
    for path in (f"runs/{shared.furnished.ended_id}/prompts/{last + 50}", f"runs/{run_id}/prompts/{last + 50}"):
        assert client.get(f"/api/{path}").status_code in {404, 422}
    forked = client.post(f"/api/runs/{run_id}/fork", json={"seq": last + 50})
    assert 400 <= forked.status_code < 500
