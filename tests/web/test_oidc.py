"""People sign in with an identity provider, whose word is checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from joserfc import jwk

from studio.errors import SetupError
from studio.settings import Settings
from studio.store import open_store
from studio.web.app import create_app
from studio.web.auth.access_token import Keys
from studio.web.auth.oidc import STATE_LIFETIME, States
from tests.fakes.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider, identity_provider
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.signing_in import COOKIE, PASSWORD, add, work_passwords_out_quickly

Start = Callable[..., TestClient]
CALLBACK = "/login/oidc/callback"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with identity_provider() as provider:
        yield provider


@pytest.fixture
def start(settings: Settings, provider: Provider) -> Iterator[Start]:
    """Starts a studio that trusts the provider, with more settings."""
    with ExitStack() as stack:

        def started(**more: Any) -> TestClient:
            own = {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT_ID, "oidc_client_secret": CLIENT_SECRET}
            app = create_app(settings.model_copy(update={**own, **more}))
            server = stack.enter_context(TestClient(app, base_url=BASE_URL))
            work_passwords_out_quickly(server)
            return server

        yield started


def come(server: TestClient, provider: Provider, goes_to: str = "/teams", **changed: str) -> tuple[TestClient, Any]:
    """Go to the provider, sign in there, and come back."""
    browser = client_of(server)
    there = browser.get("/login/oidc", params={"next": goes_to})
    assert there.status_code == 303, there.text
    query = provider.approve(there.headers["Location"], **changed)
    arrived = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    return browser, browser.get(f"{CALLBACK}?{query}", headers=arrived)


def test_somebody_new_comes_in_as_a_viewer(start: Start, provider: Provider):
    server = start()
    assert 'href="/login/oidc?next=/teams"' in client_of(server).get("/teams").text
    browser, back = come(server, provider, "/galleries")
    assert provider.problems == []
    assert back.status_code == 200
    assert "url=/galleries" in back.text
    assert "SameSite=strict" in back.headers["Set-Cookie"]
    assert browser.get("/api/account").json() == {"name": "grace@example.com", "role": "viewer", "is_user": True}
    again, _ = come(server, provider)
    assert again.get("/api/account").json()["name"] == "grace@example.com"


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": [CLIENT_ID, "another-client"]},
        {"azp": "another-client"},
        {"iss": "https://evil.example"},
        {"exp": int(time.time()) - 3600},
        {"exp": None},
        {"sub": None},
    ],
)
def test_an_id_token_for_somebody_else_lets_nobody_in(start: Start, provider: Provider, claims: dict[str, Any]):
    provider.claims = claims
    browser, back = come(start(), provider)
    assert back.status_code == 401
    assert browser.get("/api/account").status_code == 401


@pytest.mark.parametrize("claims", [{"aud": [CLIENT_ID]}, {"aud": [CLIENT_ID, "another-client"], "azp": CLIENT_ID}])
def test_an_id_token_for_this_studio_may_name_it_in_a_list(start: Start, provider: Provider, claims: dict[str, Any]):
    provider.claims = claims
    assert come(start(), provider)[1].status_code == 200


@pytest.mark.slow
def test_a_token_that_another_key_signed_lets_nobody_in(start: Start, provider: Provider):
    provider.signs_with = jwk.RSAKey.generate_key(2048, {"kid": "first"})
    assert come(start(), provider)[1].status_code == 401


def test_a_token_signed_with_the_secret_of_the_client_lets_nobody_in(start: Start, provider: Provider):
    provider.signs_with, provider.algorithm = jwk.OctKey.import_key(CLIENT_SECRET * 2), "HS256"
    assert come(start(), provider)[1].status_code == 401


def test_keys_that_the_provider_has_changed_are_read_again(start: Start, provider: Provider):
    server = start()
    assert come(server, provider)[1].status_code == 200
    provider.key = jwk.RSAKey.generate_key(2048, {"kid": "first"})
    assert come(server, provider)[1].status_code == 200


def test_a_sign_in_comes_back_to_the_browser_that_began_it_and_once(start: Start, provider: Provider):
    server = start()
    victim, attacker = client_of(server), client_of(server)
    query = provider.approve(attacker.get("/login/oidc").headers["Location"])
    assert victim.get(f"{CALLBACK}?{query}").status_code == 401
    assert attacker.get(f"{CALLBACK}?{query}").status_code == 401, "a state is used once, also in vain"
    assert come(server, provider, state="made-up")[1].status_code == 401
    assert come(server, provider, error="access_denied")[1].status_code == 401
    assert come(server, provider, iss="https://evil.example")[1].status_code == 401


@pytest.mark.slow
def test_strangers_who_begin_many_sign_ins_cancel_none(start: Start, provider: Provider):
    server = start()
    browser = client_of(server)
    query = provider.approve(browser.get("/login/oidc").headers["Location"])
    assert {client_of(server).get("/login/oidc").status_code for _ in range(1001)} == {303}
    assert browser.get(f"{CALLBACK}?{query}").status_code == 200


@pytest.mark.parametrize("changed", ["", "1.", "99999999999.", "99999999999.x.", "é", "nan.x.y"])
def test_a_state_that_is_not_ours_is_refused_also_with_a_cookie_of_the_same(start: Start, changed: str):
    browser = client_of(start())
    browser.cookies.set(f"{COOKIE}-oidc", f"{quote(changed)}:/teams")
    assert browser.get(CALLBACK, params={"state": changed, "code": "1"}).status_code == 401


async def test_a_state_ends_and_is_used_once_at_most_at_whichever_replica(settings: Settings, tmp_path: Path):
    now = [datetime.now(UTC)]
    keys, others = Keys.from_settings(settings), Keys.from_settings(Settings(data_dir=tmp_path / "other", token=TOKEN))
    async with open_store(tmp_path / "own") as store:
        here, there = (States(keys, store.sign_ins, lambda: now[0]) for _ in range(2))
        first, second = here.make(), here.make()
        assert here.begun(first, "x") == there.begun(first, "x")
        assert [await there.use(first), await here.use(first)] == [True, False]
        assert not await States(others, store.sign_ins, lambda: now[0]).use(second)
        made_up = (second.replace(".", "0.", 1), second[:-1], "0" + second)
        assert [await here.use(state) for state in made_up] == [False] * 3
        now[0] += STATE_LIFETIME + timedelta(seconds=1)
        assert not await here.use(second)


def test_a_sign_in_leads_to_an_address_of_any_length_or_home(start: Start, provider: Provider):
    server = start()
    assert "url=/runs?of=%25" in come(server, provider, "/runs?of=%25")[1].text
    assert "url=/teams" in come(server, provider, "/runs?of=" + 5000 * "x")[1].text


def test_a_provider_that_gives_another_name_is_not_believed(start: Start, provider: Provider):
    provider.discovery = {"issuer": "https://evil.example"}
    answer = client_of(start()).get("/login/oidc")
    assert answer.status_code == 401
    assert "differs from the configured one" in answer.text


def test_a_provider_that_sends_to_the_metadata_of_the_cloud_is_not_followed(start: Start, provider: Provider):
    provider.discovery = {"token_endpoint": "http://169.254.169.254/token"}
    assert come(start(), provider)[1].status_code == 401


@pytest.mark.parametrize(
    "claims", [{"email": "eve@evil.example"}, {"email_verified": False}, {"email": "eve@notexample.com"}]
)
def test_only_proven_addresses_of_the_domains_come_in(start: Start, provider: Provider, claims: dict[str, Any]):
    server = start(oidc_domains=("Example.com",))
    assert come(server, provider)[1].status_code == 200
    provider.claims = {"sub": "person-2", **claims}
    assert come(server, provider)[1].status_code == 401


def test_a_claim_gives_the_role_at_each_sign_in(start: Start, provider: Provider):
    server = start(oidc_role_claim="groups", oidc_roles=("builders=editor", "leads=approver"))
    for groups, role in ((["builders", "leads", "x"], "approver"), (["builders"], "editor"), (["admin"], "viewer")):
        provider.claims = {"groups": groups}
        browser, _ = come(server, provider)
        assert browser.get("/api/account").json()["role"] == role


def test_who_was_added_by_their_address_comes_in_with_that_role(start: Start, provider: Provider):
    server = start()
    operator = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
    add(operator, "Ada", "admin")
    made = operator.post("/api/users", json={"name": "grace@example.com", "role": "editor"})
    assert made.status_code == 201
    provider.claims = {"sub": "mallory", "email_verified": False}
    mallory, _ = come(server, provider)
    assert mallory.get("/api/account").json() == {"name": "mallory", "role": "viewer", "is_user": True}
    provider.claims = {}
    browser, _ = come(server, provider)
    assert browser.get("/api/account").json()["role"] == "editor"


def test_an_address_that_is_not_proven_is_no_name(start: Start, provider: Provider):
    server = start()
    provider.claims = {"sub": "mallory", "email_verified": False, "preferred_username": "mal"}
    assert come(server, provider)[0].get("/api/account").json()["name"] == "mal"
    provider.claims = {}
    assert come(server, provider)[0].get("/api/account").json()["name"] == "grace@example.com", "her name is free still"


def test_nobody_takes_the_place_of_a_user_with_a_password(start: Start, provider: Provider):
    server = start()
    add(client_of(server, {"Authorization": f"Bearer {TOKEN}"}), "grace@example.com", "admin")
    assert come(server, provider)[1].status_code == 401


@pytest.mark.slow
def test_a_password_opens_no_account_that_has_none(start: Start, provider: Provider):
    server = start()
    come(server, provider)
    for password in ("", PASSWORD):
        form = {"name": "grace@example.com", "password": password}
        assert client_of(server).post("/login", data=form, headers={"Origin": BASE_URL}).status_code == 401


@pytest.mark.parametrize(
    "wrong",
    [
        {"oidc_client_id": ""},
        {"oidc_issuer": "http://sso.example.com"},
        {"oidc_roles": ("builders",)},
        {"oidc_roles": ("builders=owner",)},
    ],
)
def test_settings_that_do_not_fit_are_told_at_the_start(start: Start, wrong: dict[str, Any]):
    with pytest.raises(SetupError):
        start(**wrong)
