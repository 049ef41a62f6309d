"""The guard stands in front of every route."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from starlette.routing import Mount
from starlette.websockets import WebSocketDisconnect

from studio.errors import SetupError
from studio.settings import Settings
from studio.web.app import create_app
from studio.web.auth.access_token import Keys, access_token
from studio.web.auth.guard import OPEN_PATHS, allowed_hosts
from studio.web.auth.sessions import MAX_WRONG_PER_ADDRESS
from tests.web.doors import BASE_URL, TOKEN

SAFE = {"GET", "HEAD"}
OAUTH = {"/register", "/token"}
COOKIE = "studio-8040"


def routes(app: FastAPI) -> list[tuple[str, str]]:
    """Every method and path that the application answers, but the health checks."""
    return [route for route in _all_routes(app) if route[1] not in OPEN_PATHS]


def _all_routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, Mount):
            yield "GET", f"{route.path}/css/studio.css"
        path = context.path
        for method in sorted(context.methods or ()):
            if path is not None:
                yield method, path.format_map(_Ones())


class _Ones(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "1"


def csrf(settings: Settings) -> dict[str, str]:
    return {"X-Studio-CSRF": Keys.from_settings(settings).csrf}


def test_the_walk_finds_the_routes_of_every_kind(app: FastAPI):
    found = routes(app)
    paths = {path for _, path in found}
    assert {"/teams", "/api/teams", "/fragments/form", "/api/runs/1/stream", "/login", "/api/openapi.json"} <= paths
    assert any(path.startswith("/static/") for path in paths)
    assert len(found) > 45


def test_no_route_answers_without_a_token_but_the_empty_chat_page(app: FastAPI, stranger: TestClient):
    statuses = {(method, path): stranger.request(method, path).status_code for method, path in routes(app)}
    answered = {route: status for route, status in statuses.items() if status not in (401, 403)}
    assert answered == {
        ("GET", "/d/1/chat"): 200,
        ("GET", "/d/1/chat/embed.js"): 200,
        ("GET", "/d/1/chat/files/1/1"): 404,
        ("POST", "/d/1/chat/tokens"): 422,
        ("GET", "/.well-known/oauth-authorization-server"): 200,
        ("GET", "/.well-known/oauth-protected-resource/d/1/mcp"): 200,
        ("POST", "/register"): 400,
        ("POST", "/token"): 400,
    }
    assert stranger.post("/d/1/chat/tokens", json={}).status_code == 403


def test_no_route_answers_to_a_foreign_host(app: FastAPI, client: TestClient):
    for method, path in routes(app):
        response = client.request(method, path, headers={"Host": "evil.example:8040"})
        assert response.status_code == 421, (method, path)


def test_no_change_is_made_for_a_foreign_origin(app: FastAPI, client: TestClient):
    for method, path in routes(app):
        if method not in SAFE:
            response = client.request(method, path, headers={"Origin": "https://evil.example"})
            assert response.status_code == 403, (method, path)


def test_no_change_is_made_by_cookie_without_the_csrf_header(app: FastAPI, browser: TestClient):
    for method, path in routes(app):
        if method not in SAFE:
            # A cookie opens no deployment, and is nothing to OAuth. It may lead to a token, which changes nothing.
            status = 401 if path.startswith("/d/") else 400 if path in OAUTH else 403
            response = browser.request(method, path, json={} if path.endswith("/tokens") else None)
            assert response.status_code == (403 if path.endswith("/chat/tokens") else status), (method, path)


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1:9000", "http://127.0.0.1:8040.evil.example"])
def test_origins_are_compared_exactly(client: TestClient, origin: str):
    assert client.post("/api/teams", json={}, headers={"Origin": origin}).status_code == 403


def test_another_port_of_this_machine_cannot_read_or_frame(browser: TestClient):
    fetched = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    framed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert browser.get("/api/teams", headers=fetched).status_code == 403
    assert browser.get("/teams", headers=framed).status_code == 403


def test_a_link_from_elsewhere_opens_a_page(browser: TestClient):
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert browser.get("/teams", headers=followed).status_code == 200


def test_a_link_from_elsewhere_asks_the_browser_once_for_the_cookie_that_it_kept_back(stranger: TestClient):
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    first = stranger.get("/costs?to=2026-01-01", headers=followed)
    assert '<meta http-equiv="refresh" content="0; url=/costs?to=2026-01-01">' in first.text
    assert stranger.get("/costs", headers={**followed, "Sec-Fetch-Site": "same-origin"}).status_code == 401
    assert stranger.get("/api/costs", headers=followed).status_code == 403


def test_a_page_without_a_token_is_the_login_page(stranger: TestClient):
    response = stranger.get("/teams")
    assert response.status_code == 401
    assert "<form" in response.text
    assert "style-src 'self' 'sha256-" in response.headers["Content-Security-Policy"]


def test_the_token_in_the_address_becomes_a_cookie(stranger: TestClient):
    response = stranger.get(f"/galleries?kind=teams&token={TOKEN}")
    assert response.status_code == 303
    assert response.headers["Location"] == "/galleries?kind=teams"
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie


def test_signing_in_cannot_lead_to_another_site(stranger: TestClient):
    response = stranger.get(f"{BASE_URL}//evil.example/?token={TOKEN}")
    assert response.headers["Location"] == "/evil.example/"


def test_the_token_in_an_api_address_is_not_taken(stranger: TestClient):
    assert stranger.get(f"/api/teams?token={TOKEN}").status_code == 401


def test_a_wrong_cookie_is_taken_away(stranger: TestClient):
    response = stranger.get("/teams", headers={"Cookie": f"{COOKIE}=wrong"})
    assert response.status_code == 401
    assert "Max-Age=0" in response.headers["Set-Cookie"]


def test_guessing_tokens_is_slowed_down(stranger: TestClient):
    statuses = [
        stranger.get("/api/teams", headers={"Authorization": f"Bearer {number}"}).status_code
        for number in range(MAX_WRONG_PER_ADDRESS + 1)
    ]
    assert statuses == [401] * MAX_WRONG_PER_ADDRESS + [429]


def test_the_right_token_comes_in_after_any_number_of_wrong_ones(stranger: TestClient):
    for number in range(MAX_WRONG_PER_ADDRESS + 5):
        stranger.get("/api/teams", headers={"Authorization": f"Bearer {number}"})
    assert stranger.get("/api/teams", headers={"Authorization": "Bearer wrong"}).status_code == 429
    assert stranger.get("/api/teams", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert stranger.get(f"/teams?token={TOKEN}", follow_redirects=False).status_code == 303


def test_who_is_signed_in_is_not_slowed_down(browser: TestClient):
    for _ in range(MAX_WRONG_PER_ADDRESS + 1):
        browser.get("/api/teams", headers={"Authorization": "Bearer wrong", "Cookie": ""})
    assert browser.get("/api/teams").status_code == 200


def test_a_signed_in_page_may_change_things_with_its_header(browser: TestClient, settings: Settings):
    made = browser.post("/api/teams", json={}, headers=csrf(settings))
    assert made.status_code == 201


def test_every_answer_carries_the_headers(browser: TestClient, stranger: TestClient):
    refused = stranger.get("/api/teams", headers={"Host": "evil.example"})
    for response in (browser.get("/teams"), browser.get("/api/teams"), browser.get("/nothing"), refused):
        csp = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in csp
        assert "frame-ancestors 'none'" in csp
        assert "unsafe" not in csp
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "camera=()" in response.headers["Permissions-Policy"]
        assert "Access-Control-Allow-Origin" not in response.headers


def test_the_health_check_says_nothing_but_that_it_lives(stranger: TestClient):
    response = stranger.get("/healthz", headers={"Host": "any.example"})
    assert (response.status_code, response.json()) == (200, {"ok": True})


def test_a_body_that_says_it_is_too_large_is_refused_at_once(client: TestClient, settings: Settings):
    size = settings.max_upload_mb * 1024 * 1024 + 1
    response = client.post("/api/galleries", content=b"x" * size, headers={"Content-Type": "application/json"})
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "too_large"
    assert "20 MB" in response.json()["error"]["message"]


def test_a_body_that_hides_its_size_is_not_read_to_its_end(client: TestClient):
    read: list[int] = []

    def parts() -> Iterator[bytes]:
        for number in range(50):
            read.append(number)
            yield b" " * (1024 * 1024)

    response = client.post("/api/validate", content=parts(), headers={"Content-Type": "application/json"})
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "too_large"


def test_websockets_are_refused(client: TestClient):
    with pytest.raises(WebSocketDisconnect) as caught, client.websocket_connect("/api/runs"):
        pass
    assert caught.value.code == 1008


def test_reading_changes_nothing(app: FastAPI, client: TestClient):
    client.post("/api/teams", json={})
    before = _everything(client)
    for method, path in routes(app):
        if method == "GET":
            client.get(path)
    assert _everything(client) == before


def _everything(client: TestClient) -> list[object]:
    return [client.get(f"/api/{name}").json() for name in ("teams", "galleries", "runs", "approvals", "secrets")]


def test_a_token_is_made_once_and_only_its_owner_can_read_it(settings: Settings):
    own = settings.model_copy(update={"token": ""})
    token = access_token(own)
    file = own.data_dir / "token"
    assert len(token) > 40
    assert access_token(own) == token
    assert file.stat().st_mode & 0o077 == 0


def test_two_first_starts_at_once_have_one_token(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    own = settings.model_copy(update={"token": "", "data_dir": settings.data_dir / "new"})
    both: list[str] = []
    made = secrets.token_urlsafe

    def make_while_another_starts(length: int) -> str:
        monkeypatch.setattr(secrets, "token_urlsafe", made)
        both.append(access_token(own))
        return made(length)

    monkeypatch.setattr(secrets, "token_urlsafe", make_while_another_starts)
    both.append(access_token(own))
    assert both == [(own.data_dir / "token").read_text()] * 2
    assert [file.name for file in own.data_dir.iterdir()] == ["token"]


def test_a_token_that_could_be_guessed_is_refused(settings: Settings):
    with pytest.raises(SetupError, match="at least 16"):
        create_app(settings.model_copy(update={"token": "secret"}))


def test_a_new_token_ends_old_sessions(settings: Settings):
    other = settings.model_copy(update={"token": "another-token-of-the-owner"})
    assert Keys.from_settings(settings).cookie != Keys.from_settings(other).cookie


def test_hosts_are_those_that_the_operator_named(settings: Settings):
    public = settings.model_copy(update={"host": "0.0.0.0", "allowed_hosts": ("Studio.Example", "proxy:8443")})
    assert allowed_hosts(public) == {
        "127.0.0.1:8040",
        "localhost:8040",
        "[::1]:8040",
        "studio.example",
        "studio.example:8040",
        "proxy:8443",
    }
