"""Calls of a published team at any replica; one worker drives their runs."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from studio.components import JsonObject
from tests.fleet.processes import Fleet
from tests.web.documents import USER_PROXY, assistant, team
from tests.web.mcp_clients import answered_task, begun_task
from tests.web.receivers import Receiver, receiving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
ASKS = team(assistant("writer", "A draft.", "Another."), USER_PROXY, max_messages=3)


@dataclass(frozen=True)
class Caller:
    """A caller of the deployment `support` at one replica."""

    replica: httpx.Client
    key: str

    @property
    def url(self) -> str:
        return f"{str(self.replica.base_url).rstrip('/')}/d/support"

    def send(self, method: str, path: str, **request: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.key}"}
        return self.replica.request(method, f"/d/support/calls{path}", headers=headers, **request)

    def call(self, task: str, thread: str, wait_s: float = 40) -> Any:
        asked = {"task": task, "thread": thread}
        answer = self.send("POST", "", params={"wait_s": wait_s}, json=asked)
        assert answer.status_code in (200, 202), answer.text
        return answer.json()

    def read(self, call_id: str, wait_s: float = 40) -> Any:
        return self.send("GET", f"/{call_id}", params={"wait_s": wait_s}).json()

    def answer(self, call: Any, text: str = "Yes.") -> httpx.Response:
        body = {"question_id": call["question"]["id"], "text": text}
        return self.send("POST", f"/{call['id']}/answers", json=body)

    def cancel(self, call_id: str) -> Any:
        return self.send("POST", f"/{call_id}/cancel").json()

    def events(self, call_id: str) -> list[str]:
        """The names of its events, to its end."""
        stream = self.send("GET", f"/{call_id}/events").text
        return [line.removeprefix("event: ") for line in stream.splitlines() if line.startswith("event: ")]


def publish(owner: httpx.Client, document: JsonObject, **limits: float) -> str:
    """Publish a team as `support`; returns a caller key."""
    made = owner.post("/api/teams", json={"component": document}).json()
    body = {"team_id": made["id"], "name": "support", "settings": {"limits": limits}, "key_label": "shop"}
    answer = owner.post("/api/deployments", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["key"]["key"]


def test_a_call_that_one_replica_begins_is_answered_followed_and_canceled_at_another(
    processes: Fleet, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STUDIO_ALLOW_PRIVATE_URLS", "1")
    with receiving() as receiver:
        calls_at_replicas(processes, receiver)


def calls_at_replicas(processes: Fleet, receiver: Receiver) -> None:
    owner, other = processes.web(), processes.web()
    key = publish(owner, ASKS)
    body = {"address": receiver.url, "kinds": ["call.stopped"]}
    secret = owner.post("/api/deployments/support/webhooks", json=body).json()["secret"]
    first, second = Caller(owner, key), Caller(other, key)
    begun = first.call("Go.", "one", wait_s=0)
    assert begun["state"] == "queued", "it waits for a worker"
    processes.worker()
    waiting = second.read(begun["id"])
    assert (waiting["state"], waiting["answer"]) == ("waiting", "A draft.")
    assert second.answer(waiting).status_code in (200, 202)
    assert first.answer(waiting).status_code == 409
    assert first.read(begun["id"])["state"] == "finished"
    assert first.events(begun["id"]) == second.events(begun["id"])
    task_id = asyncio.run(begun_task(first.url, key, "support", "Go."))
    done = asyncio.run(answered_task(second.url, key, task_id, "Yes."))
    assert (done.status, first.read(task_id)["state"]) == ("completed", "finished")
    again = second.call("And more.", "one")
    assert owner.get(f"/api/runs/{again['id']}").json()["continues"] == begun["id"]
    assert first.cancel(again["id"])["state"] == "cancelled"
    assert second.events(again["id"])[-1] == "ended"
    told_by = time.monotonic() + 20
    while not receiver.got and time.monotonic() < told_by:
        time.sleep(0.1)
    assert [each["data"]["id"] for each in receiver.events(secret)] == [again["id"]]


def test_limits_of_calls_hold_for_all_replicas(processes: Fleet):
    owner, other = processes.web(), processes.web()
    two = team(assistant("writer", "One."), assistant("critic", "Two."), max_messages=9)
    key = publish(owner, two, call_turns=1, calls_per_minute=2)
    first, second = Caller(owner, key), Caller(other, key)
    processes.worker()
    for each, thread in ((first, "one"), (second, "two")):
        call = each.call("Go.", thread)
        assert (call["state"], call["error"]["code"], call["answer"]) == ("stopped", "budget_exceeded", "One.")
    refused = first.send("POST", "", json={"task": "Go."})
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "limit_reached")
