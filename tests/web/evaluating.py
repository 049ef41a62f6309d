"""Evaluations through the API: a team with versions, a suite, and an evaluation followed to its end."""

from __future__ import annotations

import time
from typing import Any

import httpx
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant, team

SUITE: JsonObject = {
    "suite": "greetings",
    "scorers": [{"includes": "{target}"}],
    "cases": [
        {"id": "morning", "task": "Greet me.", "target": "morning"},
        {"id": "evening", "task": "Greet me late.", "target": "evening"},
    ],
}


Door = TestClient | httpx.Client
"""A client of a studio of this process, or of another one."""


def greeter(answer: str) -> JsonObject:
    """A team whose agent always says the same."""
    return team(assistant("greeter", answer), max_messages=2)


def added_team(client: Door, *answers: str) -> str:
    """The ID of a team with a version for each answer."""
    made = client.post("/api/teams", json={"component": greeter(answers[0])}).json()
    for revision, answer in enumerate(answers[1:], 1):
        body = {"component": greeter(answer), "revision": revision}
        saved = client.put(f"/api/teams/{made['id']}", json=body)
        assert saved.status_code == 200, saved.text
    return str(made["id"])


def added_suite(client: Door, team_id: str, **more: Any) -> str:
    answer = client.post(f"/api/teams/{team_id}/suites", json={"document": {**SUITE, **more}})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def started(client: Door, suite_id: str, **plan: Any) -> str:
    answer = client.post(f"/api/suites/{suite_id}/evaluations", json={"usd": 1, **plan})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def over(client: Door, evaluation_id: str, seconds: float = 15) -> Any:
    """The evaluation, once it has ended."""
    until = time.monotonic() + seconds
    while (found := client.get(f"/api/evaluations/{evaluation_id}").json())["ended_at"] is None:
        assert time.monotonic() < until, found
        time.sleep(0.1)  # each look takes the processor from what is looked at
    return found


def cells_of(client: Door, evaluation_id: str) -> list[Any]:
    found: list[Any] = []
    while page := client.get(f"/api/evaluations/{evaluation_id}/cells?after={len(found)}").json():
        found += page
    return found
