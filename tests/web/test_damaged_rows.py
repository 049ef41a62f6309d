"""The studio starts, and shows the rest, whatever some rows of its database hold."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from studio.components import Capability, JsonObject
from studio.settings import Settings
from studio.store import open_store, team_scope
from studio.web.app import create_app
from tests.web.documents import assistant, gallery, team
from tests.web.doors import BASE_URL, TOKEN, client_of

pytestmark = pytest.mark.embedded
BROKEN = ("{", "", "[1]", "null", "7", '"x"', "{}", '{"provider": 7, "config": []}', "[[[")
DOCUMENTS = (
    "team.component",
    "team.layout",
    "team_version.component",
    "team_version.layout",
    "gallery.config",
    "model_connection.component",
)
MODEL: JsonObject = {
    "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
    "config": {"model": "gpt-4o", "api_key": "secret:one"},
}
LISTS = ("/teams", "/galleries", "/runs", "/settings", "/settings/models", "/settings/approvals", "/costs", "/inbox")
OF_TEAM = ("/teams/{}", "/teams/{}/review", "/teams/{}/play", "/api/teams/{}", "/api/teams/{}/versions")
OF_GALLERY = ("/galleries/{}", "/galleries/{}/review", "/api/galleries/{}")


async def fill(folder: Path) -> Mapping[str, list[str]]:
    """As many of all as there are ways to be broken, and one more. Returns the ids of teams and galleries."""
    ids: dict[str, list[str]] = {"team": [], "gallery": []}
    async with open_store(folder) as store:
        for number in range(len(BROKEN) + 1):
            made = await store.teams.create(team(assistant("writer")), name=f"Team {number}")
            await store.teams.save(made.id, component=team(assistant("w")), layout={}, revision=1, note="Changed")
            ids["team"].append(made.id)
            row = await store.galleries.create(f"G{number}", gallery(teams=[team()]), origin="paste")
            ids["gallery"].append(row.id)
            await store.connections.add(f"C{number}", MODEL)
            thing = Capability("python", "Run this Python.", f"def f(): return {number}")
            await store.approvals.approve([thing], scope=team_scope(made.id))
    return ids


@pytest.mark.slow
@pytest.mark.parametrize("column", DOCUMENTS)
def test_documents_that_cannot_be_read_take_down_no_other_page(settings: Settings, column: str) -> None:
    ids = asyncio.run(fill(settings.data_dir))
    table, _, name = column.partition(".")
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as database:
        rows = [row for (row,) in database.execute(f"SELECT rowid FROM {table} ORDER BY rowid")]
        for row, broken in zip(rows, BROKEN, strict=False):
            database.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (broken, row))
        database.commit()
    with TestClient(create_app(settings), base_url=BASE_URL, raise_server_exceptions=False) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        wrong = {path: status for path in LISTS if (status := client.get(path).status_code) != 200}
        for kind, paths in (("team", OF_TEAM), ("gallery", OF_GALLERY)):
            for key in ids[kind]:
                wrong |= {
                    f"{path} {ids[kind].index(key)}": status
                    for path in paths
                    if (status := client.get(path.format(key)).status_code) >= 500
                }
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["{", "7", "[1]", '{"tokens": 3}'])
def test_limits_and_rules_that_cannot_be_read_hold_back_runs_until_others_are_set(
    settings: Settings, broken: str
) -> None:
    async def make() -> str:
        async with open_store(settings.data_dir) as store:
            return (await store.teams.create(team(assistant("writer"), max_messages=2))).id

    team_id = asyncio.run(make())
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as database:
        database.execute("INSERT INTO budget VALUES (?, ?)", (f"team:{team_id}", broken))
        database.execute(
            "INSERT INTO team_settings (team_id, breakpoints, policy, examples) VALUES (?, ?, ?, ?)",
            (team_id, broken, broken, "[]"),
        )
        database.commit()
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        start = {"team_id": team_id, "task": "Go."}
        refused = client.post("/api/runs", json=start)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "damaged_settings")
        assert client.put(f"/api/teams/{team_id}/policy", json={"policy": {}}).is_success
        assert client.post("/api/runs", json=start).status_code == 409
        assert client.put(f"/api/teams/{team_id}/breakpoints", json={"breakpoints": []}).is_success
        run_id = client.post("/api/runs", json=start).json()["id"]
        with client.stream("GET", f"/api/runs/{run_id}/stream") as events:
            assert any('"kind":"budget"' in line.replace(" ", "") for line in events.iter_lines())
        assert client.put(f"/api/teams/{team_id}/budget", json={}).is_success
