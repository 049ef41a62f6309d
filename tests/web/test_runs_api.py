"""Runs through the API, followed as a page follows them."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.runs import RunState
from tests.web.documents import USER_PROXY, assistant, function_tool, team
from tests.web.following import entries, start, stream, wait_for


def test_a_run_is_followed_to_its_end(client: TestClient):
    run_id = start(client, team(assistant("writer", "One.", "Three."), assistant("critic", "Two.")))
    sent = stream(client, run_id)
    assert sent[-1].name == "done"
    said = [entry["body"]["content"] for entry in entries(sent) if entry["kind"] == "message"]
    assert said == ["Say hello.", "One.", "Two."]
    assert {entry["kind"] for entry in entries(sent)} <= {"message", "event", "explanation", "command", "state"}
    numbers = [entry["seq"] for entry in entries(sent)]
    assert numbers == sorted(set(numbers))
    states = [event.data["state"] for event in sent if event.name == "state"]
    assert states[-1] == "finished"


def test_a_page_that_comes_back_gets_exactly_what_it_missed(client: TestClient):
    run_id = start(client, team())
    whole = entries(stream(client, run_id))
    place = whole[2]["seq"]
    rest = entries(stream(client, run_id, **{"Last-Event-ID": str(place)}))
    assert [entry["seq"] for entry in rest] == [entry["seq"] for entry in whole if entry["seq"] > place]


def test_the_last_event_id_wins_over_the_address(client: TestClient):
    run_id = start(client, team())
    last = entries(stream(client, run_id))[-1]["seq"]
    response = client.get(f"/api/runs/{run_id}/stream?after=0", headers={"Last-Event-ID": str(last)})
    assert response.status_code == 204


def test_nonsense_as_last_event_id_starts_from_the_address(client: TestClient):
    run_id = start(client, team())
    assert entries(stream(client, run_id, **{"Last-Event-ID": "1e3"})) == entries(stream(client, run_id))


def test_the_log_is_read_page_by_page(client: TestClient):
    run_id = start(client, team())
    whole = entries(stream(client, run_id))
    read: list[dict[str, Any]] = []
    while page := client.get(f"/api/runs/{run_id}/events?after={read[-1]['seq'] if read else 0}&limit=2").json():
        if not page["entries"]:
            break
        read += page["entries"]
    assert read == whole


def test_a_run_is_listed_with_what_it_did(client: TestClient):
    run_id = start(client, team())
    stream(client, run_id)
    run = client.get(f"/api/runs/{run_id}").json()
    listed = client.get(f"/api/runs?team_id={run['team_id']}").json()
    assert [item["id"] for item in listed] == [run_id]
    assert (run["state"], run["task"], run["pending"]) == ("finished", "Say hello.", None)
    assert listed[0]["started_at"]
    assert client.get("/api/runs?team_id=other").json() == []


def test_the_question_of_a_run_is_answered(server: TestClient, client: TestClient):
    run_id = start(client, team(USER_PROXY, max_messages=2))
    wait_for(server, run_id, RunState.PAUSED)
    pending = client.get(f"/api/runs/{run_id}").json()["pending"]
    assert pending["source"] == "person"
    answer = {"command": "answer", "request_id": pending["request_id"], "text": "Here I am."}
    assert client.post(f"/api/runs/{run_id}/commands", json=answer).status_code == 200
    said = [entry["body"]["content"] for entry in entries(stream(client, run_id)) if entry["kind"] == "message"]
    assert said[-1] == "Here I am."


def test_a_waiting_run_is_cancelled(server: TestClient, client: TestClient):
    run_id = start(client, team(USER_PROXY))
    wait_for(server, run_id, RunState.PAUSED)
    assert client.post(f"/api/runs/{run_id}/commands", json={"command": "cancel"}).status_code == 200
    assert entries(stream(client, run_id))[-1]["body"]["state"] == "cancelled"


def test_a_run_that_ended_takes_no_command(client: TestClient):
    run_id = start(client, team())
    stream(client, run_id)
    response = client.post(f"/api/runs/{run_id}/commands", json={"command": "pause"})
    assert (response.status_code, response.json()["error"]["code"]) == (409, "run_already_ended")


def test_a_command_that_does_not_exist_is_refused(client: TestClient):
    run_id = start(client, team())
    response = client.post(f"/api/runs/{run_id}/commands", json={"command": "explode"})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid_request")


def test_a_run_waits_for_approval_of_exactly_its_code(client: TestClient):
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    config["tools"] = [function_tool("def shout(text: str) -> str:\n    return text.upper()\n")]
    made = client.post("/api/teams", json={"component": team(agent)}).json()
    body = {"team_id": made["id"], "task": "Go."}
    refused = client.post("/api/runs", json=body)
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "not_approved"
    missing = refused.json()["missing"]
    assert "upper()" in missing[0]["detail"]
    assert client.post("/api/approvals", json={"hashes": [item["hash"] for item in missing]}).status_code == 201
    assert client.post("/api/runs", json=body).status_code == 201


@pytest.mark.parametrize("task", ["", "  ", [], {"text": "x"}, 5])
def test_a_run_needs_a_task(client: TestClient, task: object):
    made = client.post("/api/teams", json={"component": team()}).json()
    response = client.post("/api/runs", json={"team_id": made["id"], "task": task})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid_task")


def test_a_wrong_team_does_not_start(client: TestClient):
    made = client.post("/api/teams", json={"component": team(max_messages="many")}).json()
    response = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."})
    assert response.status_code == 422
    assert response.json()["findings"][0]["where"].endswith("/max_messages")


def test_a_run_outlives_its_team(client: TestClient):
    run_id = start(client, team())
    stream(client, run_id)
    team_id = client.get(f"/api/runs/{run_id}").json()["team_id"]
    client.delete(f"/api/teams/{team_id}")
    assert client.get(f"/api/runs/{run_id}").json()["team_id"] is None
    assert client.get(f"/runs/{run_id}").status_code == 200
    assert client.delete(f"/api/runs/{run_id}").status_code == 204
    assert client.get(f"/api/runs/{run_id}").status_code == 404


def test_a_model_without_its_key_ends_the_run_with_what_to_do(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    config["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o-mini"},
    }
    made = client.post("/api/teams", json={"component": team(agent)}).json()
    body = {"team_id": made["id"], "task": "Go."}
    missing = client.post("/api/runs", json=body).json()["missing"]
    client.post("/api/approvals", json={"hashes": [item["hash"] for item in missing]})
    run_id = client.post("/api/runs", json=body).json()["id"]
    end = entries(stream(client, run_id))[-1]["body"]
    assert end["state"] == "failed"
    assert "OPENAI_API_KEY" in end["detail"]
