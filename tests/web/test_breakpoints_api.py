"""Breakpoints as they are kept with a team."""

from __future__ import annotations

from fastapi.testclient import TestClient

from tests.web.documents import team


def test_the_same_breakpoint_is_kept_once_and_is_on_when_it_was_added_again(client: TestClient):
    team_id = client.post("/api/teams", json={"component": team()}).json()["id"]
    first = {"id": "a", "on": "tool", "name": "wipe", "enabled": False}
    points = [first, {**first, "id": "b", "when": "after"}, {**first, "id": "c", "enabled": True}]
    put = client.put(f"/api/teams/{team_id}/breakpoints", json={"breakpoints": points})
    kept = client.get(f"/api/teams/{team_id}/breakpoints").json()
    assert kept == put.json()
    assert [(each["id"], each["when"], each["enabled"]) for each in kept["breakpoints"]] == [
        ("a", "before", True),
        ("b", "after", False),
    ]
