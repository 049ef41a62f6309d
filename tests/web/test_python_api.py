"""Python through the HTTP door: read, never executed, with every mistake at its line."""

from __future__ import annotations

import json

from fastapi.testclient import TestClient

from studio.code.source import MAX_CHARACTERS
from studio.components import JsonObject
from tests.web.documents import assistant, team

HEAD = "from studio.agents import UserProxyAgent\nfrom studio.conditions import MaxMessageTermination\n"


def test_what_is_exported_is_read_back(client: TestClient):
    code = client.post("/api/python", json={"component": team(assistant("writer"))}).json()["code"]
    read = client.post("/api/python/read", json={"code": code})
    assert read.status_code == 200
    assert client.post("/api/python", json={"component": read.json()["component"]}).json()["code"] == code


def test_a_script_for_another_framework_comes_with_its_report(client: TestClient):
    writer = assistant("writer")
    config: JsonObject = writer["config"]  # pyright: ignore[reportAssignmentType]
    config["keep_as"] = "draft"
    document = team(writer)
    answer = client.post("/api/python", json={"component": document, "target": "autogen"}).json()
    assert "from autogen_agentchat.agents import AssistantAgent" in answer["code"]
    assert answer["counts"]["dropped"] == 1
    [dropped] = [each for each in answer["findings"] if each["verdict"] == "dropped"]
    assert dropped["place"] == {"file": "", "pointer": "/config/participants/0/config/keep_as"}
    team_id = client.post("/api/teams", json={"component": document}).json()["id"]
    saved = client.get(f"/api/teams/{team_id}/python", params={"target": "autogen", "download": "1"})
    assert saved.text.endswith("asyncio.run(main())\n")
    assert client.post("/api/python", json={"component": document, "target": "nowhere"}).status_code == 422
    step: JsonObject = {"provider": "studio.agents.StepAgent", "config": {"name": "step", "message": "Go on"}}
    refused = client.post("/fragments/export", json={"component": team(assistant("a"), step), "target": "autogen"})
    assert refused.status_code == 422
    assert refused.json()["error"]["code"] == "cannot_export"


def test_a_configuration_of_agent_spec_is_a_json_file(client: TestClient):
    writer = assistant("writer")
    config: JsonObject = writer["config"]  # pyright: ignore[reportAssignmentType]
    config["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o-mini"},
    }
    document = team(writer)
    answer = client.post("/api/python", json={"component": document, "target": "agent-spec"}).json()
    assert answer["filename"].endswith(".json")
    assert json.loads(answer["code"])["component_type"] == "Agent"
    team_id = client.post("/api/teams", json={"component": document}).json()["id"]
    saved = client.get(f"/api/teams/{team_id}/python", params={"target": "agent-spec", "download": "1"})
    assert saved.headers["content-type"] == "application/json"
    assert saved.json() == json.loads(answer["code"])
    assert client.post("/fragments/export", json={"component": document, "target": "agent-spec"}).status_code == 200


def test_what_is_not_read_is_refused_with_line_and_column(client: TestClient):
    answer = client.post("/api/python/read", json={"code": f"{HEAD}import os\nagent = os.getcwd()\n  x"})
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid_python"
    [finding] = answer.json()["findings"]
    assert (finding["line"], finding["code"], finding["severity"]) == (5, "syntax", "error")
    answer = client.post("/api/python/read", json={"code": f"{HEAD}import os\nfor x in []: pass\nagent = os.getcwd()"})
    assert [(each["line"], each["column"]) for each in answer.json()["findings"]] == [(4, 1), (5, 9)]


def test_a_wrong_field_is_told_at_its_line_and_in_the_component(client: TestClient):
    answer = client.post("/api/python/read", json={"code": f"{HEAD}stop = MaxMessageTermination(max_messages='x')"})
    assert answer.status_code == 200
    assert answer.json()["component"]["config"] == {"max_messages": "x"}
    [finding] = answer.json()["findings"]
    assert (finding["where"], finding["line"], finding["column"]) == ("/config/max_messages", 3, 43)


def test_a_script_longer_than_any_team_is_too_large(client: TestClient):
    answer = client.post("/api/python/read", json={"code": "#" * (MAX_CHARACTERS + 1)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_stranger_may_not_have_python_read(stranger: TestClient):
    assert stranger.post("/api/python/read", json={"code": HEAD}).status_code == 401
