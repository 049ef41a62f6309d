"""Lists ask the database as often for thirty things as for three."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.components import Capability
from studio.runs import Draft, NewRun, PendingInput, RunState, RunStatus
from studio.settings import Settings
from studio.store import open_store
from studio.web.app import create_app
from studio.web.pages.teams import PAGE
from studio.web.team_checks import TeamChecks
from tests.store.statements import statements
from tests.web.documents import assistant, gallery, team
from tests.web.doors import BASE_URL, TOKEN, client_of

FEW, MANY = 3, 30
PAGES = ("/teams", "/galleries", "/settings", "/settings/approvals", "/costs", "/inbox", "/users", "/audit", "/account")
PLAIN = RunStatus(state=RunState.FINISHED, reason="end")
WAITING = RunStatus(
    state=RunState.PAUSED,
    reason="input",
    pending=PendingInput(request_id="q", kind="input", prompt="Well?", source="ann"),
)


async def fill(folder: Path, count: int) -> str:
    """So many of all that is listed. Returns the id of a team."""
    async with open_store(folder) as store:
        made = await store.teams.create(team(assistant("writer")), name="First")
        first = await store.runs.create(NewRun({}, "Go.", "Go.", made.id, "First"))
        await store.runs.append(first, [], PLAIN)
        for number in range(count):
            other = await store.teams.create(team(assistant(f"w{number}")), name=f"Team {number}")
            await store.teams.save(made.id, component={"n": number}, layout={}, revision=number + 1, note="Changed")
            await store.galleries.create(f"G{number}", gallery(teams=[team()]), origin="paste")
            begun = await store.runs.create(NewRun({}, "Go.", "Go.", other.id, "Team"))
            await store.runs.append(begun, [Draft("state", {"state": "paused"})], WAITING)
            ended = NewRun({}, "Go.", "Go.", made.id, "First", session_id=begun.run_id)
            for run in (ended, NewRun({}, "Go.", "Go.", made.id, "", first.run_id, 0, first.run_id, origin="rerun")):
                await store.runs.append(await store.runs.create(run), [], PLAIN)
            await store.secrets.set(f"key-{number}", f"a-long-secret-value-{number}")
            await store.approvals.approve([Capability("host", f"Reach h{number}", f"h{number}")], by="ann")
            await store.audit.add("ann", "POST /x", outcome="200")
        return made.id


def counts(settings: Settings, count: int) -> dict[str, int]:
    """How many statements each list takes, asked for the second time."""
    team_id = asyncio.run(fill(settings.data_dir, count))
    app = create_app(settings)
    found: dict[str, int] = {}
    with TestClient(app, base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        for path in lists(app, team_id):
            client.get(path)
            with statements() as asked:
                client.get(path)
            found[path] = len(asked)
    return found


def lists(app: FastAPI, team_id: str) -> list[str]:
    whole = {*PAGES, *(path for path, methods in app.openapi()["paths"].items() if "get" in methods)}
    of_team = [f"/api/runs?team_id={team_id}", f"/api/sessions?team_id={team_id}", f"/api/teams/{team_id}/versions"]
    return [*sorted(path for path in whole if "{" not in path), *of_team]


def test_a_list_takes_no_more_queries_for_more_rows(settings: Settings, tmp_path: Path) -> None:
    few = Settings(data_dir=tmp_path / "few", token=TOKEN)
    of_few, of_many = counts(few, FEW), counts(settings, MANY)
    keys = {path for path in of_few if path in of_many}
    assert {"/teams", "/api/teams", "/api/sessions", "/api/galleries", "/api/runs", "/galleries"} <= keys
    grown = {path: (of_few[path], of_many[path]) for path in keys if of_many[path] > of_few[path]}
    assert grown == {}


@pytest.mark.slow
def test_a_page_of_teams_is_bounded_and_finds_every_team(settings: Settings) -> None:
    async def make() -> None:
        async with open_store(settings.data_dir) as store:
            for number in range(PAGE + 5):
                await store.teams.create({"provider": "x.Team", "config": {}}, name=f"Team <{number}>")

    asyncio.run(make())
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        pages = [client.get(f"/teams?page={page}").text for page in (1, 2, 99)]
        assert [page.count('data-team="') for page in pages] == [PAGE, 5, 5]
        assert "page 1 of 2" in pages[0]
        found = client.get("/teams?search=team+%3C3%3E").text
        assert (found.count('data-team="'), "Team &lt;3&gt;" in found) == (1, True)
        nothing = client.get("/teams?search=%3Cscript%3E%25_").text
        assert "No team matches “&lt;script&gt;%_”" in nothing
        assert [one["name"] for one in client.get("/api/teams?search=%3C4%3E&limit=2").json()] == ["Team <4>"]


async def test_a_team_that_is_deleted_while_a_list_is_made_is_left_out(settings: Settings) -> None:
    async with open_store(settings.data_dir) as store:
        teams = [await store.teams.create(team(), name=name) for name in ("gone", "here")]
        listed = await store.teams.list()
        await store.teams.delete(teams[0].id)
        assert list(await TeamChecks(store).of(listed)) == [teams[1].id]
