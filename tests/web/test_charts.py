"""Charts of what runs cost, took and came to, each with a table that says the same."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Generator

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.runs import Draft, NewRun, RunState, RunStatus, Usage
from studio.settings import Settings
from studio.store import Store, open_store
from studio.web.app import create_app
from tests.web.documents import assistant, team
from tests.web.doors import BASE_URL, TOKEN, client_of


async def ran(store: Store, team_id: str, name: str, revision: int, state: RunState, model: str, usd: float) -> None:
    lease = await store.runs.create(NewRun({}, "Go.", "Go.", team_id, name, team_revision=revision))
    spent: JsonObject = {"agent": "a", "name": model, "prompt_tokens": 90, "completion_tokens": 10, "ms": 2000}
    body: JsonObject = {"effect": "model", "spent": {**spent, "micro_usd": round(usd * 1_000_000)}}
    usage = Usage(90, 10, round(usd * 1_000_000), 0)
    await store.runs.append(lease, [Draft("effect", body)], RunStatus(state=state, reason="end", usage=usage))


@pytest.fixture
def client(settings: Settings) -> Generator[TestClient]:
    async def fill() -> None:
        async with open_store(settings.data_dir, settings.database_url) as store:
            poets, cooks = [
                (await store.teams.create(team(assistant("a")), name=name)).id for name in ("Poets", "Cooks")
            ]
            await ran(store, poets, "Poets", 1, RunState.FINISHED, "big", 3)
            await ran(store, poets, "Poets", 2, RunState.FAILED, "small", 0.5)
            await ran(store, cooks, "Cooks", 1, RunState.STOPPED, "small", 0.25)

    asyncio.run(fill())
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        yield client_of(server, {"Authorization": f"Bearer {TOKEN}"})


def table(client: TestClient, query: str) -> list[list[str]]:
    """The cells of the table, without the bars."""
    page = client.get(f"/costs/charts?{query}")
    assert page.status_code == 200
    rows = re.findall(r"<tr>(.*?)</tr>", page.text.split("<tbody>")[1], re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[cell for cell in row if "<svg" not in cell] for row in cells]


def test_teams_models_and_versions_are_compared(client: TestClient) -> None:
    assert table(client, "by=team") == [
        ["Poets", "2", "1", "200", "$3.50", "2.0 s"],
        ["Cooks", "1", "0", "100", "$0.25", "2.0 s"],
    ]
    assert [row[:3] for row in table(client, "by=model&measure=outcome")] == [
        ["big", "1 finished", "1"],
        ["small", "1 failed, 1 stopped", "2"],
    ]
    assert [(row[0], row[4]) for row in table(client, "by=version&measure=latency")] == [
        ("Poets, version 1", "$3.00"),
        ("Poets, version 2", "$0.50"),
        ("Cooks, version 1", "$0.25"),
    ]


def test_days_are_drawn_and_told(client: TestClient) -> None:
    page = client.get("/costs/charts?days=7&measure=outcome").text
    assert page.count("<g><title>") == 7
    assert len(re.findall(r'<rect data-tone="(success|warning|danger)"', page)) == 3
    assert re.search(r'role="img" aria-label="Outcome of 7 days; the highest is \d{4}-\d\d-\d\d with 1 failed', page)
    assert [row[2:] for row in table(client, "measure=cost")] == [["1", "300", "$3.75", "2.0 s"]]
    teams = {each["name"]: each["id"] for each in client.get("/api/teams").json()}
    assert [row[1] for row in table(client, f"team_id={teams['Cooks']}")] == ["1"]


def test_a_run_knows_the_version_that_it_was_started_with(client: TestClient) -> None:
    made = client.post("/api/teams", json={"component": team(assistant("a", "Hi."), max_messages=2)}).json()
    client.patch(f"/api/teams/{made['id']}", json={"name": "Other"})
    client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).raise_for_status()
    labels = [row[0] for row in table(client, f"by=version&team_id={made['id']}")]
    assert labels == ["Other, version 2"]


def test_nothing_to_draw_and_nothing_meant(client: TestClient) -> None:
    assert "No runs in this period" in client.get("/costs/charts?team_id=missing").text
    for query in ("by=hour", "measure=joy", "days=8"):
        assert client.get(f"/costs/charts?{query}").status_code == 422
