"""Connections to model services through the API: made, changed with the teams that use them, listed, tested."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import load_component
from studio.settings import Settings
from tests.fakes.ollama_server import OllamaServer
from tests.fakes.openai_server import OpenAIServer
from tests.web.documents import assistant, team
from tests.web.following import ended, entries, stream
from tests.web.members import add_members, asked_by, sign_in

KEY = "sk-canary-0123456789abcdefghij"


def add(client: TestClient, name: str = "Work", **more: Any) -> dict[str, Any]:
    """A connection to some server."""
    body = {"name": name, "service": "openai-compatible", "address": "https://models.example.com/v1", **more}
    answer = client.post("/api/connections", json=body)
    assert answer.status_code == 201, answer.text
    return listed(client, name)


def listed(client: TestClient, name: str) -> dict[str, Any]:
    connections = client.get("/api/connections").json()["connections"]
    return next(each for each in connections if each["name"] == name)


def writer(model: dict[str, Any], name: str = "writer") -> dict[str, Any]:
    made: dict[str, Any] = assistant(name)
    made["config"] = {"name": name, "model_client": model}
    return made


def models_of(client: TestClient, team_id: str) -> list[dict[str, Any]]:
    component = client.get(f"/api/teams/{team_id}").json()["component"]
    return [each["config"]["model_client"]["config"] for each in component["config"]["participants"]]


def approve(client: TestClient, refused: Any, component: dict[str, Any]) -> None:
    hashes = [each["hash"] for each in refused.json()["missing"]]
    assert client.post("/api/approvals", json={"hashes": hashes, "component": component}).status_code == 201


def test_services_come_once_each_with_what_they_are_and_need(client: TestClient) -> None:
    services = client.get("/api/connections").json()["services"]
    by_name = {each["name"]: each for each in services}
    assert len(by_name) == len(services)
    assert {"OpenAI", "Anthropic", "OpenRouter", "Ollama", "LM Studio", "OpenAI-compatible server"} <= by_name.keys()
    groq = by_name["Groq"]
    assert groq["component"]["config"]["base_url"] == "https://api.groq.com/openai/v1"
    assert groq["component"]["config"]["api_key"] == "env:GROQ_API_KEY"
    assert groq["about"]
    assert groq["needs"] == "API key"


def test_the_form_of_a_model_suggests_names_of_its_service(client: TestClient) -> None:
    services = client.get("/api/connections").json()["services"]
    deepseek = next(each["component"] for each in services if each["id"] == "deepseek")
    document = team(writer(deepseek))
    pointer = "/config/participants/0/config/model_client"
    form = client.post("/fragments/form", json={"component": document, "pointer": pointer}).text
    assert '<option value="deepseek-reasoner">' in form
    assert '<option value="gpt-4o">' not in form


def test_the_first_connection_is_the_default_until_another_is_chosen(client: TestClient) -> None:
    add(client)
    second = add(client, "Other", address="https://other.example.com/v1")
    assert listed(client, "Work")["is_default"]
    assert client.put("/api/connections/default", json={"id": second["id"]}).status_code == 204
    assert not listed(client, "Work")["is_default"]
    assert listed(client, "Other")["is_default"]


def test_a_blank_team_starts_with_the_default_connection(client: TestClient) -> None:
    made = add(client, key="secret:work", model="small")
    add(client, "Other", address="https://other.example.com/v1")
    team_id = client.post("/api/teams", json={}).json()["id"]
    assert models_of(client, team_id) == [made["component"]["config"]]


def test_a_connection_says_which_teams_use_it_and_takes_them_along(client: TestClient) -> None:
    made = add(client, key="secret:work", model="small")
    own = {**made["component"], "config": {**made["component"]["config"], "api_key": "secret:mine"}}
    larger = {**made["component"], "config": {**made["component"]["config"], "model": "large", "temperature": 0.5}}
    document = team(writer(made["component"]), writer(larger, "critic"), writer(own, "editor"))
    team_id = client.post("/api/teams", json={"name": "Pair", "component": document}).json()["id"]
    assert listed(client, "Work")["used_by"] == [{"id": team_id, "name": "Pair"}]

    body = {
        "name": "Work",
        "service": "openai-compatible",
        "address": "https://new.example.com/v1",
        "key": "secret:work",
        "model": "smaller",
        "replace_model": True,
    }
    saved = client.put(f"/api/connections/{made['id']}", json=body).json()
    assert saved["changed_teams"] == [team_id]
    first, second, third = models_of(client, team_id)
    assert (first["base_url"], first["model"]) == ("https://new.example.com/v1", "smaller")
    assert (second["base_url"], second["model"], second["temperature"]) == ("https://new.example.com/v1", "large", 0.5)
    assert third["base_url"] == "https://models.example.com/v1"
    newest = client.get(f"/api/teams/{team_id}/versions").json()[0]
    assert "Work" in newest["note"]
    assert listed(client, "Work")["used_by"] == [{"id": team_id, "name": "Pair"}]

    assert client.delete(f"/api/connections/{made['id']}").status_code == 204
    assert models_of(client, team_id) == [first, second, third]


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": KEY},
        {"service": "nobody"},
        {"address": ""},
        {"component": {"provider": "autogen_agentchat.agents.AssistantAgent", "config": {"name": "a"}}},
        {"component": {"provider": "nobody.Knows", "component_type": "model", "config": {}}},
        {"component": {"provider": "OpenAIChatCompletionClient", "config": "text"}},
    ],
)
def test_what_is_no_connection_is_refused(client: TestClient, wrong: dict[str, Any]) -> None:
    body = {"name": "Work", "service": "openai-compatible", "address": "https://models.example.com/v1", **wrong}
    answer = client.post("/api/connections", json=body)
    assert answer.status_code in (400, 404, 422), answer.text
    assert KEY not in answer.text
    assert client.get("/api/connections").json()["connections"] == []


def test_two_connections_cannot_have_one_name_or_one_place(client: TestClient) -> None:
    add(client)
    same = {"service": "openai-compatible", "address": "https://models.example.com/v1/"}
    assert client.post("/api/connections", json={"name": "Other", **same}).status_code == 409
    other = {"service": "openai-compatible", "address": "https://other.example.com/v1"}
    assert client.post("/api/connections", json={"name": "Work", **other}).status_code == 409


def test_models_are_listed_once_host_and_key_are_approved_and_nothing_else_is(
    client: TestClient, openai_server: OpenAIServer
) -> None:
    client.put("/api/secrets/work", json={"value": KEY})
    component = add(client, address=openai_server.url, key="secret:work")["component"]
    refused = client.post("/api/connections/models", json={"component": component})
    assert refused.status_code == 403
    assert {each["kind"] for each in refused.json()["missing"]} == {"host", "secret"}
    approve(client, refused, component)
    models = client.post("/api/connections/models", json={"component": component}).json()
    assert [each["name"] for each in models] == ["fake"]
    assert openai_server.request_count == 0


def test_a_test_is_one_small_call_that_is_approved_like_a_run(
    client: TestClient, openai_server: OpenAIServer, settings: Settings
) -> None:
    client.put("/api/secrets/work", json={"value": KEY})
    openai_server.key = KEY
    openai_server.say("ready")
    component = add(client, address=openai_server.url, key="secret:work")["component"]
    refused = client.post("/api/connections/test", json={"component": component})
    assert refused.status_code == 403
    assert openai_server.request_count == 0
    approve(client, refused, component)
    told = client.post("/api/connections/test", json={"component": component})
    assert told.status_code == 200, told.text
    assert told.json()["text"] == "ready"
    assert told.json()["ms"] >= 0
    assert openai_server.request_count == 1

    client.put("/api/secrets/work", json={"value": "sk-canary-wrong-9876543210zyxwvu"})
    failed = client.post("/api/connections/test", json={"component": component})
    assert failed.status_code >= 400
    assert "wrong-9876543210" not in failed.text
    assert not [file for file in Path(settings.data_dir).rglob("studio.db*") if KEY.encode() in file.read_bytes()]


def test_who_has_a_connection_approved_runs_every_team_with_it(client: TestClient, openai_server: OpenAIServer) -> None:
    component = add(client, address=openai_server.url, key="")["component"]
    approve(client, client.post("/api/connections/test", json={"component": component}), component)
    document = team(writer(component), max_messages=2)
    team_id = client.post("/api/teams", json={"name": "Pair", "component": document}).json()["id"]
    started = client.post("/api/runs", json={"team_id": team_id, "task": "Say hello."})
    assert started.status_code == 201
    run_id = started.json()["id"]
    stream(client, run_id)
    assert client.get(f"/api/runs/{run_id}").json()["state"] == "finished"


def test_a_key_in_the_environment_and_ollama_are_found_and_offered_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    with OllamaServer() as ollama:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        answer = client.get("/api/connections/found")
        found = {each["service"]: each for each in answer.json()}
        assert found["groq"]["reason"] == "GROQ_API_KEY is set."
        assert found["ollama"]["model"] == "qwen3:8b"
        assert KEY not in answer.text
        assert client.post("/api/connections/found", json={"service": "ollama"}).status_code == 201
        assert listed(client, "Ollama")["address"] == f"{ollama.url}/v1"
    assert client.post("/api/connections", json={"name": "Groq", "service": "groq"}).status_code == 201
    assert "groq" not in {each["service"] for each in client.get("/api/connections/found").json()}


def test_admins_change_connections_and_everybody_sees_them(server: TestClient, client: TestClient) -> None:
    made = add(client)
    body = json.dumps({"id": made["id"]}).encode()
    for role in add_members(client):
        headers = sign_in(server, role)
        assert asked_by(server, headers, "GET /api/connections").status == 200
        answer = asked_by(server, headers, "PUT /api/connections/default", body)
        assert answer.status == (204 if role == "admin" else 403), role


def test_exports_replays_and_forks_are_complete_and_do_as_recorded(
    client: TestClient, openai_server: OpenAIServer
) -> None:
    client.put("/api/secrets/work", json={"value": KEY})
    openai_server.key = KEY
    openai_server.say("One.")
    made = add(client, address=openai_server.url, key="secret:work", model="small")
    document = team(writer(made["component"]), max_messages=2)
    approve(client, client.post("/api/connections/test", json={"component": made["component"]}), made["component"])
    team_id = client.post("/api/teams", json={"name": "Pair", "component": document}).json()["id"]
    run_id = ended(client, document)

    exported = client.get(f"/api/teams/{team_id}/json")
    assert KEY not in exported.text
    again = client.post("/api/teams", json={"name": "Again", "component": exported.json()}).json()["id"]
    assert models_of(client, again) == models_of(client, team_id)
    [config] = models_of(client, again)
    assert (config["base_url"], config["api_key"], config["model"]) == (openai_server.url, "secret:work", "small")
    script = client.get(f"/api/teams/{team_id}/python").text
    assert openai_server.url in script
    assert "secret:work" in script
    assert KEY not in script

    moved = {"name": "Work", "service": "openai-compatible", "address": "https://new.example.com/v1", "key": ""}
    assert client.put(f"/api/connections/{made['id']}", json={**moved, "model": "small"}).status_code == 200
    replayed = client.post(f"/api/runs/{run_id}/replay", json={}).json()["id"]
    assert messages(client, replayed)[-1]["body"]["content"] == "One."
    assert openai_server.request_count == 1
    openai_server.say("Two.")
    second = messages(client, run_id)[1]
    forked = client.post(f"/api/runs/{run_id}/fork", json={"seq": second["seq"], "redo": True}).json()["id"]
    assert messages(client, forked)[-1]["body"]["content"] == "Two."
    assert openai_server.request_count == 2
    bundle = client.get(f"/api/runs/{forked}/bundle")
    assert KEY not in bundle.text


def test_an_exported_script_asks_the_same_of_the_same_server(
    client: TestClient, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    client.put("/api/secrets/work", json={"value": KEY})
    openai_server.key = KEY
    openai_server.always("One.")
    made = add(client, address=openai_server.url, key="secret:work", model="gpt-4o")
    document = team(writer(made["component"]), max_messages=2)
    approve(client, client.post("/api/connections/test", json={"component": made["component"]}), made["component"])
    team_id = client.post("/api/teams", json={"name": "Pair", "component": document}).json()["id"]
    run_id = ended(client, document)

    script = tmp_path / "pair.py"
    script.write_text(client.get(f"/api/teams/{team_id}/python?download=1").text)
    environment = {**os.environ, "STUDIO_SECRET_WORK": KEY}
    command = [sys.executable, str(script), "Say hello."]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "One." in ran.stdout
    assert KEY not in ran.stdout + ran.stderr
    in_studio, in_script = openai_server.requests
    assert (in_script.body, in_script.key) == (in_studio.body, in_studio.key)

    rebuild = f"import json, runpy; team = runpy.run_path({str(script)!r})['build_team'](); "
    command = [sys.executable, "-c", rebuild + "print(json.dumps(team.dump_component()))"]
    built = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    exported = client.get(f"/api/teams/{team_id}/json").json()
    assert json.loads(built.stdout) == load_component(exported).dump_component()
    saved_test = client.get(f"/api/runs/{run_id}/test")
    assert saved_test.status_code == 200
    with zipfile.ZipFile(io.BytesIO(saved_test.content)) as archive:
        assert not [name for name in archive.namelist() if KEY.encode() in archive.read(name)]


def messages(client: TestClient, run_id: str) -> list[dict[str, Any]]:
    return [entry for entry in entries(stream(client, run_id)) if entry["kind"] == "message"]
