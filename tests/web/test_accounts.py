"""People sign in by name and password; sign-ins end when they are told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from argon2 import extract_parameters
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from studio.settings import Settings
from studio.web.app import create_app
from studio.web.auth.passwords import NOBODYS_HASH, Passwords
from studio.web.auth.session_cache import BROWSER_LASTS
from studio.web.auth.sessions import MAX_WRONG_PER_ADDRESS, MAX_WRONG_PER_NAME
from tests.web.direct import Asked, ask
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.signing_in import COOKIE, PASSWORD, add, csrf_of, signed_in, try_to_sign_in, work_passwords_out_quickly

pytestmark = pytest.mark.slow  # to work a password out takes long on purpose


@pytest.fixture
def ada(client: TestClient, server: TestClient) -> TestClient:
    """The first user, an admin, in her browser."""
    work_passwords_out_quickly(server)
    add(client, "Ada", "admin")
    return signed_in(server, "Ada")


def test_without_users_the_token_opens_the_studio(browser: TestClient):
    assert browser.get("/api/account").json() == {"name": "owner", "role": "admin", "is_user": False}
    assert browser.post("/login", data={"name": "x", "password": "y"}).status_code == 403


def test_the_first_user_is_an_admin_or_nobody(client: TestClient):
    refused = client.post("/api/users", json={"name": "Ada", "role": "editor", "password": PASSWORD})
    assert refused.status_code == 422
    assert client.get("/api/users").json() == []


def test_with_the_first_user_pages_need_a_sign_in(browser: TestClient, client: TestClient, server: TestClient):
    add(client, "Ada", "admin")
    page = browser.get("/teams")
    assert page.status_code == 401
    assert 'action="/login"' in page.text
    assert browser.get(f"/teams?token={TOKEN}").status_code == 401
    assert browser.get("/api/teams").status_code == 401
    assert signed_in(server, "Ada").get("/teams").status_code == 200


@pytest.mark.embedded
def test_the_token_opens_the_api_only_when_the_operator_chose_it(settings: Settings, client: TestClient):
    add(client, "Ada", "admin")
    assert client.get("/api/account").json()["name"] == "access token"
    own = settings.model_copy(update={"token": "", "data_dir": settings.data_dir.parent / "other"})
    with TestClient(create_app(own), base_url=BASE_URL) as server:
        token = (own.data_dir / "token").read_text(encoding="utf-8")
        program = client_of(server, {"Authorization": f"Bearer {token}"})
        add(program, "Ada", "admin")
        assert program.get("/api/teams").status_code == 401


def test_a_sign_in_is_a_random_cookie_of_which_a_hash_is_kept(ada: TestClient, server: TestClient, settings: Settings):
    answer = try_to_sign_in(server, "ada", PASSWORD, "/galleries?kind=teams")
    cookie = answer.headers["Set-Cookie"]
    assert answer.headers["Location"] == "/galleries?kind=teams"
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Secure" not in cookie
    key = cookie.partition("=")[2].partition(";")[0]
    assert len(key) > 40
    for file in settings.data_dir.glob("studio.db*"):
        assert key.encode() not in file.read_bytes()
        assert PASSWORD.encode() not in file.read_bytes()
    assert ada.cookies[COOKIE] != key


def test_under_https_the_cookie_is_for_this_host_and_https_only(client: TestClient, server: TestClient):
    add(client, "Ada", "admin")
    secure = client_of(server)
    secure.base_url = BASE_URL.replace("http:", "https:")
    form = {"name": "Ada", "password": PASSWORD}
    answer = secure.post("/login", data=form, headers={"Origin": str(secure.base_url).rstrip("/")})
    assert answer.status_code == 303
    assert answer.headers["Set-Cookie"].startswith(f"__Host-{COOKIE}=")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert "max-age" in answer.headers["Strict-Transport-Security"]
    assert secure.get("/teams", headers={"Origin": BASE_URL}).status_code == 403


ELSEWHERE = ["https://evil.example/", "//evil.example", "/\\evil.example", "/%5cevil.example", ""]


@pytest.mark.parametrize("place", ELSEWHERE)
def test_a_sign_in_cannot_lead_to_another_site(ada: TestClient, server: TestClient, place: str):
    assert ada.get("/teams").status_code == 200
    assert try_to_sign_in(server, "Ada", PASSWORD, place).headers["Location"] == "/teams"


def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(ada: TestClient, server: TestClient):
    wrong = [try_to_sign_in(server, name, "not the password") for name in ("Ada", "Nobody")]
    assert [answer.status_code for answer in wrong] == [401, 401]
    assert wrong[0].text == wrong[1].text
    assert "Set-Cookie" not in wrong[0].headers
    tried = [line for line in ada.get("/api/audit").json() if line["action"] == "sign in"]
    assert [(line["who"], line["outcome"]) for line in tried[:2]] == [("unknown", "refused"), ("Ada", "refused")]
    assert "Nobody" not in ada.get("/audit").text


async def test_no_user_takes_as_much_work_as_one():
    kept = await Passwords().hash(PASSWORD)
    assert extract_parameters(kept) == extract_parameters(NOBODYS_HASH)
    assert extract_parameters(kept).memory_cost == 64 * 1024, "in KiB"


def test_guessing_a_password_is_slowed_down_by_name(ada: TestClient, server: TestClient):
    statuses = [try_to_sign_in(server, "Ada", "wrong").status_code for _ in range(MAX_WRONG_PER_NAME + 1)]
    assert statuses == [401] * MAX_WRONG_PER_NAME + [429]
    held_up = try_to_sign_in(server, "ADA", PASSWORD)
    assert held_up.status_code == 429
    assert int(held_up.headers["Retry-After"]) > 0
    assert ada.get("/teams").status_code == 200, "who is in stays in"


@pytest.mark.parametrize("name", [" Ada", "ada\t", "Ada" + " " * 300, "\u00a0ADA\u3000"])
def test_blanks_around_a_name_make_it_no_other_one(ada: TestClient, server: TestClient, name: str):
    assert ada.get("/teams").status_code == 200
    assert {try_to_sign_in(server, name, "wrong").status_code for _ in range(MAX_WRONG_PER_NAME)} == {401}
    assert {try_to_sign_in(server, given, PASSWORD).status_code for given in ("Ada", name)} == {429}


def test_guesses_from_one_network_of_ipv6_count_together(ada: TestClient, server: TestClient):
    assert ada.get("/teams").status_code == 200

    def tried(address: str, number: int) -> int:
        body = f"name=user+{number}&password=wrong".encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": BASE_URL}
        return ask(server, Asked("POST", "/login", body=body, headers=kind, address=address)).status

    statuses = [tried(f"2001:db8::{number:x}", number) for number in range(MAX_WRONG_PER_ADDRESS + 1)]
    assert statuses == [401] * MAX_WRONG_PER_ADDRESS + [429]
    assert tried("2001:db8:0:1::1", 99) == 401


def test_guessing_passwords_is_slowed_down_by_address(ada: TestClient, server: TestClient):
    assert ada.get("/teams").status_code == 200
    statuses = [
        try_to_sign_in(server, f"user {number}", "wrong").status_code for number in range(MAX_WRONG_PER_ADDRESS + 1)
    ]
    assert statuses == [401] * MAX_WRONG_PER_ADDRESS + [429]


def test_another_site_cannot_sign_somebody_in(ada: TestClient, server: TestClient):
    assert ada.get("/teams").status_code == 200
    form = {"name": "Ada", "password": PASSWORD}
    assert client_of(server).post("/login", data=form, headers={"Origin": "https://evil.example"}).status_code == 403
    assert client_of(server).post("/login", data=form, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_a_form_that_is_too_large_signs_nobody_in(ada: TestClient, server: TestClient):
    assert ada.get("/teams").status_code == 200
    answer = try_to_sign_in(server, "Ada", PASSWORD + "x" * 20_000)
    assert answer.status_code == 401


def test_changes_need_the_csrf_value_of_this_very_sign_in(ada: TestClient, server: TestClient):
    other = signed_in(server, "Ada")
    assert csrf_of(other) != csrf_of(ada)
    assert ada.post("/api/teams", json={}).status_code == 201
    for value in ("", csrf_of(other)):
        assert ada.post("/api/teams", json={}, headers={"X-Studio-CSRF": value}).status_code == 403


@pytest.mark.embedded
def test_signing_out_ends_the_sign_in_and_takes_the_cookie(ada: TestClient, server: TestClient):
    stolen = client_of(server)
    stolen.cookies.set(COOKIE, ada.cookies[COOKIE])
    assert stolen.get("/teams").status_code == 200
    assert ada.post("/api/account/sign-out").status_code == 204
    assert COOKIE not in ada.cookies
    assert stolen.get("/teams").status_code == 401


def test_signing_out_everywhere_ends_all_browsers(ada: TestClient, server: TestClient):
    other = signed_in(server, "Ada")
    assert ada.delete("/api/account/sign-ins").status_code == 204
    assert other.get("/api/teams").status_code == 401


def test_changing_the_password_ends_other_browsers(ada: TestClient, server: TestClient):
    other = signed_in(server, "Ada")
    wrong = ada.put("/api/account/password", json={"old": "wrong", "new": "another good one"})
    assert wrong.status_code == 403
    short = ada.put("/api/account/password", json={"old": PASSWORD, "new": "short"})
    assert (short.status_code, short.json()["error"]["code"]) == (422, "config")
    assert ada.put("/api/account/password", json={"old": PASSWORD, "new": "another good one"}).status_code == 204
    assert ada.get("/teams").status_code == 200
    assert other.get("/teams").status_code == 401
    assert try_to_sign_in(server, "Ada", PASSWORD).status_code == 401


def test_an_admin_ends_the_sign_ins_of_somebody_else(ada: TestClient, server: TestClient):
    user_id = add(ada, "Bob", "editor")
    bob = signed_in(server, "Bob")
    assert ada.delete(f"/api/users/{user_id}/sign-ins").status_code == 204
    assert bob.get("/api/teams").status_code == 401


def test_a_removed_user_is_out_at_once(ada: TestClient, server: TestClient):
    user_id = add(ada, "Bob")
    bob = signed_in(server, "Bob")
    assert ada.delete(f"/api/users/{user_id}").status_code == 204
    assert bob.get("/api/teams").status_code == 401
    assert try_to_sign_in(server, "Bob", PASSWORD).status_code == 401


def test_the_last_admin_stays(ada: TestClient):
    add(ada, "Bob", "approver")
    (own_id,) = [user["id"] for user in ada.get("/api/users").json() if user["name"] == "Ada"]
    for refused in (ada.delete(f"/api/users/{own_id}"), ada.put(f"/api/users/{own_id}/role", json={"role": "editor"})):
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "last_admin")


def test_a_name_is_taken_in_whatever_case(ada: TestClient):
    assert ada.post("/api/users", json={"name": "ADA", "password": PASSWORD}).status_code == 409


@pytest.mark.embedded
def test_a_sign_in_expires(ada: TestClient, settings: Settings, app: FastAPI):
    database = create_engine(f"sqlite:///{settings.data_dir / 'studio.db'}")
    with database.begin() as connection:
        seen = datetime.now(UTC) - BROWSER_LASTS - timedelta(hours=1)
        connection.execute(text("UPDATE sign_in SET expires_at = :then"), {"then": seen + BROWSER_LASTS})
    database.dispose()
    app.state.services.accounts.presence.invalidate()
    assert ada.get("/api/teams").status_code == 401


@pytest.mark.embedded
def test_a_browser_that_was_not_used_for_long_is_out(ada: TestClient, settings: Settings, app: FastAPI):
    database = create_engine(f"sqlite:///{settings.data_dir / 'studio.db'}")
    with database.begin() as connection:
        connection.execute(text("UPDATE sign_in SET seen_at = :then"), {"then": datetime.now(UTC) - timedelta(days=8)})
    database.dispose()
    app.state.services.accounts.presence.invalidate()
    assert ada.get("/api/teams").status_code == 401


def test_a_token_of_a_user_may_what_they_may_until_it_is_ended(ada: TestClient, server: TestClient):
    add(ada, "Bob", "viewer")
    bob = signed_in(server, "Bob")
    made = bob.post("/api/account/tokens", json={"label": "nightly"}).json()
    program = client_of(server, {"Authorization": f"Bearer {made['token']}"})
    assert made["token"].startswith("studio_")
    assert program.get("/api/account").json() == {"name": "Bob", "role": "viewer", "is_user": True}
    assert program.post("/api/teams", json={}).status_code == 403
    assert program.post("/api/account/tokens", json={"label": "more"}).status_code == 403
    as_cookie = client_of(server)
    as_cookie.cookies.set(COOKIE, made["token"])
    assert as_cookie.get("/api/teams").status_code == 401
    assert bob.delete(f"/api/account/sign-ins/{made['id']}").status_code == 204
    assert program.get("/api/account").status_code == 401


def test_a_token_of_a_user_comes_in_after_any_number_of_wrong_ones(ada: TestClient, server: TestClient):
    made = ada.post("/api/account/tokens", json={"label": "nightly"}).json()
    stranger = client_of(server)
    tries = [f"Bearer {number}" for number in range(MAX_WRONG_PER_ADDRESS + 1)]
    statuses = [stranger.get("/api/teams", headers={"Authorization": one}).status_code for one in tries]
    assert statuses == [401] * MAX_WRONG_PER_ADDRESS + [429]
    assert client_of(server, {"Authorization": f"Bearer {made['token']}"}).get("/api/teams").status_code == 200


def test_the_cookie_of_a_browser_is_no_bearer_token(ada: TestClient, server: TestClient):
    program = client_of(server, {"Authorization": f"Bearer {ada.cookies[COOKIE]}"})
    assert program.post("/api/teams", json={}).status_code == 401


def test_nobody_sees_or_ends_the_sign_ins_of_others(ada: TestClient, server: TestClient):
    add(ada, "Bob", "admin")
    bob = signed_in(server, "Bob")
    (hers,) = ada.get("/api/account/sign-ins").json()
    assert hers["is_this"]
    assert "key_hash" not in hers
    assert hers["id"] not in [one["id"] for one in bob.get("/api/account/sign-ins").json()]
    assert bob.delete(f"/api/account/sign-ins/{hers['id']}").status_code == 404
    assert ada.get("/teams").status_code == 200
