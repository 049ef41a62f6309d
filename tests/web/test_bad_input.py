"""Bad input ends in a clear message of one shape, and the studio stays up."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from studio.errors import ModelUnavailable, NotFound
from studio.runs import NotApproved, RunAlreadyEnded
from studio.store.approvals import Approvals
from studio.web.error_handlers import status_of
from tests.web.documents import assistant, gallery, team

JSON = {"Content-Type": "application/json"}
SHAPE = {"code", "message", "fix", "where"}


def post(client: TestClient, path: str, text: str) -> tuple[int, dict[str, str]]:
    response = client.post(path, content=text, headers=JSON)
    error = response.json()["error"]
    assert set(error) == SHAPE
    assert error["message"]
    return response.status_code, error


@pytest.mark.parametrize("path", ["/api/teams", "/api/validate", "/api/galleries", "/api/runs", "/fragments/form"])
def test_malformed_json_says_where(client: TestClient, path: str):
    status, error = post(client, path, '{"component": {"provider": }')
    assert (status, error["code"]) == (400, "invalid_document")
    assert "line 1, column 28" in error["message"]


@pytest.mark.parametrize("path", ["/api/teams", "/api/validate", "/api/galleries", "/api/galleries/preview"])
def test_ten_thousand_levels_are_refused(client: TestClient, path: str):
    status, error = post(client, path, '{"component": ' + '{"a":' * 10_000 + "1" + "}" * 10_001)
    assert (status, error["code"]) == (400, "invalid_document")
    assert "nested more than 200 levels" in error["message"]


def test_a_cycle_in_yaml_is_refused(client: TestClient):
    response = client.post("/api/galleries", json={"text": "a: &a\n  b: *a\n"})
    assert response.status_code == 400
    assert "aliases" in response.json()["error"]["message"]


def test_a_misspelt_field_of_a_request_is_named(client: TestClient):
    response = client.post("/api/teams", json={"componnent": team()})
    assert response.status_code == 422
    body = response.json()
    assert body["error"]["code"] == "invalid_request"
    assert body["findings"][0]["where"] == "/componnent"


def test_a_value_of_another_type_is_refused(client: TestClient):
    """True is no number here, nor is text: what it would be taken for can be the release that goes live."""
    breakpoints = {"breakpoints": [{"id": "a", "on": "tokens", "limit": True}]}
    for method, path, body, where in (
        ("PUT", "/api/deployments/support/live", {"number": True}, "/number"),
        ("POST", "/api/account/tokens", {"label": "x", "days": "30"}, "/days"),
        ("PATCH", "/api/deployments/support/webhooks/none", {"is_on": "no"}, "/is_on"),
        (
            "PATCH",
            "/api/deployments/support",
            {"settings": {"limits": {"call_usd": True}}},
            "/settings/limits/call_usd",
        ),
        ("PUT", "/api/budget", {"run": {"tokens": True}}, "/run/tokens"),
        ("PUT", "/api/teams/none/breakpoints", breakpoints, "/breakpoints/0/limit"),
    ):
        response = client.request(method, path, json=body)
        assert (response.status_code, response.json()["findings"][0]["where"]) == (422, where)


def test_a_file_larger_than_allowed_is_told_clearly(client: TestClient):
    response = client.post("/api/galleries", files={"file": ("huge.json", b" " * 50 * 1024 * 1024)})
    assert response.status_code == 413
    assert "larger than 20 MB" in response.json()["error"]["message"]
    assert client.get("/api/galleries").status_code == 200


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\x00", b"PK\x03\x04\xff", b"", b"hello", b"42", b"{}", b"[]"])
def test_a_file_that_is_no_gallery_says_so(client: TestClient, content: bytes):
    response = client.post("/api/galleries/preview", files={"file": ("gallery.json", content, "application/json")})
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "invalid_document"


def test_the_content_decides_what_a_file_is(client: TestClient):
    content = json.dumps(gallery(teams=[team()]))
    response = client.post("/api/galleries/preview", files={"file": ("cat.png", content, "image/png")})
    assert response.json()["counts"] == {"teams": 1}


def test_a_name_that_climbs_out_of_its_folder_is_only_a_name(client: TestClient):
    content = json.dumps(gallery(teams=[team()]))
    added = client.post("/api/galleries", files={"file": ("../../etc/passwd", content)}).json()
    assert client.get(f"/api/galleries/{added['id']}").json()["source"] == "passwd"


def test_half_a_character_is_replaced_and_breaks_nothing(client: TestClient):
    document = team(label="half \ud83d")
    made = client.post("/api/teams", content=json.dumps({"component": document}), headers=JSON)
    assert made.status_code == 201
    assert client.get(f"/api/teams/{made.json()['id']}").json()["component"]["label"] == "half \ufffd"
    assert "half \ufffd" in client.get("/teams").text


@pytest.mark.parametrize("path", ["/api/validate", "/api/python", "/fragments/form", "/api/teams"])
def test_half_a_character_is_taken_by_every_route(client: TestClient, path: str):
    body = json.dumps({"component": team(assistant("writer", "half \ud83d"), label="half \ud83d")})
    assert client.post(path, content=body, headers=JSON).status_code in {200, 201}


def test_half_a_character_in_a_file_is_taken(client: TestClient):
    files = {"file": ("half.json", json.dumps(gallery("half \ud83d", teams=[team()])))}
    assert client.post("/api/galleries", files=files).json()["name"] == "half \ufffd"


def test_an_unknown_page_is_a_page_and_an_unknown_api_route_is_json(client: TestClient):
    page = client.get("/nothing")
    assert (page.status_code, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "There is no page at this address." in page.text
    data = client.get("/api/nothing")
    assert (data.status_code, data.json()["error"]["code"]) == (404, "not_found")
    assert client.delete("/api/teams").json()["error"]["code"] == "method_not_allowed"


def test_a_mistake_of_the_studio_tells_nothing_of_its_insides(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    async def broken(_: object) -> None:
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr(Approvals, "list", broken)
    response = client.get("/api/approvals")
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal")
    assert "swordfish" not in response.text
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("x"), 404),
        (RunAlreadyEnded("x"), 409),
        (ModelUnavailable("x"), 502),
    ],
)
def test_the_class_of_an_error_decides_the_status(error: NotFound, status: int):
    assert status_of(error) == status


def test_what_is_not_approved_is_forbidden():
    assert NotApproved.__mro__[1].__name__ == "Forbidden"


def test_the_openapi_document_names_every_api_route(client: TestClient):
    paths = client.get("/api/openapi.json").json()["paths"]
    assert {"/api/teams", "/api/runs/{run_id}/stream", "/api/galleries/preview", "/api/validate"} <= set(paths)
    assert all(operation["summary"] for path in paths.values() for operation in path.values())
