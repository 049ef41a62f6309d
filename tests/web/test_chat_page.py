"""A person talks to a published team on its chat page."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.chatting import ask_for_token, chatter, make_link, turn_on
from tests.web.documents import ASK, USER_PROXY, assistant, shouting, team
from tests.web.doors import client_of
from tests.web.following import decide
from tests.web.publishing import Published, publish

EVENT = re.compile(r"event: (\w+)\ndata: (.*)\nid: (\d+)")


@pytest.fixture
def published(client: TestClient) -> Published:
    made = publish(client)
    turn_on(made)
    return made


def events_of(stream: str) -> list[tuple[str, str]]:
    return [(name, number) for name, _, number in EVENT.findall(stream)]


def test_a_message_gets_an_answer_and_the_chat_is_there_when_it_is_opened_again(published: Published):
    browser = chatter(published)
    call = browser.say("Where is my order?")
    stream = browser.hear(call["id"])
    assert [name for name, _ in events_of(stream)] == ["running", "ended"]
    assert '"answer":"The answer."' in stream
    again = chatter(published, before=browser.token)
    [message] = again.messages()
    assert (message["text"], message["call"]["answer"]) == ("Where is my order?", "The answer.")
    assert [(each["name"], str(each["id"])) for each in message["events"]] == events_of(stream)


def test_a_stream_goes_on_where_it_was(published: Published):
    browser = chatter(published)
    call = browser.say()
    (_, first), (_, last) = events_of(browser.hear(call["id"]))
    assert [number for _, number in events_of(browser.hear(call["id"], first))] == [last]
    done = browser.client.get(f"{browser.url}/calls/{call['id']}/events", headers={"Last-Event-ID": last})
    assert (done.status_code, done.text) == (204, "")


def test_messages_of_a_chat_are_one_thread(published: Published):
    browser = chatter(published)
    for text in ("First.", "Second."):
        browser.hear(browser.say(text)["id"])
    assert [each["text"] for each in browser.messages()] == ["First.", "Second."]
    calls = published.owner.get(f"/api/deployments/{published.name}/calls").json()
    assert len({each["thread"] for each in calls}) == 1
    assert {(each["protocol"], each["key_label"]) for each in calls} == {("chat", "Chat page")}


def test_the_same_message_sent_twice_is_said_once(published: Published):
    browser = chatter(published)
    headers = {"Idempotency-Key": "one"}
    assert browser.say(**headers)["id"] == browser.say(**headers)["id"]


def test_the_same_request_of_another_chat_is_another_message(published: Published):
    first, second = chatter(published), chatter(published)
    headers = {"Idempotency-Key": "one"}
    assert first.say(**headers)["id"] != second.say(**headers)["id"]


def test_a_question_is_answered_and_an_answer_is_stopped(client: TestClient):
    asking = publish(client, team(assistant("writer", "A draft."), USER_PROXY, max_messages=3), "asking")
    turn_on(asking)
    browser = chatter(asking)
    begun = browser.say()
    question: Any = None
    while question is None:
        question = browser.messages()[0]["call"]["question"]
    url = f"{browser.url}/calls/{begun['id']}"
    busy = browser.client.post(f"{browser.url}/messages", json={"text": "And?"})
    assert (busy.status_code, busy.json()["error"]["code"]) == (409, "thread_busy")
    wrong = browser.client.post(f"{url}/answers", json={"question_id": "none", "text": "Blue."})
    assert wrong.status_code == 409
    browser.client.post(f"{url}/answers", json={"question_id": question["id"], "text": "Blue."})
    assert '"state":"finished"' in browser.hear(begun["id"])
    second = browser.say()
    stopped = browser.client.post(f"{browser.url}/calls/{second['id']}/cancel")
    assert stopped.json()["state"] == "cancelled"


def test_what_needs_an_approval_waits_for_an_operator(client: TestClient):
    made = publish(client, shouting(), "shouting", tool_results=True)
    client.put(f"/api/teams/{made.team_id}/policy", json=ASK)
    turn_on(made)
    browser = chatter(made)
    call_id = browser.say()["id"]
    question: Any = None
    while question is None:
        question = browser.messages()[0]["call"]["question"]
    assert question == {"to": "operator", "id": "", "prompt": "", "choices": [], "answer_schema": None}
    pending = client.get(f"/api/runs/{call_id}").json()["pending"]
    forged = {"question_id": pending["request_id"], "text": "approve"}
    assert browser.client.post(f"{browser.url}/calls/{call_id}/answers", json=forged).status_code == 409
    assert decide(client, call_id, pending, verdict="allow") == 200
    assert '"answer":"HELLO"' in browser.hear(call_id)


def test_the_page_tells_its_title_to_whom_it_is_open_and_nothing_to_others(client: TestClient, browser: TestClient):
    private = publish(client, name="private")
    stranger = client_of(client)
    turn_on(private, "people", title="Help desk", greeting="Ask <b>away</b>.")
    shown = browser.get("/d/private/chat").text
    assert "<title>Help desk</title>" in shown
    assert "Ask &lt;b&gt;away&lt;/b&gt;." in shown
    pages = [stranger.get(f"/d/{name}/chat") for name in ("private", "elsewhere")]
    assert {(each.status_code, each.text.replace("elsewhere", "private")) for each in pages} == {(200, pages[0].text)}
    assert "Help desk" not in pages[0].text


def test_the_page_loads_only_its_own_files(published: Published):
    stranger = client_of(published.owner)
    page = stranger.get("/d/support/chat")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in policy
    addresses = re.findall(r'(?:src|href)="\./(chat/files/[^"]+)"', page.text)
    assert len(addresses) == 3
    vendored = json.loads(page.text.partition('<script type="importmap">')[2].partition("</script>")[0])
    for address in [*addresses, *(each.removeprefix("./") for each in vendored["imports"].values())]:
        assert stranger.get(f"/d/support/{address}").status_code == 200, address
    build = addresses[0].split("/")[2]
    for path in (f"{build}/shell.js", f"{build}/js/shell.js", f"{build}/../teams", f"{build}/", "old/favicon.svg"):
        assert stranger.get(f"/d/support/chat/files/{path}").status_code in (401, 404), path


def test_the_address_for_people_of_the_studio_leads_to_the_page(browser: TestClient):
    answer = browser.get("/chat/support")
    assert (answer.status_code, answer.headers["location"]) == (303, "/d/support/chat")


def test_messages_from_one_address_are_limited(published: Published):
    turn_on(published, messages_per_minute=2)
    first, second = chatter(published), chatter(published)
    first.hear(first.say()["id"])
    second.hear(second.say()["id"])
    refused = chatter(published).client.post(f"{first.url}/messages", json={"text": "Again."})
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "limit_reached")
    assert refused.headers["Retry-After"]
    assert published.call()["state"] == "finished"


def test_questions_that_one_address_leaves_open_keep_no_program_out(client: TestClient):
    asking = publish(client, team(assistant("writer", "A draft."), USER_PROXY, max_messages=3), "asking")
    turn_on(asking)
    statuses = [
        chatter(asking).client.post("/d/asking/chat/messages", json={"text": "Go."}).status_code for _ in range(5)
    ]
    assert statuses == [202, 202, 202, 202, 429]  # of 8 calls at once
    assert asking.call()["state"] == "waiting"


def test_a_deployment_that_is_off_takes_no_messages(published: Published):
    published.owner.patch(f"/api/deployments/{published.name}", json={"is_on": False})
    refused = chatter(published).client.post("/d/support/chat/messages", json={"text": "Hello?"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable")


@pytest.mark.parametrize(
    "origin",
    ["*", "https://*.example.com", "https://a.example/path", "https://a.example;", "'self'", "ftp://a.example", "null"],
)
def test_only_an_origin_can_be_listed(published: Published, origin: str):
    body = {"settings": {"chat": {"access": "anyone", "origins": [origin]}}}
    refused = published.owner.patch("/api/deployments/support", json=body)
    assert refused.status_code == 422
    assert refused.json()["error"]["where"] == "/settings/chat/origins"


def test_a_link_is_told_once_and_is_no_caller_key(published: Published):
    turn_on(published, "link")
    link = make_link(published)
    assert link["key"] not in published.owner.get("/api/deployments/support").text
    caller = client_of(published.owner, {"Authorization": f"Bearer {link['key']}"})
    assert caller.post("/d/support/calls", json={"task": "Go."}).status_code == 401
    assert ask_for_token(published, published.key).status_code == 401
    assert chatter(published, link["key"]).say()["state"] in ("queued", "running", "finished")
