"""Tests that the studio makes of runs: each is run as its users do, in a process of its own, with pytest and no key."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject, load_component
from studio.errors import InvalidDocument
from studio.settings import Settings
from studio.teams import Team
from studio.testing import TeamChanged, replay_run
from studio.web.app import create_app
from tests.web.documents import assistant, function_tool, team
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.following import stream

pytestmark = pytest.mark.slow

SHOUT = "def shout(text: str) -> str:\n    return text.upper()\n"
CALL = {
    "content": [{"id": "call-1", "name": "shout", "arguments": '{"text": "hello"}'}],
    "finish_reason": "function_calls",
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(data_dir=tmp_path / "data", token=TOKEN))
    with TestClient(app, base_url=BASE_URL) as server:
        yield client_of(server, {"Authorization": f"Bearer {TOKEN}"})


def shouting_team() -> JsonObject:
    writer = assistant("writer", "One.", "Three.")
    config: Any = writer["config"]
    config["tools"] = [function_tool(SHOUT)]
    config["model_client"]["config"]["chat_completions"] = [
        {**CALL, "usage": {"prompt_tokens": 0, "completion_tokens": 0}, "cached": False},
        "Three.",
    ]
    return team(writer, assistant("critic", "Two."), max_messages=4)


def made_test(client: TestClient, document: JsonObject, folder: Path) -> Path:
    """Run a team and unpack the test that the studio makes of the run."""
    made = client.post("/api/teams", json={"component": document}).json()
    body = {"team_id": made["id"], "task": "Say hello."}
    started = client.post("/api/runs", json=body)
    if started.status_code == 403:
        client.post("/api/approvals", json={"hashes": [one["hash"] for one in started.json()["missing"]]})
        started = client.post("/api/runs", json=body)
    run_id = started.json()["id"]
    stream(client, run_id)
    response = client.get(f"/api/runs/{run_id}/test")
    assert response.status_code == 200, response.text
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert sorted(archive.namelist()) == ["greeters.cassette.jsonl", "greeters.team.json", "test_greeters.py"]
        archive.extractall(folder)
    return folder


def run_pytest(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if "KEY" not in name and "TOKEN" not in name}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, cwd=folder)


def test_the_test_of_a_run_passes_as_made_and_fails_when_the_team_changes(client: TestClient, tmp_path: Path):
    folder = made_test(client, shouting_team(), tmp_path / "made")
    first = run_pytest(folder)
    assert first.returncode == 0, first.stdout + first.stderr
    file = folder / "greeters.team.json"
    changed = json.loads(file.read_text())
    changed["config"]["participants"][0]["config"]["system_message"] = "Say goodbye."
    file.write_text(json.dumps(changed))
    second = run_pytest(folder)
    assert second.returncode == 1
    assert "-system: Say hello." in second.stdout
    assert "+system: Say goodbye." in second.stdout


Change = Callable[[Any], object]
CHANGES: dict[str, Change] = {
    "a tool's description": lambda it: _tool(it)["config"].update(description="Whispers."),
    "no tools": lambda it: it["participants"][0]["config"].update(tools=[]),
    "the order of speakers": lambda it: it["participants"].reverse(),
    "one more speaker": lambda it: it["participants"].append(assistant("clerk", "Filed.")),
    "an earlier end": lambda it: it["termination_condition"]["config"].update(max_messages=3),
    "a later end": lambda it: it["termination_condition"]["config"].update(max_messages=9),
    "a summary of tools": lambda it: it["participants"][0]["config"].update(tool_call_summary_format="Done: {result}"),
    "a name": lambda it: it["participants"][1]["config"].update(name="judge"),
}


def _tool(config: Any) -> Any:
    writer = config["participants"][0]["config"]
    tools = writer["workbench"][0]["config"]["tools"] if writer.get("workbench") else writer["tools"]
    return tools[0]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    app = create_app(Settings(data_dir=folder / "data", token=TOKEN))
    with TestClient(app, base_url=BASE_URL) as server:
        return made_test(client_of(server, {"Authorization": f"Bearer {TOKEN}"}), shouting_team(), folder / "made")


def test_a_replay_gives_the_messages(files: Path):
    replayed = replay_run(files / "greeters.cassette.jsonl")
    said = [(message.source, message.to_text()) for message in replayed.messages if message.is_chat]
    assert said == [("user", "Say hello."), ("writer", "HELLO"), ("critic", "Two."), ("writer", "Three.")]
    assert replayed.stop_reason
    assert "4" in replayed.stop_reason


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_each_change_of_behaviour_is_found(files: Path, change: Change):
    document = json.loads((files / "greeters.team.json").read_text())
    change(document["config"])
    with pytest.raises(TeamChanged):
        replay_run(files / "greeters.cassette.jsonl", team=load_component(document, Team))


def test_what_does_not_change_the_behaviour_is_no_change(files: Path):
    document = json.loads((files / "greeters.team.json").read_text())
    document["label"] = "Another label"
    document["config"]["participants"][1]["label"] = "Another one"
    replay_run(files / "greeters.cassette.jsonl", team=load_component(document, Team))


def test_the_code_of_a_tool_is_not_executed(files: Path):
    document = json.loads((files / "greeters.team.json").read_text())
    _tool(document["config"])["config"]["source_code"] = SHOUT.replace("return", "raise SystemExit  #")
    replay_run(files / "greeters.cassette.jsonl", team=load_component(document, Team))


@pytest.mark.parametrize("text", ["", "\n", "{}", "[]\n", '{"format": "other"}', "[" * 10_000, '{"a":'])
def test_a_file_that_is_no_cassette_is_refused(tmp_path: Path, text: str):
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    with pytest.raises(InvalidDocument):
        replay_run(file)


def test_no_test_is_made_of_a_run_that_nobody_allowed(client: TestClient):
    assert client.get("/api/runs/nothing/test").status_code == 404
