"""Calls of a published team by the studio's own protocol, as its callers see them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.store.statements import statements
from tests.web.documents import USER_PROXY, assistant, shouting, team
from tests.web.publishing import Published, publish

FINAL = {"finished", "stopped", "cancelled", "failed"}


@pytest.fixture
def published(client: TestClient) -> Published:
    return publish(client)


def asking(client: TestClient) -> Published:
    """A team that asks its person once."""
    return publish(client, team(assistant("writer", "A draft."), USER_PROXY, max_messages=3), name="asking")


def events(text: str) -> list[tuple[int, str, Any]]:
    """Number, name and data of each event of a stream."""
    found = re.findall(r"event: (\w+)\ndata: (.*)\nid: (\d+)\n", text)
    return [(int(seq), name, json.loads(data)) for name, data, seq in found]


def test_a_call_answers_and_says_no_more(published: Published):
    call = published.call()
    assert call["id"]
    assert call["thread"] == call["id"]
    assert {key: call[key] for key in ("state", "answer", "question", "error")} == {
        "state": "finished",
        "answer": "The answer.",
        "question": None,
        "error": None,
    }
    assert call["usage"]["completion_tokens"] > 0
    assert set(call) == {"id", "thread", "state", "answer", "question", "error", "usage", "created_at"}


def test_the_call_is_a_run_of_the_team_with_the_same_id(published: Published):
    call = published.call()
    run = published.owner.get(f"/api/runs/{call['id']}").json()
    assert (run["team_id"], run["state"], run["task"]) == (published.team_id, "finished", "Say hello.")
    listed = published.owner.get(f"/api/deployments/{published.name}/calls").json()
    assert [(each["id"], each["key_label"], each["protocol"]) for each in listed] == [(call["id"], "shop", "rest")]


def test_a_call_begins_at_once_and_is_found_by_its_id(published: Published):
    begun = published.caller.post(f"{published.url}/calls", json={"task": "Go."})
    assert begun.status_code in (200, 202)
    found = published.caller.get(f"{published.url}/calls/{begun.json()['id']}", params={"wait_s": 20})
    assert (found.status_code, found.json()["answer"]) == (200, "The answer.")


def test_the_same_idempotency_key_is_the_same_call(published: Published):
    def send(task: str, key: str) -> Any:
        headers = {"Idempotency-Key": key}
        return published.caller.post(f"{published.url}/calls", json={"task": task}, headers=headers)

    first, again, other = send("Go.", "a"), send("Go.", "a"), send("Go.", "b")
    assert first.json()["id"] == again.json()["id"] != other.json()["id"]
    reused = send("Something else.", "a")
    assert (reused.status_code, reused.json()["error"]["code"]) == (409, "idempotency_key_reused")


def test_a_stream_tells_its_end_and_resumes_behind_an_event(published: Published):
    call = published.call()
    url = f"{published.url}/calls/{call['id']}/events"
    whole = events(published.caller.get(url).text)
    assert [name for _, name, _ in whole] == ["running", "ended"]
    assert whole[-1][2]["answer"] == "The answer."
    rest = events(published.caller.get(url, headers={"Last-Event-ID": str(whole[0][0])}).text)
    assert rest == whole[1:]
    assert published.caller.get(url, headers={"Last-Event-ID": str(whole[-1][0])}).status_code == 204


def test_a_call_can_be_begun_as_a_stream(published: Published):
    headers = {"Accept": "text/event-stream"}
    text = published.caller.post(f"{published.url}/calls", json={"task": "Go."}, headers=headers).text
    assert [name for _, name, _ in events(text)] == ["running", "ended"]


def test_messages_are_shown_where_the_owner_says_so(client: TestClient):
    shown = publish(client, team(assistant("writer", "One."), assistant("critic", "Two.")), sees="messages")
    call = shown.call()
    told = events(shown.caller.get(f"{shown.url}/calls/{call['id']}/events").text)
    assert [data for _, name, data in told if name == "message"] == [
        {"source": "writer", "text": "One."},
        {"source": "critic", "text": "Two."},
    ]


def test_the_answer_may_be_that_of_one_agent(client: TestClient):
    both = team(assistant("writer", "One."), assistant("critic", "Two."))
    assert publish(client, both, answer_from="writer").call()["answer"] == "One."


def test_a_question_goes_to_the_caller_who_answers_it(client: TestClient):
    asked = asking(client)
    call = asked.call()
    question = call["question"]
    assert (call["state"], call["answer"], question["to"]) == ("waiting", "A draft.", "caller")
    url = f"{asked.url}/calls/{call['id']}"
    wrong = asked.caller.post(f"{url}/answers", json={"question_id": "another", "text": "Yes."})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (409, "conflict")
    answered = asked.caller.post(f"{url}/answers", json={"question_id": question["id"], "text": "Yes."})
    assert answered.status_code in (200, 202)
    done = asked.caller.get(url, params={"wait_s": 20}).json()
    assert (done["state"], done["answer"]) == ("finished", "A draft.")
    again = asked.caller.post(f"{url}/answers", json={"question_id": question["id"], "text": "Yes."})
    assert again.status_code == 409


def test_a_waiting_call_can_be_canceled(client: TestClient):
    asked = asking(client)
    url = f"{asked.url}/calls/{asked.call()['id']}"
    for _ in range(2):
        ended = asked.caller.post(f"{url}/cancel")
        assert (ended.status_code, ended.json()["state"], ended.json()["error"]["code"]) == (
            200,
            "cancelled",
            "cancelled",
        )


def test_a_thread_remembers_what_was_said(client: TestClient):
    listening = publish(client)
    calls = [listening.call(task, thread="customer-7")["id"] for task in ("One", "Two")]
    assert client.get(f"/api/runs/{calls[1]}").json()["continues"] == calls[0]


def test_a_thread_takes_one_call_at_a_time(client: TestClient):
    asked = asking(client)
    first = asked.call(thread="one")
    busy = asked.caller.post(f"{asked.url}/calls", json={"task": "More.", "thread": "one"})
    assert (busy.status_code, busy.json()["error"]["code"]) == (409, "thread_busy")
    assert int(busy.headers["Retry-After"]) > 0
    asked.caller.post(f"{asked.url}/calls/{first['id']}/cancel")
    assert asked.call(thread="one")["state"] == "waiting"


def test_a_thread_stays_on_its_release_and_new_ones_use_the_live_one(published: Published):
    owner, name = published.owner, published.name
    published.call(thread="old")
    component = team(assistant("writer", "Another answer."), max_messages=2)
    owner.put(f"/api/teams/{published.team_id}", json={"component": component, "revision": 1})
    assert published.call()["answer"] == "The answer."
    made = owner.post(f"/api/deployments/{name}/releases", json={"note": "Better."})
    assert (made.status_code, made.json()["number"]) == (201, 2)
    assert published.call()["answer"] == "The answer."
    assert owner.put(f"/api/deployments/{name}/live", json={"number": 2}).json()["live"] == 2
    assert published.call()["answer"] == "Another answer."
    old = published.call(thread="old")
    calls = {call["id"]: call["release"] for call in owner.get(f"/api/deployments/{name}/calls").json()}
    assert calls[old["id"]] == 1
    owner.put(f"/api/deployments/{name}/live", json={"number": 1})
    assert published.call()["answer"] == "The answer."


@pytest.mark.parametrize(
    ("limits", "status", "code"),
    [({"calls_per_minute": 1}, 429, "limit_reached"), ({"call_usd": 6, "day_usd": 10, "calls_at_once": 9}, 200, None)],
)
def test_calls_beyond_a_limit_are_refused_before_they_begin(
    client: TestClient, limits: dict[str, Any], status: int, code: str | None
):
    limited = publish(client, limits=limits)
    limited.call()
    refused = limited.caller.post(f"{limited.url}/calls", params={"wait_s": 20}, json={"task": "Go."})
    assert (refused.status_code, refused.json()["error"] and refused.json()["error"]["code"]) == (status, code)
    if status == 429:
        assert int(refused.headers["Retry-After"]) > 0


@pytest.mark.parametrize("limits", [{"calls_at_once": 1}, {"call_usd": 6, "day_usd": 10}])
def test_open_calls_take_room(client: TestClient, limits: dict[str, Any]):
    component = team(assistant("writer", "A draft."), USER_PROXY, max_messages=3)
    limited = publish(client, component, limits=limits)
    waiting = limited.call()
    refused = limited.caller.post(f"{limited.url}/calls", json={"task": "Go."})
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "limit_reached")
    limited.caller.post(f"{limited.url}/calls/{waiting['id']}/cancel")
    assert limited.call()["state"] == "waiting"


def test_a_call_at_its_own_limit_stops_and_says_so(client: TestClient):
    two = team(assistant("writer", "One."), assistant("critic", "Two."), max_messages=9)
    call = publish(client, two, limits={"call_turns": 1}).call()
    assert (call["state"], call["error"]["code"], call["answer"]) == ("stopped", "budget_exceeded", "One.")


def test_a_failure_tells_nothing_of_what_failed(client: TestClient):
    call = publish(client, team(assistant("writer", "Only one answer."), max_messages=9)).call()
    assert (call["state"], call["error"]["code"]) == ("failed", "run_failed")
    failed = client.get(f"/api/runs/{call['id']}").json()
    assert failed["detail"]
    assert failed["detail"] not in json.dumps(call)


def test_a_deployment_that_is_off_takes_no_calls_and_still_tells_of_them(published: Published):
    call = published.call()
    published.owner.patch(f"/api/deployments/{published.name}", json={"is_on": False})
    refused = published.caller.post(f"{published.url}/calls", json={"task": "Go."})
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable")
    assert published.caller.get(f"{published.url}/calls/{call['id']}").json()["answer"] == "The answer."


def test_what_an_approver_takes_back_stops_new_calls_without_saying_what(client: TestClient):
    loud = publish(client, shouting(), name="loud")
    approved = client.get("/api/approvals").json()[0]["hash"]
    client.delete(f"/api/approvals/{approved}")
    refused = loud.caller.post(f"{loud.url}/calls", json={"task": "Go."})
    assert (refused.status_code, set(refused.json())) == (503, {"error"})
    assert "shout" not in refused.text
    assert "missing" not in refused.text
    assert client.get(f"/api/deployments/{loud.name}/calls").json() == []


def test_a_request_that_waits_reads_the_log_from_its_beginning_once(published: Published):
    published.call()
    with statements() as asked:
        assert published.call()["state"] == "finished"
    pages = re.compile(r"SELECT run_event\.seq.* LIMIT", re.DOTALL)
    places = [each.values[-3] for each in asked if pages.match(each.statement)]
    assert places.count(0) == 1
    assert places == sorted(places), "what was read is not read again; where nothing is new, the place stays"
