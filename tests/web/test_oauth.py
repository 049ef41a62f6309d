"""What OAuth for clients of MCP refuses: each way to get a code, a token or a browser that one should not have."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient

from studio.deployments.oauth import ClientMetadata, OAuthRefused, check_redirect_uri, is_metadata_address
from studio.services.oauth_clients import metadata_of
from studio.settings import Settings
from studio.store import Role
from studio.web.app import create_app
from studio.web.auth.person import CALLER
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.oauth_clients import CALLBACK, PlainClient, allowed, answer_in, shown_offer
from tests.web.publishing import Published, publish, running
from tests.web.signing_in import add, signed_in, work_passwords_out_quickly

LIST: Any = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}
ERRORS = {404: "not_found", 405: "method_not_allowed"}
METADATA = "/.well-known/oauth-protected-resource/d/support/mcp"


@pytest.fixture
def published(client: TestClient) -> Published:
    return publish(client)


@pytest.fixture
def plain(published: Published) -> PlainClient:
    """A client that has registered."""
    made = PlainClient(client_of(published.owner))
    made.register()
    return made


def speak(server: TestClient, token: str, path: str = "/d/support/mcp", **headers: str) -> Any:
    accepts = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}", **headers}
    return client_of(server).post(path, json=LIST, headers=accepts)


def code_for(plain: PlainClient, person: TestClient) -> str:
    return answer_in(allowed(person, plain.request()))["code"]


def refused(answer: Any) -> str:
    assert answer.status_code == 400, answer.text
    return answer.json()["error"]


def test_a_client_without_a_token_learns_who_lets_it_in(published: Published):
    stranger = client_of(published.owner)
    for name in ("support", "nowhere"):
        answer = stranger.post(f"/d/{name}/mcp", json=LIST)
        metadata = f'resource_metadata="{BASE_URL}/.well-known/oauth-protected-resource/d/{name}/mcp"'
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, f"Bearer {metadata}")
    assert 'error="invalid_token"' in speak(published.owner, "wrong").headers["WWW-Authenticate"]
    assert stranger.post("/d/support/calls", json={"task": "Go."}).headers["WWW-Authenticate"] == "Bearer"
    found = stranger.get(METADATA).json()
    assert (found["resource"], found["authorization_servers"]) == (f"{BASE_URL}/d/support/mcp", [BASE_URL])
    server = stranger.get("/.well-known/oauth-authorization-server").json()
    assert (server["issuer"], server["code_challenge_methods_supported"]) == (BASE_URL, ["S256"])


def test_what_a_person_allows_is_a_key_of_the_deployment_and_opens_mcp_only(published: Published, plain: PlainClient):
    given = plain.let_in(published.owner)
    token = given["access_token"]
    assert speak(published.owner, token).status_code == 200
    bearer = {"Authorization": f"Bearer {token}"}
    for method, path in (("POST", "/d/support/calls"), ("GET", "/d/support/v1/models"), ("GET", "/api/teams")):
        assert client_of(published.owner).request(method, path, headers=bearer, json={}).status_code == 401, path
    for other in (given["refresh_token"], plain.id):
        assert speak(published.owner, other).status_code == 401
    [key] = [
        each for each in published.owner.get("/api/deployments/support").json()["keys"] if each["opens"] == "oauth"
    ]
    assert (key["label"], key["by"]) == ("Editor", "owner")
    published.owner.delete(f"/api/deployments/support/keys/{key['id']}")
    assert speak(published.owner, token).status_code == 401
    assert refused(plain.renew(given["refresh_token"])) == "invalid_grant"


def test_the_audit_log_has_who_allowed_which_client_what(published: Published, plain: PlainClient):
    plain.let_in(published.owner)
    lines = published.owner.get("/api/audit", params={"limit": 20}).json()
    [line] = [each for each in lines if each["action"] == "POST /api/oauth/consents"]
    assert line["object"] == "Deployment support, client Editor at 127.0.0.1:5005"
    assert (line["who"], line["outcome"]) == ("owner", "201")
    assert line["object"] in published.owner.get("/audit").text
    offer = {"offer": "x"}
    assert published.owner.post("/api/oauth/consents", json=offer).status_code == 422
    assert published.owner.get("/api/audit", params={"limit": 1}).json()[0]["object"] == "/api/oauth/consents"


def test_what_was_begun_with_an_access_token_outlasts_it_and_ends_with_its_key(
    published: Published, plain: PlainClient, monkeypatch: pytest.MonkeyPatch
):
    """A call may take longer than a token lasts, and a client of MCP whose stream is cut would cancel its call."""
    monkeypatch.setattr("studio.web.auth.oauth_tokens.TOKEN_LASTS", timedelta(seconds=-1))
    late = plain.let_in(published.owner)["access_token"]
    assert speak(published.owner, late).status_code == 401, "nothing begins with it"
    monkeypatch.undo()
    token = plain.let_in(published.owner)["access_token"]
    services, portal = running(published.owner), published.owner.portal
    assert portal is not None
    presence = services.accounts.presence
    known = presence.oauth_tokens.read_access(token)
    assert known is not None
    admitted = portal.call(presence.find_client, known, known.resource)
    assert admitted is not None
    expired = known.model_copy(update={"expires_at": 0})
    assert portal.call(presence.find_client, expired, known.resource) is None
    assert portal.call(presence.may_still, admitted, CALLER)
    portal.call(services.store.deployments.revoke_key, "support", known.key_id)
    assert not portal.call(presence.may_still, admitted, CALLER)


def test_a_token_opens_no_other_deployment_and_no_other_address(published: Published, plain: PlainClient):
    publish(published.owner, name="another")
    token = plain.let_in(published.owner)["access_token"]
    assert speak(published.owner, token, "/d/another/mcp").status_code == 401
    assert speak(published.owner, token, "/d/support/mcp/").status_code == 401
    assert speak(published.owner, token, Host="localhost:8040").status_code == 401, "another audience"


def test_a_token_that_was_changed_or_has_expired_opens_nothing(
    published: Published, plain: PlainClient, monkeypatch: pytest.MonkeyPatch
):
    token = plain.let_in(published.owner)["access_token"]
    text, _, signature = token.removeprefix("studio-access-").partition(".")
    for wrong in (
        f"studio-access-{text}x.{signature}",
        f"studio-access-{text}.{signature[:-1]}0x",
        f"studio-access-{text}",
    ):
        assert speak(published.owner, wrong).status_code == 401
    monkeypatch.setattr("studio.web.auth.oauth_tokens.TOKEN_LASTS", timedelta(seconds=-1))
    assert speak(published.owner, plain.let_in(published.owner)["access_token"]).status_code == 401


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"code_verifier": None}, "invalid_request"),
        ({"redirect_uri": "http://127.0.0.1:5005/other"}, "invalid_grant"),
        ({"client_id": "another"}, "invalid_grant"),
        ({"code": "guessed"}, "invalid_grant"),
        ({"resource": f"{BASE_URL}/d/another/mcp"}, "invalid_target"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
def test_a_code_is_good_for_who_asked_only(
    published: Published, plain: PlainClient, changes: dict[str, str | None], error: str
):
    code = code_for(plain, published.owner)
    assert (
        refused(plain.exchange(code, **changes) if "code" not in changes else plain.send({**_form(plain), **changes}))
        == error
    )
    assert plain.exchange(code).status_code == 200, "a wrong try of somebody else takes nothing away"


def _form(plain: PlainClient) -> dict[str, str | None]:
    return {
        "grant_type": "authorization_code",
        "client_id": plain.id,
        "redirect_uri": plain.redirect_uri,
        "code_verifier": plain.verifier,
    }


def test_a_code_that_comes_again_ends_what_came_of_it(published: Published, plain: PlainClient):
    code = code_for(plain, published.owner)
    token = plain.exchange(code).json()["access_token"]
    assert speak(published.owner, token).status_code == 200
    assert refused(plain.exchange(code)) == "invalid_grant"
    assert speak(published.owner, token).status_code == 401


def test_a_code_expires(published: Published, plain: PlainClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.store.oauth.CODE_LASTS", timedelta(seconds=-1))
    assert refused(plain.exchange(code_for(plain, published.owner))) == "invalid_grant"


def test_codes_that_came_to_nothing_are_deleted_and_what_came_of_others_stays(published: Published, plain: PlainClient):
    unused = code_for(plain, published.owner)
    given = plain.let_in(published.owner)
    store, portal = running(published.owner).store, published.owner.portal
    assert portal is not None
    portal.call(store.oauth.prune, datetime.now(UTC) + timedelta(hours=1))
    assert refused(plain.exchange(unused)) == "invalid_grant"
    assert plain.renew(given["refresh_token"]).status_code == 200


def test_what_renews_access_is_replaced_and_ends_it_where_it_comes_again(published: Published, plain: PlainClient):
    first = plain.let_in(published.owner)
    assert refused(plain.renew(first["refresh_token"], client_id="another")) == "invalid_grant"
    assert refused(plain.renew(first["refresh_token"], resource="x")) == "invalid_target"
    second = plain.renew(first["refresh_token"]).json()
    assert speak(published.owner, second["access_token"]).status_code == 200
    assert refused(plain.renew(first["refresh_token"])) == "invalid_grant"
    assert speak(published.owner, second["access_token"]).status_code == 401
    assert refused(plain.renew(second["refresh_token"])) == "invalid_grant"


@pytest.mark.parametrize("stolen", [0, 1])
def test_a_thief_who_renews_often_ends_as_well_once_the_client_is_back(
    published: Published, plain: PlainClient, stolen: int
):
    given = [plain.let_in(published.owner)]
    for _ in range(4):
        given.append(plain.renew(given[-1]["refresh_token"]).json())
    assert speak(published.owner, given[-1]["access_token"]).status_code == 200
    assert refused(plain.renew(given[stolen]["refresh_token"])) == "invalid_grant"
    assert speak(published.owner, given[-1]["access_token"]).status_code == 401
    assert refused(plain.renew(given[-1]["refresh_token"])) == "invalid_grant"


def test_who_guesses_what_renews_access_ends_nothing(published: Published, plain: PlainClient):
    given = plain.renew(plain.let_in(published.owner)["refresh_token"]).json()
    for guess in ("studio-refresh-", "studio-refresh-x.y", ".", given["refresh_token"].partition(".")[2]):
        assert refused(plain.renew(guess)) == "invalid_grant"
    assert plain.renew(given["refresh_token"]).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://elsewhere.example/callback"},
        {"redirect_uri": "http://127.0.0.1:5005/callback/more"},
        {"redirect_uri": "http://127.0.0.1.elsewhere.example:5005/callback"},
        {"redirect_uri": "javascript:alert(1)"},
        {"client_id": "made-up"},
        {"client_id": None},
    ],
)
def test_a_browser_is_not_sent_where_the_client_has_not_registered(
    published: Published, plain: PlainClient, changes: dict[str, str | None]
):
    page = published.owner.get(plain.request(**changes))
    assert page.status_code == 400
    assert "Location" not in page.headers
    assert "Back to the client" not in page.text
    assert "data-offer" not in page.text


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"resource": None}, "invalid_request"),
        ({"resource": f"{BASE_URL}/d/nowhere/mcp"}, "invalid_target"),
        ({"resource": "https://elsewhere.example/d/support/mcp"}, "invalid_target"),
    ],
)
def test_a_wrong_request_is_shown_and_leads_back_by_a_press_only(
    published: Published, plain: PlainClient, changes: dict[str, str | None], error: str
):
    page = published.owner.get(plain.request(**changes))
    assert (page.status_code, "Location" in page.headers, "data-offer" in page.text) == (400, False, False)
    assert f"{CALLBACK}?error={error}&amp;state=s+t%26a" in page.text


def test_a_port_of_this_machine_may_differ_and_nothing_else(published: Published, plain: PlainClient):
    plain.redirect_uri = "http://127.0.0.1:6000/callback"
    assert published.owner.get(plain.request()).status_code == 200
    plain.redirect_uri = "http://localhost:5005/callback"
    assert published.owner.get(plain.request()).status_code == 400
    assert published.owner.get(f"{plain.request()}&state=again").status_code == 400


def test_only_a_press_of_that_person_on_that_page_allows_it(server: TestClient, published: Published):
    """Neither another site, nor another person, nor who may not make keys, nor a page that is old."""
    work_passwords_out_quickly(server)
    people: dict[str, Role] = {"ann": "admin", "ben": "editor", "vera": "viewer"}
    for name, role in people.items():
        add(published.owner, name, role, headers=None if name == "ann" else {"Authorization": f"Bearer {TOKEN}"})
    ann, ben, vera = (signed_in(server, name) for name in ("ann", "ben", "vera"))
    plain = PlainClient(client_of(server))
    plain.register()
    assert vera.get(plain.request()).status_code == 403
    offer = {"offer": shown_offer(ann.get(plain.request()).text)}
    assert ben.post("/api/oauth/consents", json=offer).status_code == 422
    assert vera.post("/api/oauth/consents", json=offer).status_code == 403
    without = client_of(server, {})
    without.cookies = ann.cookies
    assert without.post("/api/oauth/consents", json=offer).json()["error"]["code"] == "csrf"
    foreign = {"Origin": "https://elsewhere.example"}
    assert ann.post("/api/oauth/consents", json=offer, headers=foreign).status_code == 403
    changed = {"offer": offer["offer"][:-1] + "0x"}
    assert ann.post("/api/oauth/consents", json=changed).status_code == 422
    assert ann.post("/api/oauth/consents", json=offer).status_code == 201


def test_who_is_not_signed_in_is_asked_to_and_comes_back(server: TestClient, published: Published, plain: PlainClient):
    page = client_of(server).get(plain.request())
    assert page.status_code == 401
    assert "text/html" in page.headers["content-type"]
    assert published.owner.get(plain.request()).headers["X-Frame-Options"] == "DENY"


def test_who_comes_from_the_page_of_a_client_is_asked_at_once(browser: TestClient, plain: PlainClient):
    """The browser keeps the cookie back, so the page sends it here again, with all that the client asked."""
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    first: Any = client_of(browser).get(plain.request(), headers=followed)
    assert first.status_code == 200
    found = re.search(r'(/authorize\?[^"]+)"', first.text)
    assert found
    again = html.unescape(found[1])
    assert shown_offer(browser.get(again).text)
    framed = {**followed, "Sec-Fetch-Dest": "iframe"}
    assert browser.get(plain.request(), headers=framed).status_code == 403


@pytest.mark.parametrize(
    ("state", "status"), [("s" * 4_000, 200), ("\u20ac" * 4_000, 200), ("s" * 4_001, 400), ("\x01", 400)]
)
def test_what_a_client_wants_back_comes_back_whole_or_is_refused(
    published: Published, plain: PlainClient, state: str, status: int
):
    page = published.owner.get(plain.request(state=state))
    assert page.status_code == status
    if status == 200:
        assert answer_in(allowed(published.owner, plain.request(state=state)))["state"] == state


def test_an_offer_is_old_after_a_while(published: Published, plain: PlainClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.web.pages.consent.CONSENT_LASTS", timedelta(seconds=-1))
    offer = shown_offer(published.owner.get(plain.request()).text)
    assert published.owner.post("/api/oauth/consents", json={"offer": offer}).status_code == 422


def test_an_offer_is_of_the_deployment_that_was_shown_and_not_of_one_that_took_its_name(
    published: Published, plain: PlainClient
):
    offer = shown_offer(published.owner.get(plain.request()).text)
    assert published.owner.delete("/api/deployments/support").status_code == 204
    assert published.owner.post("/api/oauth/consents", json={"offer": offer}).status_code == 404
    publish(published.owner)
    assert published.owner.post("/api/oauth/consents", json={"offer": offer}).status_code == 422


def test_names_of_clients_are_text(published: Published, plain: PlainClient):
    plain.register(client_name="<script>alert(1)</script>\u202eevil\n")
    page = published.owner.get(plain.request()).text
    assert "<script>alert" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize(
    "uri",
    [
        "javascript:alert(1)",
        "javascript://x/%0aalert(1)",
        "data://x/y",
        "view-source://elsewhere.example/",
        "filesystem://x/y",
        "intent://x/y",
        "smb://elsewhere.example/share",
        "search-ms://x/y",
        "ms-msdt://x/y",
        "https://@elsewhere.example/",
        "http://elsewhere.example/callback",
        "http://10.0.0.1/callback",
        "https://user:secret@elsewhere.example/",
        "https://elsewhere.example/#fragment",
        "https://elsewhere.example/a b",
        "https:///nowhere",
        "/callback",
        "",
        "https://elsewhere.example:99999/",
        f"https://elsewhere.example/{'x' * 300}",
    ],
)
def test_nobody_registers_an_address_that_is_none(plain: PlainClient, uri: str):
    with pytest.raises(OAuthRefused):
        check_redirect_uri(uri)
    assert refused(plain.register(redirect_uris=[uri])) in ("invalid_redirect_uri", "invalid_client_metadata")


@pytest.mark.parametrize(
    "uri", ["https://app.example/callback", "http://localhost:1/x", "cursor://anysphere.mcp/oauth"]
)
def test_programs_of_all_kinds_are_answered(uri: str):
    check_redirect_uri(uri)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/token", 405),
        ("OPTIONS", "/token", 405),
        ("PUT", "/register", 405),
        ("POST", "/.well-known/oauth-authorization-server", 405),
        ("GET", "/.well-known/oauth-authorization-server/d/support/mcp", 404),
        ("GET", "/.well-known/oauth-protected-resource", 404),
    ],
)
def test_what_a_client_tries_in_vain_is_refused_as_json(published: Published, method: str, path: str, status: int):
    answer = client_of(published.owner).request(method, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, ERRORS[status])


def test_a_token_request_that_grows_while_it_comes_is_refused(published: Published):
    answer = client_of(published.owner).post("/token", content=iter([b"x" * 10_000] * 3))
    assert (answer.status_code, "error" in answer.json()) == (413, True)


@pytest.mark.parametrize("body", ["", "[]", "{", '{"redirect_uris": []}', '{"redirect_uris": "x"}', "null"])
def test_a_registration_that_says_nothing_is_refused(published: Published, body: str):
    answer = client_of(published.owner).post("/register", content=body)
    assert refused(answer) == "invalid_client_metadata"


@pytest.mark.parametrize("body", [b"", b"\xff=1", b"a", b"grant_type=refresh_token&grant_type=password", b"&" * 9000])
def test_a_token_request_that_is_no_form_is_refused(published: Published, body: bytes):
    answer = client_of(published.owner).post("/token", content=body)
    assert refused(answer) in ("invalid_request", "unsupported_grant_type")


def test_guesses_are_slowed_down(plain: PlainClient):
    statuses = [plain.exchange(f"guess-{number}").status_code for number in range(30)]
    assert statuses[0] == 400
    assert statuses[-1] == 429


def test_a_client_that_brings_what_has_ended_again_and_again_guesses_nothing(published: Published, plain: PlainClient):
    given = plain.let_in(published.owner)
    plain.renew(given["refresh_token"])
    assert {plain.renew(given["refresh_token"]).status_code for _ in range(30)} == {400}


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/client.json",
        "https://localhost/client.json",
        "https://[::1]/client.json",
        "https://169.254.169.254/latest",
        "https://xn--a/client.json",
        "https://10.0.0.1/client.json",
        "http://elsewhere.example/client.json",
        "https://elsewhere.example",
        "https://user@elsewhere.example/client.json",
        "https://@elsewhere.example/client.json",
        "https://elsewhere.example/client.json#x",
        "https://elsewhere.example/a/../client.json",
        "file:///etc/passwd",
    ],
)
def test_the_document_of_a_client_is_not_looked_for_within_the_network(
    published: Published, plain: PlainClient, address: str
):
    page = published.owner.get(plain.request(client_id=address))
    assert (page.status_code, "data-offer" in page.text) == (400, False)
    assert "Back to the client" not in page.text


def test_a_document_says_what_it_is_about():
    address = "https://editor.example/client.json"
    assert is_metadata_address(address)
    document: dict[str, Any] = {"client_id": address, "client_name": "Editor", "redirect_uris": [CALLBACK], "more": 1}
    assert metadata_of(address, json.dumps(document).encode()) == ClientMetadata(
        client_name="Editor", redirect_uris=(CALLBACK,)
    )
    wrongs: list[Any] = [{**document, "client_id": f"{address}x"}, {**document, "redirect_uris": []}, [document], "x"]
    for wrong in wrongs:
        with pytest.raises(OAuthRefused):
            metadata_of(address, json.dumps(wrong).encode())


def test_a_host_for_deployments_only_asks_nobody_to_sign_in(tmp_path: Any):
    settings = Settings(data_dir=tmp_path / "data", token=TOKEN, port=8040, public_hosts=("teams.example",))
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        owner = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        publish(owner)
        outside = client_of(server, {"Host": "teams.example"})
        for path in (METADATA, "/.well-known/oauth-authorization-server", "/authorize"):
            assert outside.get(path).status_code == 404
        assert outside.post("/d/support/mcp", json=LIST).headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.embedded
def test_codes_and_tokens_are_not_in_the_database(published: Published, plain: PlainClient):
    code = code_for(plain, published.owner)
    given = plain.exchange(code).json()
    folder = running(published.owner).settings.data_dir
    kept = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    for secret in (code, given["refresh_token"], given["access_token"], plain.verifier):
        assert secret.encode() not in kept
    assert urlsplit(BASE_URL).netloc.encode() in kept
