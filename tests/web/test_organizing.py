"""Teams and runs are kept in order: names, tags, stars, the archive and the trash."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Generator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.runs import NewRun, RunState, RunStatus
from studio.services import retention
from studio.settings import Settings
from studio.store import Store, open_store
from studio.web.app import create_app
from tests.web.documents import assistant, team
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.signing_in import add, signed_in, work_passwords_out_quickly

ENDED = RunStatus(state=RunState.FINISHED, reason="end")


async def ran(store: Store, task: str, team_id: str | None = None, parent: str | None = None) -> str:
    new = NewRun({}, task, task, team_id, "Writers", parent_id=parent, parent_seq=1 if parent else 0)
    lease = await store.runs.create(new)
    await store.runs.append(lease, [], ENDED)
    return lease.run_id


@pytest.fixture
def ids(settings: Settings) -> dict[str, str]:
    """Three teams, and two runs of the first."""

    async def fill() -> dict[str, str]:
        async with open_store(settings.data_dir, settings.database_url) as store:
            made = {
                name: (await store.teams.create(team(assistant("a")), name=name)).id
                for name in ("Ants", "bees", "Cats")
            }
            return made | {task: await ran(store, task, made["Ants"]) for task in ("Dig", "Carry")}

    return asyncio.run(fill())


@pytest.fixture
def client(settings: Settings, ids: dict[str, str]) -> Generator[TestClient]:
    del ids  # they are there before the server is
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        yield client_of(server, {"Authorization": f"Bearer {TOKEN}"})


def change(client: TestClient, kind: str, *ids: str, **what: Any) -> list[str]:
    answer = client.post(f"/api/{kind}s/bulk", json={"ids": ids, **what})
    assert answer.status_code == 200, answer.text
    return answer.json()["moved"]


def teams(client: TestClient, query: str = "") -> list[str]:
    """Their names, by the API and on the page alike."""
    listed = [each["name"] for each in client.get(f"/api/teams?{query}").json()]
    page = client.get(f"/teams?{query}").text
    assert re.findall(r'data-row="[^"]*" data-name="([^"]*)"', page) == listed
    return listed


def runs(client: TestClient, query: str = "") -> list[str]:
    listed = [each["title"] or each["task"] for each in client.get(f"/api/runs?{query}").json()]
    page = client.get(f"/runs?{query}").text
    assert re.findall(r'data-row="[^"]*" data-name="([^"]*)"', page) == listed
    return listed


def trash(client: TestClient) -> list[str]:
    return re.findall(r'data-restore="\w+" aria-label="Restore ([^"]*)"', client.get("/trash").text)


def test_teams_are_sorted_renamed_tagged_starred_and_archived(client: TestClient, ids: dict[str, str]) -> None:
    assert teams(client) == ["Cats", "bees", "Ants"]
    assert teams(client, "order=name") == ["Ants", "bees", "Cats"]
    assert teams(client, "order=run")[0] == "Ants"
    assert client.patch(f"/api/teams/{ids['bees']}", json={"name": " Wasps "}).json()["name"] == "Wasps"
    assert client.patch(f"/api/teams/{ids['bees']}", json={"name": " "}).status_code == 422
    assert teams(client, "order=changed")[0] == "Wasps"

    change(client, "team", ids["Ants"], ids["Cats"], add_tags=["small  pets", "draft"])
    change(client, "team", ids["Ants"], "missing", add_tags=["draft"], remove_tags=["small pets"])
    assert teams(client, "tag=draft") == ["Cats", "Ants"]
    assert teams(client, "tag=small+pets") == ["Cats"]
    assert client.get("/api/tags?kind=team").json() == [
        {"name": "draft", "count": 2},
        {"name": "small pets", "count": 1},
    ]

    star = {"kind": "team", "ids": [ids["Cats"]], "is_starred": True}
    assert [client.put("/api/account/stars", json=star).status_code for _ in range(2)] == [204, 204]
    assert teams(client, "starred=1") == ["Cats"]
    client.put("/api/account/stars", json={**star, "is_starred": False})
    assert teams(client, "starred=1") == []

    assert change(client, "team", ids["Cats"], listing="archived") == [ids["Cats"]]
    assert teams(client) == ["Wasps", "Ants"]
    assert teams(client, "listing=archived&tag=draft") == ["Cats"]
    assert runs(client) == ["Carry", "Dig"], "an archived team keeps its runs in the list"


def test_a_trashed_team_takes_its_runs_along_and_brings_them_back(client: TestClient, ids: dict[str, str]) -> None:
    change(client, "run", ids["Dig"], listing="archived")
    assert change(client, "team", ids["Ants"], listing="trashed") == [ids["Ants"]]
    assert teams(client) == ["Cats", "bees"]
    assert runs(client) == runs(client, "listing=archived") == []
    assert trash(client) == ["Ants"]
    gone = client.get(f"/api/teams/{ids['Ants']}")
    assert (gone.status_code, gone.json()["error"]["fix"]) == (404, "Restore it on the Trash page.")
    assert client.post("/api/runs", json={"team_id": ids["Ants"], "task": "Go."}).status_code == 404
    assert 'data-team-id=""' in client.get(f"/runs/{ids['Carry']}").text

    change(client, "team", ids["Ants"], listing="active")
    assert (runs(client), runs(client, "listing=archived"), trash(client)) == (["Carry"], ["Dig"], [])


def test_the_trash_is_emptied_but_for_what_others_continue_from(
    client: TestClient, ids: dict[str, str], settings: Settings
) -> None:
    async def fork() -> str:
        async with open_store(settings.data_dir, settings.database_url) as store:
            return await ran(store, "Dig on", ids["bees"], ids["Dig"])

    fork_id = asyncio.run(fork())
    change(client, "team", ids["Ants"], listing="trashed")
    assert client.delete("/api/trash").json() == {"deleted": 1, "left": 1}
    assert client.delete("/api/trash").json() == {"deleted": 0, "left": 1}
    assert client.get(f"/api/runs/{ids['Carry']}").status_code == 404
    change(client, "run", fork_id, add_tags=["x"], listing="trashed")
    assert trash(client) == ["Ants", "Dig on"]
    assert client.delete("/api/trash").json() == {"deleted": 3, "left": 0}
    assert "The trash is empty" in client.get("/trash").text
    assert client.get("/api/tags?kind=run").json() == []


@pytest.mark.embedded
def test_what_was_trashed_long_ago_goes_by_itself(settings: Settings, ids: dict[str, str]) -> None:
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as database, database:
        old, new = "2020-01-01 00:00:00.000000", "9999-01-01 00:00:00.000000"
        for table, key, at in (("team", "Cats", old), ("run", "Dig", old), ("run", "Carry", new)):
            database.execute(f"UPDATE {table} SET listing = 'trashed', trashed_at = ? WHERE id = ?", (at, ids[key]))

    async def left() -> list[str]:
        async with open_store(settings.data_dir, settings.database_url) as store:
            await retention.prune(store, datetime(2026, 1, 1, tzinfo=UTC))
            assert list(await store.trash.teams(limit=9)) == []
            return [each.name for each in await store.trash.runs(limit=9)]

    assert asyncio.run(left()) == ["Carry"]


def test_runs_are_renamed_tagged_starred_and_found_by_it(client: TestClient, ids: dict[str, str]) -> None:
    assert client.patch(f"/api/runs/{ids['Dig']}", json={"title": "A deep hole"}).status_code == 204
    assert runs(client, "text=HOLE") == runs(client, "text=dig") == ["A deep hole"]
    change(client, "run", ids["Carry"], add_tags=["good"])
    client.put("/api/account/stars", json={"kind": "run", "ids": [ids["Dig"]], "is_starred": True})
    assert (runs(client, "tag=good"), runs(client, "starred=1")) == (["Carry"], ["A deep hole"])
    assert (runs(client, "min_usd=0"), runs(client, "min_usd=0.01")) == (["Carry", "A deep hole"], [])
    listed = client.get("/api/runs?starred=1").json()[0]
    assert (listed["is_starred"], listed["tags"]) == (True, [])
    client.patch(f"/api/runs/{ids['Dig']}", json={"title": ""})
    assert runs(client, "starred=1") == ["Dig"]
    assert client.patch("/api/runs/missing", json={"title": "x"}).status_code == 404


def test_a_run_under_way_does_not_go_to_the_trash(client: TestClient, settings: Settings) -> None:
    async def begin() -> str:
        async with open_store(settings.data_dir, settings.database_url) as store:
            return (await store.runs.create(NewRun({}, "Wait", "Wait"))).run_id

    run_id = asyncio.run(begin())
    assert change(client, "run", run_id, listing="trashed") == []
    assert "Wait" in runs(client)
    assert change(client, "run", run_id, listing="archived") == [run_id]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"ids": [], "listing": "active"},
        {"ids": ["x"]},
        {"ids": ["x"], "listing": "lost"},
        {"ids": ["x"], "add_tags": [" "]},
        {"ids": ["x"] * 501, "listing": "active"},
    ],
)
def test_a_change_that_means_nothing_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    assert client.post("/api/teams/bulk", json=body).status_code == 422


@pytest.mark.slow
def test_a_star_is_of_one_person_alone(settings: Settings, ids: dict[str, str]) -> None:
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        owner = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        work_passwords_out_quickly(server)
        add(owner, "admin", "admin")
        add(owner, "viewer", "viewer")
        admin, viewer = signed_in(server, "admin"), signed_in(server, "viewer")
        star = {"kind": "team", "ids": [ids["Cats"]], "is_starred": True}
        assert viewer.put("/api/account/stars", json=star).status_code == 204
        assert (teams(viewer, "starred=1"), teams(admin, "starred=1")) == (["Cats"], [])
        assert viewer.post("/api/teams/bulk", json={"ids": ["x"], "listing": "trashed"}).status_code == 403


def found(client: TestClient, query: str) -> list[str]:
    results = client.get(f"/api/search?q={query}").json()["results"]
    return [f"{each['group']}: {each['label']}" for each in results if each["group"] != "Help"]


def test_one_search_finds_teams_runs_and_pages(client: TestClient, ids: dict[str, str]) -> None:
    assert found(client, "bee") == ["Teams: bees"]
    client.patch(f"/api/runs/{ids['Dig']}", json={"title": "A beehive"})
    assert found(client, "BEE") == ["Teams: bees", "Runs: A beehive"]
    assert found(client, "key+model") == ["Go to: Settings: models"]
    assert found(client, "%25") == []
    change(client, "team", ids["bees"], listing="archived")
    change(client, "run", ids["Dig"], listing="trashed")
    assert found(client, "bee") == []
    everything = found(client, "")
    assert {"Teams: Ants", "Runs: Carry", "Go to: Trash", "Go to: Users"} <= {*everything}
    addresses = {each["url"] for each in client.get("/api/search").json()["results"]}
    assert {url: 200 for url in addresses} == {url: client.get(url).status_code for url in addresses}
    assert client.get(f"/api/search?q={'x' * 201}").status_code == 422
