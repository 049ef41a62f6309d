"""A conversation that goes on over several tasks."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.fakes.openai_server import OpenAIServer
from tests.runs.middleware.budgeted import agent, in_turn
from tests.web.following import start, stream

KEY = "hunter2-very-secret-value"


def talker(server: OpenAIServer) -> JsonObject:
    return in_turn(agent("a", model="fake", base_url=server.url), turns=1)


def next_task(client: TestClient, run_id: str, task: str) -> str:
    response = client.post(f"/api/runs/{run_id}/next", json={"task": task})
    assert response.status_code == 201, response.text
    stream(client, response.json()["id"])
    return response.json()["id"]


def approve_all(client: TestClient, document: JsonObject) -> None:
    needed = client.post("/api/validate", json={"component": document}).json()["capabilities"]
    client.post("/api/approvals", json={"hashes": [each["hash"] for each in needed], "component": document})


def asked(server: OpenAIServer) -> list[str]:
    """What the model was told last."""
    messages: list[dict[str, Any]] = server.requests[-1].body["messages"]
    return [str(message["content"]) for message in messages]


def test_the_team_still_knows_the_tasks_before(client: TestClient, openai_server: OpenAIServer) -> None:
    openai_server.say("Ann.", "You are Ann.", "Still Ann.")
    document = talker(openai_server)
    approve_all(client, document)
    first = start(client, document, "I am Ann.")
    stream(client, first)
    second = next_task(client, first, "Who am I?")
    assert asked(openai_server) == ["I am Ann.", "Ann.", "Who am I?"]
    assert openai_server.request_count == 2
    third = next_task(client, second, "Sure?")
    assert asked(openai_server) == ["I am Ann.", "Ann.", "Who am I?", "You are Ann.", "Sure?"]

    session = client.get(f"/api/sessions/{first}").json()
    assert [run["id"] for run in session["runs"]] == [first, second, third]
    assert [run["task"] for run in session["runs"]] == ["I am Ann.", "Who am I?", "Sure?"]
    assert client.get("/api/sessions").json() == [session]
    assert client.get(f"/api/runs/{third}").json()["session_id"] == first


def test_a_run_of_a_session_can_be_run_again_with_what_it_knew(client: TestClient, openai_server: OpenAIServer) -> None:
    openai_server.say("Ann.", "You are Ann.", "Again Ann.")
    document = talker(openai_server)
    approve_all(client, document)
    first = start(client, document, "I am Ann.")
    stream(client, first)
    second = next_task(client, first, "Who am I?")
    again = client.post(f"/api/runs/{second}/rerun", json={"from_seq": 0})
    stream(client, again.json()["id"])
    assert asked(openai_server) == ["I am Ann.", "Ann.", "Who am I?"]


def test_only_a_run_that_has_ended_goes_on(client: TestClient) -> None:
    failed = start(client, in_turn(agent("a"), turns=1))
    stream(client, failed)
    assert client.post(f"/api/runs/{failed}/next", json={"task": "More."}).status_code == 409
    assert client.get("/api/sessions/none").status_code == 404


def test_what_a_next_task_tells_of_a_secret_is_kept_nowhere(client: TestClient, openai_server: OpenAIServer) -> None:
    """The team names the key of its model; a person writes its value into the task of the second run."""
    client.put("/api/secrets/my-key", json={"value": KEY})
    openai_server.key = KEY
    openai_server.say("Ann.", "You are Ann.")
    document = in_turn(agent("a", model="fake", base_url=openai_server.url, api_key="secret:my-key"), turns=1)
    approve_all(client, document)
    first = start(client, document, f"Use {KEY}.")
    stream(client, first)
    second = next_task(client, first, f"Again with {KEY}.")
    for run_id, task in ((first, "Use [removed: secret:my-key]."), (second, "Again with [removed: secret:my-key].")):
        assert client.get(f"/api/runs/{run_id}").json()["task"] == task
        assert KEY not in client.get(f"/api/runs/{run_id}/events").text
    assert KEY not in openai_server.requests[-1].body["messages"][-1]["content"]


def test_a_next_task_waits_for_approval(client: TestClient, openai_server: OpenAIServer) -> None:
    openai_server.say("Ann.")
    document = talker(openai_server)
    approve_all(client, document)
    first = start(client, document, "I am Ann.")
    stream(client, first)
    for approval in client.get("/api/approvals").json():
        client.delete(f"/api/approvals/{approval['id']}")
    refused = client.post(f"/api/runs/{first}/next", json={"task": "Who am I?"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_approved")
