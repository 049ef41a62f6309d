"""Test runs of a team in which fixed answers stand for its models and tools, and agents are left out."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import JsonObject
from tests.web.documents import assistant, function_tool, team
from tests.web.following import entries, stream

SOURCE = "def shout(text: str) -> str:\n    return text.upper()\n"
WRITER = "/participants/writer"
SHOUT = f"{WRITER}/tools/shout"
OPENAI: JsonObject = {
    "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
    "component_type": "model",
    "config": {"model": "gpt-4o", "api_key": "env:NOT_SET_HERE"},
}
CALL: JsonObject = {
    "finish_reason": "function_calls",
    "content": [{"id": "1", "name": "shout", "arguments": '{"text": "hi"}'}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    "cached": False,
}


def fixed(text: str, **more: Any) -> JsonObject:
    return {"kind": "fixed", "text": text, **more}


def with_config(agent: JsonObject, **config: Any) -> JsonObject:
    return {**agent, "config": {**agent["config"], **config}}  # pyright: ignore  # a document that the test made


def saved(client: TestClient, document: JsonObject, mocks: JsonObject) -> str:
    body = {"component": document, "layout": {"mocks": mocks}}
    return client.post("/api/teams", json=body).json()["id"]


def start(client: TestClient, team_id: str, *, with_mocks: bool = True) -> Any:
    return client.post("/api/runs", json={"team_id": team_id, "task": "Go.", "with_mocks": with_mocks})


def said(client: TestClient, run_id: str) -> list[tuple[str, str]]:
    return [
        (entry["body"]["source"], entry["body"]["content"])
        for entry in entries(stream(client, run_id))
        if entry["kind"] == "message"
    ]


def tooled() -> JsonObject:
    writer = assistant("writer")
    model = {**writer["config"]["model_client"]}  # pyright: ignore  # a document that the test made
    model["config"] = {**model["config"], "chat_completions": [CALL]}
    return with_config(writer, model_client=model, tools=[function_tool(SOURCE)])


def test_a_mocked_tool_gives_its_answer_and_nothing_of_it_needs_an_approval(client: TestClient):
    document = team(tooled(), max_messages=2)
    team_id = saved(client, document, {SHOUT: fixed("HELLO")})
    assert start(client, team_id, with_mocks=False).json()["error"]["code"] == "not_approved"
    run_id = start(client, team_id).json()["id"]
    assert said(client, run_id)[-1] == ("writer", "HELLO")
    run = client.get(f"/api/runs/{run_id}").json()
    assert run["mocks"] == [{"place": SHOUT, "name": "writer › shout", "kind": "fixed"}]
    assert SOURCE not in str(run["component"])
    assert client.get(f"/api/teams/{team_id}").json()["component"] == document


def test_a_mocked_tool_can_fail(client: TestClient):
    document = team(tooled(), max_messages=2)
    mocks: JsonObject = {SHOUT: fixed("Out of paper.", is_error=True)}
    run_id = start(client, saved(client, document, mocks)).json()["id"]
    [result] = [
        entry["body"]["content"][0]
        for entry in entries(stream(client, run_id))
        if entry["body"].get("type") == "ToolCallExecutionEvent"
    ]
    assert (result["is_error"], result["content"]) == (True, "Out of paper.")


def test_a_mocked_model_spends_nothing_and_keeps_what_its_agent_asks_of_it(client: TestClient):
    writer = with_config(assistant("writer"), model_client=OPENAI, tools=[function_tool(SOURCE)])
    document = team(writer, max_messages=3)
    mocks: JsonObject = {f"{WRITER}/model_client": fixed("Rain."), SHOUT: fixed("3")}
    run_id = start(client, saved(client, document, mocks)).json()["id"]
    assert said(client, run_id) == [("user", "Go."), ("writer", "Rain."), ("writer", "Rain.")]


def test_an_agent_that_is_disabled_takes_no_part(client: TestClient):
    document = team(assistant("writer", "One."), assistant("critic", "Two."), assistant("editor", "Three."))
    run_id = start(client, saved(client, document, {"/participants/critic": {"kind": "disable"}})).json()["id"]
    assert [source for source, _ in said(client, run_id)] == ["user", "writer", "editor"]


def test_what_goes_on_from_a_mocked_run_has_the_same_mocks(client: TestClient):
    document = team(assistant("writer"), assistant("critic"))
    mocks: JsonObject = {f"{WRITER}/model_client": {"kind": "pin", "text": "As before."}}
    run_id = start(client, saved(client, document, mocks)).json()["id"]
    before = said(client, run_id)
    assert before[1] == ("writer", "As before.")
    for path, body in (("rerun", {}), ("replay", {}), ("next", {"task": "Go."})):
        made = client.post(f"/api/runs/{run_id}/{path}", json=body).json()["id"]
        assert said(client, made) == before
        assert [each["kind"] for each in client.get(f"/api/runs/{made}").json()["mocks"]] == ["pin"]


@pytest.mark.parametrize(
    ("mocks", "words"),
    [
        ({"/participants/nobody/model_client": fixed("x")}, "no longer in the team"),
        ({"/participants/writer": fixed("x")}, "only models and tools can return a fixed result"),
        ({"/termination_condition": {"kind": "disable"}}, "Only an agent of a team can be disabled"),
        (
            {"/participants/writer": {"kind": "disable"}, "/participants/critic": {"kind": "disable"}},
            "The team cannot run with its mocks",
        ),
        ({"/participants/writer": {"kind": "explode"}}, "The mocks of this team cannot be read"),
    ],
    ids=["gone", "agent", "condition", "all left out", "unknown kind"],
)
def test_what_cannot_be_mocked_is_refused_before_anything_runs(client: TestClient, mocks: JsonObject, words: str):
    team_id = saved(client, team(assistant("writer"), assistant("critic")), mocks)
    refused = start(client, team_id)
    assert refused.status_code == 422
    assert words in refused.json()["error"]["message"]
    assert client.get(f"/api/runs?team_id={team_id}").json() == []


def test_a_graph_says_that_it_needs_each_of_its_nodes(client: TestClient):
    edges: list[JsonValue] = [{"target": "critic"}]
    nodes: JsonObject = {"writer": {"name": "writer", "edges": edges}, "critic": {"name": "critic", "edges": []}}
    config: JsonObject = {"participants": [assistant("writer"), assistant("critic")], "graph": {"nodes": nodes}}
    document: JsonObject = {
        "provider": "autogen_agentchat.teams.GraphFlow",
        "component_type": "team",
        "config": config,
    }
    refused = start(client, saved(client, document, {"/participants/critic": {"kind": "disable"}}))
    assert refused.json()["error"]["fix"] == "Enable critic again."


def test_handoffs_to_an_agent_that_is_disabled_go_with_it(client: TestClient):
    writer = with_config(assistant("writer", "One."), handoffs=["critic"])
    swarm: JsonObject = {
        **team(writer, assistant("critic")),
        "provider": "autogen_agentchat.teams.Swarm",
    }
    run_id = start(client, saved(client, swarm, {"/participants/critic": {"kind": "disable"}})).json()["id"]
    assert {source for source, _ in said(client, run_id)} == {"user", "writer"}
    [writer] = client.get(f"/api/runs/{run_id}").json()["component"]["config"]["participants"]
    assert not writer["config"].get("handoffs")
