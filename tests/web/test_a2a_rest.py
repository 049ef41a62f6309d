"""A2A over plain HTTP, as it stands on the wire; `test_a2a.py` speaks it by the client of its SDK."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from studio.components import JsonObject
from tests.web.a2a_clients import SAID, VERSION, WRONG_PARAMS, Site, a2a_site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SEND, STREAM = "/message:send", "/message:stream"
BROKEN = [b"", b"null", b"[]", b'"x"', b"{", b"\xff\xfe", b"\0", b"[" * 5000, b"<xml/>", b'{"message": NaN}', b"1e999"]
OF_ONE_TASK = [("GET", ""), ("GET", ":subscribe"), ("POST", ":subscribe"), ("POST", ":cancel")]
ODD_IDS = ["none", "%00", "..%2f..", "%E2%80%A8", ":cancel", "'", "x" * 101, "%F0%9F%92%A9", "a b", "7", "{}"]
QUERIES: list[dict[str, str]] = [
    {"pageSize": "0"},
    {"pageSize": "101"},
    {"pageSize": "x"},
    {"pageSize": "1.5"},
    {"historyLength": "-1"},
    {"includeArtifacts": "maybe"},
    {"status": "working"},
    {"status": "TASK_STATE_" + "X" * 40},
    {"contextId": "a b"},
    {"contextId": "x" * 129},
    {"pageToken": "none"},
    {"pageToken": "\0"},
    {"statusTimestampAfter": "yesterday"},
    {"statusTimestampAfter": "9" * 30},
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with a2a_site(tmp_path_factory.mktemp("studio") / "data") as site:
        yield site


def ask(site: Site, name: str, method: str, path: str, **given: Any) -> httpx.Response:
    headers = {**VERSION, **given.pop("headers", {})}
    return site.rest(name, method, f"/a2a{path}", headers=headers, **given)


def refused(answer: httpx.Response) -> tuple[int, str]:
    """Status and reason of a refusal, which has the shape of AIP-193."""
    assert answer.headers["Content-Type"] == "application/json"
    error = answer.json()["error"]
    assert set(error) == {"code", "status", "message", "details"}
    assert error["code"] == answer.status_code
    assert error["message"]
    [info] = error["details"]
    assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    return answer.status_code, info["reason"]


def waiting_task(site: Site) -> Any:
    return ask(site, "asks", "POST", SEND, json={"message": {**SAID, "messageId": str(uuid4())}}).json()["task"]


def test_what_comes_back_is_that_of_json_rpc(site: Site):
    sent: JsonObject = {"message": {**SAID, "messageId": "m-both", "contextId": "c-both"}}
    plain = ask(site, "plain", "POST", SEND, json=sent)
    assert (plain.status_code, plain.headers["Content-Type"]) == (200, "application/json")
    assert plain.json() == site.rpc("plain", "SendMessage", sent).json()["result"], "one message is one task"
    task = plain.json()["task"]
    read = ask(site, "plain", "GET", f"/tasks/{task['id']}", params={"historyLength": 0})
    assert read.json() == site.rpc("plain", "GetTask", {"id": task["id"], "historyLength": 0}).json()["result"]
    wanted = {"contextId": "c-both", "pageSize": "1", "includeArtifacts": "true", "status": "TASK_STATE_COMPLETED"}
    found = ask(site, "plain", "GET", "/tasks", params=wanted)
    typed = {**wanted, "pageSize": 1, "includeArtifacts": True}
    assert found.json() == site.rpc("plain", "ListTasks", typed).json()["result"]
    assert [each["id"] for each in found.json()["tasks"]] == [task["id"]]


def test_a_stream_is_one_of_plain_responses(site: Site):
    answer = ask(site, "plain", "POST", STREAM, json={"message": {**SAID, "messageId": "m-stream"}})
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    events = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    assert [next(iter(each)) for each in events] == ["task", "statusUpdate", "artifactUpdate", "statusUpdate"]
    assert events[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_task_is_followed_by_both_methods_that_the_protocol_names(site: Site, method: str):
    task = waiting_task(site)
    headers = {**VERSION, "Authorization": f"Bearer {site.keys['asks']}"}
    seen: list[str] = []
    with site.server.owner.stream(method, f"/d/asks/a2a/tasks/{task['id']}:subscribe", headers=headers) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: ") and not seen:
                ask(site, "asks", "POST", f"/tasks/{task['id']}:cancel")
            seen += [line] if line.startswith("data: ") else []
    assert '"TASK_STATE_INPUT_REQUIRED"' in seen[0]
    assert '"TASK_STATE_CANCELED"' in seen[-1]


def test_the_version_may_stand_in_the_address(site: Site):
    for version, is_read in (("1.0", True), ("0.3", False), ("", False)):
        answer = site.rest("plain", "GET", "/a2a/tasks", params={"A2A-Version": version})
        assert answer.is_success == is_read
    assert refused(answer) == (400, "VERSION_NOT_SUPPORTED")
    both = site.rest("plain", "GET", "/a2a/tasks", params={"A2A-Version": "1.0"}, headers={"A2A-Version": "0.3"})
    assert refused(both) == (400, "VERSION_NOT_SUPPORTED"), "the header counts"


def test_refusals_have_the_status_and_the_reason_of_the_protocol(site: Site):
    def reason(method: str, path: str, name: str = "plain", **given: Any) -> tuple[int, str]:
        return refused(ask(site, name, method, path, **given))

    config = {"message": SAID, "configuration": {"taskPushNotificationConfig": {"url": "http://127.0.0.1/hook"}}}
    no_push = 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"
    assert reason("POST", SEND, json=config) == no_push
    configs = "/tasks/x/pushNotificationConfigs"
    for method, path in (("POST", configs), ("GET", configs), ("GET", f"{configs}/y"), ("DELETE", f"{configs}/y")):
        assert reason(method, path) == no_push
    assert reason("GET", "/extendedAgentCard") == (400, "UNSUPPORTED_OPERATION")
    assert reason("POST", SEND, content=b"{}", headers={"Content-Type": "text/plain"}) == (
        415,
        "CONTENT_TYPE_NOT_SUPPORTED",
    )
    picture = {**SAID, "parts": [{"url": "http://127.0.0.1/x.png", "mediaType": "image/png"}]}
    assert reason("POST", SEND, json={"message": picture}) == (415, "CONTENT_TYPE_NOT_SUPPORTED")
    ended = ask(site, "plain", "POST", SEND, json={"message": {**SAID, "messageId": "m-ends"}}).json()["task"]["id"]
    assert reason("POST", f"/tasks/{ended}:cancel") == (409, "TASK_NOT_CANCELABLE")
    assert reason("POST", f"/tasks/{ended}:subscribe") == (400, "UNSUPPORTED_OPERATION")
    other = {**SAID, "messageId": "m-ends", "parts": [{"text": "Stop."}]}
    assert reason("POST", SEND, json={"message": other}) == (400, "INVALID_PARAMS")


def test_a_limit_says_when_to_try_again(site: Site):
    sent = [
        ask(site, "limited", "POST", path, json={"message": {**SAID, "messageId": f"r-{n}"}})
        for n, path in enumerate((SEND, SEND, STREAM))
    ]
    assert [each.status_code for each in sent] == [200, 429, 429]
    for each in sent[1:]:
        assert refused(each) == (429, "LIMIT_REACHED")
        assert int(each.headers["Retry-After"]) > 0


def test_the_task_of_another_key_is_as_unknown_as_one_that_is_not_there(site: Site):
    task_id = waiting_task(site)["id"]
    stranger = site.speaking("HTTP+JSON")
    for method, suffix in OF_ONE_TASK:
        answers = [
            ask(by, "asks", method, f"/tasks/{each}{suffix}")
            for by, each in ((stranger, task_id), (stranger, "none"), (site, task_id.upper()))
        ]
        assert {refused(each) for each in answers} == {(404, "TASK_NOT_FOUND")}
        assert len({each.content for each in answers}) == 1
    spoken = {"message": {**SAID, "messageId": "m-foreign", "taskId": task_id}}
    assert refused(ask(stranger, "asks", "POST", SEND, json=spoken)) == (404, "TASK_NOT_FOUND")
    assert ask(stranger, "asks", "GET", "/tasks").json()["tasks"] == []
    assert site.rest("asks", "GET", f"/calls/{task_id}").json()["state"] == "waiting"


def test_malformed_requests_are_refused_and_begin_nothing(site: Site):
    before = len(site.server.calls("plain"))
    bodies = [*BROKEN, *(json.dumps(each).encode() for each in WRONG_PARAMS)]
    for path in (SEND, STREAM):
        for body in bodies:
            answer = ask(site, "plain", "POST", path, content=body, headers={"Content-Type": "application/json"})
            assert refused(answer)[0] in (400, 404, 415), body
    for query in QUERIES:
        assert refused(ask(site, "plain", "GET", "/tasks", params=query)) == (400, "INVALID_PARAMS"), query
    for odd in ODD_IDS:
        for method, suffix in OF_ONE_TASK:
            answer = ask(site, "plain", method, f"/tasks/{odd}{suffix}", content=b"{" if method == "POST" else None)
            assert answer.status_code in (400, 404, 405), (odd, method, suffix, answer.text)
    assert len(site.server.calls("plain")) == before


def test_an_id_in_the_query_or_the_body_does_not_take_the_place_of_that_in_the_path(site: Site):
    first, second = (
        ask(site, "plain", "POST", SEND, json={"message": {**SAID, "messageId": f"m-place-{n}"}}).json()["task"]["id"]
        for n in range(2)
    )
    assert ask(site, "plain", "GET", f"/tasks/{first}", params={"id": second}).json()["id"] == first
    waiting = waiting_task(site)["id"]
    canceled = ask(site, "asks", "POST", f"/tasks/{waiting}:cancel", params={"id": "x"}, json={"id": "y"})
    assert (canceled.json()["id"], canceled.json()["status"]["state"]) == (waiting, "TASK_STATE_CANCELED")
