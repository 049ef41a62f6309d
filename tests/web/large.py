"""A studio in which everything is large: what one person may make, others must be able to work beside."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import Capability, JsonObject
from studio.deployments import CallLimits, DeploymentSettings
from studio.runs import Draft, NewRun, PendingInput, RunState, RunStatus
from studio.services.evaluations import cases_of
from studio.services.team_suites import add_suite
from studio.store import Store, open_store
from studio.store.deployment_tables import Call, Schedule
from studio.store.deployments import NewRelease
from studio.store.evaluation_tables import Evaluation, EvaluationVersion
from studio.store.evaluations import PlannedCell
from studio.store.tables import TeamSuite
from studio.web.app import services_of
from tests.web.documents import assistant, gallery, team
from tests.web.doors import wait_until_warm
from tests.web.tables import parquet

MANY = 1_000
WORSE = 400
AGENTS = 1_000
TURNS = 4_000
GALLERIES = 50
DEPLOYMENT = "busy"
SCHEDULE = "daily"
EVALUATION = "evaluated"
STATE_MB = 6
"""In messages of one megabyte."""
FILE_MB = 50
BULK_MB = 4
"""In one message. To read or write it is a single call, which must end well within the bound on any machine."""
WAITING = RunStatus(
    state=RunState.PAUSED,
    reason="input",
    pending=PendingInput(request_id="q", kind="input", prompt="Well?" * 100, source="ann"),
)


@dataclass(frozen=True)
class Large:
    """Ids of what is large."""

    wide_team: str
    """Of very many agents."""
    wide_run: str
    busy_team: str
    """With many runs that wait, all of one session."""
    session: str
    long_run: str
    """Of many turns."""
    heavy_run: str
    """Its state is large."""
    bulky_run: str
    """One message of it is."""
    gallery: str
    file: str
    suite: str
    """Of very many cases."""
    knowledge_base: str
    knowledge_document: str
    """Of very many passages."""


def wide_team(count: int = AGENTS) -> JsonObject:
    return team(*(assistant(f"agent_{number}") for number in range(count)), label="Wide", max_messages=2)


def wide_gallery() -> JsonObject:
    agents: list[JsonObject] = [assistant(f"agent_{number}") for number in range(AGENTS)]
    return gallery(teams=[team()], agents=agents)


def wide_suite() -> JsonObject:
    """A suite of very many cases, with much text in each."""
    cases: list[JsonValue] = [{"task": f"Case {number}. {'Go. ' * 90}", "target": "pine"} for number in range(MANY)]
    return {
        "suite": "Wide",
        "scorers": [{"includes": "{target}"}, {"calls": {"any_order": ["a", "b"]}}],
        "cases": cases,
    }


def wide_table() -> str:
    """Rows with fields of their own, as a spreadsheet gives them."""
    return "task,target,wood\n" + "".join(f'"Row {at}, in quotes.",pine,oak\n' for at in range(1_000))


def fill(folder: Path) -> tuple[str, str]:
    """So many of all that is listed. Returns the ids of the team and the session of many runs."""
    team_id, run_id = asyncio.run(_one_of_each(folder))
    with closing(sqlite3.connect(folder / "studio.db")) as database:
        _multiply(database, "team", MANY, {"id": "'team-' || n", "name": "'Team ' || n"})
        _multiply(database, "gallery", GALLERIES, {"id": "'gallery-' || n", "name": "'Gallery ' || n"})
        _multiply(database, "run", MANY, {"id": "'run-' || n", "session_id": f"'{run_id}'"})
        _multiply(database, "run_start", MANY, {"run_id": "'run-' || n"})
        _multiply(database, "run_event", MANY, {"run_id": "'run-' || n"})
        _multiply(database, "approval", MANY, {"id": "'approval-' || n", "hash": "printf('%064x', n)"})
        _multiply(database, "audit_entry", MANY, {"id": "1000 + n"})
        _multiply(database, "deployment", 200, {"id": "'deployment-' || n", "name": "'deployment-' || n"})
        _multiply(database, "release", 900, {"number": "1 + n"})
        _multiply(database, "caller_key", 190, {"id": "'key-' || n", "key_hash": "'hash-' || n"})
        _multiply(database, "call", MANY, {"id": "'run-' || n", "position": "1 + n", "idempotency": "NULL"})
        database.execute("UPDATE evaluation_cell SET state = 'done', verdict = iif(position % 3, 'pass', 'fail')")
        worse = f"(position - 1) % {2 * MANY} < {2 * WORSE}"
        database.execute(f"UPDATE evaluation_cell SET verdict = iif(version = 1, 'fail', 'pass') WHERE {worse}")
        labels = f"WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {4 * MANY})"
        values = f"'{EVALUATION}', n, 'ann', iif(n % 2, 'pass', 'fail'), 'Reads well.', '2026-11-21 10:00:00'"
        columns = 'evaluation_id, position, "by", verdict, note, at'
        database.execute(f"{labels} INSERT INTO evaluation_label ({columns}) SELECT {values} FROM counted")
        database.commit()
    return team_id, run_id


async def _one_of_each(folder: Path) -> tuple[str, str]:
    async with open_store(folder) as store:
        made = await store.teams.create(team(), name="Busy")
        await store.galleries.create("Gallery", gallery(teams=[team()]), origin="paste")
        begun = await store.runs.create(NewRun({}, "Go.", "Go." * 50, made.id, "Busy"))
        await store.runs.append(begun, [Draft("state", {"state": "paused"})], WAITING)
        await store.approvals.approve([Capability("host", "Reach a.example", "a.example")], by="ann")
        await store.audit.add("ann", "POST /api/teams", outcome="200")
        await _publish(store, made.id, begun.run_id)
        return made.id, begun.run_id


async def _publish(store: Store, team_id: str, run_id: str) -> None:
    """The team, with a call whose run is this one."""
    release = NewRelease(team(), 1)
    made = await store.deployments.add(DEPLOYMENT, team_id, "Busy", DeploymentSettings(), release)
    key, _ = await store.deployments.add_key(DEPLOYMENT, "shop", None)
    call = Call(
        id=run_id,
        deployment_id=made.id,
        release=1,
        key_id=key.id,
        thread="one",
        position=1,
        protocol="rest",
        at=datetime.now(UTC),
    )
    await store.calls.add(call, CallLimits())
    schedule = Schedule(
        id=SCHEDULE, deployment_id=made.id, cron="* * * * *", zone="UTC", task="Go.", is_on=False, created_at=call.at
    )
    await store.schedules.add(schedule)
    suite = await add_suite(store, team_id, wide_suite(), "ann")
    await _evaluate(store, suite)


async def _evaluate(store: Store, suite: TeamSuite) -> None:
    """An evaluation of two versions on all cases, which has ended."""
    keys = [case.key for case in cases_of(suite.document)]
    cells = [PlannedCell(version, key, epoch) for epoch in (1, 2) for key in keys for version in (1, 2)]
    row = Evaluation(
        id=EVALUATION,
        suite_id=suite.id,
        team_id=suite.team_id,
        suite_revision=1,
        suite_name=suite.name,
        document=suite.document,
        repeats=2,
        at_once=4,
        cell_count=len(cells),
        state="finished",
        created_at=suite.created_at,
        ended_at=suite.created_at,
    )
    versions = [
        EvaluationVersion(evaluation_id=EVALUATION, number=n, revision=n, team_name="Busy", component=team())
        for n in (1, 2)
    ]
    await store.evaluations.add(row, versions, cells)


def _multiply(database: sqlite3.Connection, table: str, count: int, changed: Mapping[str, str]) -> None:
    """Copies of the newest row of a table, other in some columns; `n` counts them in the expressions."""
    columns = [str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")]
    values = ", ".join(changed.get(name, f'"{name}"') for name in columns)
    newest = f"SELECT * FROM {table} ORDER BY rowid DESC LIMIT 1"
    counted = f"WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {count})"
    database.execute(f"{counted} INSERT INTO {table} SELECT {values} FROM ({newest}), counted")


def furnish_large(server: TestClient, client: TestClient, busy_team: str, session: str) -> Large:
    """Add what only runs can make, and wait until the studio has made ready what it makes ahead."""
    wait_until_warm(server)
    wide, wide_run = _ended(server, client, wide_team())
    _, long = _ended(server, client, team(assistant("writer", *["A word."] * TURNS), max_messages=TURNS))
    megabytes = ["x" * 1_000_000] * STATE_MB
    _, heavy = _ended(server, client, team(assistant("writer", *megabytes), max_messages=STATE_MB))
    bulk = "Grüße. \u2028" * (BULK_MB * 100_000)
    _, bulky = _ended(server, client, team(assistant("writer", bulk), max_messages=2))
    made = client.post("/api/galleries", json={"text": gallery_text()})
    assert made.status_code == 201, made.text[:500]
    file = client.post("/api/files", content=b"large" * FILE_MB * 200_000)
    suite = client.get(f"/api/teams/{busy_team}/suites").json()[0]["id"]
    kept = made.json()["id"], file.json()["id"], suite, *_knowledge(client)
    return Large(wide, wide_run, busy_team, session, long, heavy, bulky, *kept)


def _knowledge(client: TestClient) -> tuple[str, str]:
    """The ids of a knowledge base and of its document."""
    base = client.post("/api/knowledge", json={"name": "Large"}).json()["id"]
    text = "".join(f"# Part {number}\n\n{'A word of it. ' * 80}\n\n" for number in range(MANY))
    file = client.post("/api/files", content=text.encode()).json()["id"]
    added = client.post(f"/api/knowledge/{base}/documents", json={"file_id": file, "name": "large.md"})
    assert added.status_code == 201, added.text
    return base, added.json()["document"]["id"]


def gallery_text() -> str:
    return json.dumps(wide_gallery())


def _ended(server: TestClient, client: TestClient, document: JsonObject) -> tuple[str, str]:
    """The ids of a new team and of its run, which is over."""
    body = json.dumps({"component": document}, ensure_ascii=False).encode()
    made = client.post("/api/teams", content=body, headers={"Content-Type": "application/json"}).json()
    files = [client.post("/api/files", content=b"A %s. " % word * 100_000).json() for word in (b"file", b"page")]
    files.append(client.post("/api/files", content=parquet({"n": [*range(200_000)]})).json())
    given = [{"id": file["id"], "name": "a.html", "use": "folder"} for file in files]
    task = {"team_id": made["id"], "task": "Go.", "files": given}
    run_id = client.post("/api/runs", json=task).json()["id"]
    wait_to_end(server, run_id)
    return made["id"], run_id


def wait_to_end(server: TestClient, run_id: str) -> None:
    services = services_of(server.app)  # pyright: ignore[reportArgumentType]
    assert services is not None
    assert server.portal is not None

    async def end() -> None:
        async for _ in services.supervisor.subscribe(run_id, kinds=["state"]):
            pass

    server.portal.call(end)
