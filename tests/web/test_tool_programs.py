"""A tool server that is a program: only a run or a try starts it, and only when its exact command was approved."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant, team
from tests.web.following import stream

pytestmark = pytest.mark.slow

PAGES = ("/teams", "/teams/{id}", "/teams/{id}/review", "/api/teams/{id}/json")


def leaving(folder: Path, note: str) -> JsonObject:
    """A workbench whose server leaves a note in its folder as soon as it is started."""
    params: JsonObject = {"type": "StdioServerParams", "command": "touch", "args": [note], "cwd": str(folder)}
    return {
        "provider": "autogen_ext.tools.mcp.McpWorkbench",
        "component_type": "workbench",
        "config": {"server_params": params},
    }


def using(bench: JsonObject) -> JsonObject:
    agent = assistant("a", "Hello.")
    config = agent["config"]
    assert isinstance(config, dict)
    config["workbench"] = [bench]
    return team(agent)


def hashes_of(client: TestClient, part: JsonObject) -> list[str]:
    """What a try of it needs approval for."""
    refused = client.post("/api/part-runs", json={"component": part, "message": "{}"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_approved")
    return [each["hash"] for each in refused.json()["missing"]]


def test_only_the_approved_command_ever_starts(client: TestClient, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    bench = leaving(folder, "started")
    hashes = hashes_of(client, bench)
    made = client.post("/api/teams", json={"component": using(bench)}).json()
    for page in PAGES:
        assert client.get(page.format(id=made["id"])).status_code == 200
    assert client.post("/api/validate", json={"component": bench}).status_code == 200
    assert client.post("/api/part-runs/tools", json={"component": bench}).json() == {"tools": [], "is_known": False}
    refused = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_approved")
    assert list(folder.iterdir()) == []

    assert client.post("/api/approvals", json={"hashes": hashes, "component": bench}).status_code == 201
    for other in (leaving(folder, "other"), leaving(tmp_path, "started")):
        assert hashes_of(client, other) != hashes
    assert list(folder.iterdir()) == []

    started = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."})
    assert started.status_code == 201, started.text
    stream(client, started.json()["id"])  # a program that only leaves a note is no tool server, so the run fails
    assert [file.name for file in folder.iterdir()] == ["started"]
