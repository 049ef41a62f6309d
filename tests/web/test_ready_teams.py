"""Ready teams: each runs from its recording to the end that the recording tells, with nothing to warn of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import validate_component
from studio.errors import InvalidDocument
from studio.runs import RunState
from studio.services.builtin_galleries import builtin_galleries, gallery_folders
from studio.services.ready_teams import ReadyTeam, read_ready_team
from tests.sandbox.jailed import best_jail
from tests.web.filing import uploaded
from tests.web.following import entries, stream, wait_for

READY = [team for each in builtin_galleries() for team in each.ready_teams]
TOLD = {"code_runs_here"}
"""Said of every team that runs code on this machine."""


def at_once(value: JsonValue) -> JsonValue:
    """The component without pauses between its scripted words."""
    if isinstance(value, dict):
        return {key: at_once(item) for key, item in value.items() if key != "delay_s"}
    return [at_once(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
def jail() -> None:
    best_jail()


def begun(client: TestClient, ready: ReadyTeam) -> str:
    """Start the run of a ready team on its task and files, and approve all that it asks for."""
    if ready.knowledge:  # made with the team
        assert client.post(f"/api/ready-teams/{ready.slug}/teams", json={}).status_code == 201
    team_id = client.post("/api/teams", json={"component": at_once(ready.component)}).json()["id"]
    files = [uploaded(client, each.path.read_bytes(), each.name) for each in ready.files]
    given = [{"id": each["id"], "name": each["name"]} for each in files]
    body = {"team_id": team_id, "task": ready.task, "files": given}
    if (missing := client.post("/api/runs", json=body).json()).get("missing"):
        approval = {"hashes": [each["hash"] for each in missing["missing"]], "team_id": team_id, "scope": "team"}
        assert client.post("/api/approvals", json=approval).status_code == 201
        missing = client.post("/api/runs", json=body).json()
    return missing["id"]


def answer_all(client: TestClient, server: TestClient, run_id: str, ready: ReadyTeam) -> None:
    """Say what people say in the recording, each time that the run asks."""
    for text in ready.answers():
        wait_for(server, run_id, RunState.PAUSED)
        pending = client.get(f"/api/runs/{run_id}").json()["pending"]
        command = {"command": "answer", "request_id": pending["request_id"], "text": text}
        assert client.post(f"/api/runs/{run_id}/commands", json=command).status_code < 300


def told(ready: ReadyTeam) -> Iterator[tuple[str, str]]:
    """The recording, as the messages of the run must tell it."""
    asker = ""
    for step in ready.recording:
        if step.by == "team":
            continue
        if step.handoff:
            yield step.by, f"to {step.handoff}"
        elif step.call and not step.result:
            asker = step.by
        elif step.call or step.result:
            yield step.by, step.result.strip()
        else:
            yield step.by, step.text.strip()
            if asker:
                yield asker, step.text.strip()
                asker = ""


def said(log: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for entry in log:
        body = entry["body"]
        if body.get("type") == "ToolCallExecutionEvent":
            assert not any(each["is_error"] for each in body["content"]), body
            results = [str(each["content"]).strip() for each in body["content"] if "transfer_to" not in each["name"]]
            if results:
                yield body["source"], "\n".join(results)
        elif body.get("type") == "HandoffMessage":
            yield body["source"], f"to {body['target']}"
        elif entry["kind"] == "message" and isinstance(body.get("content"), str):
            yield body["source"], body["content"].strip()


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("ready", READY, ids=lambda ready: ready.slug)
def test_each_runs_as_its_recording_tells(client: TestClient, server: TestClient, ready: ReadyTeam):
    run_id = begun(client, ready)
    answer_all(client, server, run_id, ready)
    log = entries(stream(client, run_id))
    people = {step.by for step in ready.recording}
    found = [each for each in said(log) if each[0] in people]
    in_order = sorted if "parallel" in ready.tags else list[tuple[str, str]]
    assert in_order(found) == in_order(told(ready))
    run = client.get(f"/api/runs/{run_id}").json()
    assert run["state"] == "finished"
    assert "Maximum number of" not in run["reason"]


@pytest.mark.parametrize("ready", READY, ids=lambda ready: ready.slug)
def test_each_loads_and_is_checked_without_a_warning(ready: ReadyTeam):
    report = validate_component(ready.component)
    assert (report.is_runnable, report.errors) == (True, ())
    assert [each.message for each in report.warnings if each.code not in TOLD] == []


def test_names_are_unique_and_descriptions_are_one_sentence():
    assert len({ready.slug for ready in READY}) == len({ready.label for ready in READY}) == len(READY)
    assert [each.label for each in READY if not re.fullmatch(r"[A-Z][^.]+\.", each.description)] == []
    assert [each.label for each in READY if not each.tags or len(each.label) > 32] == []


def test_every_sample_file_belongs_to_a_team():
    used = {file.path for ready in READY for file in ready.samples}
    assert {file for folder in gallery_folders() for file in folder.glob("files/*")} == used


def test_a_team_that_answers_from_documents_brings_its_knowledge_base(client: TestClient):
    for _ in range(2):
        assert client.post("/api/ready-teams/handbook-answers/teams", json={}).status_code == 201
    (base,) = client.get("/api/knowledge").json()
    assert (base["name"], base["documents"]) == ("Staff handbook", 1)
    document = client.get(f"/api/knowledge/{base['id']}/documents").json()[0]["id"]
    client.delete(f"/api/knowledge/{base['id']}/documents/{document}")
    client.post("/api/ready-teams/handbook-answers/teams", json={})
    assert client.get("/api/knowledge").json()[0]["documents"] == 0, "what is there already is left alone"
    assert "knowledge base <strong>Staff handbook</strong>" in client.get("/ready-teams/handbook-answers").text


def test_the_recording_of_a_team_that_uses_the_web_needs_no_network(client: TestClient):
    ready = next(each for each in READY if each.slug == "web-research")
    assert [each.kind for each in validate_component(ready.component).capabilities] == []
    live = validate_component(ready.with_model({"provider": "elsewhere.Model", "config": {}}))
    assert [each.detail.partition(" /")[0].split()[1] for each in live.capabilities] == [
        "https://en.wikipedia.org:443/w/rest.php/v1/search/page",
        "https://en.wikipedia.org:443/api/rest_v1/page/summary/{key}",
    ]
    assert "Its tools can connect to other servers." in client.get("/ready-teams/web-research").text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("label: ''\n", "is not a ready team"),
        ("surprise: 1\n", "is not a ready team"),
        ("files: [../../gallery.json]\n", "do not exist"),
        ("recording: [{by: nobody, text: Hi.}, {by: team, text: Hi.}]\n", "nobody"),
    ],
)
def test_a_file_that_is_no_ready_team_is_refused(tmp_path: Any, change: str, said: str):
    [source] = [each for folder in gallery_folders() for each in folder.glob("long-report.yaml")]
    key = change.partition(":")[0]
    kept = re.split(r"^(?=\w)", source.read_text(encoding="utf-8"), flags=re.MULTILINE)
    file = tmp_path / "broken.yaml"
    file.write_text("".join(part for part in kept if not part.startswith(f"{key}:")) + change, encoding="utf-8")
    with pytest.raises(InvalidDocument, match=said):
        read_ready_team(file)
