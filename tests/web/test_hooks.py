"""Other services call deployments by posting to their hooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from standardwebhooks import Webhook

from tests.web.doors import client_of
from tests.web.publishing import Published, publish

pytestmark = pytest.mark.timeout(90)
EVENT = {"action": "opened", "issue": {"title": "It is broken", "labels": ["bug", "ui"], "body": None}}
TASK = "Look at {{/issue/title}} ({{ /issue/labels }}, {{/issue/labels/0}}, {{/issue/body}}, {{/nothing}})."


def hooked(published: Published, kind: str = "standard", **wanted: Any) -> Any:
    body = {"label": "Tracker", "kind": kind, "task": TASK, **wanted}
    answer = published.owner.post(f"/api/deployments/{published.name}/hooks", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def signed(hook: Any, body: bytes, sent_id: str = "msg_1", at: datetime | None = None) -> dict[str, str]:
    """As a sender of the kind of the hook signs."""
    secret, at = hook["secret"], at or datetime.now(UTC)
    if hook["kind"] == "github":
        digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        return {"X-Hub-Signature-256": f"sha256={digest}", "X-GitHub-Delivery": sent_id, "X-GitHub-Event": "issues"}
    if hook["kind"] == "bearer":
        return {"Authorization": f"Bearer {secret}", "Idempotency-Key": sent_id}
    stamp, key = str(int(at.timestamp())), base64.b64decode(secret.removeprefix("whsec_"))
    digest = base64.b64encode(hmac.new(key, f"{sent_id}.{stamp}.".encode() + body, hashlib.sha256).digest()).decode()
    return {"webhook-id": sent_id, "webhook-timestamp": stamp, "webhook-signature": f"v1,AAAA v2,x v1,{digest}"}


def post(published: Published, hook: Any, content: Any = EVENT, headers: Mapping[str, str] | None = None) -> Any:
    """What a service that holds no key of the studio is answered."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    service = client_of(published.owner)
    return service.post(httpx.URL(hook["address"]).path, content=body, headers=headers or signed(hook, body))


def calls(published: Published) -> Any:
    return published.owner.get(f"/api/deployments/{published.name}/calls").json()


@pytest.mark.parametrize("kind", ["standard", "github", "bearer"])
def test_a_signed_post_begins_a_call_whose_task_is_made_of_the_body(client: TestClient, kind: str):
    published = publish(client)
    answer = post(published, hooked(published, kind))
    assert answer.status_code == 202, answer.text
    [call] = calls(published)
    assert (answer.json(), call["protocol"]) == ({"call_id": call["id"]}, "hook")
    task = published.owner.get(f"/api/runs/{call['id']}").json()["task"]
    assert task == 'Look at It is broken (["bug", "ui"], bug, , ).'
    assert published.caller.get(f"/d/support/calls/{call['id']}").status_code == 404, "it belongs to no caller"


def test_a_sender_with_a_package_of_standard_webhooks_is_known(client: TestClient):
    published = publish(client)
    hook, at = hooked(published), datetime.now(UTC)
    signature = Webhook(hook["secret"]).sign("msg_1", at, json.dumps(EVENT))
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(at.timestamp())), "webhook-signature": signature}
    assert post(published, hook, EVENT, headers).status_code == 202


@pytest.mark.parametrize("kind", ["standard", "github", "bearer"])
def test_a_post_that_comes_again_is_the_same_call(client: TestClient, kind: str):
    published = publish(client)
    hook = hooked(published, kind)
    answers = [post(published, hook).json() for _ in range(3)]
    assert answers == [answers[0]] * 3
    other = post(published, hook, headers=signed(hook, json.dumps(EVENT).encode(), "msg_2")).json()
    assert other != answers[0]
    second = hooked(published, kind)
    assert post(published, second).json() not in (other, answers[0]), "IDs are those of one hook"
    assert len(calls(published)) == 3


def test_what_is_not_signed_is_refused_as_a_hook_that_is_not_there(client: TestClient):
    published = publish(client)
    other = publish(client, name="other")
    hook = hooked(published)
    body = json.dumps(EVENT).encode()
    good = signed(hook, body)
    late, early = (datetime.now(UTC) + sign * timedelta(minutes=6) for sign in (-1, 1))
    nowhere = {**hook, "address": hook["address"].replace(hook["id"], "0" * 32)}
    foreign = {**hook, "address": hook["address"].replace("/d/support/", "/d/other/")}
    absent = {**hook, "address": hook["address"].replace("/d/support/", "/d/absent/")}
    answers = [
        post(published, hook, {"action": "closed"}, good),
        post(published, hook, body, signed({**hook, "secret": hooked(other)["secret"]}, body)),
        post(published, hook, body, signed(hook, body, at=late)),
        post(published, hook, body, signed(hook, body, at=early)),
        *(post(published, hook, body, {**good, name: ""}) for name in good),
        post(published, hook, body, {"X": "1"}),
        post(published, nowhere, body, good),
        post(published, foreign, body, good),
        post(published, absent, body, good),
    ]
    texts = {answer.text for answer in answers if answer.status_code == 401}
    assert len(texts) == 1
    assert {answer.status_code for answer in answers} <= {401, 429}
    assert calls(published) == calls(other) == []
    assert post(published, hook).status_code == 202, "who signs is let in, whatever others sent"


MALFORMED = (
    *(b"", b" ", b"{", b"[", b"nul", b"{'a': 1}", b"\xff\xfe", b"\x00", b"\xef\xbb\xbf{}", b"NaN", b"1e999", b"-"),
    *(b"a=1&b=2", b"payload=%7B%7D", b"<xml/>", b'{"a": 1}{"b": 2}', b'{"a": 1,}', b'{"a"}', b'{"a": }', b"[1,]", b'"'),
    *(b"null", b"true", b"0", b'""', b"[]", b"{}", b'"\\ud800"', b'{"\\udfff": 1}', b'{"issue": 1}', b'{"issue": []}'),
    *(b'{"issue": {"title": {"a": [1]}}}', b'{"issue": {"labels": "x"}}', b"[" * 100_000, b'{"a":' * 50_000),
    *(b"9" * 9999, b"--", b"{}}", b'"' + b"x" * 250_000 + b'"', b'{"issue": null}', b'{"a": 1, "a": 2}', b"//"),
    *(b'{"issue": {"title": "\\u0000"}}', b'{"issue": {"title": "\\ud83d"}}'),
)


@pytest.mark.parametrize("kind", ["standard", "github", "bearer"])
def test_no_body_breaks_the_studio(client: TestClient, kind: str):
    assert len(MALFORMED) >= 40
    published = publish(client, limits={"calls_per_minute": 1000, "calls_at_once": 100})
    hook = hooked(published, kind, task="{{/issue/title}} {{/issue/labels/0}} {{/issue/labels/99999999999999999}} Go.")
    statuses = {
        body[:40]: post(published, hook, body, signed(hook, body, f"msg_{number}")).status_code
        for number, body in enumerate(MALFORMED)
    }
    assert {body: status for body, status in statuses.items() if status not in (202, 400, 413, 422)} == {}
    assert {statuses[b"{"], statuses[b""], statuses[b"a=1&b=2"]} == {400}


def test_a_body_is_bounded_before_anything_is_read_of_it(client: TestClient):
    published = publish(client)
    hook, body = hooked(published), b"[" + b"1," * 200_000 + b"1]"
    assert post(published, hook, body).status_code == 413
    hook = hooked(published, task="{{body}}" * 10)
    assert post(published, hook, {"a": "x" * 100_000}).status_code == 413
    assert calls(published) == []


def test_limits_hold_and_what_is_off_or_paused_takes_nothing(client: TestClient):
    published = publish(client, limits={"calls_per_minute": 1})
    hook = hooked(published)
    address = f"/api/deployments/support/hooks/{hook['id']}"
    assert client.patch(address, json={"is_on": False}).json()["is_on"] is False
    assert post(published, hook).status_code == 409
    client.patch(address, json={"is_on": True, "task": "Changed."})
    client.patch("/api/deployments/support", json={"is_on": False})
    assert post(published, hook).status_code == 503
    client.patch("/api/deployments/support", json={"is_on": True})
    assert post(published, hook).status_code == 202
    limited = post(published, hook, EVENT, signed(hook, json.dumps(EVENT).encode(), "msg_2"))
    assert limited.status_code == 429
    assert int(limited.headers["Retry-After"]) > 0
    [call] = calls(published)
    assert client.get(f"/api/runs/{call['id']}").json()["task"] == "Changed."
    assert client.delete(address).status_code == 204
    assert client.get("/api/deployments/support/hooks").json() == []
    assert post(published, hook, EVENT).status_code in (401, 429)
    assert len(calls(published)) == 1, "its calls stay"


def test_a_secret_is_told_once_and_changes_are_in_the_audit_log(client: TestClient):
    published = publish(client)
    hook = hooked(published)
    assert hook["secret"].startswith("whsec_")
    assert hook["secret"] not in client.get("/api/deployments/support/hooks").text
    client.delete(f"/api/deployments/support/hooks/{hook['id']}")
    audit = client.get("/api/audit").text
    assert "POST /api/deployments/{deployment}/hooks" in audit
    assert "DELETE /api/deployments/{deployment}/hooks/{hook_id}" in audit
    assert hook["secret"] not in audit


def test_a_ping_of_github_is_answered_without_a_call(client: TestClient):
    published = publish(client)
    hook, body = hooked(published, "github"), b'{"zen": "Keep it simple."}'
    answer = post(published, hook, body, {**signed(hook, body), "X-GitHub-Event": "ping"})
    assert (answer.status_code, calls(published)) == (204, [])


def test_a_hook_opens_nothing_else(client: TestClient):
    published = publish(client)
    hook = hooked(published, "bearer")
    service = client_of(client, {"Authorization": f"Bearer {hook['secret']}"})
    for path in ("/api/deployments", "/d/support/calls/x", "/", f"/d/support/hooks/{hook['id']}"):
        assert service.get(path).status_code in (401, 403, 405, 429), path
    assert service.post("/d/support/calls", json={"task": "Go."}).status_code in (401, 429)


@pytest.mark.parametrize(
    "wrong",
    [
        {"label": ""},
        {"kind": "none"},
        {"task": ""},
        {"task": " "},
        {"task": "{{title}}"},
        {"task": "{{}}"},
        {"task": "{{/a}}" * 51},
        {"task": "x" * 20_001},
        {"extra": 1},
    ],
)
def test_what_cannot_be_a_hook_is_refused(client: TestClient, wrong: Any):
    publish(client)
    body = {"label": "Tracker", "task": TASK, **wrong}
    answer = client.post("/api/deployments/support/hooks", json=body)
    assert 400 <= answer.status_code < 500, answer.text
    assert client.get("/api/deployments/support/hooks").json() == []


def test_a_template_is_filled_and_not_executed(client: TestClient):
    published = publish(client)
    hook = hooked(published, task="{{/a}} {% for x in y %} ${b} {{ /c~1d }}")
    answer = post(published, hook, {"a": "{{/secret}} {{ 7*7 }}", "secret": "no", "c/d": "yes"})
    task = client.get(f"/api/runs/{answer.json()['call_id']}").json()["task"]
    assert task == "{{/secret}} {{ 7*7 }} {% for x in y %} ${b} yes"
