"""The workers that share a database, and which runs each of them drives; part of `studio.runs.fleet.port.FleetStore`.

Whether a run is driven is one row: there while a worker drives it, and gone when the worker lets go of it or is itself
gone.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import NamedTuple
from uuid import uuid4

from sqlalchemy import ColumnElement, and_, func, or_, text
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from studio.errors import NotFound
from studio.runs import LeaseLost, RunState
from studio.store import worker_lease
from studio.store.database import Database
from studio.store.postgres import Readable
from studio.store.tables import Run, RunCommand, RunDriver, RunLive, RunSubmission, Worker, table_of


class WorkerSummary(NamedTuple):
    """A worker. `name` is its host and process number, `silent_s` how long ago it showed that it lives."""

    id: str
    name: str
    started_at: datetime
    silent_s: float
    is_draining: bool
    run_count: int


class DrivenRun(NamedTuple):
    """A run that a worker drives; `title` is its name or task."""

    id: str
    title: str
    team_name: str
    state: str
    worker_id: str


class Queue(NamedTuple):
    """How many runs wait for a worker, and since when the first of them does."""

    run_count: int
    since: datetime | None


class WorkerRegistry:
    """The fleet of a database that several processes share; of one that they do not, none of it is used."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.own_id = ""
        """That of this process while it is a worker."""

    @asynccontextmanager
    async def working(self) -> AsyncGenerator[None]:
        """Be a worker inside the block.

        Raises:
            AlreadyRunning: A studio of an older version drives the runs.
            Fenced: This one was silent for too long; the block is cancelled.
        """
        self.own_id = uuid4().hex
        try:
            async with self._database.lease(self.own_id):
                yield
        finally:
            self.own_id = ""

    async def claim(self, limit: int, *, besides: Collection[str] = ()) -> Sequence[str]:
        """Become the driver of runs that nobody drives and that wait for a worker.

        Args:
            limit: How many at most.
            besides: Those that are not claimed for going on by themselves, since that was tried in vain.
        """
        await self._drop_dead()
        async with self._database.read() as session:
            own = await session.get(Worker, self.own_id)
            if own is None or own.is_draining:
                return ()
            queries = (_submitted(), _commanded(), _abandoned(besides))
            found = [run_id for query in queries for run_id in await session.exec(query.limit(limit))]
        wanted = list(dict.fromkeys(found))[:limit]
        if not wanted:
            return ()
        async with self._database.write() as session:
            return await self._insert(session, wanted)

    async def _insert(self, session: AsyncSession, run_ids: Sequence[str]) -> Sequence[str]:
        """Those of the runs that this worker drives from now on; one that was declared dead drives none."""
        from sqlalchemy.dialects.postgresql import insert  # slow to load, and a studio on SQLite needs none of it

        if await session.get(Worker, self.own_id) is None:
            return ()
        rows = [{"run_id": run_id, "worker_id": self.own_id} for run_id in run_ids]
        statement = insert(table_of(RunDriver)).values(rows).on_conflict_do_nothing()
        connection = await session.connection()
        return (await connection.execute(statement.returning(col(RunDriver.run_id)))).scalars().all()

    async def _drop_dead(self) -> None:
        is_dead = col(Worker.seen_at) < _silent_since()
        async with self._database.read() as session:
            if (await session.exec(select(Worker.id).where(is_dead).limit(1))).first() is None:
                return
        async with self._database.write() as session:
            await session.exec(delete(Worker).where(is_dead))
            await _forget_views(session)

    async def list(self) -> Sequence[WorkerSummary]:
        """Those that are there now, the oldest first. The one server of an SQLite database is none."""
        if not self._database.is_shared:
            return ()
        count = select(func.count()).where(col(RunDriver.worker_id) == col(Worker.id)).scalar_subquery()
        query = select(Worker, count, func.clock_timestamp()).order_by(col(Worker.started_at), col(Worker.id))
        async with self._database.read() as session:
            return [
                WorkerSummary(
                    id=row.id,
                    name=row.name,
                    started_at=row.started_at,
                    silent_s=max(0.0, (now - row.seen_at).total_seconds()),
                    is_draining=row.is_draining,
                    run_count=run_count,
                )
                for row, run_count, now in await session.exec(query)
            ]

    async def runs(self, limit: int) -> Sequence[DrivenRun]:
        """The newest of the runs that a worker drives."""
        query = select(RunDriver, Run).join(Run, col(Run.id) == col(RunDriver.run_id))
        async with self._database.read() as session:
            rows = await session.exec(query.order_by(col(Run.created_at).desc(), col(Run.id)).limit(limit))
            return [
                DrivenRun(run.id, run.title or run.task_text, run.team_name, run.state, driver.worker_id)
                for driver, run in rows
            ]

    async def queue(self) -> Queue:
        """The runs that no worker has claimed yet."""
        query = select(func.count(), func.min(RunSubmission.at)).where(_undriven(col(RunSubmission.run_id)))
        async with self._database.read() as session:
            count, since = (await session.exec(query)).one()
        return Queue(count, since)

    async def drain(self, worker_id: str, *, is_draining: bool) -> None:
        """Let a worker claim no more runs, or claim them again.

        Raises:
            NotFound: There is no such worker any more.
        """
        async with self._database.write() as session:
            row = await session.get(Worker, worker_id)
            if row is None:
                raise NotFound(f"There is no worker {worker_id!r}.", fix="It has stopped. Load the list again.")
            row.is_draining = is_draining

    async def require_driver(self, session: AsyncSession, run_id: str) -> None:
        """Be the driver of a run from now on, in a transaction that looks and then writes.

        Raises:
            LeaseLost: Another worker is.
        """
        if not self.own_id:
            return
        await self._insert(session, [run_id])
        driver = await session.get(RunDriver, run_id)
        if driver is None or driver.worker_id != self.own_id:
            raise LeaseLost(f"The run {run_id!r} is driven by another worker.")

    async def driven(self) -> Sequence[str]:
        """Ids of the runs that this worker is the driver of."""
        async with self._database.read() as session:
            return (await session.exec(select(RunDriver.run_id).where(RunDriver.worker_id == self.own_id))).all()

    async def release(self, run_ids: Collection[str]) -> None:
        """Let go of runs: another worker may drive them."""
        is_own = (col(RunDriver.run_id).in_(run_ids), col(RunDriver.worker_id) == self.own_id)
        async with self._database.write() as session:
            await session.exec(delete(RunDriver).where(*is_own))
            await _forget_views(session)


async def _forget_views(session: AsyncSession) -> None:
    """What a worker told last of a run that no worker drives any more: the log says more."""
    await session.exec(delete(RunLive).where(_undriven(col(RunLive.run_id))))


def _silent_since() -> ColumnElement[object]:
    return func.clock_timestamp() - func.make_interval(text(f"secs => {float(worker_lease.SILENT_S)}"))


def _undriven(run_id: object) -> ColumnElement[bool]:
    return ~select(RunDriver.run_id).where(col(RunDriver.run_id) == run_id).exists()


def _submitted() -> SelectOfScalar[str]:
    return select(RunSubmission.run_id).where(_undriven(col(RunSubmission.run_id))).order_by(col(RunSubmission.at))


def _commanded() -> SelectOfScalar[str]:
    is_unsettled = col(RunCommand.outcome).is_(None)
    return select(RunCommand.run_id).where(is_unsettled, _undriven(col(RunCommand.run_id))).order_by(col(RunCommand.id))


def _abandoned(besides: Collection[str]) -> SelectOfScalar[str]:
    """Runs that go on by themselves, as `is_auto_resumable` has it, and those of which nobody was told."""
    has_deadline = Readable(col(Run.pending))["details"]["until"].as_string().is_not(None)
    is_paused = and_(col(Run.state) == RunState.PAUSED.value, or_(col(Run.reason) == "shutdown", has_deadline))
    is_submitted = select(RunSubmission.run_id).where(RunSubmission.run_id == col(Run.id)).exists()
    is_unstarted = and_(col(Run.state) == RunState.CREATED.value, ~is_submitted)
    goes_on = or_(col(Run.state) == RunState.RUNNING.value, is_paused, is_unstarted)
    states = (RunState.RUNNING.value, RunState.PAUSED.value, RunState.CREATED.value)
    query = select(Run.id).where(col(Run.state).in_(states), goes_on, _undriven(col(Run.id)))
    return query.where(col(Run.id).not_in(besides)).order_by(col(Run.created_at))
