"""Who may chat: what a token opens, how long, and from which sites."""

from __future__ import annotations

import json
import re
import threading
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.deployments import DeploymentSettings
from studio.settings import Settings
from studio.web.app import create_app
from studio.web.auth import NEEDS
from studio.web.auth.person import CALLER, GUEST, VISITOR
from tests.web.chatting import Chatter, ask_for_token, chatter, make_link, turn_on
from tests.web.direct import Answer, Asked, ask
from tests.web.documents import USER_PROXY, assistant, team
from tests.web.doors import BASE_URL, NEEDS_OF_PEOPLE, TOKEN, client_of
from tests.web.publishing import Published, publish, running
from tests.web.signing_in import add, signed_in, work_passwords_out_quickly

CANARY = "cnry-of-another-chat"
SITE = "https://www.example.com"
ROUTES = [route for route, need in NEEDS.items() if need.role == VISITOR]
OF_CALLERS = [route for route, need in NEEDS.items() if need.role == CALLER]
OF_GUESTS = [route for route, need in NEEDS.items() if need.role == GUEST]
OF_ONE_CALL = [route for route in ROUTES if "{call_id}" in route]
BODIES: dict[str, Any] = {
    "POST /d/{deployment}/chat/messages": {"text": "Go."},
    "POST /d/{deployment}/chat/calls/{call_id}/answers": {"question_id": "q", "text": "Yes."},
    "POST /d/{deployment}/chat/tokens": {},
}
FETCHED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
FRAMED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}


@pytest.fixture
def published(client: TestClient) -> Published:
    made = publish(client)
    turn_on(made)
    return made


def send(server: TestClient, route: str, token: str, body: Any = None, **ids: str) -> Answer:
    method, path = route.split()
    path = re.sub(r"{(\w+)}", lambda found: ids.get(found[1], "none"), path)
    body = json.dumps(BODIES.get(route, {}) if body is None else body).encode() if method == "POST" else b""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    return ask(server, Asked(method, path, body=body, headers=headers))


def expired_token(published: Published, monkeypatch: pytest.MonkeyPatch, ago: timedelta = timedelta(seconds=1)) -> str:
    with monkeypatch.context() as patch:
        patch.setattr("studio.web.auth.chat_tokens.LASTS", -ago)
        return chatter(published).token


def forged(token: str) -> list[str]:
    """The same with another text, another signature, or none."""
    text, _, signature = token.partition(".")
    return [f"{text[:-2]}AA.{signature}", f"{text}.{signature[::-1]}", text, f"{text}.", token.upper(), token[1:]]


@pytest.mark.parametrize("route", ROUTES)
def test_only_a_token_of_that_deployment_opens_a_chat(
    server: TestClient, published: Published, monkeypatch: pytest.MonkeyPatch, route: str
):
    other = publish(published.owner, name="another")
    turn_on(other)
    browser = chatter(published)
    call_id = browser.say()["id"]
    link = make_link(published)["key"]
    wrong = [published.key, TOKEN, link, chatter(other).token, expired_token(published, monkeypatch)]
    for token in ("", *wrong, *forged(browser.token)):
        answer = send(server, route, token, deployment=published.name, call_id=call_id)
        assert answer.status in (401, 429), token
    right = send(server, route, browser.token, deployment=published.name, call_id=call_id)
    assert right.status in (200, 202, 204, 409), right


def test_a_token_opens_nothing_but_the_messages_of_its_chat(server: TestClient, published: Published):
    token = chatter(published).token
    for route in OF_CALLERS:
        assert send(server, route, token, deployment=published.name).status in (401, 429), route
    for route in OF_GUESTS:
        assert send(server, route, token, deployment=published.name).status == 403, route
    for route in NEEDS_OF_PEOPLE:
        if route not in ("GET /login", "GET /static"):
            answer = send(server, route, token, deployment=published.name, team_id=published.team_id)
            assert answer.status in (401, 429), route


@pytest.mark.parametrize("route", OF_ONE_CALL)
@pytest.mark.parametrize("access", ["anyone", "link"])
def test_the_messages_of_another_chat_are_unknown(server: TestClient, published: Published, route: str, access: str):
    turn_on(published, access)
    link = make_link(published)["key"] if access == "link" else ""
    theirs, own = chatter(published, link), chatter(published, link)
    call_id = theirs.say(CANARY)["id"]
    theirs.hear(call_id)
    answers = [
        send(server, route, own.token, deployment=published.name, call_id=each)
        for each in (call_id, "none", published.call()["id"])
    ]
    assert {(each.status, each.body) for each in answers} == {(404, answers[0].body)}
    assert own.messages() == []
    assert CANARY in json.dumps(theirs.messages())


def test_a_token_ends_with_what_it_came_of(published: Published):
    def is_open(browser: Chatter) -> bool:
        return browser.client.get(f"{browser.url}/messages").status_code == 200

    by_anyone = chatter(published)
    assert is_open(by_anyone)
    turn_on(published, "link")
    link = make_link(published)
    by_link = chatter(published, link["key"])
    assert (is_open(by_anyone), is_open(by_link)) == (False, True)
    published.owner.delete(f"/api/deployments/{published.name}/keys/{link['id']}")
    assert not is_open(by_link)
    assert ask_for_token(published, link["key"]).status_code == 401
    turn_on(published, "anyone")
    assert is_open(by_anyone)
    turn_on(published, "off")
    assert not is_open(by_anyone)
    assert ask_for_token(published).json()["error"]["code"] == "chat_not_open"


def test_whoever_may_not_chat_is_told_the_same_whatever_there_is(published: Published):
    other = publish(published.owner, name="another")
    turn_on(other, "link")
    turn_on(published, "people")
    link = make_link(other)["key"]
    answers = [ask_for_token(published), ask_for_token(other)]
    answers.append(client_of(published.owner).post("/d/nowhere/chat/tokens", json={}))
    turn_on(published, "off")
    answers.append(ask_for_token(published))
    assert {(each.status_code, each.text) for each in answers} == {(403, answers[0].text)}
    assert ask_for_token(published, link).status_code == 401


def test_people_chat_who_are_signed_in_and_each_has_a_chat_of_their_own(
    client: TestClient, server: TestClient, published: Published
):
    work_passwords_out_quickly(server)
    add(client, "ann", "admin")
    add(client, "ben", "viewer")
    turn_on(published, "people")
    ann, ben = signed_in(server, "ann"), signed_in(server, "ben")
    tokens = [each.post("/d/support/chat/tokens", json={}).json()["token"] for each in (ann, ben)]
    first = Chatter(client_of(server, {"Authorization": f"Bearer {tokens[0]}"}), "/d/support/chat", tokens[0])
    first.say(CANARY)
    taken = ben.post("/d/support/chat/tokens", json={"token": tokens[0]}).json()["token"]
    stolen = Chatter(client_of(server, {"Authorization": f"Bearer {taken}"}), "/d/support/chat", taken)
    assert stolen.messages() == []
    elsewhere = {"Origin": SITE, **FETCHED}
    turn_on(published, "people", origins=[SITE])
    assert ann.post("/d/support/chat/tokens", json={}, headers=elsewhere).status_code == 403
    assert ask_for_token(published).status_code == 403


def test_an_expired_token_names_its_chat_for_a_week_and_opens_nothing(
    published: Published, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        browser = chatter(published)
        browser.hear(browser.say(CANARY)["id"])
        patch.setattr("studio.web.auth.chat_tokens.LASTS", -timedelta(days=6))
        late = chatter(published, before=browser.token).token
        patch.setattr("studio.web.auth.chat_tokens.LASTS", -timedelta(days=8))
        too_late = chatter(published, before=browser.token).token
    assert [each["text"] for each in chatter(published, before=late).messages()] == [CANARY]
    assert chatter(published, before=too_late).messages() == []
    for token in forged(browser.token):
        assert chatter(published, before=token).messages() == []
    turn_on(published, "link")
    assert chatter(published, make_link(published)["key"], before=browser.token).messages() == []


def test_a_stream_ends_when_the_page_is_turned_off(
    client: TestClient, server: TestClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("studio.web.auth.session_cache.FRESH_S", 0.05)
    asking = publish(client, team(assistant("writer", "A draft."), USER_PROXY, max_messages=3))
    turn_on(asking)
    browser = chatter(asking)
    call_id = browser.say()["id"]
    services = running(server)
    portal = server.portal
    assert portal is not None

    async def turn_off() -> None:
        await services.store.deployments.change(asking.name, settings=DeploymentSettings())

    timer = threading.Timer(0.3, lambda: portal.call(turn_off))
    timer.start()
    text = browser.hear(call_id)  # ends, though the call waits for an answer
    timer.join()
    assert "event: ended" not in text


def test_a_stream_ends_with_its_token_and_goes_on_with_the_next(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.web.auth.session_cache.FRESH_S", 0.05)
    asking = publish(client, team(assistant("writer", "A draft."), USER_PROXY, max_messages=3))
    turn_on(asking)
    with monkeypatch.context() as patch:
        patch.setattr("studio.web.auth.chat_tokens.LASTS", timedelta(seconds=2))
        browser = chatter(asking)
        call_id = browser.say()["id"]
        text = browser.hear(call_id)  # ends, though the call waits for an answer
    assert "event: ended" not in text
    assert browser.client.get(f"{browser.url}/messages").status_code == 401
    renewed = chatter(asking, before=browser.token)
    question: Any = None
    while question is None:
        question = renewed.messages()[0]["call"]["question"]
    answered = {"question_id": question["id"], "text": "Fine."}
    assert renewed.client.post(f"{renewed.url}/calls/{call_id}/answers", json=answered).status_code == 200
    assert "event: ended" in renewed.hear(call_id, re.findall(r"id: (\d+)", text)[-1])


def test_guessed_links_are_slowed_down(published: Published):
    turn_on(published, "link")
    link = make_link(published)["key"]
    statuses = [ask_for_token(published, f"studio-chat-guess-{number}").status_code for number in range(30)]
    assert (statuses[0], statuses[-1]) == (401, 429)
    assert ask_for_token(published, link).status_code == 200


@pytest.mark.parametrize("route", [*BODIES])
def test_bad_bodies_are_refused(server: TestClient, published: Published, route: str):
    token = "" if route.endswith("tokens") else chatter(published).token
    method, path = route.replace("{deployment}", "support").replace("{call_id}", "none").split()
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    bodies: list[object] = [None, [], "x", 1, {"text": 1}, {"text": None}, {"text": " "}, {"x": 1}, {"token": 1}]
    for body in bodies:
        answer = ask(server, Asked(method, path, body=json.dumps(body).encode(), headers=headers))
        assert answer.status == 422, (body, answer)


def test_what_is_too_large_is_refused(published: Published):
    assert client_of(published.owner).post("/d/support/chat/tokens", json={"token": "x" * 5000}).status_code == 413
    long = chatter(published).client.post("/d/support/chat/messages", json={"text": "x" * 100_001})
    assert (long.status_code, long.json()["error"]["code"]) == (422, "invalid_request")


def test_scripts_of_a_listed_site_may_chat_and_read_the_answers(published: Published):
    turn_on(published, origins=[SITE])
    elsewhere = {"Origin": SITE, **FETCHED}
    answer = ask_for_token(published, **elsewhere)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == SITE
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert "Origin" in answer.headers["Vary"]
    browser = client_of(published.owner, {"Authorization": f"Bearer {answer.json()['token']}", **elsewhere})
    call = browser.post("/d/support/chat/messages", json={"text": "Hello."})
    assert (call.status_code, call.headers["Access-Control-Allow-Origin"]) == (202, SITE)
    refused = browser.get("/d/support/chat/calls/none/events")
    assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (404, SITE)
    asked = {**elsewhere, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    before = client_of(published.owner).options("/d/support/chat/messages", headers=asked)
    assert (before.status_code, before.headers["Access-Control-Allow-Origin"]) == (204, SITE)
    assert "Authorization" in before.headers["Access-Control-Allow-Headers"]


@pytest.mark.parametrize(
    "origin", ["https://example.com", "http://www.example.com", f"{SITE}:8443", f"{SITE}.evil.example", "null", ""]
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_no_other_site_may(published: Published, origin: str, method: str):
    turn_on(published, origins=[SITE])
    headers = {"Origin": origin, **FETCHED, "Access-Control-Request-Method": "POST"}
    answer = chatter(published).client.request(method, "/d/support/chat/messages", headers=headers)
    assert (answer.status_code, "Access-Control-Allow-Origin" in answer.headers) == (403, False)


def test_nor_may_a_listed_site_do_anything_else(published: Published, client: TestClient):
    turn_on(published, origins=[SITE])
    other = publish(client, name="another")
    turn_on(other)
    elsewhere = {"Origin": SITE, **FETCHED}
    protocols = ("calls", "v1/models", "mcp", "a2a", "a2a/message:send", "a2a/tasks", "agui", "ui")
    for path in (*(f"/d/support/{each}" for each in protocols), "/api/teams", "/d/another/chat/tokens"):
        for method in ("GET", "POST", "OPTIONS"):
            answer = published.caller.request(method, path, headers=elsewhere)
            assert (answer.status_code, "Access-Control-Allow-Origin" in answer.headers) == (403, False), path
    turn_on(published, "off", origins=[SITE])
    assert ask_for_token(published, **elsewhere).json()["error"]["code"] == "wrong_origin"


def test_only_listed_sites_may_show_the_page_in_a_frame(published: Published):
    stranger = client_of(published.owner)
    alone = stranger.get("/d/support/chat", headers=FRAMED)
    assert "frame-ancestors 'none'" in alone.headers["Content-Security-Policy"]
    assert alone.headers["X-Frame-Options"] == "DENY"
    turn_on(published, origins=[SITE, "http://localhost:3000"])
    framed = stranger.get("/d/support/chat", headers=FRAMED)
    assert framed.status_code == 200
    assert framed.headers["Content-Security-Policy"].endswith(f"frame-ancestors {SITE} http://localhost:3000")
    assert "X-Frame-Options" not in framed.headers
    turn_on(published, "off", origins=[SITE])
    assert "frame-ancestors 'none'" in stranger.get("/d/support/chat").headers["Content-Security-Policy"]


def test_nothing_else_can_be_shown_in_a_frame(published: Published, browser: TestClient):
    turn_on(published, origins=[SITE])
    for route, need in NEEDS.items():
        method, _, path = route.partition(" ")
        path = re.sub(r"{(\w+)}", "support", path)
        if method == "GET" and path != "/d/support/chat":
            by = published.caller if need.role == CALLER else browser
            answer = by.get(path, headers={} if need.role == CALLER else {"Sec-Fetch-Site": "same-origin"})
            assert answer.headers["X-Frame-Options"] == "DENY", path
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"], path
            if not path.endswith("/embed.js"):
                assert browser.get(path, headers=FRAMED).status_code == 403, path


def test_a_link_from_elsewhere_opens_the_page_and_any_site_gets_the_script(published: Published):
    stranger = client_of(published.owner)
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert stranger.get("/d/support/chat", headers=followed).status_code == 200
    loaded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    script = stranger.get("/d/support/chat/embed.js", headers=loaded)
    assert (script.status_code, script.headers["Cross-Origin-Resource-Policy"]) == (200, "cross-origin")
    for path in ("/d/support/chat", "/d/support/chat/messages", "/static/css/tokens.css"):
        assert stranger.get(path, headers=loaded).status_code == 403


def test_prompts_tools_and_names_of_models_stay_inside(client: TestClient):
    secret: Any = assistant("writer", "The answer.")
    secret["config"] |= {"system_message": CANARY, "description": CANARY}
    made = publish(client, team(secret, max_messages=2), sees="messages")
    turn_on(made)
    browser = chatter(made)
    call_id = browser.say()["id"]
    shown = [browser.hear(call_id), json.dumps(browser.messages()), client_of(client).get("/d/support/chat").text]
    assert "The answer." in shown[0]
    assert not any(CANARY in each or "replay" in each.lower() for each in shown)


def test_the_page_answers_where_only_deployments_do(settings: Settings):
    only = Settings(data_dir=settings.data_dir, token=TOKEN, public_hosts=("chat.example.com",))
    app: FastAPI = create_app(only)
    with TestClient(app, base_url=BASE_URL) as server:
        made = publish(client_of(server, {"Authorization": f"Bearer {TOKEN}"}))
        turn_on(made)
        public = {"Host": "chat.example.com"}
        page = client_of(server).get("/d/support/chat", headers=public)
        assert (page.status_code, "Sign in" in page.text) == (200, False)
        assert ask_for_token(made, **public).status_code == 200
        assert client_of(server).get("/chat/support", headers=public).status_code == 404
