"""The client of A2A's own SDK, over real HTTP, against a running studio with published teams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from typing import Any

import pytest
from a2a.client import AgentCardResolutionError
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    StreamResponse,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import (
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from google.protobuf.json_format import MessageToDict

from studio.components import JsonObject
from studio.web.snippets import snippets
from tests.web.a2a_clients import (
    BINDINGS,
    SAID,
    VERSION,
    WRONG_PARAMS,
    Site,
    a2a_site,
    answer_of,
    kinds,
    message,
    said_in,
    sending,
    state,
    task_of,
    told,
)
from tests.web.openai_clients import PICTURE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with a2a_site(tmp_path_factory.mktemp("studio") / "data") as site:
        yield site


@pytest.fixture(scope="module", params=BINDINGS)
def spoken(site: Site, request: pytest.FixtureRequest) -> Site:
    """The same for each binding of the protocol, with keys of its own."""
    return site.speaking(request.param)


def test_the_card_has_the_words_of_the_owner_and_nothing_of_the_team(site: Site):
    card = site.rest("plain", "GET", "/a2a/.well-known/agent-card.json").json()
    assert (card["name"], card["description"]) == ("plain", "Answers all questions.")
    interfaces = card["supportedInterfaces"]
    assert [each["protocolBinding"] for each in interfaces] == ["JSONRPC", "HTTP+JSON"]
    for each in interfaces:
        assert (each["url"], each["protocolVersion"]) == (f"{site.url}/d/plain/a2a", "1.0")
    assert card["capabilities"] == {"streaming": True, "pushNotifications": False, "extendedAgentCard": False}
    assert "writer" not in json.dumps(card)


def test_the_card_is_kept_for_a_minute_by_who_has_a_key(site: Site):
    path = "/a2a/.well-known/agent-card.json"
    first = site.rest("plain", "GET", path)
    assert first.headers["Cache-Control"] == "private, max-age=60"
    again = site.rest("plain", "GET", path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    other = site.rest("open", "GET", path, headers={"If-None-Match": first.headers["ETag"]})
    assert (other.status_code, other.json()["name"]) == (200, "open")


async def test_a_message_is_answered_with_the_task_of_a_call(spoken: Site):
    async with spoken.client("plain", streaming=False) as client:
        task = await task_of(client, message("Go.", context="c-send"))
        again = await task_of(client, message("And?", context="c-send"))
        read = await client.get_task(GetTaskRequest(id=task.id))
    assert (state(task), answer_of(task), task.context_id) == ("COMPLETED", "The answer.", "c-send")
    assert (state(read), answer_of(read)) == (state(task), answer_of(task))
    assert [(each.role, each.parts[0].text) for each in read.history] == [(Role.ROLE_USER, "Go.")]
    call = spoken.rest("plain", "GET", f"/calls/{task.id}").json()
    assert (call["answer"], call["thread"], call["state"]) == ("The answer.", "c-send", "finished")
    assert MessageToDict(read.metadata)["team-studio/usage"]["promptTokens"] == call["usage"]["prompt_tokens"]
    assert spoken.server.calls("plain")[0]["protocol"] == "a2a"
    assert spoken.server.owner.get(f"/api/runs/{again.id}").json()["continues"] == task.id


async def test_a_stream_tells_the_task_then_what_changes_then_its_end(spoken: Site):
    async with spoken.client("plain") as client:
        events = await told(client, message("Go."))
    assert kinds(events) == ["task SUBMITTED", "status WORKING", "artifact_update", "status COMPLETED"]
    artifact = events[-2].artifact_update
    assert (artifact.artifact.parts[0].text, artifact.last_chunk) == ("The answer.", True)
    assert {events[0].task.id} == {events[-1].status_update.task_id, artifact.task_id}


async def test_messages_on_the_way_are_told_where_the_owner_shows_them(spoken: Site):
    async with spoken.client("open") as client:
        events = await told(client, message("Go."))
        task = await client.get_task(GetTaskRequest(id=events[0].task.id))
        last = await client.get_task(GetTaskRequest(id=events[0].task.id, history_length=1))
        none = await client.get_task(GetTaskRequest(id=events[0].task.id, history_length=0))
    texts = [part.text for each in events for part in each.status_update.status.message.parts]
    assert texts == ["One.", "Two."]
    asked, *answers = task.history
    assert (asked.role, asked.parts[0].text) == (Role.ROLE_USER, "Go.")
    said = [(each.parts[0].metadata["source"], each.parts[0].text) for each in answers]
    assert said == [("writer", "One."), ("critic", "Two.")]
    assert [each.parts[0].text for each in last.history] == ["Two."]
    assert not none.history


async def test_the_same_message_again_is_the_same_task(spoken: Site):
    async with spoken.client("plain", streaming=False) as client:
        first = await task_of(client, message("Go.", message_id="m-same", context="c-same"))
        again = await task_of(client, message("Go.", message_id="m-same", context="c-same"))
        with pytest.raises(InvalidParamsError, match="idempotency"):
            await task_of(client, message("Stop.", message_id="m-same", context="c-same"))
    assert first.id == again.id


async def test_a_stream_that_was_dropped_is_resumed(spoken: Site):
    async with spoken.client("asks") as client, sending(client, "Write.") as events:
        task_id = (await anext(events)).task.id
    spoken.rest("asks", "GET", f"/calls/{task_id}", params={"wait_s": 20})
    async with spoken.client("asks") as client:
        resumed, rest = list[StreamResponse](), list[StreamResponse]()
        async for event in client.subscribe(SubscribeToTaskRequest(id=task_id)):
            if not resumed:
                rest = await told(client, message("APPROVE", task=task_id))
            resumed.append(event)
        with pytest.raises(UnsupportedOperationError):
            _ = [each async for each in client.subscribe(SubscribeToTaskRequest(id=task_id))]
    assert kinds(resumed) == ["task INPUT_REQUIRED", *kinds(rest)[1:]], "a subscription lasts to the end"
    assert kinds(rest) == ["task WORKING", "status WORKING", "artifact_update", "status COMPLETED"]
    assert rest[-2].artifact_update.artifact.parts[0].text == "Another draft."


async def test_a_task_goes_on_without_its_reader_who_finds_it_again(spoken: Site):
    async with spoken.client("shouts") as client, sending(client, "Go.") as events:
        task_id = (await anext(events)).task.id
        while kinds([await anext(events)]) != ["status AUTH_REQUIRED"]:
            pass
    seen: list[StreamResponse] = []
    async with spoken.client("shouts") as client:
        async for event in client.subscribe(SubscribeToTaskRequest(id=task_id)):
            if not seen:
                spoken.allow(task_id)
            seen.append(event)
    assert (kinds(seen)[0], kinds(seen)[-1]) == ("task AUTH_REQUIRED", "status COMPLETED")


async def test_a_question_is_answered_by_a_message_to_its_task(spoken: Site):
    async with spoken.client("asks", streaming=False) as client:
        asked = await task_of(client, message("Write."))
        assert (state(asked), answer_of(asked)) == ("INPUT_REQUIRED", "")
        assert said_in(asked).startswith("A draft.")
        done = await task_of(client, message("APPROVE", task=asked.id, context=asked.context_id))
        assert (done.id, state(done), answer_of(done)) == (asked.id, "COMPLETED", "Another draft.")
        with pytest.raises(UnsupportedOperationError):
            await task_of(client, message("Again.", task=asked.id))
        with pytest.raises(InvalidParamsError, match="another context"):
            await task_of(client, message("APPROVE", task=(await spoken.asking()).id, context="elsewhere"))


async def test_the_history_has_what_the_caller_said_and_nothing_of_the_team(spoken: Site):
    asked = await spoken.asking()
    async with spoken.client("asks", streaming=False) as client:
        done = await task_of(client, message("Shorter.", task=asked.id))
        read = await client.get_task(GetTaskRequest(id=asked.id))
        last = await client.get_task(GetTaskRequest(id=asked.id, history_length=1))
    for task in (done, read):
        assert [part.text for each in task.history for part in each.parts] == ["Write.", "Shorter."]
    assert [each.parts[0].text for each in last.history] == ["Shorter."]
    assert len({each.message_id for each in read.history}) == 2


async def test_what_another_person_answers_is_not_in_the_history(spoken: Site):
    asked = await spoken.asking()
    pending = spoken.server.owner.get(f"/api/runs/{asked.id}").json()["pending"]
    answer = {"command": "answer", "request_id": pending["request_id"], "text": "By the owner."}
    assert spoken.server.owner.post(f"/api/runs/{asked.id}/commands", json=answer).is_success
    spoken.rest("asks", "GET", f"/calls/{asked.id}", params={"wait_s": 20})
    async with spoken.client("asks", streaming=False) as client:
        read = await client.get_task(GetTaskRequest(id=asked.id))
    assert (state(read), [each.parts[0].text for each in read.history]) == ("COMPLETED", ["Write."])


async def test_a_message_in_the_context_of_a_question_answers_it(spoken: Site):
    asked = await spoken.asking(context="c-asks")
    async with spoken.client("asks", streaming=False) as client:
        done = await task_of(client, message("APPROVE", context="c-asks"))
    assert (done.id, state(done)) == (asked.id, "COMPLETED")


async def test_what_waits_for_an_operator_says_so_and_goes_on_by_itself(spoken: Site):
    async with spoken.client("shouts") as client, sending(client, "Go.") as events:
        seen: list[StreamResponse] = []
        async for event in events:
            seen.append(event)
            if kinds([event])[0].endswith("AUTH_REQUIRED"):
                task_id = seen[0].task.id
                spoken.allow(task_id)
    assert [each.split()[-1] for each in kinds(seen)].count("AUTH_REQUIRED") == 1
    assert "Waiting for an operator" in str(seen)
    assert "shout" not in str(seen[:-2])
    assert kinds(seen)[-1] == "status COMPLETED"


async def test_a_task_is_canceled_once(spoken: Site):
    asked = await spoken.asking()
    async with spoken.client("asks") as client:
        canceled = await client.cancel_task(CancelTaskRequest(id=asked.id))
        assert (state(canceled), said_in(canceled)) == ("CANCELED", "The call was canceled.")
        with pytest.raises(TaskNotCancelableError):
            await client.cancel_task(CancelTaskRequest(id=asked.id))
    assert spoken.rest("asks", "GET", f"/calls/{asked.id}").json()["state"] == "cancelled"


async def test_tasks_are_listed_by_context_and_state_a_page_at_a_time(spoken: Site):
    async with spoken.client("plain", streaming=False) as client:
        ids = [(await task_of(client, message("Go.", context="c-list"))).id for _ in range(3)]
        first = await client.list_tasks(ListTasksRequest(context_id="c-list", page_size=2))
        rest = await client.list_tasks(
            ListTasksRequest(context_id="c-list", page_size=2, page_token=first.next_page_token, include_artifacts=True)
        )
        none = await client.list_tasks(ListTasksRequest(context_id="c-list", status=TaskState.TASK_STATE_FAILED))
        with pytest.raises(InvalidParamsError, match="pageToken"):
            await client.list_tasks(ListTasksRequest(page_token="elsewhere"))
        with pytest.raises(InvalidParamsError, match="pageSize"):
            await client.list_tasks(ListTasksRequest(page_size=101))
    assert [each.id for each in (*first.tasks, *rest.tasks)] == ids[::-1]
    assert (first.total_size, rest.next_page_token, len(none.tasks)) == (3, "", 0)
    assert [answer_of(each) for each in (*first.tasks, *rest.tasks)] == ["", "", "The answer."]


async def test_nobody_learns_of_the_tasks_of_another_key(spoken: Site):
    asked = await spoken.asking(context="c-shared")
    other_key = spoken.another_key("asks")
    async with spoken.client("asks", other_key, streaming=False) as other:
        for attempt in (
            other.get_task(GetTaskRequest(id=asked.id)),
            other.cancel_task(CancelTaskRequest(id=asked.id)),
            task_of(other, message("APPROVE", task=asked.id)),
        ):
            with pytest.raises(TaskNotFoundError):
                await attempt
        assert not (await other.list_tasks(ListTasksRequest())).tasks
        own = await task_of(other, message("Write.", context="c-shared"))
    async with spoken.client("asks", other_key) as other:
        with pytest.raises(TaskNotFoundError):
            _ = [each async for each in other.subscribe(SubscribeToTaskRequest(id=asked.id))]
    assert own.id != asked.id
    assert spoken.rest("asks", "GET", f"/calls/{asked.id}").json()["state"] == "waiting"


async def test_a_wrong_key_reads_no_card(spoken: Site):
    for key in ("sk-studio-wrong", spoken.keys["plain"]):
        with pytest.raises(AgentCardResolutionError):
            async with spoken.client("asks", key):
                pass


async def test_what_one_protocol_begins_another_reads_and_answers(spoken: Site):
    begun = spoken.rest("asks", "POST", "/calls", params={"wait_s": 20}, json={"task": "Write.", "thread": "t-cross"})
    call_id = begun.json()["id"]
    async with spoken.client("asks", streaming=False) as client:
        read = await client.get_task(GetTaskRequest(id=call_id))
        assert (state(read), read.context_id) == ("INPUT_REQUIRED", "t-cross")
        done = await task_of(client, message("APPROVE", task=call_id))
        asked = await task_of(client, message("Write.", context="t-cross-back"))
    assert (state(done), answer_of(done)) == ("COMPLETED", "Another draft.")
    call = spoken.rest("asks", "GET", f"/calls/{asked.id}").json()
    sent = {"question_id": call["question"]["id"], "text": "APPROVE"}
    spoken.rest("asks", "POST", f"/calls/{asked.id}/answers", json=sent)
    assert spoken.rest("asks", "GET", f"/calls/{asked.id}", params={"wait_s": 20}).json()["state"] == "finished"
    async with spoken.client("asks") as client:
        assert state(await client.get_task(GetTaskRequest(id=asked.id))) == "COMPLETED"


def test_pictures_and_json_are_taken_and_addresses_are_not(site: Site):
    def send(*parts: JsonObject) -> Any:
        body = {"message": {**SAID, "messageId": json.dumps(parts)[-200:], "parts": [*parts]}}
        return site.rpc("plain", "SendMessage", body).json()

    picture: JsonObject = {"raw": PICTURE.split(",")[1], "mediaType": "image/png"}
    refused = [send(picture), send({"text": "See."}, picture)]
    assert all("task" in each["result"] for each in refused), refused
    assert "task" in send({"data": {"order": 7}})["result"]
    assert send({"url": "http://127.0.0.1/x.png", "mediaType": "image/png"})["error"]["code"] == -32005
    assert send({"raw": "AAAA", "mediaType": "application/pdf"})["error"]["code"] == -32005
    assert send({"raw": "AAAA", "mediaType": "image/png"})["error"]["code"] == -32602


def test_one_may_return_at_once_and_send_to_the_address_with_a_slash(site: Site):
    body = {"message": {**SAID, "messageId": "m-now"}, "configuration": {"returnImmediately": True}}
    task = site.rpc("plain", "SendMessage", body, path="/a2a/").json()["result"]["task"]
    assert site.rest("plain", "GET", f"/calls/{task['id']}", params={"wait_s": 20}).json()["state"] == "finished"


def test_the_program_of_the_page_is_answered(site: Site):
    [program] = [each.text for each in snippets(site.url, "plain") if each.id == "a2a"]
    keys = {**os.environ, "STUDIO_KEY": site.keys["plain"], "NO_PROXY": "127.0.0.1"}
    done = subprocess.run([sys.executable, "-c", program], env=keys, capture_output=True, text=True, timeout=60)
    assert "The answer." in done.stdout, done.stderr


@pytest.mark.parametrize("version", ["", "0.3", "2.0", "1.1", "x"])
def test_no_other_version_is_spoken(site: Site, version: str):
    error = site.rpc("plain", "SendMessage", {"message": SAID}, headers={"A2A-Version": version}).json()["error"]
    assert (error["code"], error["data"][0]["reason"]) == (-32009, "VERSION_NOT_SUPPORTED")


@pytest.mark.parametrize(
    ("kind", "code"), [("text/plain", -32005), ("application/x-yaml", -32005), ("text/json", -32005)]
)
def test_a_body_that_says_it_is_something_else_is_not_read(site: Site, kind: str, code: int):
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ListTasks"})
    sent = site.rest("plain", "POST", "/a2a", content=body, headers={**VERSION, "Content-Type": kind})
    assert sent.json()["error"]["code"] == code
    right = {**VERSION, "Content-Type": "application/a2a+json; charset=utf-8"}
    assert "result" in site.rest("plain", "POST", "/a2a", content=body, headers=right).json()


def test_what_is_not_offered_has_the_errors_of_the_protocol(site: Site):
    def code(method: str, params: Any = None) -> int:
        return site.rpc("plain", method, params).json()["error"]["code"]

    config = {"taskPushNotificationConfig": {"url": "http://127.0.0.1/hook"}}
    assert code("SendMessage", {"message": SAID, "configuration": config}) == -32003
    for method in ("Create", "Get", "List", "Delete"):
        name = f"{method}TaskPushNotificationConfig{'s' if method == 'List' else ''}"
        assert code(name, {"taskId": "x", "id": "x"}) == -32003
    assert code("GetExtendedAgentCard") == -32004
    assert code("message/send", {"message": SAID}) == -32601
    assert code("GetTask", {"id": "none"}) == -32001


def test_a_limit_says_when_to_try_again(site: Site):
    sent = [site.rpc("limited", "SendMessage", {"message": {**SAID, "messageId": f"m-{n}"}}) for n in range(2)]
    assert [each.status_code for each in sent] == [200, 429]
    assert sent[1].headers["Retry-After"]


MALFORMED: list[bytes] = [
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"{",
    b"\xff\xfe",
    b"\0",
    b"[" * 5000,
    b"<xml/>",
    b'{"jsonrpc": "1.0", "id": 1, "method": "GetTask"}',
    b'{"jsonrpc": "2.0", "id": true, "method": "GetTask"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "GetTask"}',
    b'{"jsonrpc": "2.0", "id": 1.5, "method": "GetTask"}',
    b'{"jsonrpc": "2.0", "id": 1}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
    b'[{"jsonrpc": "2.0", "id": 1, "method": "GetTask"}]',
]


def test_malformed_bodies_get_errors_of_the_protocol_and_begin_nothing(site: Site):
    before = len(site.server.calls("plain"))
    headers = {"Content-Type": "application/json", **VERSION}
    for body in MALFORMED:
        answer = site.rest("plain", "POST", "/a2a", content=body, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"] in (-32700, -32600)) == (200, True), body
    for method in ("SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "SubscribeToTask", "ListTasks"):
        for params in WRONG_PARAMS:
            body = json.dumps({"jsonrpc": "2.0", "id": "x", "method": method, "params": params})
            answer = site.rest("plain", "POST", "/a2a", content=body, headers=headers)
            assert answer.status_code == 200, (method, params, answer.text)
            assert "error" in answer.json() or method == "ListTasks", (method, params)
    assert len(site.server.calls("plain")) == before
