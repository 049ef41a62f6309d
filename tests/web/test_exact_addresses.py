"""An approval is exact: another path or header of the same host, another model or program, asks again."""

from __future__ import annotations

import copy
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import JsonObject
from tests.web.documents import assistant, function_tool, team
from tests.web.following import allow


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


def with_server(url: str, **headers: str) -> JsonObject:
    agent = assistant("writer")
    sent: JsonObject = {"X-Key": "env:KEY", **headers}
    parameters: JsonObject = {"type": "StreamableHttpServerParams", "url": url, "headers": sent}
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


def with_changed(document: JsonObject, *path: str | int, **config: JsonValue) -> JsonObject:
    """The team with other fields in the config of the part at that path of its agent's config."""
    out = copy.deepcopy(document)
    here: Any = out["config"]
    for step in ("participants", 0, "config", *path):
        here = here[step]
    here["config"] |= config
    return out


def with_memory(provider: str, **config: JsonValue) -> JsonObject:
    agent = assistant("writer")
    memory: JsonObject = {"provider": provider, "component_type": "memory", "config": config}
    cast("JsonObject", agent["config"])["memory"] = [memory]
    return team(agent)


def with_cache(**config: JsonValue) -> JsonObject:
    agent = assistant("writer")
    store: JsonObject = {
        "provider": "autogen_ext.cache_store.redis.RedisStore",
        "component_type": "cache_store",
        "config": {"host": "cache.example", "port": 6379, "password": "env:KEY", **config},
    }
    parts: JsonObject = {"client": cast("JsonObject", agent["config"])["model_client"], "store": store}
    cast("JsonObject", agent["config"])["model_client"] = {
        "provider": "autogen_ext.models.cache.ChatCompletionCache",
        "component_type": "chat_completion_cache",
        "config": parts,
    }
    return team(agent)


def with_container(**config: JsonValue) -> JsonObject:
    executor: JsonObject = {
        "provider": "autogen_ext.code_executors.docker.DockerCommandLineCodeExecutor",
        "component_type": "code_executor",
        "config": config,
    }
    return team(
        {
            "provider": "autogen_agentchat.agents.CodeExecutorAgent",
            "component_type": "agent",
            "config": {"name": "runner", "code_executor": executor},
        }
    )


TOOL, SERVER = with_tool(http_tool("/a")), with_server("https://mcp.example/s")
MODEL = with_model("https://gw.example/v1")
ON: JsonObject = {"Authorization": "env:KEY", "X-Forward-To": "https://evil.example"}
CHROMA, REDIS = "autogen_ext.memory.chromadb.ChromaDBVectorMemory", "autogen_ext.memory.redis.RedisMemory"
CHANGES = {
    "the path of a tool": (with_tool(http_tool("/services/MINE")), with_tool(http_tool("/services/EVIL"))),
    "what follows a place": (with_tool(http_tool("/users/{id}")), with_tool(http_tool("/users/{id}/keys"))),
    "the query of a tool": (with_tool(http_tool("/t?team=MINE")), with_tool(http_tool("/t?team=EVIL"))),
    "the path of a server": (with_server("https://mcp.example/s/MINE"), with_server("https://mcp.example/s/EVIL")),
    "the query of a server": (with_server("https://mcp.example/s?t=MINE"), with_server("https://mcp.example/s?t=EVIL")),
    "the path of a model": (with_model("https://gw.example/v1/MINE"), with_model("https://gw.example/v1/EVIL")),
    "steps in a path": (with_model("https://gw.example/v1/MINE"), with_model("https://gw.example/v1/EVIL/../MINE")),
    "a header of a tool": (TOOL, with_changed(TOOL, "tools", 0, headers=ON)),
    "the Host of a tool": (TOOL, with_changed(TOOL, "tools", 0, headers={"Authorization": "env:KEY", "Host": "b"})),
    "a header of a server": (SERVER, with_server("https://mcp.example/s", Host="b")),
    "a header of a model": (MODEL, with_changed(MODEL, "model_client", default_headers={"X-Forward-To": "https://e"})),
    "a header of a database": (
        with_memory(CHROMA, client_type="http", host="db.example", collection_name="c", headers={"K": "env:KEY"}),
        with_memory(
            CHROMA, client_type="http", host="db.example", collection_name="c", headers={"K": "env:KEY", "Host": "b"}
        ),
    ),
    "an embedding model": (
        with_memory(REDIS, redis_url="redis://db.example", model_name="mine/model"),
        with_memory(REDIS, redis_url="redis://db.example", model_name="evil/model"),
    ),
    "the encryption of a cache": (with_cache(ssl=True), with_cache(ssl=False)),
    "the end of a container": (with_container(), with_container(stop_container=False)),
}

ASKED = {"an embedding model": {"host"}, "the end of a container": {"process"}}
"""Where it is not where something goes, and with which secret."""


def missing(client: TestClient, team_id: str) -> list[dict[str, str]]:
    return client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json().get("missing", [])


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_not_exactly_what_was_approved_asks_again(client: TestClient, what: str):
    before, after = CHANGES[what]
    stored = client.post("/api/teams", json={"component": before}).json()
    hashes = [item["hash"] for item in missing(client, stored["id"])]
    assert allow(client, stored["id"], hashes) == 201
    body = {"component": after, "layout": {}, "revision": stored["revision"]}
    assert client.put(f"/api/teams/{stored['id']}", json=body).status_code == 200
    asked = missing(client, stored["id"])
    assert {item["kind"] for item in asked} >= ASKED.get(what, {"host", "secret"})
    assert not {item["hash"] for item in asked} & set(hashes)


def test_a_secret_is_tied_to_the_whole_hash_of_its_program(client: TestClient):
    source = 'import os\ndef tell() -> str:\n    return os.environ["KEY"]\n'
    stored = client.post("/api/teams", json={"component": with_tool(function_tool(source, "tell"))}).json()
    details = [item["detail"] for item in missing(client, stored["id"]) if item["kind"] == "secret"]
    assert [len(detail.rpartition(" ")[2]) for detail in details] == [64]
