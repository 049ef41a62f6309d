"""A release is held against recorded calls before it goes live. What differs is told, and nothing is asked."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import USER_PROXY, assistant, team
from tests.web.publishing import Published, publish


def writer(*replies: str, **config: Any) -> JsonObject:
    agent = assistant("writer", *replies)
    return {**agent, "config": {**agent["config"], **config}}  # pyright: ignore[reportGeneralTypeIssues]


def released(published: Published, component: JsonObject) -> int:
    """A release of the changed team, which is not live."""
    owner, path = published.owner, f"/api/teams/{published.team_id}"
    saved = {"component": component, "revision": owner.get(path).json()["revision"]}
    owner.put(path, json=saved).raise_for_status()
    made = owner.post(f"/api/deployments/{published.name}/releases", json={"note": "A change."})
    assert made.status_code == 201, made.text
    return int(made.json()["number"])


def replay(published: Published, number: int) -> list[JsonObject]:
    answer = published.owner.get(f"/api/deployments/{published.name}/releases/{number}/replay")
    assert answer.status_code == 200, answer.text
    found: list[JsonObject] = answer.json()["calls"]
    return found


@pytest.mark.parametrize(
    ("component", "outcome", "told"),
    [
        (team(writer("Another answer."), max_messages=2), "same", ""),
        (team(writer("The answer.", system_message="Be brief."), max_messages=2), "differs", "has other content"),
        (team(writer("The answer."), max_messages=1), "differs", "The team ends before this entry."),
        (team(writer("The answer.", "More."), max_messages=3), "differs", "The team continues where the call ended."),
        (team(assistant("author", "The answer."), max_messages=2), "differs", "author"),
    ],
)
def test_each_call_is_the_same_or_differs_from_an_entry_on(
    client: TestClient, component: JsonObject, outcome: str, told: str
):
    published = publish(client, team(writer("The answer."), max_messages=2))
    calls = [published.call(task=f"Task {place}.")["id"] for place in range(2)]
    runs = client.get("/api/runs").json()
    found = replay(published, released(published, component))
    assert [(each["id"], each["task"], each["outcome"]) for each in found] == [
        (calls[1], "Task 1.", outcome),
        (calls[0], "Task 0.", outcome),
    ], found
    assert all(told in str(each["detail"]) and bool(each["seq"]) == (outcome == "differs") for each in found)
    assert client.get("/api/runs").json() == runs, "nothing was run"


def test_only_calls_that_began_a_thread_and_finished_are_repeated(client: TestClient):
    published = publish(client, team(writer("One.", "Two."), max_messages=2))
    first = published.call(thread="t")
    published.call(thread="t")
    asking = publish(client, team(USER_PROXY, max_messages=2), name="asking")
    asking.call(wait_s=0)
    assert [each["id"] for each in replay(published, 1)] == [first["id"]]
    assert replay(asking, 1) == []


def test_the_page_tells_how_many_calls_stay_the_same(client: TestClient):
    published = publish(client, team(writer("The answer."), max_messages=2))
    call = published.call(task="<b>Say hello.</b>")
    number = released(published, team(writer("The answer.", system_message="Be brief."), max_messages=2))
    page = client.get(f"/deployments/support/releases/{number}").text
    address = f"/fragments/deployments/support/releases/{number}/replay"
    assert f'data-replay-calls="{address}"' in page
    report = client.get(address).text
    assert f'href="/runs/{call["id"]}"' in report
    assert "<b>" not in report
    assert "0 of 1 stay the same." in report
    assert client.get(f"/fragments/deployments/support/releases/{number + 1}/replay").status_code == 404
