"""Submissions, commands and live states of runs; fulfils `studio.runs.fleet.port.FleetStore`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from sqlalchemy import ColumnElement, Connection, Executable, delete, insert
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select, update

from studio.errors import NotFound
from studio.runs import NewRun
from studio.runs.fleet.port import LiveState, SentCommand
from studio.runs.submission import Submission
from studio.store.database import Database
from studio.store.json_text import JsonText, to_json
from studio.store.runs import Runs
from studio.store.tables import JsonObject, Run, RunCommand, RunDriver, RunLive, RunSubmission, table_of
from studio.store.workers import WorkerRegistry

MAX_TAKEN = 500
KEPT = timedelta(hours=1)
"""How long what came of a command is kept for whoever sent it."""


class Fleet:
    """What processes that share this database tell each other about runs."""

    def __init__(self, database: Database, runs: Runs, workers: WorkerRegistry) -> None:
        self._database = database
        self._runs = runs
        self._workers = workers

    async def claim(self, limit: int, *, besides: Collection[str] = ()) -> Sequence[str]:
        return await self._workers.claim(limit, besides=besides)

    async def claimed(self) -> Sequence[str]:
        return await self._workers.driven()

    async def release(self, run_ids: Collection[str]) -> None:
        await self._workers.release(run_ids)

    async def submit(self, new: NewRun, submission: Submission) -> str:
        return (await self._runs.create(new, submission)).run_id

    async def submitted(self) -> Sequence[tuple[str, Submission]]:
        query = select(RunSubmission).where(self._is_own(RunSubmission.run_id)).order_by(col(RunSubmission.at))
        async with self._database.read() as session:
            return [
                (row.run_id, Submission.model_validate(row.body)) for row in await session.exec(query.limit(MAX_TAKEN))
            ]

    async def begun(self, run_id: str) -> None:
        await self._run(delete(table_of(RunSubmission)).where(col(RunSubmission.run_id) == run_id))

    async def send(self, run_id: str, body: JsonObject) -> int:
        row = RunCommand(run_id=run_id, body=body, at=datetime.now(UTC))
        try:
            async with self._database.write() as session:
                session.add(row)
                await session.flush()
                assert row.id is not None
                return row.id
        except IntegrityError as error:
            raise NotFound(f"There is no run {run_id!r}.") from error

    async def unsettled(self) -> Sequence[SentCommand]:
        is_own = self._is_own(RunCommand.run_id)
        waiting = select(RunCommand).where(col(RunCommand.outcome).is_(None), is_own).order_by(col(RunCommand.id))
        async with self._database.read() as session:
            rows = await session.exec(waiting.limit(MAX_TAKEN))
            return [SentCommand(row.id or 0, row.run_id, row.body) for row in rows]

    async def settle(self, command_id: int, outcome: JsonObject) -> None:
        values = {"outcome": outcome, "body": {}}
        await self._run(update(table_of(RunCommand)).where(col(RunCommand.id) == command_id).values(values))

    async def outcome(self, command_id: int) -> JsonObject | None:
        async with self._database.read() as session:
            row = await session.get(RunCommand, command_id)
            return None if row is None else row.outcome

    async def driven(self, team_id: str) -> Sequence[str]:
        query = select(RunLive.run_id).join(Run, col(Run.id) == col(RunLive.run_id)).where(Run.team_id == team_id)
        async with self._database.read() as session:
            return (await session.exec(query)).all()

    async def publish(self, states: Mapping[str, LiveState | None]) -> None:
        rows = [
            {"run_id": run_id, "view": JsonText(to_json(state.view)), "written": JsonText(to_json(list(state.written)))}
            for run_id, state in states.items()
            if state is not None
        ]

        def replace(connection: Connection) -> None:
            is_own = col(RunLive.run_id).in_(states.keys()), self._is_own(RunLive.run_id)
            connection.execute(delete(table_of(RunLive)).where(*is_own))
            own = select(RunDriver.run_id).where(col(RunDriver.run_id).in_(states.keys()), self._is_mine())
            driven = set(connection.execute(own).scalars())
            if shown := [row for row in rows if row["run_id"] in driven]:  # no view of one that was frozen meanwhile
                connection.execute(insert(table_of(RunLive)), shown)

        await self._database.run_in_transaction(replace)

    async def live(self, run_id: str) -> LiveState | None:
        async with self._database.read() as session:
            row = await session.get(RunLive, run_id)
            return None if row is None else LiveState(row.view, cast("list[JsonObject]", row.written))

    async def tidy(self) -> None:
        is_old = (col(RunCommand.outcome).is_not(None), col(RunCommand.at) < datetime.now(UTC) - KEPT)
        await self._run(delete(table_of(RunCommand)).where(*is_old))

    def _is_own(self, run_id: object) -> ColumnElement[bool]:
        return select(RunDriver.run_id).where(col(RunDriver.run_id) == run_id, self._is_mine()).exists()

    def _is_mine(self) -> ColumnElement[bool]:
        return col(RunDriver.worker_id) == self._workers.own_id

    async def _run(self, statement: Executable) -> None:
        await self._database.run_in_transaction(lambda connection: connection.execute(statement) and None)
