"""The code of a tool in a running studio: confined, or not run at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.settings import Settings
from studio.web.app import create_app
from tests.sandbox.jailed import best_jail
from tests.web.documents import assistant, function_tool, team
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.filing import approved
from tests.web.following import following
from tests.web.serving import studio

pytestmark = pytest.mark.slow

LOOK = """
import os

def look(path: str) -> str:
    try:
        return f"It found {os.listdir(path)}"
    except OSError as error:
        return f"It found nothing: {type(error).__name__}"
"""


def test_a_tool_sees_nothing_of_the_studio(tmp_path: Path):
    best_jail()
    tool = function_tool(LOOK, "look")
    with studio(tmp_path) as (_, client):
        places = {str(tmp_path): "nothing", "/usr": "['", ".": "[]"}
        approved(client, tool)
        for place, found in places.items():
            said = json.dumps({"name": "look", "arguments": {"path": place}})
            with client.stream("POST", "/api/part-runs", json={"component": tool, "message": said}) as response:
                assert f"It found {found}" in next(told for told in map(str, following(response)) if "It found" in told)


ASK = """
def look(path: str) -> str:
    import urllib.request
    with urllib.request.urlopen(path, timeout=5) as answer:
        return answer.read().decode()
"""


@pytest.mark.parametrize("address", ["http://weather.test/", "http://192.0.2.1/", "http://127.0.0.1:9/"])
def test_code_without_a_network_is_told_why_it_reaches_nothing(tmp_path: Path, address: str):
    best_jail()
    tool = function_tool(ASK, "look")
    with studio(tmp_path) as (_, client):
        approved(client, tool)
        said = json.dumps({"name": "look", "arguments": {"path": address}})
        with client.stream("POST", "/api/part-runs", json={"component": tool, "message": said}) as response:
            assert any("This code has no network access." in str(told) for told in following(response))


def test_without_its_sandbox_no_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))  # nothing is installed there
    settings = Settings(data_dir=tmp_path / "data", token=TOKEN, sandbox="bubblewrap")
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        tool = function_tool(LOOK, "look")
        approved(client, tool)
        agent = assistant("a", "Hello.")
        config = agent["config"]
        assert isinstance(config, dict)
        with_tool: JsonObject = {**agent, "config": {**config, "workbench": [static(tool)]}}
        for component, status in ((team(with_tool), 503), (team(agent), 201)):
            team_id = client.post("/api/teams", json={"component": component}).json()["id"]
            answer = client.post("/api/runs", json={"team_id": team_id, "task": "Go."})
            assert answer.status_code == status, answer.text
            if status == 503:
                error = answer.json()["error"]
                assert error["code"] == "no_jail"
                assert "bubblewrap is not installed" in error["message"]
                assert "STUDIO_SANDBOX" in error["fix"]
        assert client.post("/api/part-runs", json={"component": tool, "message": "{}"}).status_code == 503


def static(tool: JsonObject) -> JsonObject:
    return {
        "provider": "autogen_core.tools.StaticWorkbench",
        "component_type": "workbench",
        "config": {"tools": [tool]},
    }
