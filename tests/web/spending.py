"""Teams whose calls cost something, and their runs until they ask for more."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.web.documents import team
from tests.web.pricing import priced, speaker


def make_team(client: TestClient) -> str:
    document = team(speaker("writer", priced(100, 0), priced(100, 0)), max_messages=3)
    return client.post("/api/teams", json={"component": document}).json()["id"]


def start(client: TestClient, team_id: str) -> str:
    return client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()["id"]


def until_asked(server: TestClient, client: TestClient, run_id: str) -> dict[str, Any]:
    """The run when it waits for its person."""
    assert isinstance(server.app, FastAPI)
    assert server.portal
    services = server.app.state.services

    async def wait() -> None:
        async for batch in services.supervisor.subscribe(run_id):
            if batch.view.pending is not None or batch.view.state.is_final:
                return

    server.portal.call(wait)
    return client.get(f"/api/runs/{run_id}").json()
