"""Texts of models, tools and files are shown and passed on as texts: no template, no markup, no command reads them."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import Any, cast

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant, function_tool, gallery, team

SUMS = "{{ 7000 * 7 }} {% print(7000 * 7) %} ${7000*7} #{7000*7} {7000*7!r} $((7000*7)) `echo $((7000*7))`"
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg/onload=alert(1)></title></textarea>"
TURNED = "\u202e\u2066\u200b\x1b[31m"
HOSTILE = f"{SUMS} {MARKUP} {TURNED}"
LIVE = ("<script>alert", "<img src=x", "<svg/onload", "</title></textarea>")


def hostile_team() -> JsonObject:
    """Hostile texts wherever a person, a model or a file can put one."""
    agent = assistant("writer", HOSTILE, HOSTILE)
    agent["label"] = agent["description"] = HOSTILE
    config = cast("dict[str, Any]", agent["config"])
    tool = function_tool(f"def shout(text: str) -> str:\n    # {HOSTILE!a}\n    return text\n")
    config |= {"system_message": HOSTILE, "description": HOSTILE, "tools": [tool]}
    return {**team(agent, label=HOSTILE[:200]), "description": HOSTILE}


def pages(app: FastAPI, **values: str) -> Iterator[str]:
    """Addresses of everything that can be looked at."""
    for route in iter_route_contexts(app.routes):
        if route.path and "GET" in (route.methods or ()) and "/stream" not in route.path:
            yield route.path.format_map(_Known(values))


class _Known(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "1"


def played(client: TestClient, document: JsonObject) -> tuple[str, str]:
    """The team and a run of it."""
    needed = client.post("/api/validate", json={"component": document}).json()["capabilities"]
    if hashes := [one["hash"] for one in needed]:
        assert client.post("/api/approvals", json={"hashes": hashes, "component": document}).status_code < 300
    team_id = client.post("/api/teams", json={"component": document, "name": HOSTILE[:200]}).json()["id"]
    started = client.post("/api/runs", json={"team_id": team_id, "task": HOSTILE})
    assert started.status_code == 201, started.text
    run_id = started.json()["id"]
    assert "event: done" in client.get(f"/api/runs/{run_id}/stream").text
    return team_id, run_id


def test_no_text_is_taken_for_a_template(app: FastAPI, client: TestClient):
    team_id, run_id = played(client, hostile_team())
    made = client.post("/api/galleries", json={"text": json.dumps(gallery(teams=[hostile_team()]))})
    other = client.post(f"/api/runs/{run_id}/replay", json={}).json()["id"]
    values = {"team_id": team_id, "run_id": run_id, "other_id": other, "gallery_id": made.json()["id"], "number": "1"}
    shown = 0
    for path in set(pages(app, **values)):
        response = client.get(path)
        assert response.status_code < 500, path
        assert "49000" not in response.text, path
        if response.headers.get("Content-Type", "").startswith("text/html"):
            assert [live for live in LIVE if live in response.text] == [], path
            shown += html.escape("<script>alert", quote=False) in response.text
    assert shown >= 5


def test_the_log_keeps_it_letter_by_letter(client: TestClient):
    _, run_id = played(client, team(assistant("writer", HOSTILE), max_messages=2))
    said = [
        one["body"]["content"]
        for one in client.get(f"/api/runs/{run_id}/events").json()["entries"]
        if one["kind"] == "message"
    ]
    assert said == [HOSTILE, HOSTILE]


def test_a_message_of_a_million_characters_in_one_line_is_passed_on(client: TestClient):
    long = "x" * 1_000_000
    _, run_id = played(client, team(assistant("writer", long), max_messages=2))
    assert client.get(f"/runs/{run_id}").status_code == 200
    entries = client.get(f"/api/runs/{run_id}/events").json()["entries"]
    assert max(len(str(one["body"].get("content", ""))) for one in entries) == len(long)
