"""A pair whose scripted runs are compared and forked."""

from __future__ import annotations

import httpx
from playwright.sync_api import Page

from studio.components import JsonObject
from tests.browser.playing import expect_end
from tests.web.documents import assistant, team

SAID = [f"Line {number} of the poem." for number in range(8)]


def poets(*changed: tuple[int, str], instructions: str = "Write poems.") -> JsonObject:
    lines = [dict(changed).get(number, line) for number, line in enumerate(SAID)]
    writer = assistant("writer", *lines)
    config = writer["config"]
    assert isinstance(config, dict)
    config["system_message"] = instructions
    return team(writer, assistant("critic", *["Go on."] * 8), max_messages=15)


def ran(api: httpx.Client, document: JsonObject, team_id: str = "", task: str = "Write a poem.") -> tuple[str, str]:
    """Run a team, in place of an older version of it if there is one, and give its id and the run's."""
    if team_id:
        now = api.get(f"/api/teams/{team_id}").json()
        body = {"component": document, "layout": {}, "revision": now["revision"]}
        assert api.put(f"/api/teams/{team_id}", json=body).status_code == 200
    else:
        team_id = api.post("/api/teams", json={"component": document}).json()["id"]
    run_id = api.post("/api/runs", json={"team_id": team_id, "task": task}).json()["id"]
    api.get(f"/api/runs/{run_id}/stream", timeout=30)
    return team_id, run_id


def open_run(page: Page, api: httpx.Client, run_id: str) -> None:
    page.goto(f"{api.base_url}runs/{run_id}" if str(api.base_url).endswith("/") else f"{api.base_url}/runs/{run_id}")
    expect_end(page, "Finished")
