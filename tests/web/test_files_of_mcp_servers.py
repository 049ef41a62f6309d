"""What an MCP server returns beside text becomes files of the run."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant, team
from tests.web.filing import approved
from tests.web.following import stream

pytest.importorskip("mcp")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]
SERVER = Path(__file__).parents[1] / "tools" / "mcp" / "server.py"


def caller(tool: str) -> JsonObject:
    """A team of an agent that calls a tool of the server once."""
    agent = cast("Any", assistant("clerk"))
    call = {"id": "1", "name": tool, "arguments": json.dumps({})}
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    answer = {"finish_reason": "function_calls", "content": [call], "usage": usage, "cached": False}
    agent["config"]["model_client"]["config"]["chat_completions"] = [answer]
    agent["config"]["workbench"] = {
        "provider": "autogen_ext.tools.mcp.McpWorkbench",
        "component_type": "workbench",
        "config": {"server_params": {"type": "StdioServerParams", "command": sys.executable, "args": [str(SERVER)]}},
    }
    return team(agent, max_messages=2)


def ran(client: TestClient, component: JsonObject) -> str:
    approved(client, component)
    team_id = client.post("/api/teams", json={"component": component}).json()["id"]
    run_id = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()["id"]
    stream(client, run_id)
    return run_id


def files(client: TestClient, run_id: str) -> list[tuple[str, str, bytes]]:
    listed = client.get(f"/api/runs/{run_id}/files").json()
    return [
        (one["name"], one["media_type"], client.get(f"/api/runs/{run_id}/files/{one['number']}").content)
        for one in listed
    ]


def test_pictures_and_resources_are_kept_with_the_run_and_told_of(client: TestClient):
    run_id = ran(client, caller("everything"))
    picture, note = files(client, run_id)
    assert picture[:2] == ("everything.png", "image/png")
    assert note == ("1", "text/plain", b"kept")
    log = client.get(f"/api/runs/{run_id}/events").text
    assert "everything.png" in log
    replay = client.post(f"/api/runs/{run_id}/replay", json={}).json()["id"]
    stream(client, replay)
    assert client.get(f"/api/runs/{replay}").json()["state"] == "finished"


def test_sound_and_resources_of_bytes_are_kept(client: TestClient):
    run_id = ran(client, caller("recordings"))
    sound, packed = files(client, run_id)
    assert sound[1] == "audio/wav"
    assert packed == ("table.bin", "application/octet-stream", base64.b64decode("AP8A"))
