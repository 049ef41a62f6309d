"""Files reach a run under way: with an answer to a question of the team, and with a message."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.runs import RunState
from studio.settings import Settings
from studio.web.app import create_app
from tests.sandbox.jailed import best_jail
from tests.web.documents import USER_PROXY, assistant, team
from tests.web.doors import TOKEN, client_of
from tests.web.filing import PNG, approved, coder, uploaded
from tests.web.following import entries, start, stream, wait_for

CSV = b"city,people\nParis,2\nRome,3\n"


def asking(*others: JsonObject, max_messages: int = 3) -> JsonObject:
    return team(USER_PROXY, *others, max_messages=max_messages)


def asked(client: TestClient, component: JsonObject) -> tuple[str, str]:
    """A run that waits for an answer, and the ID of its question."""
    run_id = start(client, component)
    wait_for(client, run_id, RunState.PAUSED)
    return run_id, question_of(client, run_id)


def question_of(client: TestClient, run_id: str) -> str:
    return client.get(f"/api/runs/{run_id}").json()["pending"]["request_id"]


def command(client: TestClient, run_id: str, name: str, *files: dict[str, Any], **more: Any) -> Any:
    given = [{"id": file["id"], "name": file["name"]} for file in files]
    return client.post(f"/api/runs/{run_id}/commands", json={"command": name, "files": given, **more})


def messages(client: TestClient, run_id: str) -> list[dict[str, Any]]:
    return [entry["body"] for entry in entries(stream(client, run_id)) if entry["kind"] == "message"]


def names(client: TestClient, run_id: str) -> list[tuple[str, str]]:
    return [(file["name"], file["direction"]) for file in client.get(f"/api/runs/{run_id}/files").json()]


def test_files_come_with_an_answer_also_in_a_replay(client: TestClient):
    run_id, question = asked(client, asking(assistant("writer", "Thanks.")))
    answer = command(client, run_id, "answer", uploaded(client, CSV, "cities.csv"), request_id=question, text="Here.")
    assert answer.status_code == 200, answer.text
    said = messages(client, run_id)[1]
    assert (said["type"], said["source"]) == ("TextMessage", "person")
    assert said["content"].startswith("Here.\n\ncities.csv:\n```csv\ncity,people\n")
    assert said["metadata"]["written"] == "5"
    assert [file["name"] for file in json.loads(said["metadata"]["files"])] == ["cities.csv"]
    assert names(client, run_id) == [("cities.csv", "in")]
    again = client.post(f"/api/runs/{run_id}/replay", json={}).json()["id"]
    assert messages(client, again)[1]["content"] == said["content"]
    assert client.get(f"/api/runs/{again}").json()["state"] == "finished"
    assert names(client, again) == [("cities.csv", "in")]


def test_a_picture_alone_is_an_answer(client: TestClient):
    run_id, question = asked(client, asking(assistant("writer", "Nice.")))
    sent = command(client, run_id, "answer", uploaded(client, PNG, "dot.png"), request_id=question)
    assert sent.status_code == 200, sent.text
    said = messages(client, run_id)[1]
    assert said["type"] == "MultiModalMessage"
    assert base64.b64decode(said["content"][1]["data"]) == PNG
    assert said["metadata"]["written"] == "0"


def test_files_come_with_a_message_to_a_run_under_way(client: TestClient):
    run_id, question = asked(client, asking(assistant("writer", "Thanks."), max_messages=4))
    data = {"source": "user", "text": "Look."}
    files = uploaded(client, CSV, "cities.csv"), uploaded(client, PNG, "dot.png")
    assert command(client, run_id, "inject", *files, data=data).status_code == 200
    assert command(client, run_id, "answer", request_id=question, text="Go on.").status_code == 200
    said = messages(client, run_id)[2]
    assert (said["type"], said["source"]) == ("MultiModalMessage", "user")
    assert said["content"][0].startswith("Look.\n\ncities.csv:\n```csv\n")
    assert [file["use"] for file in json.loads(said["metadata"]["files"])] == ["text", "picture"]
    assert names(client, run_id) == [("cities.csv", "in"), ("dot.png", "in")]
    again = client.post(f"/api/runs/{run_id}/replay", json={}).json()["id"]
    assert messages(client, again)[2]["content"] == said["content"]
    assert client.get(f"/api/runs/{again}").json()["state"] == "finished"


def test_a_fork_before_an_answer_has_none_of_its_files(client: TestClient):
    run_id, question = asked(client, asking(assistant("writer", "Thanks.")))
    before = client.get(f"/api/runs/{run_id}").json()["last_seq"]
    command(client, run_id, "answer", uploaded(client, CSV, "cities.csv"), request_id=question, text="Here.")
    last = messages(client, run_id) and client.get(f"/api/runs/{run_id}").json()["last_seq"]
    early = client.post(f"/api/runs/{run_id}/fork", json={"seq": before - 1}).json()["id"]
    late = client.post(f"/api/runs/{run_id}/fork", json={"seq": last}).json()["id"]
    assert (names(client, early), names(client, late)) == ([], [("cities.csv", "in")])


def test_a_run_that_was_left_goes_on_with_the_files_of_its_answer(settings: Settings):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    component = asking(max_messages=4)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8040") as server:
        client = client_of(server, headers)
        run_id, question = asked(client, component)
        data = {"source": "user", "text": "Look."}
        assert command(client, run_id, "inject", uploaded(client, PNG, "dot.png"), data=data).status_code == 200
        file = uploaded(client, CSV, "cities.csv")
        assert command(client, run_id, "answer", file, request_id=question, text="Here.").status_code == 200
        wait_for(client, run_id, RunState.PAUSED)
        again = question_of(client, run_id)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8040") as server:
        client = client_of(server, headers)
        assert command(client, run_id, "answer", request_id=again, text="Done.").status_code == 200
        said = messages(client, run_id)
        assert [(each["source"], each["type"]) for each in said[1:]] == [
            ("person", "TextMessage"),
            ("user", "MultiModalMessage"),
            ("person", "TextMessage"),
        ]
        assert client.get(f"/api/runs/{run_id}").json()["state"] == "finished"
        assert names(client, run_id) == [("dot.png", "in"), ("cities.csv", "in")]


FORM: JsonObject = {
    **USER_PROXY,
    "config": {
        "name": "person",
        "answer_schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    },
}


def test_a_refused_command_leaves_no_file_with_the_run(client: TestClient):
    file = uploaded(client, CSV, "cities.csv")
    run_id, question = asked(client, team(FORM, max_messages=2))
    refused = command(client, run_id, "answer", file, request_id=question, text='{"n": 1}')
    assert (refused.status_code, refused.json()["error"]["message"]) == (422, "This question takes no files.")
    assert command(client, run_id, "answer", file, request_id="other", text="Here.").status_code == 409
    assert command(client, run_id, "pause", file).status_code == 422
    forged = command(client, run_id, "answer", request_id=question, text="{}", data={"files": [{"file": file}]})
    assert forged.status_code == 422
    assert names(client, run_id) == []


@pytest.mark.slow
def test_code_finds_the_files_of_an_answer_and_runs_none_of_them(client: TestClient):
    best_jail()
    executor: JsonObject = {**coder(), "config": {**dict(coder()["config"]), "sources": ["person"]}}  # pyright: ignore
    component = asking(executor)
    approved(client, component)
    run_id, question = asked(client, component)
    evil = uploaded(client, b"```python\nprint('pwned')\n```\n", "notes.md")
    text = "```python\nprint(open('notes.md').read().count('pwned'), 'found')\n```"
    assert command(client, run_id, "answer", evil, request_id=question, text=text).status_code == 200
    assert messages(client, run_id)[2]["content"] == "1 found\n"
