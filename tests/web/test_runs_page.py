"""The page of all runs, and the same filters in the API."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest
from fastapi.testclient import TestClient

from studio.runs import NewRun, RunState, RunStatus, Usage
from studio.settings import Settings
from studio.store import Store, open_store
from studio.web.app import create_app
from studio.web.pages.runs import PAGE
from tests.store.statements import Answering, statements
from tests.web.doors import BASE_URL, TOKEN, client_of

pytestmark = pytest.mark.embedded
IT = "Write 100% of <b>it</b>"
SHOWN_IT = "Write 100% of &lt;b&gt;it&lt;/b&gt;"


async def ran(
    store: Store, task: str, *, state: RunState = RunState.FINISHED, usd: float = 0, team: str = "Writers"
) -> None:
    lease = await store.runs.create(NewRun({}, task, task, None, team))
    usage = Usage(10, 20, round(usd * 1_000_000), 0)
    await store.runs.append(lease, [], RunStatus(state=state, reason="end", usage=usage))


@pytest.fixture
def client(settings: Settings) -> Generator[TestClient]:
    """Of a studio with one run on each of the first three days of March."""

    async def fill() -> None:
        async with open_store(settings.data_dir) as store:
            await ran(store, "Write a poem", usd=0.5)
            await ran(store, IT, state=RunState.FAILED, usd=0.02)
            await ran(store, "Find a flight", usd=1234.5, team="Travelers")

    asyncio.run(fill())
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as database, database:
        database.execute("UPDATE run SET created_at = '2026-03-0' || rowid || ' 09:00:00.000000'")
    app = create_app(settings)
    app.add_middleware(Answering)
    with TestClient(app, base_url=BASE_URL) as server:
        yield client_of(server, {"Authorization": f"Bearer {TOKEN}"})


def tasks(page: str) -> list[str]:
    return re.findall(r'href="/runs/[^"]+" title="([^"]*)"', page)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["Find a flight", SHOWN_IT, "Write a poem"]),
        (
            "?order=oldest&state=&since=&until=&team_id=",
            ["Write a poem", SHOWN_IT, "Find a flight"],
        ),
        ("?order=cost", ["Find a flight", "Write a poem", SHOWN_IT]),
        ("?text=WRITE", [SHOWN_IT, "Write a poem"]),
        ("?text=traveler", ["Find a flight"]),
        ("?text=100%25", [SHOWN_IT]),
        ("?text=_", []),
        ("?state=failed", [SHOWN_IT]),
        ("?since=2026-03-02", ["Find a flight", SHOWN_IT]),
        ("?since=2026-03-01&until=2026-03-01", ["Write a poem"]),
        ("?until=9999-12-31&text=poem&page=7", ["Write a poem"]),
    ],
)
def test_runs_are_found_by_what_they_are(client: TestClient, query: str, expected: list[str]) -> None:
    page = client.get(f"/runs{query}")
    assert page.status_code == 200
    assert tasks(page.text) == expected


def test_a_row_tells_what_the_run_cost(client: TestClient) -> None:
    page = client.get("/runs").text
    assert all(cost in page for cost in ("$0.50", "$0.0200", "$1,234.50"))


def test_nothing_found_leads_back_and_nothing_run_leads_to_the_teams(client: TestClient) -> None:
    assert "No run matches these filters" in client.get("/runs?text=zebra").text
    for run in client.get("/api/runs").json():
        client.delete(f"/api/runs/{run['id']}")
    assert "No runs yet" in client.get("/runs").text


@pytest.mark.parametrize("query", ["since=yesterday", "state=asleep", "order=random", "page=0"])
def test_a_filter_that_means_nothing_is_refused(client: TestClient, query: str) -> None:
    assert client.get(f"/runs?{query}").status_code == 422


def test_the_api_filters_alike(client: TestClient) -> None:
    def found(query: str) -> list[str]:
        return [run["task"] for run in client.get(f"/api/runs?{query}").json()]

    assert found("text=write&state=finished&state=failed") == [IT, "Write a poem"]
    assert found("until=2026-03-02&state=finished") == ["Write a poem"]
    newest = client.get("/api/runs?text=write&limit=1").json()[0]["id"]
    assert found(f"text=write&before={newest}") == ["Write a poem"]


@pytest.mark.slow
def test_a_page_takes_as_many_queries_for_many_runs(client: TestClient, settings: Settings) -> None:
    def asked() -> int:
        with statements() as each:
            assert client.get("/runs?text=w").status_code == 200
        return sum(statement.of_request for statement in each)

    async def more() -> None:
        async with open_store(settings.data_dir) as store:
            for number in range(PAGE):
                await ran(store, f"Write {number}")

    asked()
    before = asked()
    assert before
    asyncio.run(more())
    assert asked() == before
    assert "page 2 of 2" in client.get("/runs?text=w&page=2").text
