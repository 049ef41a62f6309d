"""Lists ask the database as often for thirty things as for three."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from studio.components import Capability, JsonObject
from studio.runs import Draft, NewRun, PendingInput, RunState, RunStatus
from studio.services.document_cache import DocumentCache
from studio.services.team_checks import TeamChecks
from studio.settings import Settings
from studio.store import open_store
from studio.web.app import create_app
from studio.web.pages.teams import PAGE
from tests.store.statements import Answering, statements
from tests.web.documents import assistant, gallery, team
from tests.web.doors import BASE_URL, NEEDS_OF_PEOPLE, TOKEN, client_of

FEW, MANY = 3, 30
GETS = [route.partition(" ")[2] for route in NEEDS_OF_PEOPLE if route.startswith("GET ")]
SHOWN = 40
AGENT = "autogen_agentchat.agents.AssistantAgent"
OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"
PLAIN = RunStatus(state=RunState.FINISHED, reason="end")
WAITING = RunStatus(
    state=RunState.PAUSED,
    reason="input",
    pending=PendingInput(request_id="q", kind="input", prompt="Well?", source="ann"),
)


async def fill(settings: Settings, count: int) -> str:
    """So many of all that is listed. Returns the id of a team."""
    async with open_store(settings.data_dir, settings.database_url) as store:
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
    team_id = asyncio.run(fill(settings, count))
    app = create_app(settings)
    app.add_middleware(Answering)
    found: dict[str, int] = {}
    with TestClient(app, base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        for path in lists(team_id):
            client.get(path)
        for path in lists(team_id):
            with statements() as asked:
                client.get(path)
            found[path] = sum(statement.of_request for statement in asked)
    return found


def lists(team_id: str) -> list[str]:
    """All routes that are asked without the id of anything."""
    of_team = [f"/api/runs?team_id={team_id}", f"/api/sessions?team_id={team_id}", f"/api/teams/{team_id}/versions"]
    return [*sorted(path for path in GETS if "{" not in path), *of_team]


@pytest.mark.embedded
@pytest.mark.slow
def test_a_list_takes_no_more_queries_for_more_rows(settings: Settings, tmp_path: Path) -> None:
    few = Settings(data_dir=tmp_path / "few", token=TOKEN)
    of_few, of_many = counts(few, FEW), counts(settings, MANY)
    keys = {path for path in of_few if path in of_many}
    listed = {"/teams", "/api/teams", "/api/sessions", "/api/galleries", "/api/runs", "/galleries"}
    assert listed <= {path for path in keys if of_few[path]}
    grown = {path: (of_few[path], of_many[path]) for path in keys if of_many[path] > of_few[path]}
    assert grown == {}


@pytest.mark.slow
def test_a_page_of_teams_is_bounded_and_finds_every_team(settings: Settings) -> None:
    async def make() -> None:
        async with open_store(settings.data_dir, settings.database_url) as store:
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
        assert "No team matches these filters" in nothing
        assert 'value="&lt;script&gt;%_"' in nothing
        assert [one["name"] for one in client.get("/api/teams?search=%3C4%3E&limit=2").json()] == ["Team <4>"]


@pytest.mark.slow
def test_a_page_of_approvals_is_bounded_and_leads_to_every_approval(settings: Settings) -> None:
    async def make() -> None:
        async with open_store(settings.data_dir, settings.database_url) as store:
            wanted = [Capability("host", f"Reach h{number}", f"h{number}") for number in range(PAGE + SHOWN)]
            await store.approvals.approve(wanted, by="ann")
            for each in wanted[: PAGE + SHOWN // 2]:
                await store.approvals.revoke(each.hash, by="ben")
            await store.approvals.approve(wanted[: PAGE + 5], by="ann")

    asyncio.run(make())
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        first = client.get("/settings/approvals").text
        assert (first.count("data-approval="), first.count("data-revoked=")) == (PAGE, PAGE)
        (total,) = map(int, re.findall(r"(\d+) approvals</span>", first))
        assert total >= PAGE + 5 + SHOWN // 2  # the shipped galleries bring some
        older = {
            kind: found[1]
            for kind in ("before", "revoked_before")
            if (found := re.search(rf"\?{kind}=([\w-]+)", first))
        }
        second = client.get("/settings/approvals", params={"before": older["before"]}).text
        assert (second.count("data-approval="), second.count("data-revoked=")) == (total - PAGE, 0)
        gone = client.get("/settings/approvals", params={"revoked_before": older["revoked_before"]}).text
        assert (gone.count("data-approval="), gone.count("data-revoked=")) == (0, SHOWN // 2)
        assert {"Older approvals" in page for page in (second, gone)} == {False}
        assert client.get("/settings/approvals?before=unknown").status_code == 404
        listed = client.get("/api/approvals", params={"limit": 7}).json()
        assert len(listed) == 7
        assert client.get("/api/approvals", params={"before": listed[0]["id"], "limit": 6}).json() == listed[1:]


async def test_a_team_that_is_deleted_while_a_list_is_made_is_left_out(settings: Settings) -> None:
    async with open_store(settings.data_dir, settings.database_url) as store:
        teams = [await store.teams.create(team(), name=name) for name in ("gone", "here")]
        listed = await store.teams.list()
        await store.teams.delete(teams[0].id)
        assert list(await TeamChecks(store).get_many(listed)) == [teams[1].id]


async def test_what_several_ask_for_at_once_is_checked_once() -> None:
    made: list[str] = []

    async def read(ids: Sequence[str]) -> Sequence[str]:
        return ids

    def make(key: str) -> tuple[str, object, str]:
        made.append(key)
        return key, 1, key.upper()

    remembered = DocumentCache(read, make)
    states = dict.fromkeys("abc", 1)
    found = await asyncio.gather(
        remembered.get_many(states), remembered.get_many({"b": 1}), remembered.get_many(states)
    )
    assert [dict(each) for each in found] == [
        {"a": "A", "b": "B", "c": "C"},
        {"b": "B"},
        {"a": "A", "b": "B", "c": "C"},
    ]
    assert sorted(made) == ["a", "b", "c"]


def test_the_page_of_settings_reads_no_team_and_names_few(settings: Settings) -> None:
    model: JsonObject = {"provider": OPENAI, "config": {"model": "gpt-4o", "api_key": "secret:one"}}
    writer: JsonObject = {"provider": AGENT, "config": {"name": "writer", "model_client": model}}

    async def make() -> None:
        async with open_store(settings.data_dir, settings.database_url) as store:
            await store.secrets.set("one", "a-long-secret-value")
            for number in range(MANY):
                await store.teams.create(team(writer), name=f"Team {number}")

    asyncio.run(make())
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        client.get("/teams")  # waits for the check that the start began
        with statements() as asked:
            page = client.get("/settings").text
        assert not [statement for statement, *_ in asked if "team.component" in statement]
        assert f"and {MANY - 8} more" in page
