"""Trying a part alone, through the HTTP door."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.runs import CommandName
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.web.documents import function_tool, replay_model, team, termination
from tests.web.doors import client_of
from tests.web.following import entries, following, start, stream
from tests.web.serving import studio

SHOUT = "def shout(text: str, times: int = 1) -> str:\n    return text.upper() * times\n"
MCP: JsonObject = {
    "provider": "autogen_ext.tools.mcp.McpWorkbench",
    "config": {"server_params": {"type": "StdioServerParams", "command": "no-such-program-here", "args": []}},
}

BEYOND_TRIES = sorted({*get_args(CommandName)} - {"answer", "cancel"})


def events(text: str) -> list[tuple[str, Any]]:
    """Name and data of each server-sent event."""
    return [(name, json.loads(data)) for name, data in re.findall(r"event: (\w+)\ndata: (.*)", text)]


def ended_try(client: TestClient, part: JsonObject, said: object = "Hello") -> list[tuple[str, Any]]:
    """All events of a try that ends by itself."""
    response = client.post("/api/part-runs", json={"component": part, "message": said})
    assert response.status_code == 200, response.text
    assert response.headers["Content-Type"].startswith("text/event-stream")
    return events(response.text)


def judged(client: TestClient, condition: JsonObject, **conversation: str) -> dict[str, Any]:
    response = client.post("/api/part-runs/termination", json={"component": condition, **conversation})
    assert response.status_code == 200, response.text
    return response.json()


def test_a_try_is_a_stream_from_its_id_to_its_end(client: TestClient):
    sent = ended_try(client, replay_model())
    assert sent[0][0] == "started"
    assert sent[-1] == ("done", {})
    states = [data["state"] for name, data in sent if name == "state"]
    assert states[-1] == "failed"
    assert client.get("/api/runs").json() == []


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_what_is_said_next_is_a_command_and_leaving_hangs_up(tmp_path: Path, openai_server: OpenAIServer):
    openai_server.say("One.", Reply("Two and more", hold=1))
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "env:HOME"},
    }
    body = {"component": model, "message": "Count."}
    with studio(tmp_path) as (_, client):
        hashes = [each["hash"] for each in client.post("/api/part-runs", json=body).json()["missing"]]
        client.post("/api/approvals", json={"hashes": hashes, "component": model})
        with client.stream("POST", "/api/part-runs", json=body) as response:
            sent = following(response)
            _, started = next(sent)
            question = next(data["pending"] for name, data in sent if name == "state" and data["pending"])
            answer = {"command": "answer", "request_id": question["request_id"], "text": "Go on."}
            assert client.post(f"/api/part-runs/{started['id']}/commands", json=answer).status_code == 200
            assert next(data for name, data in sent if name == "chunks")[0]["text"].startswith("Two")
        openai_server.wait_until_idle()
        assert client.get("/api/runs").json() == []


def test_code_waits_for_approval_and_an_unsaved_part_can_get_it(client: TestClient):
    body = {"component": function_tool(SHOUT), "message": "not a call"}
    refused = client.post("/api/part-runs", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_approved")
    hashes = [each["hash"] for each in refused.json()["missing"]]
    assert client.post("/api/approvals", json={"hashes": hashes}).status_code == 404
    assert client.post("/api/approvals", json={"hashes": hashes, "component": team()}).status_code == 404
    assert client.post("/api/approvals", json={"hashes": hashes, "component": body["component"]}).status_code == 201
    assert client.post("/api/part-runs", json=body).status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"component": None, "message": "x"}, "invalid_component"),
        ({"component": [], "message": "x"}, "invalid_component"),
        ({"component": {"provider": 3}, "message": "x"}, "invalid_component"),
        (
            {"component": {"provider": "acme.Robot", "component_type": "tool", "config": {}}, "message": "x"},
            "invalid_component",
        ),
        ({"component": team(max_messages="many"), "message": "x"}, "invalid_component"),
        ({"component": termination(3), "message": "x"}, "cannot_be_tried"),
        ({"component": replay_model("x"), "message": ""}, "invalid_task"),
        ({"component": replay_model("x"), "message": [{"image": "nothing"}]}, "invalid_task"),
        ({"component": replay_model("x")}, "invalid_request"),
        ({"component": replay_model("x"), "message": "x", "more": 1}, "invalid_request"),
        ({"component": replay_model("x"), "message": "x", "system_message": 5}, "invalid_request"),
    ],
)
def test_what_cannot_be_tried_is_refused_before_anything_is_sent(client: TestClient, body: JsonObject, code: str):
    response = client.post("/api/part-runs", json=body)
    assert (response.status_code, response.json()["error"]["code"]) == (422, code)


def test_a_command_needs_a_try(client: TestClient):
    response = client.post("/api/part-runs/none/commands", json={"command": "cancel"})
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("body", [*({"command": name} for name in BEYOND_TRIES), {"command": "answer", "data": {}}])
def test_a_try_is_answered_and_ended_and_told_nothing_else(client: TestClient, body: JsonObject):
    response = client.post("/api/part-runs/none/commands", json=body)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid_request")


@pytest.mark.parametrize(
    "path", ["/api/part-runs", "/api/part-runs/x/commands", "/api/part-runs/tools", "/api/part-runs/termination"]
)
def test_every_route_is_guarded(server: TestClient, browser: TestClient, path: str):
    assert client_of(server).post(path, json={}).status_code == 401
    assert browser.post(path, json={}).status_code == 403
    assert browser.get(path).status_code == 405


def test_the_tools_of_a_tool_are_told_without_starting_anything(client: TestClient):
    told = client.post("/api/part-runs/tools", json={"component": function_tool(SHOUT)}).json()
    assert told["is_known"]
    assert list(told["tools"][0]["parameters"]["properties"]) == ["text", "times"]
    bench = {"provider": "autogen_core.tools.StaticWorkbench", "config": {"tools": [function_tool(SHOUT)]}}
    assert [
        tool["name"] for tool in client.post("/api/part-runs/tools", json={"component": bench}).json()["tools"]
    ] == ["shout"]
    assert client.post("/api/part-runs/tools", json={"component": MCP}).json() == {"tools": [], "is_known": False}
    assert client.post("/api/part-runs/tools", json={"component": {}}).status_code == 422


def test_arguments_have_a_form_from_the_tools_schema(client: TestClient):
    [tool] = client.post("/api/part-runs/tools", json={"component": function_tool(SHOUT)}).json()["tools"]
    body = {"parameters": tool["parameters"], "arguments": {"text": "<b>"}}
    html = client.post("/fragments/arguments", json=body).text
    assert 'data-pointer="/config/text"' in html
    assert 'value="&lt;b&gt;"' in html
    assert 'data-pointer="/config/times"' in html
    assert re.findall(r'class="field-label"[^>]*>(\w+)', html) == ["text", "times"]
    assert 'data-pointer="/label"' not in html


LOOP: JsonObject = {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}, "properties": {"a": {"$ref": "#/$defs/A"}}}
DEEP: JsonObject = {
    "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]}},
    "properties": {"a": {"$ref": "#/$defs/A"}},
}


CHAIN: dict[str, JsonObject] = {
    f"A{n}": {"type": "object", "properties": {k: {"$ref": f"#/$defs/A{n + 1}"} for k in "ab"}} for n in range(40)
}
DOUBLING: JsonObject = {
    "$defs": {name: {**each, "required": ["a", "b"]} for name, each in CHAIN.items()},
    "properties": {"a": {"$ref": "#/$defs/A0"}},
}
TREE: JsonObject = {
    "$defs": {
        "Node": {"type": "object", "properties": {"children": {"items": {"$ref": "#/$defs/Node"}, "type": "array"}}}
    },
    "properties": {"root": {"$ref": "#/$defs/Node"}},
}


@pytest.mark.parametrize("parameters", [LOOP, DEEP, DOUBLING])
def test_a_schema_without_an_end_has_no_form(client: TestClient, parameters: JsonObject):
    response = client.post("/fragments/arguments", json={"parameters": parameters, "arguments": {}})
    assert response.status_code == 400
    assert "as JSON" in response.text


@pytest.mark.parametrize("parameters", [TREE, {"properties": 5}, {"properties": {"a": 5}}, {"required": "a"}, {}])
def test_no_schema_of_a_tool_server_breaks_the_form(client: TestClient, parameters: JsonObject):
    response = client.post("/fragments/arguments", json={"parameters": parameters, "arguments": {}})
    assert response.status_code == 200


def test_a_condition_tells_where_a_pasted_conversation_stops(client: TestClient):
    verdict = judged(client, termination(2), text="user: Go.\nwriter: Once.\nwriter: Twice.")
    assert verdict["stop_reason"].startswith("Maximum number of messages 2 reached")
    assert verdict["words"] == "2 messages are reached"
    turns = verdict["turns"]
    assert [turn["source"] for turn in turns] == ["user", "writer"]
    assert verdict["unread_count"] == 1


def test_a_past_run_is_a_conversation(client: TestClient):
    run_id = start(client, team())
    said = [each for each in entries(stream(client, run_id)) if each["kind"] == "message"]
    verdict = judged(client, termination(len(said)), run_id=run_id)
    assert len(verdict["turns"]) == len(said)
    assert verdict["has_times"]


ALL_OF = "autogen_agentchat.base.AndTerminationCondition"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"component": termination(2)}, 400),
        ({"component": termination(2), "text": "a: b", "run_id": "x"}, 400),
        ({"component": termination(2), "text": "no writer"}, 400),
        ({"component": termination(2), "text": '[{"content": {"deep": 1}}]'}, 400),
        ({"component": termination(2), "run_id": "none"}, 404),
        ({"component": replay_model("x"), "text": "a: b"}, 422),
        ({"component": {"provider": ALL_OF, "config": {"conditions": []}}, "text": "a: b"}, 422),
        ({"component": {"provider": "acme.Stop", "component_type": "termination", "config": {}}, "text": "a: b"}, 422),
    ],
)
def test_what_cannot_be_judged_is_refused(client: TestClient, body: JsonObject, status: int):
    response = client.post("/api/part-runs/termination", json=body)
    assert response.status_code == status
    assert response.json()["error"]["message"]
