"""A command that one process sends is carried out by another one, once, whoever dies meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from studio.components import JsonObject
from studio.runs import RunState, RunSupervisor
from studio.runs.commands import Command
from studio.runs.fleet.client import FleetClient, NoWorker
from studio.runs.fleet.worker import FleetWorker
from studio.runs.prepare import RunDependencies
from studio.store import Store, open_store
from tests.fleet.approvals import AllApproved
from tests.store.postgres import PostgresServer
from tests.web.documents import USER_PROXY, assistant, team

ASKS = team(assistant("writer", "One.", "Two."), USER_PROXY, max_messages=4)


@pytest.fixture
async def url(postgres: PostgresServer) -> AsyncGenerator[str]:
    async with postgres.database() as url:
        yield url


@pytest.fixture
async def store(url: str, tmp_path: Path) -> AsyncGenerator[Store]:
    async with open_store(tmp_path, url) as store, store.notifications.listening():
        yield store


@asynccontextmanager
async def replica(store: Store) -> AsyncGenerator[FleetClient]:
    sources = RunDependencies(store.runs, AllApproved(), store.secrets, store.settings)
    async with FleetClient(sources, store.fleet, store.notifications) as client:
        yield client


@asynccontextmanager
async def worker(store: Store) -> AsyncGenerator[RunSupervisor]:
    async def look() -> None:
        """Nothing else is changed here."""

    supervisor = RunSupervisor(store.runs, AllApproved(), store.secrets, store.settings)
    serving = FleetWorker(supervisor, store.runs, store.fleet, store.notifications, look).serving
    async with supervisor, serving():
        yield supervisor


async def question(client: FleetClient, run_id: str) -> str:
    """The id of the question that the run comes to."""
    async for batch in client.subscribe(run_id):
        if batch.view.pending is not None:
            return batch.view.pending.request_id
    raise AssertionError("The run has ended.")


async def told(store: Store, run_id: str) -> list[object]:
    """The names of the commands in a log."""
    return [entry.body["command"] for entry in await store.runs.read(run_id, kinds=("command",))]


async def test_what_a_dead_worker_has_carried_out_is_not_done_again(store: Store) -> None:
    async with replica(store) as client:
        async with worker(store):
            run_id = await client.start(ASKS, "Go.")
            await question(client, run_id)
        async with RunSupervisor(store.runs, AllApproved(), store.secrets, store.settings) as dying:
            body: JsonObject = {"name": "inject", "by": "ann", "request_id": "", "text": "", "data": {"text": "Hurry."}}
            sent = await store.fleet.send(run_id, body)
            await dying.carry_out(run_id, Command("inject", "ann", data={"text": "Hurry."}, id=str(sent)))
        assert await store.fleet.outcome(sent) is None
        async with worker(store):
            view = await client.command(run_id, "pause", by="ann")
            assert view.state is RunState.PAUSED
            assert await store.fleet.outcome(sent) is not None
        assert (await told(store, run_id)).count("inject") == 1


async def test_commands_are_carried_out_in_their_order(store: Store) -> None:
    async with replica(store) as client, worker(store):
        run_id = await client.start(ASKS, "Go.")
        await question(client, run_id)
        async with asyncio.TaskGroup() as group:
            for number in range(5):
                group.create_task(client.command(run_id, "inject", by="ann", data={"text": f"Word {number}."}))
                await asyncio.sleep(0)
        said = [entry.body for entry in await store.runs.read(run_id, kinds=("command",))][1:]
        ids = [int(str(body["id"])) for body in said]
        assert ids == sorted(ids)
        assert len(ids) == 5
        await client.command(run_id, "cancel", by="ann")
        states = [batch.view.state async for batch in client.subscribe(run_id)]
        assert states[-1] is RunState.CANCELLED


async def test_a_sender_is_told_that_no_worker_is_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.runs.fleet.client.SETTLED_WITHIN_S", 0.2)
    async with replica(store) as client:
        run_id = await client.start(ASKS, "Go.")
        with pytest.raises(NoWorker):
            await client.command(run_id, "cancel", by="ann")
        monkeypatch.setattr("studio.runs.fleet.client.SETTLED_WITHIN_S", 30.0)
        async with worker(store):
            states = [batch.view.state async for batch in client.subscribe(run_id)]
            assert states[-1] is RunState.CANCELLED
        assert await told(store, run_id) == ["start", "cancel"]


async def test_what_a_command_said_is_forgotten_once_it_is_settled(store: Store, url: str) -> None:
    async with replica(store) as client, worker(store):
        run_id = await client.start(ASKS, "Go.")
        request_id = await question(client, run_id)
        await client.command(run_id, "answer", request_id=request_id, text="hunter2-hunter2")
        engine = create_async_engine(url)
        async with engine.connect() as connection:
            kept = (
                (await connection.execute(text("SELECT body::text || outcome::text FROM run_command"))).scalars().all()
            )
        await engine.dispose()
        assert len(kept) == 1
        assert "hunter2" not in kept[0]
