"""One bad document does not take a page down, and a large one holds up nobody."""

from __future__ import annotations

import json
import threading
from typing import ClassVar

import pytest
from fastapi.testclient import TestClient

from studio.components import Component, JsonObject, Warn
from tests.web.documents import ROUND_ROBIN, assistant, function_tool, gallery, team

JSON = {"Content-Type": "application/json"}
TOO_LARGE = 10**25
BAD: dict[str, JsonObject] = {
    "an annotation": function_tool("def f(x: list[()]): pass"),
    "a literal": function_tool("def f(x: Literal['\\ud800']): pass"),
    "a version": {**team(), "component_version": -1},
    "a schema": {
        "provider": "autogen_agentchat.messages.StructuredMessageFactory",
        "config": {"json_schema": {"type": "object", "properties": {"a": {"type": []}}, "required": 5}},
    },
}


class Watched(Component):
    """Tells which threads read it."""

    provider = "example.Watched"
    threads: ClassVar[list[int]] = []
    width_px: int = 3

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        del warn
        cls.threads.append(threading.get_ident())
        return config


WATCHED: JsonObject = {"provider": "example.Watched", "config": {}}


def opaque(**config: str) -> JsonObject:
    return {"provider": "elsewhere.Client", "component_type": "model", "config": {**config}}


@pytest.fixture(params=BAD.values(), ids=list(BAD))
def bad(request: pytest.FixtureRequest) -> JsonObject:
    return request.param


def test_every_page_stands_beside_a_bad_team(client: TestClient, bad: JsonObject):
    made = client.post("/api/teams", json={"name": "bad", "component": bad})
    assert made.status_code == 201
    for path in ("/teams", f"/teams/{made.json()['id']}", "/settings", "/api/secrets", "/api/teams"):
        assert client.get(path).status_code == 200, path
    assert client.post("/api/validate", json={"component": bad}).status_code == 200
    assert client.post("/api/approvals", json={"hashes": ["unknown"]}).status_code == 404


def test_every_page_stands_beside_a_bad_component_of_a_gallery(client: TestClient, bad: JsonObject):
    assert client.post("/api/galleries/library/components", json={"component": bad}).status_code == 201
    for path in ("/galleries", "/galleries/library", "/api/galleries/library"):
        assert client.get(path).status_code == 200, path


def test_python_of_a_bad_component_says_what_is_wrong(client: TestClient):
    answer = client.post("/api/python", json={"component": BAD["a version"]})
    assert (answer.status_code, answer.json()["findings"][0]["code"]) == (422, "bad_version")


def test_numbers_that_no_database_holds_are_refused(client: TestClient):
    team_id = client.post("/api/teams", json={"component": team()}).json()["id"]
    run_id = client.post("/api/runs", json={"team_id": team_id, "task": "Hello."}).json()["id"]
    assert client.get(f"/api/teams/{team_id}/versions/{TOO_LARGE}").status_code == 422
    assert client.post(f"/api/teams/{team_id}/versions/{TOO_LARGE}/restore").status_code == 422
    saved = client.put(f"/api/teams/{team_id}", json={"component": team(), "revision": TOO_LARGE})
    assert saved.status_code == 422
    assert client.get(f"/api/runs/{run_id}/events?after={TOO_LARGE}").status_code == 422
    assert client.get(f"/api/runs/{run_id}/stream?after={TOO_LARGE}").status_code == 422


@pytest.mark.parametrize("number", [str(TOO_LARGE), "9" * 5000])
def test_a_last_event_id_that_is_no_number_of_ours_starts_from_the_address(client: TestClient, number: str):
    team_id = client.post("/api/teams", json={"component": team()}).json()["id"]
    run_id = client.post("/api/runs", json={"team_id": team_id, "task": "Hello."}).json()["id"]
    stream = client.get(f"/api/runs/{run_id}/stream", headers={"Last-Event-ID": number})
    assert stream.status_code == 200
    assert "event: done" in stream.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"component": {"a": ' + "1" * 5000 + "}}", "4300 digits"),
        ("component: {a: 2024-13-45}", "Not JSON"),
        ("component: {}", "Not JSON"),
        ('{"component": {"' + "k" * 3000 + '": [1]}}', "2000 characters"),
    ],
)
def test_a_body_that_is_not_our_json_says_why(client: TestClient, body: str, said: str):
    answer = client.post("/api/validate", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_document")
    assert said in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "text", ['{"a": ' + "1" * 5000 + "}", "a: !!int x", "a: !!bool x", "provider: x\nb: !!timestamp x"]
)
def test_a_text_with_an_impossible_value_says_why(client: TestClient, text: str):
    for answer in (
        client.post("/api/galleries/preview", json={"text": text}),
        client.post("/api/galleries/preview", files={"file": ("a.json", text)}),
        client.post("/api/teams", json={"text": text}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_document")


def test_large_yaml_is_refused(client: TestClient):
    answer = client.post("/api/galleries/preview", files={"file": ("a.yaml", "a: b\n" * 500_000)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_half_a_character_in_a_pasted_team_is_taken(client: TestClient):
    made = client.post("/api/teams", json={"text": json.dumps(team(label="half \ud83d"))})
    assert (made.status_code, made.json()["name"]) == (201, "half \ufffd")


def test_thousands_of_mistakes_are_answered_in_part(client: TestClient):
    agents = [
        {"provider": "autogen_agentchat.agents.UserProxyAgent", "config": {"name": f"1 {n}"}} for n in range(2000)
    ]
    answer = client.post(
        "/api/validate", json={"component": {"provider": ROUND_ROBIN, "config": {"participants": agents}}}
    )
    assert len(answer.json()["errors"]) == 201
    assert sum(part["status"] == "wrong" for part in answer.json()["parts"]) >= 2000


def test_documents_are_checked_off_the_event_loop(client: TestClient):
    assert client.portal is not None
    Watched.threads.clear()
    client.post("/api/teams", json={"component": WATCHED})
    client.post("/api/validate", json={"component": WATCHED})
    client.post("/api/python", json={"component": WATCHED})
    client.post("/fragments/form", json={"component": WATCHED, "pointer": ""})
    client.post("/api/approvals", json={"hashes": ["unknown"]})
    client.get("/teams")
    assert Watched.threads
    assert client.portal.call(threading.get_ident) not in Watched.threads


def test_a_component_goes_beside_participants_that_are_none(client: TestClient):
    broken = {"provider": ROUND_ROBIN, "config": {"participants": ["x", 5, None]}}
    team_id = client.post("/api/teams", json={"component": broken}).json()["id"]
    body = {"pointer": "/config/participants", "component": assistant("writer")}
    changed = client.post(f"/api/teams/{team_id}/components", json=body)
    assert changed.status_code == 200
    report = client.post("/api/validate", json={"component": changed.json()["component"]}).json()
    assert "/config/participants/0" in {finding["where"] for finding in report["errors"]}


@pytest.mark.parametrize("component", [opaque(api_key="sk-hidden"), opaque(Authorization="Bearer sk-hidden")])
def test_a_key_inside_an_unknown_component_never_reaches_the_database(client: TestClient, component: JsonObject):
    made = client.post("/api/teams", json={"component": team(assistant("a")) | {"extra": component}})
    exported = client.get(f"/api/teams/{made.json()['id']}/json").text
    assert "sk-hidden" not in exported
    assert "secret:" in exported


def test_a_key_in_a_header_is_not_written_into_a_script(client: TestClient):
    tool: JsonObject = {
        "provider": "autogen_ext.tools.http.HttpTool",
        "config": {
            "name": "ask",
            "host": "example.com",
            "port": 443,
            "headers": {"Authorization": "Bearer sk-hidden"},
            "json_schema": {"type": "object", "properties": {}},
        },
    }
    code = client.post("/api/python", json={"component": tool}).json()["code"]
    assert "sk-hidden" not in code
    assert "Bearer {secret:authorization-" in code


def test_a_gallery_with_a_bad_component_is_previewed(client: TestClient, bad: JsonObject):
    answer = client.post("/api/galleries/preview", json={"text": json.dumps(gallery(tools=[bad]))})
    assert answer.status_code == 200


@pytest.mark.embedded
def test_a_team_is_checked_once_for_each_revision(client: TestClient):
    made = client.post("/api/teams", json={"component": WATCHED}).json()
    assert "1 error" not in client.get("/teams").text
    Watched.threads.clear()
    client.get("/teams")
    client.get("/settings")
    assert Watched.threads == []
    wrong = {**WATCHED, "config": {"width_px": "wide"}}
    client.put(f"/api/teams/{made['id']}", json={"component": wrong, "revision": 1})
    assert "1 error" in client.get("/teams").text
