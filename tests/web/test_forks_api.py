"""Runs that go on from others, through the API."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant, function_tool, team
from tests.web.following import compare, ended, entries, events, stream, unpacked

SHOUT = "def shout(text: str) -> str:\n    return text.upper()\n"
PAIR = team(assistant("writer", "One.", "Three."), assistant("critic", "Two."), max_messages=4)


@pytest.fixture
def run_id(client: TestClient) -> str:
    return ended(client, PAIR)


def messages(client: TestClient, run_id: str) -> list[dict[str, Any]]:
    return [entry for entry in entries(stream(client, run_id)) if entry["kind"] == "message"]


def said(client: TestClient, run_id: str) -> list[str]:
    return [entry["body"]["content"] for entry in messages(client, run_id)]


def started(client: TestClient, run_id: str, way: str, body: JsonObject) -> str:
    response = client.post(f"/api/runs/{run_id}/{way}", json=body)
    assert response.status_code == 201, response.text
    return response.json()["id"]


def test_a_fork_has_the_first_entries_and_goes_on(client: TestClient, run_id: str):
    second = messages(client, run_id)[1]
    child = started(client, run_id, "fork", {"seq": second["seq"]})
    assert said(client, child)[:2] == ["Say hello.", "One."]
    line = client.get(f"/api/runs/{child}/line").json()
    assert [(one["id"], one["parent_id"], one["origin"]) for one in line] == [
        (run_id, None, ""),
        (child, run_id, "fork"),
    ]
    assert client.get(f"/api/runs/{run_id}/line").json() == line


def test_a_fork_with_another_message_shows_it(client: TestClient, run_id: str):
    second = messages(client, run_id)[1]
    child = started(client, run_id, "fork", {"seq": second["seq"], "edits": {second["body"]["id"]: "Uno."}})
    assert said(client, child)[:2] == ["Say hello.", "Uno."]
    found = compare(client, (run_id, child))
    assert found["divergence"]["words"] == "writer has a different message."


def test_a_fork_with_other_instructions_asks_the_model_anew(client: TestClient, run_id: str):
    third = messages(client, run_id)[2]
    critic = assistant("critic", "Deux.")
    component = team(assistant("writer", "One.", "Three."), critic, max_messages=4)
    child = started(client, run_id, "fork", {"seq": third["seq"], "redo": True, "component": component})
    assert said(client, child)[:3] == ["Say hello.", "One.", "Deux."]


def test_a_fork_with_another_tool_result_tells_the_model_so(client: TestClient):
    agent = assistant("writer")
    config: Any = agent["config"]
    config["tools"] = [function_tool(SHOUT)]
    call: JsonObject = {"id": "call-1", "name": "shout", "arguments": '{"text": "hello"}'}
    config["model_client"]["config"]["chat_completions"] = [
        {
            "content": [call],
            "finish_reason": "function_calls",
            "usage": {"prompt_tokens": 0, "completion_tokens": 0},
            "cached": False,
        },
        "Done.",
    ]
    made = client.post("/api/teams", json={"component": team(agent, max_messages=3)}).json()
    body = {"team_id": made["id"], "task": "Go."}
    hashes = [one["hash"] for one in client.post("/api/runs", json=body).json()["missing"]]
    client.post("/api/approvals", json={"hashes": hashes})
    run_id = client.post("/api/runs", json=body).json()["id"]
    sent = entries(stream(client, run_id))
    [executed] = [entry for entry in sent if entry["body"].get("type") == "ToolCallExecutionEvent"]
    assert client.get(f"/api/runs/{run_id}/tools").json() == ["shout"]
    child = started(client, run_id, "fork", {"seq": executed["seq"], "tool_results": {"call-1": "whisper"}})
    assert said(client, child)[:2] == ["Go.", "whisper"]
    response = client.post(f"/api/runs/{run_id}/fork", json={"seq": executed["seq"], "tool_results": {"x": "y"}})
    assert (response.status_code, response.json()["error"]["where"]) == (422, "/tool_results")


def test_a_run_is_run_again(client: TestClient, run_id: str):
    child = started(client, run_id, "rerun", {})
    assert said(client, child) == said(client, run_id)
    response = client.post(f"/api/runs/{run_id}/rerun", json={"from_seq": "failure"})
    assert response.status_code == 422


def test_a_failed_run_is_run_again_from_its_failure(client: TestClient):
    run_id = ended(client, team(assistant("writer", "One."), max_messages=9))
    child = started(client, run_id, "rerun", {"from_seq": "failure"})
    assert said(client, child)[:2] == ["Say hello.", "One."]


def test_a_replay_costs_nothing_and_says_the_same(client: TestClient, run_id: str):
    child = started(client, run_id, "replay", {})
    assert said(client, child) == said(client, run_id)
    found = client.get(f"/api/runs/{child}").json()
    assert (found["state"], found["usage"]["prompt_tokens"]) == ("finished", 0)
    assert compare(client, (run_id, child))["divergence"] is None


def test_a_fork_that_asks_for_more_than_is_allowed_is_refused(client: TestClient, run_id: str):
    agent = assistant("writer")
    config: Any = agent["config"]
    config["tools"] = [function_tool(SHOUT)]
    response = client.post(f"/api/runs/{run_id}/fork", json={"seq": 4, "component": team(agent)})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "not_approved")


def test_there_is_no_prompt_to_ask_anew_for_what_a_person_said(client: TestClient, run_id: str):
    first = messages(client, run_id)[0]
    response = client.post(f"/api/runs/{run_id}/fork", json={"seq": first["seq"], "redo": True})
    assert response.status_code == 404


def test_the_prompts_of_a_fork_are_found(client: TestClient, run_id: str):
    second = messages(client, run_id)[1]
    child = started(client, run_id, "fork", {"seq": second["seq"], "edits": {second["body"]["id"]: "Uno."}})
    third = messages(client, child)[2]
    prompt = client.get(f"/api/runs/{child}/prompts/{third['seq']}").json()
    assert [message["text"] for message in prompt["messages"]] == ["Say hello.", "Say hello.", "Uno."]


def test_a_shared_fork_comes_back_and_can_be_forked_again(client: TestClient, run_id: str):
    second = messages(client, run_id)[1]
    child = started(client, run_id, "fork", {"seq": second["seq"], "edits": {second["body"]["id"]: "Uno."}})
    before = said(client, child)
    page = client.get(f"/api/runs/{child}/bundle").content
    assert client.delete(f"/api/runs/{child}").status_code == 204
    brought = client.post("/api/runs/import", files={"file": ("x.html", page, "text/html")})
    assert (brought.status_code, brought.json()) == (201, {"id": child})
    assert said(client, child) == before
    grandchild = started(client, child, "fork", {"seq": messages(client, child)[2]["seq"]})
    assert said(client, grandchild)[:3] == before[:3]


def test_what_a_team_remembered_behind_an_entry_is_told(client: TestClient, run_id: str):
    second = messages(client, run_id)[1]
    found = client.get(f"/api/runs/{run_id}/state", params={"at": second["seq"]}).json()
    assert (found["is_exact"], found["unrecorded"], found["divergence"]) == (True, [], None)
    thread = found["state"]["agent_states"]["RoundRobinGroupChatManager"]["message_thread"]
    assert [message["content"] for message in thread] == ["Say hello.", "One."]
    assert client.get("/api/runs/nothing/state?at=1").status_code == 404
    assert client.get(f"/api/runs/{run_id}/state?at=-1").status_code == 422


def test_the_index_of_a_fork_begins_with_its_parents_entries(client: TestClient, run_id: str):
    second = messages(client, run_id)[1]
    child = started(client, run_id, "fork", {"seq": second["seq"]})
    stream(client, child)
    parent_rows = unpacked(client.get(f"/api/runs/{run_id}/index").json())
    rows = unpacked(client.get(f"/api/runs/{child}/index").json())
    shared = [row for row in parent_rows if row["seq"] <= second["seq"]]
    assert rows[: len(shared)] == shared
    assert [row["seq"] for row in rows] == [entry["seq"] for entry in events(client, child)]
    after = client.get(f"/api/runs/{child}/index", params={"after": second["seq"]}).json()
    assert [row["seq"] for row in unpacked(after, second["seq"])] == [row["seq"] for row in rows[len(shared) :]]
