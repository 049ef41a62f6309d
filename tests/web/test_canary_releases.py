"""A part of the new threads goes to a release that is not live, and stays there."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from tests.web.documents import assistant, team
from tests.web.publishing import Published, publish

CANARY = "/api/deployments/support/canary"


def two_releases(client: TestClient) -> Published:
    """The second says another answer."""
    published = publish(client)
    saved = client.get(f"/api/teams/{published.team_id}").json()
    changed = team(assistant("writer", "Another answer."), max_messages=2)
    body = {"component": changed, "layout": {}, "revision": saved["revision"]}
    client.put(f"/api/teams/{published.team_id}", json=body).raise_for_status()
    client.post("/api/deployments/support/releases", json={}).raise_for_status()
    return published


def test_some_new_threads_get_the_canary_and_stay_on_it(client: TestClient):
    published = two_releases(client)
    answer = client.put(CANARY, json={"number": 2, "percent": 50})
    assert (answer.json()["live"], answer.json()["canary"], answer.json()["canary_percent"]) == (1, 2, 50)
    said = {f"t{number}": answer_in(published, f"t{number}") for number in range(12)}
    assert {*said.values()} == {"The answer.", "Another answer."}
    assert client.delete(CANARY).json()["canary"] is None
    on_canary = next(thread for thread, text in said.items() if text == "Another answer.")
    assert answer_in(published, on_canary) == "Another answer."
    assert {answer_in(published, f"new{number}") for number in range(6)} == {"The answer."}
    told = client.get("/api/deployments/support/calls").json()
    assert {each["release"] for each in told if each["thread"] == on_canary} == {2}


def answer_in(published: Published, thread: str) -> Any:
    return published.call(thread=thread)["answer"]


def test_a_request_that_is_sent_again_joins_its_call(client: TestClient):
    published = two_releases(client)
    client.put(CANARY, json={"number": 2, "percent": 50}).raise_for_status()
    for number in range(6):
        headers = {"Idempotency-Key": f"k{number}"}
        one, other = (
            published.caller.post("/d/support/calls", headers=headers, json={"task": "Go."}, params={"wait_s": 20})
            for _ in range(2)
        )
        assert one.json() == other.json()


def test_to_go_live_ends_the_canary_and_the_live_release_is_none(client: TestClient):
    two_releases(client)
    assert client.put(CANARY, json={"number": 1, "percent": 10}).status_code == 422
    assert client.put(CANARY, json={"number": 9, "percent": 10}).status_code == 404
    for percent in (0, 100, -1):
        assert client.put(CANARY, json={"number": 2, "percent": percent}).status_code == 422
    client.put(CANARY, json={"number": 2, "percent": 10}).raise_for_status()
    assert "Canary, 10% of new threads" in client.get("/deployments/support/releases").text
    live = client.put("/api/deployments/support/live", json={"number": 2}).json()
    assert (live["live"], live["canary"], live["canary_percent"]) == (2, None, 0)
