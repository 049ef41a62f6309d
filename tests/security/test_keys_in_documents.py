"""Keys that stand in the open in a document are taken out before anything is stored, whichever way it comes in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.settings import Settings
from studio.web.app import create_app
from tests.web.documents import assistant, gallery, team
from tests.web.doors import BASE_URL, TOKEN, client_of

STEM = "cnry-in-a-document"
KEYS = [f"{STEM}-{number}" for number in range(5)]
MASK = "**********"


def component(provider: str, **config: object) -> JsonObject:
    return cast("JsonObject", {"provider": provider, "config": config})


def open_keys() -> JsonObject:
    """A team with a key wherever one can stand."""
    model = component(
        "autogen_ext.models.openai.OpenAIChatCompletionClient",
        model="gpt-4o",
        api_key=KEYS[0],
        default_headers={"X-Api-Key": KEYS[1]},
    )
    http = component(
        "autogen_ext.tools.http.HttpTool",
        name="http",
        host="example.org",
        port=443,
        headers={"Authorization": f"Bearer {KEYS[2]}"},
        json_schema={"type": "object", "properties": {}},
    )
    server = {"type": "StdioServerParams", "command": "npx", "env": {"SERVICE_TOKEN": KEYS[3]}}
    mcp = component("autogen_ext.tools.mcp.McpWorkbench", server_params=server)
    unknown = component("nobody.Knows", nested=[{"deeper": {"password": KEYS[4]}}])
    agent = assistant("writer")
    config = cast("dict[str, Any]", agent["config"])
    config |= {"model_client": model, "workbench": [mcp], "tools": [http, unknown]}
    return team(agent)


def as_team(client: TestClient) -> str:
    return client.post("/api/teams", json={"component": open_keys()}).json()["id"]


def saved(client: TestClient) -> None:
    made = client.post("/api/teams", json={"component": team()}).json()
    body = {"component": open_keys(), "layout": {}, "revision": made["revision"]}
    assert client.put(f"/api/teams/{made['id']}", json=body).status_code == 200


def placed(client: TestClient) -> None:
    made = client.post("/api/teams", json={"component": team()}).json()
    agent = cast("dict[str, Any]", open_keys())["config"]["participants"][0]
    body = {"component": agent, "pointer": "/config/participants"}
    response = client.post(f"/api/teams/{made['id']}/components", json=body)
    assert response.status_code == 200, response.text


def as_gallery(client: TestClient) -> None:
    text = json.dumps(gallery(teams=[open_keys()]))
    assert client.post("/api/galleries", json={"text": text}).status_code == 201


def in_library(client: TestClient) -> None:
    assert client.post("/api/galleries/library/components", json={"component": open_keys()}).status_code == 201


def only_looked_at(client: TestClient) -> None:
    for path, body in {
        "/api/validate": {"component": open_keys()},
        "/api/python": {"component": open_keys()},
        "/api/galleries/preview": {"text": json.dumps(gallery(teams=[open_keys()]))},
        "/fragments/diff": {"before": {"component": team()}, "after": {"component": open_keys()}},
        "/api/part-runs": {"component": open_keys(), "message": "Hello."},
    }.items():
        response = client.post(path, json=body)
        assert response.status_code < 500, path
        assert STEM not in response.text, path


def forked(client: TestClient) -> None:
    made = client.post("/api/teams", json={"component": team()}).json()
    run = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).json()["id"]
    client.get(f"/api/runs/{run}/stream")
    client.post(f"/api/runs/{run}/fork", json={"seq": 4, "component": open_keys()})


@pytest.mark.parametrize("way_in", [as_team, saved, placed, as_gallery, in_library, only_looked_at, forked])
def test_a_key_in_the_open_is_stored_nowhere(way_in: Callable[[TestClient], object], tmp_path: Path):
    with TestClient(create_app(Settings(data_dir=tmp_path, token=TOKEN)), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        way_in(client)
        for path in ("/api/teams", "/api/galleries", "/api/secrets", "/settings", "/teams", "/galleries"):
            assert STEM not in client.get(path).text, path
        files = {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
        assert [name for name, content in files.items() if STEM.encode() in content] == []


def test_what_is_stored_names_the_keys_and_they_resolve(client: TestClient):
    team_id = as_team(client)
    shown = client.get(f"/api/teams/{team_id}").json()["component"]
    agent = shown["config"]["participants"][0]["config"]
    assert agent["model_client"]["config"]["api_key"].startswith("secret:")
    assert agent["tools"][0]["config"]["headers"]["Authorization"].startswith("Bearer {secret:")
    named = [secret for secret in client.get("/api/secrets").json() if secret["reference"].startswith("secret:")]
    assert len(named) == len(KEYS)
    assert all(secret["set"] and "value" not in secret for secret in named)


def test_a_masked_key_of_an_autogen_export_becomes_a_reference_that_is_missing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    text = json.dumps(open_keys()).replace(KEYS[0], MASK)
    made = client.post("/api/teams", json={"component": json.loads(text)}).json()
    shown = client.get(f"/api/teams/{made['id']}").json()["component"]
    assert shown["config"]["participants"][0]["config"]["model_client"]["config"]["api_key"] == "env:OPENAI_API_KEY"
    assert MASK not in json.dumps(shown)
    secrets = {one["reference"]: one["set"] for one in client.get("/api/secrets").json()}
    assert secrets["env:OPENAI_API_KEY"] is False


def test_a_secret_is_written_and_never_read(client: TestClient):
    assert client.put("/api/secrets/mine", json={"value": KEYS[0]}).status_code == 204
    assert client.get("/api/secrets/mine").status_code == 405
    assert STEM not in client.get("/api/secrets").text + client.get("/settings").text
    refused = client.put("/api/secrets/mine", json={"value": [KEYS[0]]})
    assert refused.status_code == 422
    assert STEM not in refused.text
    client.put("/api/secrets/pin", json={"value": "1234"})
    short = {one["name"]: one["is_too_short"] for one in client.get("/api/secrets").json()}
    assert (short["pin"], short["mine"]) == (True, False)
    assert "Too short to redact" in client.get("/settings").text
