"""An approved address is exact: another path of the same host, or another program of a secret, asks again."""

from __future__ import annotations

from typing import cast

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant, function_tool, team
from tests.web.test_review import allow


def http_tool(path: str) -> JsonObject:
    config: JsonObject = {
        "name": "tell",
        "description": "Tells.",
        "scheme": "https",
        "host": "hooks.example.com",
        "port": 443,
        "path": path,
        "method": "POST",
        "headers": {"Authorization": "env:KEY"},
        "json_schema": {"type": "object", "properties": {"id": {"type": "string"}}},
    }
    return {"provider": "autogen_ext.tools.http.HttpTool", "component_type": "tool", "config": config}


def with_tool(tool: JsonObject) -> JsonObject:
    agent = assistant("writer")
    cast("JsonObject", agent["config"])["tools"] = [tool]
    return team(agent)


def with_server(url: str) -> JsonObject:
    agent = assistant("writer")
    parameters: JsonObject = {"type": "StreamableHttpServerParams", "url": url, "headers": {"X-Key": "env:KEY"}}
    workbench: JsonObject = {
        "provider": "autogen_ext.tools.mcp.McpWorkbench",
        "component_type": "workbench",
        "config": {"server_params": parameters},
    }
    cast("JsonObject", agent["config"])["workbench"] = [workbench]
    return team(agent)


def with_model(url: str) -> JsonObject:
    agent = assistant("writer")
    cast("JsonObject", agent["config"])["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": url, "api_key": "env:KEY"},
    }
    return team(agent)


CHANGES = {
    "the path of a tool": (with_tool(http_tool("/services/MINE")), with_tool(http_tool("/services/EVIL"))),
    "what follows a place": (with_tool(http_tool("/users/{id}")), with_tool(http_tool("/users/{id}/keys"))),
    "the query of a tool": (with_tool(http_tool("/t?team=MINE")), with_tool(http_tool("/t?team=EVIL"))),
    "the path of a server": (with_server("https://mcp.example/s/MINE"), with_server("https://mcp.example/s/EVIL")),
    "the query of a server": (with_server("https://mcp.example/s?t=MINE"), with_server("https://mcp.example/s?t=EVIL")),
    "the path of a model": (with_model("https://gw.example/v1/MINE"), with_model("https://gw.example/v1/EVIL")),
    "steps in a path": (with_model("https://gw.example/v1/MINE"), with_model("https://gw.example/v1/EVIL/../MINE")),
}


def missing(client: TestClient, team_id: str) -> list[dict[str, str]]:
    return client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json().get("missing", [])


@pytest.mark.parametrize("what", CHANGES)
def test_another_path_of_an_approved_host_asks_again(client: TestClient, what: str):
    before, after = CHANGES[what]
    stored = client.post("/api/teams", json={"component": before}).json()
    hashes = [item["hash"] for item in missing(client, stored["id"])]
    assert allow(client, stored["id"], hashes) == 201
    body = {"component": after, "layout": {}, "revision": stored["revision"]}
    assert client.put(f"/api/teams/{stored['id']}", json=body).status_code == 200
    asked = missing(client, stored["id"])
    assert {"host", "secret"} <= {item["kind"] for item in asked}
    assert not {item["hash"] for item in asked} & set(hashes)


def test_a_secret_is_tied_to_the_whole_hash_of_its_program(client: TestClient):
    source = 'import os\ndef tell() -> str:\n    return os.environ["KEY"]\n'
    stored = client.post("/api/teams", json={"component": with_tool(function_tool(source, "tell"))}).json()
    details = [item["detail"] for item in missing(client, stored["id"]) if item["kind"] == "secret"]
    assert [len(detail.rpartition(" ")[2]) for detail in details] == [64]
