"""Who may call what: keys open their own deployment and nothing else, and nobody learns of the calls of others."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.app import create_app
from studio.web.auth import NEEDS
from studio.web.auth.person import CALLER
from tests.store.statements import statements
from tests.web.a2a_clients import SAID, VERSION
from tests.web.direct import Answer, Asked, ask
from tests.web.documents import USER_PROXY, assistant, team
from tests.web.doors import BASE_URL, NEEDS_OF_PEOPLE, TOKEN, client_of
from tests.web.publishing import Published, publish, running

CANARY = "cnry-of-another-caller"
ROUTES = [route for route, need in NEEDS.items() if need.role == CALLER]
OF_ONE_CALL = [route for route in ROUTES if "{call_id}" in route or "{response_id}" in route]
OF_ONE_ID = [*OF_ONE_CALL, *(route for route in ROUTES if "{task_id}" in route)]
READS = re.compile(r"^SELECT.*\sFROM (call|run_event|run_start)\b", re.DOTALL)
OWN_ERRORS = re.compile("/(mcp|a2a(/.*)?)$")
"""Routes whose protocol has errors of its own: `test_mcp.py`, `test_a2a.py`, `test_a2a_rest.py` hold what they are."""
OF_A_STATE = re.compile("^DELETE|/answers$|/tasks/{task_id}|/extendedAgentCard$")
"""Routes that refuse a call that has ended, or every one."""
BODIES = {
    "POST /d/{deployment}/calls": {"task": "Go."},
    "POST /d/{deployment}/calls/{call_id}/answers": {"question_id": "q", "text": "Yes."},
    "POST /d/{deployment}/v1/chat/completions": {
        "model": "support",
        "messages": [{"role": "user", "content": "Go."}],
    },
    "POST /d/{deployment}/v1/responses": {"model": "support", "input": "Go."},
    "POST /d/{deployment}/mcp": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    },
    "POST /d/{deployment}/agui": {
        "threadId": "t-agui",
        "runId": "r1",
        "messages": [{"role": "user", "content": "Go."}],
    },
    "POST /d/{deployment}/ui": {
        "id": "t-ui",
        "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Go."}]}],
    },
    "POST /d/{deployment}/a2a": {"jsonrpc": "2.0", "id": 1, "method": "ListTasks"},
    "POST /d/{deployment}/a2a/": {"jsonrpc": "2.0", "id": 1, "method": "ListTasks"},
    "POST /d/{deployment}/a2a/message:send": {"message": SAID},
    "POST /d/{deployment}/a2a/message:stream": {"message": SAID},
}


@pytest.fixture
def published(client: TestClient) -> Published:
    return publish(client)


def address_of(route: str, **ids: str) -> tuple[str, str]:
    """Method and path; a response has the ID of its call, and a task of A2A has it, too."""
    if "call_id" in ids:
        ids |= {"response_id": f"resp_{ids['call_id']}", "task_id": ids["call_id"]}
    method, path = route.split()
    return method, re.sub(r"{(\w+)}", lambda found: ids.get(found[1], "none"), path)


def send(server: TestClient, route: str, key: str = "", body: bytes | None = None, **ids: str) -> Answer:
    method, path = address_of(route, **ids)
    if body is None:
        body = json.dumps(BODIES.get(route, {})).encode()
    headers = {"Content-Type": "application/json", **VERSION, **({"Authorization": f"Bearer {key}"} if key else {})}
    if route.endswith("/mcp"):
        headers["Accept"] = "application/json, text/event-stream"
    return ask(server, Asked(method, path, body=body if method == "POST" else b"", headers=headers))


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_else_opens_a_deployment(server: TestClient, published: Published, browser: TestClient, route: str):
    """And whoever has no key of it is told the same of one that is not there."""
    other = publish(published.owner, name="another")
    call_id = published.call()["id"]
    for key in ("", "wrong", TOKEN, other.key, f"{published.key}x"):
        answers = [
            send(server, route, key, deployment=name, call_id=call_id) for name in (published.name, "nowhere", "")
        ]
        assert {(each.status, each.body) for each in answers} == {(401, answers[0].body)}
    method, path = address_of(route, deployment=published.name, call_id=call_id, model="support")
    assert browser.request(method, path, headers={"X-Studio-CSRF": "x"}).status_code == 401


def test_a_key_opens_nothing_else(server: TestClient, published: Published):
    for route in NEEDS_OF_PEOPLE:
        if route not in ("GET /login", "GET /static"):
            answer = send(server, route, published.key, team_id=published.team_id)
            assert answer.status in (401, 429), route


@pytest.mark.parametrize("route", OF_ONE_CALL)
def test_the_call_of_another_key_is_unknown(server: TestClient, published: Published, route: str):
    others = published.another_caller()
    theirs = others.post(f"{published.url}/calls", params={"wait_s": 20}, json={"task": CANARY, "thread": "t"}).json()
    own = published.call(thread="t")
    assert own["thread"] == theirs["thread"]
    assert own["id"] != theirs["id"]
    answers = [
        send(server, route, published.key, deployment=published.name, call_id=call_id)
        for call_id in (theirs["id"], "none", own["id"].upper())
    ]
    assert {(each.status, each.body) for each in answers} == {(404, answers[0].body)}
    assert json.loads(answers[0].body)["error"]["code"] == "call_not_found"


@pytest.mark.parametrize("route", OF_ONE_ID)
def test_to_refuse_the_call_of_another_key_takes_what_an_unknown_one_takes(
    server: TestClient, published: Published, route: str
):
    """What the database is asked: how long it takes would tell that the call is there."""
    others = published.another_caller()
    theirs = others.post(f"{published.url}/calls", params={"wait_s": 20}, json={"task": "Go."}).json()["id"]

    def asked_of(call_id: str) -> list[str]:
        with statements() as asked:
            answer = send(server, route, published.key, deployment=published.name, call_id=call_id)
        assert answer.status >= 400
        return [each.statement for each in asked if READS.search(each.statement) and call_id in str(each.values)]

    found = asked_of(theirs)
    assert found == asked_of("0" * len(theirs))
    assert found or "pushNotificationConfigs" in route


@pytest.mark.parametrize("route", ROUTES)
def test_a_revoked_or_expired_key_opens_nothing(server: TestClient, published: Published, route: str):
    call_id = published.call()["id"]
    opened = send(server, route, published.key, deployment=published.name, call_id=call_id, model="support")
    assert opened.status < 300 or OF_A_STATE.search(route)
    assert opened.status not in (401, 403, 429)
    services = running(server)

    async def expired() -> str:
        return (await services.store.deployments.add_key(published.name, "old", timedelta(seconds=-1)))[1]

    assert server.portal is not None
    old = server.portal.call(expired)
    published.owner.delete(f"/api/deployments/{published.name}/keys/{published.key_id}")
    for key in (old, published.key):
        answer = send(server, route, key, deployment=published.name, call_id=call_id)
        assert (answer.status, json.loads(answer.body)["error"]["code"]) == (401, "wrong_key")


def test_a_stream_ends_with_its_key(client: TestClient, server: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.web.auth.session_cache.FRESH_S", 0.05)
    asked = publish(client, team(assistant("writer", "A draft."), USER_PROXY, max_messages=3))
    call = asked.call()
    client.delete(f"/api/deployments/{asked.name}/keys/{asked.key_id}")
    assert asked.caller.get(f"{asked.url}/calls/{call['id']}/events").status_code == 401
    second = asked.another_caller()
    begun = second.post(f"{asked.url}/calls", json={"task": "Go."}, params={"wait_s": 20}).json()
    keys = client.get(f"/api/deployments/{asked.name}").json()["keys"]
    assert server.portal is not None
    portal = server.portal
    services = running(server)
    holding = next(each["id"] for each in keys if each["revoked_at"] is None)

    def revoke_soon() -> None:
        import time

        time.sleep(0.3)
        portal.call(services.store.deployments.revoke_key, asked.name, holding)

    import threading

    thread = threading.Thread(target=revoke_soon)
    thread.start()
    text = second.get(f"{asked.url}/calls/{begun['id']}/events").text  # ends, though the call goes on to wait
    thread.join()
    assert "event: waiting" in text
    assert "event: ended" not in text


FOREIGN = {
    "another site": ({"Origin": "https://evil.example"}, 403),
    "no site": ({"Origin": "null"}, 403),
    "a link": ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403),
    "another host": ({"Host": "evil.example"}, 421),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_other_sites_and_hosts_are_refused(published: Published, what: str):
    headers, status = FOREIGN[what]
    for route in ROUTES:
        method, path = address_of(route, deployment=published.name, model="support")
        answer = published.caller.request(method, path, headers=headers, json=BODIES.get(route, {}))
        assert answer.status_code == status, route
        assert "Access-Control-Allow-Origin" not in answer.headers


MALFORMED = [
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"{",
    b"\xff\xfe",
    b"\0",
    b"[" * 5000,
    b'{"task": NaN}',
    b'{"task": ""}',
    b'{"task": " "}',
    b'{"task": null}',
    b'{"task": 1}',
    b'{"task": []}',
    b'{"task": {}}',
    b'{"task": [1]}',
    b'{"task": [{}]}',
    b'{"task": [{"image": 1}]}',
    b'{"task": [{"image": "data:image/png;base64,AAAA"}]}',
    b'{"task": [{"image": "http://127.0.0.1/x.png"}]}',
    b'{"task": "x", "thread": ""}',
    b'{"task": "x", "thread": 1}',
    b'{"task": "x", "thread": "../x"}',
    b'{"task": "x", "thread": "a b"}',
    b'{"task": "x", "thread": "' + b"a" * 129 + b'"}',
    b'{"task": "x", "team_id": "1"}',
    b'{"task": "x", "component": {}}',
    b'{"task": "x", "with_mocks": true}',
    b'{"task": "x", "release": 1}',
    b'{"question_id": "q"}',
    b'{"text": "q"}',
    b'{"question_id": "", "text": ""}',
    b'{"question_id": null, "text": null}',
    b'{"question_id": {}, "text": []}',
    b'{"question_id": "q", "text": "x", "data": {}}',
    b'{"question_id": "' + b"q" * 300 + b'", "text": "x"}',
    b'{"command": "decide"}',
    b"<xml/>",
    b"task=x",
    b'{"task": "\\ud800\\u0000", "thread": "\\ud800"}',
    b'{"model": "support"}',
    b'{"model": "support", "input": []}',
    b'{"model": "support", "input": [{}]}',
    b'{"model": "support", "input": 1}',
    b'{"model": "support", "input": " "}',
    b'{"model": "support", "input": "x", "previous_response_id": "none"}',
    b'{"model": "support", "input": "x", "conversation": {"id": ""}}',
    b'{"model": "support", "input": [{"role": "user", "content": [{"type": "input_image", "image_url": "file:///x"}]}]}',
    b'{"model": "support", "input": [{"type": "function_call_output", "call_id": "x", "output": "y"}]}',
    b'{"model": "support", "messages": []}',
    b'{"threadId": "t", "runId": "r"}',
    b'{"threadId": "a b", "runId": "r", "messages": [{"role": "user", "content": "x"}]}',
    b'{"threadId": "t", "runId": "", "messages": [{"role": "user", "content": "x"}]}',
    b'{"threadId": "t", "runId": "r", "messages": [{"role": "assistant", "content": "x"}]}',
    b'{"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": " "}]}',
    b'{"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": [{"type": "image"}]}]}',
    b'{"threadId": "t", "runId": "r", "messages": ["x"], "resume": [{"interruptId": "x", "status": "resolved"}]}',
    b'{"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": "x"}], "tools": [{}]}',
    b'{"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": "x"}], "state": {"a": 1}}',
    b'{"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": "x"}], "protocolVersion": "2.0"}',
    b'{"model": "support", "messages": [{"role": "user", "content": [{"type": "input_text", "text": "x"}]}]}',
]


@pytest.mark.parametrize("route", [route for route in BODIES if not OWN_ERRORS.search(route)])
def test_bad_bodies_are_refused_in_our_shape_and_begin_nothing(server: TestClient, published: Published, route: str):
    call_id = published.call()["id"]
    for body in MALFORMED:
        answer = send(server, route, published.key, body, deployment=published.name, call_id=call_id)
        assert 400 <= answer.status < 500, (body, answer)
        assert {"code", "message", "fix", "where"} <= set(json.loads(answer.body)["error"])
    assert len(published.owner.get(f"/api/deployments/{published.name}/calls").json()) == 1


def test_odd_text_is_a_task_like_any_other(published: Published):
    body = json.dumps({"task": "\ud800 \0 {{7*7}} <script>"})
    headers = {"Content-Type": "application/json"}
    answer = published.caller.post(f"{published.url}/calls", params={"wait_s": 20}, content=body, headers=headers)
    assert (answer.status_code, answer.json()["state"]) == (200, "finished")


def test_a_body_larger_than_the_deployment_takes_is_refused(published: Published):
    published.owner.patch(f"/api/deployments/{published.name}", json={"settings": {"limits": {"body_kb": 1}}})
    sent = {"task": "x" * 2000}
    refused = published.caller.post(f"{published.url}/calls", json=sent)
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")
    streamed = published.caller.post(f"{published.url}/calls", content=(piece for piece in [json.dumps(sent).encode()]))
    assert streamed.status_code == 413


def test_where_mcp_is_not_installed_its_address_says_so(published: Published, monkeypatch: pytest.MonkeyPatch):
    def missing() -> None:
        raise ModuleNotFoundError(name="mcp")

    monkeypatch.setattr("studio.web.protocols.mcp._server_module", missing)
    refused = published.caller.post(f"{published.url}/mcp", json=BODIES["POST /d/{deployment}/mcp"])
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable")
    assert "team-studio[mcp]" in refused.json()["error"]["fix"]


def test_wrong_keys_are_slowed_down_and_the_right_one_is_let_in(server: TestClient, published: Published):
    stranger = client_of(server, {"Authorization": "Bearer sk-studio-guess"})
    statuses = [stranger.get(f"{published.url}/calls/x").status_code for _ in range(40)]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    assert published.call()["state"] == "finished"


def test_a_key_is_told_once_and_kept_as_a_hash(published: Published, settings: Any):
    shown = published.owner.get(f"/api/deployments/{published.name}").text
    assert published.key not in shown
    assert published.key[-4:] in shown
    files = [file.read_bytes() for file in settings.data_dir.rglob("*") if file.is_file()]
    assert all(published.key.encode() not in content for content in files)


def test_a_call_that_waits_too_long_for_a_person_is_canceled(client: TestClient, server: TestClient):
    asked = publish(client, team(assistant("writer", "A draft."), USER_PROXY, max_messages=3), name="asking")
    call = asked.call()
    services = running(server)
    assert server.portal is not None
    now = datetime.now(UTC)
    url = f"{asked.url}/calls/{call['id']}"
    server.portal.call(services.calls.cancel_unanswered, now + timedelta(hours=23))
    assert asked.caller.get(url).json()["state"] == "waiting"
    server.portal.call(services.calls.cancel_unanswered, now + timedelta(hours=25))
    assert asked.caller.get(f"{url}/events").text, "it is followed to its end"
    assert asked.caller.get(url).json()["state"] == "cancelled"


def test_under_a_public_name_only_published_teams_answer(settings: Settings):
    app = create_app(settings.model_copy(update={"public_hosts": ("Agents.example",)}))
    with TestClient(app, base_url=BASE_URL) as server:
        published = publish(client_of(server, {"Authorization": f"Bearer {TOKEN}"}))
        host = {"Host": "agents.example"}
        answer = published.caller.post(f"{published.url}/calls", json={"task": "Go."}, headers=host)
        assert answer.status_code in (200, 202)
        for path in ("/teams", "/api/teams", "/login", "/static/css/studio.css", "/nowhere"):
            refused = published.owner.get(path, headers=host)
            assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found"), path
        assert published.owner.get("/api/teams", headers={"Host": "elsewhere.example"}).status_code == 421
