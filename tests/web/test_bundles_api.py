"""Runs as files: out without secrets, and in again without anything of them being trusted."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import JsonObject
from studio.runs.sharing.bundle import CLOSING, OPENING
from studio.runs.sharing.redaction import SecretRemover
from tests.web.bundles import bring_in, bundle_of
from tests.web.documents import assistant, function_tool, replay_model, team
from tests.web.filing import run_with
from tests.web.following import ended, stream

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\u2028{{ 7*7 }}"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

KINDS = ("utf-8", "latin-1")


class Elements(HTMLParser):
    """The elements of a page, and the texts of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script":
            self.scripts.append(data)


def inside(page: str) -> dict[str, Any]:
    return json.loads(page.partition(OPENING)[2].partition(CLOSING)[0])


def with_json(page: str, changed: object) -> str:
    """The file with other JSON in it."""
    head, _, rest = page.partition(OPENING)
    text = changed if isinstance(changed, str) else json.dumps(changed).replace("<", "\\u003c")
    return f"{head}{OPENING}{text}{CLOSING}{rest.partition(CLOSING)[2]}"


@pytest.fixture
def run_id(client: TestClient) -> str:
    return ended(client, team(assistant("writer", "One.", "Two."), assistant("critic", HOSTILE)), task="Say hello.")


def deleted(client: TestClient, run_id: str) -> None:
    assert client.delete(f"/api/runs/{run_id}").status_code == 204


def test_a_run_comes_back_as_it_was(client: TestClient, run_id: str):
    page = bundle_of(client, run_id)
    before = client.get(f"/api/runs/{run_id}").json()
    log = client.get(f"/api/runs/{run_id}/events").json()
    team_id = before["team_id"]
    deleted(client, run_id)
    assert bring_in(client, page, team_id=team_id) == (201, {"id": run_id})
    assert client.get(f"/api/runs/{run_id}").json() == {**before, "origin": "import"}
    assert client.get(f"/api/runs/{run_id}/events").json() == log
    assert [run["id"] for run in client.get(f"/api/runs?team_id={team_id}").json()] == [run_id]
    assert inside(bundle_of(client, run_id))["entries"] == inside(page)["entries"]


def test_what_was_said_cannot_break_out_of_the_file(client: TestClient, run_id: str):
    page = bundle_of(client, run_id)
    found = Elements(page)
    assert [attributes.get("type") for tag, attributes in found.tags if tag == "script"] == ["application/json"]
    assert not [name for _, attributes in found.tags for name in attributes if name.startswith("on")]
    [policy] = [it["content"] for tag, it in found.tags if tag == "meta" and "content" in it and "http-equiv" in it]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "script-src" not in policy
    assert "unsafe" not in policy
    said = [
        entry["body"]["content"]
        for entry in json.loads("".join(found.scripts))["entries"]
        if entry["kind"] == "message"
    ]
    assert HOSTILE in said
    assert "{{ 7*7 }}" in page


def test_known_secrets_are_not_in_the_file(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    client.put("/api/secrets/db", json={"value": "hunter2-hunter2"})
    monkeypatch.setenv("WEATHER_API_KEY", "from-the-environment")
    says = "The password is hunter2-hunter2, the key from-the-environment."
    run_id = ended(client, team(assistant("writer", says), max_messages=2), task="Tell me: aHVudGVyMi1odW50ZXIy")
    page = bundle_of(client, run_id)
    for value in ("hunter2-hunter2", "from-the-environment", "aHVudGVyMi1odW50ZXIy"):
        assert value not in page
    preview = client.get(f"/api/runs/{run_id}/bundle/preview").json()
    assert {one["name"] for one in preview["removed"]} == {"secret:db", "env:WEATHER_API_KEY"}
    assert any(place.startswith("message") for one in preview["removed"] for place in one["places"])
    assert preview["filename"] == "greeters.run.html"
    assert "hunter2" not in json.dumps(preview)


def test_the_share_page_shows_what_is_taken_out(client: TestClient, browser: TestClient):
    client.put("/api/secrets/db", json={"value": "hunter2-hunter2"})
    run_id = ended(client, team(assistant("writer", "It is hunter2-hunter2."), max_messages=2))
    page = browser.get(f"/runs/{run_id}/share")
    assert page.status_code == 200
    assert "secret:db" in page.text
    assert "hunter2" not in page.text


def test_pictures_are_shown_and_nothing_else_is_loaded(client: TestClient):
    task: list[JsonValue] = ["Look.", {"image": f"data:image/png;base64,{PIXEL}"}]
    made = client.post("/api/teams", json={"component": team(max_messages=2)}).json()
    run_id = client.post("/api/runs", json={"team_id": made["id"], "task": task}).json()["id"]
    stream(client, run_id)
    sources = [it.get("src") or it.get("href") for _, it in Elements(bundle_of(client, run_id)).tags]
    assert [source for source in sources if source] == [f"data:image/png;base64,{PIXEL}"]


def test_a_run_that_is_here_already_is_left_alone(client: TestClient, run_id: str):
    page = bundle_of(client, run_id)
    forged = inside(page)
    forged["run"]["team_name"] = "Forged"
    status, body = bring_in(client, with_json(page, forged))
    assert (status, body["error"]["code"], body["error"]["where"]) == (409, "conflict", run_id)
    assert client.get(f"/api/runs/{run_id}").json()["team_name"] == "Greeters"


def test_a_run_of_unknown_parts_is_kept_and_shown(client: TestClient, browser: TestClient, run_id: str):
    page = bundle_of(client, run_id)
    changed = inside(page)
    changed["component"] = {"provider": "elsewhere.Team", "config": {"api_key": "sk-live-1", "participants": 5}}
    deleted(client, run_id)
    assert bring_in(client, with_json(page, changed))[0] == 201
    assert "sk-live-1" not in client.get(f"/api/runs/{run_id}").text
    assert browser.get(f"/runs/{run_id}").status_code == 200


def test_bringing_in_a_run_executes_and_approves_nothing(client: TestClient, run_id: str):
    page = bundle_of(client, run_id)
    changed = inside(page)
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    config["tools"] = [function_tool("raise SystemExit('it was executed')\n")]
    changed["component"] = team(agent)
    deleted(client, run_id)
    approved = client.get("/api/approvals").json()
    assert bring_in(client, with_json(page, changed))[0] == 201
    assert client.get("/api/approvals").json() == approved
    assert client.get(f"/api/runs/{run_id}").json()["state"] == "finished"


Wrong = tuple[str, list[JsonValue], object]
WRONG: list[Wrong] = [
    ("a number that is missing", ["entries", 1, "seq"], 7),
    ("a kind that there is not", ["entries", 0, "kind"], "spell"),
    ("a message without a source", ["entries", "message", "body"], {"type": "TextMessage", "content": "x"}),
    ("a message of no known type", ["entries", "message", "body", "type"], "Explosion"),
    ("content of another shape", ["entries", "message", "body", "content"], {"a": 1}),
    ("an event among the messages", ["entries", "message", "body", "type"], "ThoughtEvent"),
    ("an unknown state", ["entries", 1, "body", "state"], "exploded"),
    ("a run that goes on", ["run", "state"], "running"),
    ("a run that could go on", ["run", "state"], "interrupted"),
    ("an id that is no id", ["run", "id"], "../../etc/passwd"),
    ("a time without a zone", ["run", "created_at"], "2026-11-20T09:00:00"),
    ("a task that is none", ["run", "task"], 5),
    ("a team that is none", ["component"], {"a": 1}),
    ("usage beyond numbers", ["run", "usage", "prompt_tokens"], "many"),
    ("a field that nobody knows", ["run", "owner"], "root"),
    ("another format", ["format"], "other"),
    ("a newer version", ["version"], 99),
]


@pytest.mark.parametrize(("name", "path", "value"), WRONG, ids=[each[0] for each in WRONG])
def test_a_file_with_wrong_parts_is_refused(
    client: TestClient, run_id: str, name: str, path: list[str | int], value: object
):
    page = bundle_of(client, run_id)
    changed: Any = inside(page)
    place: Any = changed
    first = next(index for index, entry in enumerate(changed["entries"]) if entry["kind"] == "message")
    for step in path[:-1]:
        place = place[first if step == "message" else step]
    place[path[-1]] = value
    deleted(client, run_id)
    status, body = bring_in(client, with_json(page, changed))
    assert (status, body["error"]["code"]) == (400, "invalid_bundle"), name
    assert client.get(f"/api/runs/{run_id}").status_code == 404


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 100_000, "invalid_document"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "invalid_document"),
        ("nothing", "invalid_document"),
        ("[]", "invalid_bundle"),
    ],
)
def test_what_is_no_json_of_a_run_is_refused(client: TestClient, run_id: str, text: str, code: str):
    status, body = bring_in(client, with_json(bundle_of(client, run_id), text))
    assert (status, body["error"]["code"]) == (400, code)


@pytest.mark.parametrize("page", ["", "<html>", OPENING, OPENING + "{}", f"{OPENING}{{}}{CLOSING}{OPENING}"])
def test_a_file_without_one_run_is_refused(client: TestClient, page: str):
    status, body = bring_in(client, page)
    assert (status, body["error"]["code"]) == (400, "invalid_bundle")


def test_a_form_without_a_file_is_refused(client: TestClient):
    response = client.post("/api/runs/import", files={"other": ("x", b"y")})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_document")


def test_answers_by_a_schema_come_back(client: TestClient):
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    config["model_client"] = replay_model('{"mood": "good", "parts": [1, {"deep": null}]}')
    model_client = config["model_client"]
    assert isinstance(model_client, dict)
    schema: JsonObject = {
        "type": "object",
        "properties": {"mood": {"type": "string"}, "parts": {"type": "array"}},
        "required": ["mood", "parts"],
    }
    factory: JsonObject = {
        "provider": "autogen_agentchat.messages.StructuredMessageFactory",
        "component_type": "structured_message",
        "config": {"json_schema": schema, "format_string": None, "content_model_name": "Mood"},
    }
    config["structured_message_factory"] = factory
    made = client.post("/api/teams", json={"component": team(agent, max_messages=2)}).json()
    started = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."})
    if started.status_code != 201:
        pytest.skip("structured answers are written otherwise here")
    run_id = started.json()["id"]
    stream(client, run_id)
    log = client.get(f"/api/runs/{run_id}/events").json()
    page = bundle_of(client, run_id)
    deleted(client, run_id)
    assert bring_in(client, page)[0] == 201
    assert client.get(f"/api/runs/{run_id}/events").json() == log


def test_files_that_the_bundle_does_not_carry_are_named(client: TestClient):
    run_id = run_with(client, (b"a,b", "cities.csv"))
    assert client.get(f"/api/runs/{run_id}/bundle/preview").json()["files_left_out"] == ["cities.csv"]
    assert "Without the files of the run: cities.csv." in client.get(f"/runs/{run_id}/share").text


def files_of(client: TestClient, run_id: str) -> list[tuple[str, bytes]]:
    listed = client.get(f"/api/runs/{run_id}/files").json()
    return [(one["name"], client.get(f"/api/runs/{run_id}/files/{one['number']}").content) for one in listed]


def test_a_bundle_carries_files_into_another_studio(client: TestClient):
    files = [(b"a,b", "cities.csv"), (bytes(range(256)), "data.bin"), (b"a,b", "same.csv")]
    run_id = run_with(client, *files)
    shown = client.get(f"/runs/{run_id}/share?files=true").text
    assert "3 files of the run: cities.csv, data.bin, same.csv" in shown
    assert client.get(f"/api/runs/{run_id}/bundle/preview?files=true").json()["files_left_out"] == []
    page = bundle_of(client, run_id, files=True)
    assert page.count("YSxi") == 1, "each content is in it once"
    before = files_of(client, run_id)
    deleted(client, run_id)
    assert bring_in(client, page)[0] == 201
    assert files_of(client, run_id) == before == [(name, content) for content, name in files]
    assert '"version":1' in bundle_of(client, run_id), "studios of before read it"


def test_files_with_secrets_and_large_ones_are_left_out(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.services.shared_files.MAX_BYTES", 100)
    client.put("/api/secrets/shop", json={"value": "a-very-long-secret-value"})
    text, packed = b"key: a-very-long-secret-value", b"\xff\x00a-very-long-secret-value"
    run_id = run_with(client, (text, "a.txt"), (packed, "b.bin"), (b"x" * 101, "c.txt"), (b"fine", "d.txt"))
    left_out = client.get(f"/api/runs/{run_id}/bundle/preview?files=true").json()["files_left_out"]
    assert left_out == ["a.txt (holds a secret)", "b.bin (holds a secret)", "c.txt (too large)"]
    page = bundle_of(client, run_id, files=True)
    assert "ZmluZQ" in page
    assert "a-very-long-secret-value" not in page


def test_the_spellings_of_secrets_are_worked_out_once_for_all_files(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
):
    """With many secrets that takes a tenth of a second, and a run may have 500 files."""
    made: list[int] = []

    class Counted(SecretRemover):
        def __init__(self, secrets: Mapping[str, str]) -> None:
            made.append(len(secrets))
            super().__init__(secrets)

    monkeypatch.setattr("studio.services.shared_files.SecretRemover", Counted)
    run_id = run_with(
        client, *((f"{number}\xe9".encode(kind), f"{number}.txt") for number in range(6) for kind in KINDS)
    )
    assert client.get(f"/api/runs/{run_id}/bundle/preview?files=true").json()["files_left_out"] == []
    assert len(made) <= 2


def test_secrets_in_files_that_are_no_utf_8_are_found_however_they_are_written(client: TestClient):
    secret = "a-very-long/secret-value"
    client.put("/api/secrets/shop", json={"value": secret})
    files = (
        (f"name,key\r\nshop,{secret}".encode("utf-16"), "table.csv"),
        (f"key={secret}".encode("utf-16-be"), "settings.ini"),
        (base64.b64encode(f"Basic shop:{secret}".encode()) + b" caf\xe9", "latin.log"),
        (b"GIF89a = " + secret.replace("/", "%2F").encode(), "not-a-picture.txt"),
        (b"caf\xe9 sk-proj-abcdefghijklmnopqrstuvwxyz123456", "key.txt"),
        (b"caf\xe9 au lait", "fine.txt"),
    )
    run_id = run_with(client, *files)
    left_out = client.get(f"/api/runs/{run_id}/bundle/preview?files=true").json()["files_left_out"]
    assert left_out == [f"{name} (holds a secret)" for _, name in files[:-1]]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"content":"YSxi"', '"content":"Yixi"', "damaged"),
        ('"content":"YSxi"', '"content":null', "no content"),
        ('"content":"YSxi"', '"content":"*"', "cannot be read"),
        ('"direction":"in"', '"direction":"up"', "cannot be read"),
    ],
)
def test_a_damaged_file_in_a_bundle_is_refused_and_leaves_nothing(client: TestClient, old: str, new: str, words: str):
    run_id = run_with(client, (b"a,b", "cities.csv"))
    page = bundle_of(client, run_id, files=True)
    assert old in page
    deleted(client, run_id)
    status, answer = bring_in(client, page.replace(old, new))
    assert (status, words in answer["error"]["message"]) == (400, True), answer
    assert client.get(f"/api/runs/{run_id}").status_code == 404


def test_the_name_of_a_file_in_a_bundle_is_no_path_elsewhere(client: TestClient):
    run_id = run_with(client, (b"a,b", "cities.csv"))
    page = bundle_of(client, run_id, files=True).replace('"name":"cities.csv"', '"name":"../../etc/\\u202ecron"')
    deleted(client, run_id)
    assert bring_in(client, page)[0] == 201
    [(name, _)] = files_of(client, run_id)
    assert (name, ".." in name) == ("file/file/etc/cron", False)
