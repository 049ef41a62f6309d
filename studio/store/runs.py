"""Runs and their logs; fulfils `studio.runs.RunStore`."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import get_args
from uuid import uuid4

from pydantic import JsonValue, ValidationError
from sqlalchemy import bindparam, case, func, insert, or_
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, delete, select, update
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import Select

from studio.errors import Conflict, NotFound, RunFailed
from studio.runs import (
    Changes,
    Draft,
    EntryKind,
    Lease,
    LogEntry,
    NewRun,
    PendingInput,
    RunExists,
    RunRecord,
    RunState,
    RunStatus,
    RunSummary,
    Usage,
)
from studio.runs.journal.log import Origin
from studio.runs.submission import Submission
from studio.store.appender import Appender
from studio.store.database import Database
from studio.store.entries import read_page
from studio.store.labels import forget_labels
from studio.store.lineage import Lineage
from studio.store.ownership import own_folder
from studio.store.run_files import add_first_files
from studio.store.run_search import ALL_RUNS, RunFilter, search
from studio.store.starts import start_row
from studio.store.tables import Budget, Run, RunEvent, RunStart, RunSubmission, Team, table_of
from studio.store.workers import WorkerRegistry

NEWEST_FIRST = (col(Run.created_at).desc(), col(Run.id).desc())


class DamagedRun(RunFailed):
    """What is kept of a run cannot be read."""

    code = "damaged_run"


UNFINISHED = [state.value for state in RunState if not state.is_final]


@cache
def _run_with_start() -> Select[Run, RunStart]:
    """Made once: each page of a run asks this."""
    is_of = col(RunStart.run_id) == col(Run.id)
    return select(Run, RunStart).join(RunStart, is_of).where(Run.id == bindparam("run_id"))


class Runs:
    """Rows of runs and entries of their logs."""

    def __init__(
        self, database: Database, appender: Appender, lineage: Lineage, data_dir: Path, workers: WorkerRegistry
    ) -> None:
        self._database = database
        self._workers = workers
        self._appender = appender
        self._data_dir = data_dir
        self._lineage = lineage

    async def create(self, run: NewRun, submission: Submission | None = None) -> Lease:
        row = Run(
            id=run.id or str(uuid4()),
            team_id=run.team_id,
            team_name=run.team_name,
            team_revision=run.team_revision,
            task_text=run.task_text,
            state=RunState.CREATED.value,
            created_at=datetime.now(UTC),
            last_seq=run.parent_seq,
            parent_id=run.parent_id,
            parent_seq=run.parent_seq,
            root_id=run.root_id,
            session_id=run.session_id,
            origin=run.origin,
            listing=run.listing,
        )
        start = await start_row(row.id, run.component, run.task, run.changes)
        try:
            async with self._database.write() as session:
                session.add(row)
                await session.flush()
                await (await session.connection()).execute(insert(table_of(RunStart)), start)
                await add_first_files(session, row.id, run, row.created_at)
                if submission is None:
                    await self._workers.require_driver(session, row.id)
                else:
                    session.add(
                        RunSubmission(run_id=row.id, body=submission.model_dump(mode="json"), at=row.created_at)
                    )
        except IntegrityError as error:
            if run.id and await self._has(run.id):
                raise RunExists(f"The run {run.id!r} has already started.") from error
            raise NotFound(f"There is no team {run.team_id!r}.", fix="It may have been deleted.") from error
        return Lease(row.id, row.epoch)

    def append(self, lease: Lease, drafts: Sequence[Draft], status: RunStatus) -> asyncio.Future[Sequence[LogEntry]]:
        return self._appender.append(lease, drafts, status)

    async def read(
        self, run_id: str, *, after: int = 0, limit: int = 500, kinds: Collection[EntryKind] | None = None
    ) -> Sequence[LogEntry]:
        spans = await self._lineage.spans(run_id)
        return (await read_page(self._database, spans, run_id, after=after, limit=limit, kinds=kinds)).entries

    async def _has(self, run_id: str) -> bool:
        async with self._database.read() as session:
            return await session.get(Run, run_id) is not None

    async def summary(self, run_id: str) -> RunSummary:
        async with self._database.read() as session:
            return _summary(await _get(session, run_id))

    async def get(self, run_id: str) -> RunRecord:
        """The run with what it was started with.

        Raises:
            NotFound: There is no such run.
        """
        async with self._database.read() as session:
            found = (await session.exec(_run_with_start(), params={"run_id": run_id})).first()
        if found is None:
            await self.summary(run_id)  # raises where there is no such run
            raise DamagedRun("The team and task of the run are missing in the database.", fix="Delete the run.")
        row, start = found
        try:
            changes = Changes.model_validate(start.changes)
            return RunRecord(**dict(_summary(row)), component=start.component, task=start.task, changes=changes)
        except ValidationError as error:
            wrong = error.errors()[0]
            raise DamagedRun(
                f"The team and task of the run cannot be read: {wrong['msg']}.",
                fix="Delete the run, or use the version of the studio that wrote it.",
                where="/" + "/".join(map(str, wrong["loc"])),
            ) from error

    async def task(self, run_id: str) -> JsonValue:
        """What the run was started with, without its team.

        Raises:
            NotFound: There is no such run.
        """
        async with self._database.read() as session:
            found = (await session.exec(select(col(RunStart.task)).where(RunStart.run_id == run_id))).all()
        if not found:
            raise NotFound("There is no such run.")
        return found[0]

    async def line(self, run_id: str) -> Sequence[RunSummary]:
        """The run with those that it goes on from and those that go on from these, the oldest first.

        A run that was brought here only claims to be of a line: it and what goes on from it are a line of their own.
        """
        async with self._database.read() as session:
            run = await _get(session, run_id)
            root_id = run.root_id or run.id
            query = select(Run).where(or_(col(Run.id) == root_id, col(Run.root_id) == root_id))
            rows = (await session.exec(query.order_by(col(Run.created_at), col(Run.id)))).all()
        known = {row.id: row for row in rows}
        begun_by = _begun_by(known, run_id)
        return [_summary(row) for row in rows if _begun_by(known, row.id) == begun_by]

    async def list(
        self, wanted: RunFilter = ALL_RUNS, *, before: str | None = None, limit: int = 100
    ) -> Sequence[RunSummary]:
        """The newest runs first.

        Args:
            wanted: Which runs; its order is not used.
            before: Only those older than the run with this id.
            limit: How many.

        Raises:
            NotFound: There is no run `before`.
        """
        query = select(Run).where(*wanted.conditions())
        async with self._database.read() as session:
            if before is not None:
                last = await _get(session, before)
                is_older = or_(col(Run.created_at) < last.created_at, col(Run.id) < last.id)
                query = query.where(col(Run.created_at) <= last.created_at, is_older)
            rows = (await session.exec(query.order_by(*NEWEST_FIRST).limit(limit))).all()
        return [_summary(row) for row in rows]

    async def search(self, wanted: RunFilter, *, offset: int = 0, limit: int = 100) -> tuple[Sequence[RunSummary], int]:
        """A page of the runs that meet a filter, and how many there are in all."""
        async with self._database.read() as session:
            rows, count = await search(session, wanted, offset=offset, limit=limit)
        return [_summary(row) for row in rows], count

    async def newest_of(self, team_ids: Collection[str]) -> Mapping[str, RunSummary]:
        """The newest run of each team that has one."""
        of_team = (col(Run.team_id) == col(Team.id), col(Run.listing).not_in(("trashed", "evaluation")))
        newest = select(Run.id).where(*of_team).order_by(*NEWEST_FIRST).limit(1)
        of_each = select(newest.correlate(Team).scalar_subquery()).where(col(Team.id).in_(team_ids))
        async with self._database.read() as session:
            rows = await session.exec(select(Run).where(col(Run.id).in_(of_each)))
            return {row.team_id: _summary(row) for row in rows if row.team_id}

    async def session(self, session_id: str) -> builtins.list[RunSummary]:
        """The runs of a session, in their order; that with the session's id is the first."""
        query = select(Run).where((col(Run.session_id) == session_id) | (col(Run.id) == session_id))
        async with self._database.read() as session:
            return [_summary(row) for row in await session.exec(query.order_by(col(Run.created_at)))]

    async def sessions(
        self, team_id: str | None = None, *, limit: int = 100
    ) -> builtins.list[builtins.list[RunSummary]]:
        """Those of more than one run, the newest first; of one team, or of all."""
        is_listed = (col(Run.session_id).is_not(None), col(Run.listing) != "trashed")
        query = select(Run.session_id).where(*is_listed).group_by(col(Run.session_id))
        if team_id is not None:
            query = query.where(Run.team_id == team_id)
        async with self._database.read() as session:
            found = (await session.exec(query.order_by(func.max(Run.created_at).desc()).limit(limit))).all()
            ids = [session_id for session_id in found if session_id]
            members = select(Run).where(or_(col(Run.session_id).in_(ids), col(Run.id).in_(ids)))
            rows = (await session.exec(members.order_by(col(Run.created_at), col(Run.id)))).all()
        grouped: dict[str, builtins.list[RunSummary]] = {session_id: [] for session_id in ids}
        for row in rows:
            grouped[row.session_id or row.id].append(_summary(row))
        return [*grouped.values()]

    async def rename(self, run_id: str, title: str) -> RunSummary:
        """Give a run a name; with "" it goes by its task again.

        Raises:
            NotFound: There is no such run.
        """
        async with self._database.write() as session:
            row = await _get(session, run_id)
            row.title = title.strip()
            return _summary(row)

    async def delete(self, run_id: str) -> None:
        """Remove an ended run with its log for good.

        Raises:
            NotFound: There is no such run, or it has not ended.
            Conflict: Others have its entries as their first ones.
        """
        async with self._database.write() as session:
            row = await session.get(Run, run_id)
            if row is None or row.state in UNFINISHED:
                raise NotFound(f"There is no ended run {run_id!r}.", fix="Stop or cancel it first.")
            below = select(Run.id).where(Run.parent_id == run_id, col(Run.parent_seq) > 0)
            if (await session.exec(below.limit(1))).first() is not None:
                raise Conflict("Other runs continue from this one.", fix="Delete those first.")
            await session.delete(row)
            await session.exec(delete(Budget).where(col(Budget.scope) == f"run:{run_id}"))
            await forget_labels(session, "run", [run_id])
        self._lineage.forget(run_id)

    async def unfinished(self) -> Sequence[str]:
        if self._database.is_shared:
            return ()  # a worker claims them
        async with self._database.read() as session:
            is_submitted = select(RunSubmission.run_id).where(RunSubmission.run_id == col(Run.id)).exists()
            has_begun = or_(col(Run.state) != RunState.CREATED.value, ~is_submitted)
            rows = await session.exec(
                select(Run.id).where(col(Run.state).in_(UNFINISHED), has_begun).order_by(col(Run.created_at))
            )
            return rows.all()

    async def take_over(self, run_id: str) -> tuple[Lease, RunStatus]:
        logged = select(func.coalesce(func.max(RunEvent.seq), 0)).where(RunEvent.run_id == run_id).scalar_subquery()
        statement = (
            update(Run)
            .where(col(Run.id) == run_id)
            # The log is the truth: a row that is behind it would hand out numbers that are taken.
            .values(epoch=col(Run.epoch) + 1, last_seq=case((col(Run.last_seq) < logged, logged), else_=Run.last_seq))
            .execution_options(synchronize_session=False)
        )
        async with self._database.write() as session:
            await _get(session, run_id)
            await self._workers.require_driver(session, run_id)
            await session.exec(statement)
            row = await session.get(Run, run_id, populate_existing=True)
        assert row
        return Lease(run_id, row.epoch), _status(row)

    @asynccontextmanager
    async def own_runs(self) -> AsyncGenerator[None]:
        """Where several machines reach the database, a worker owns what it claims: a folder's lock says nothing."""
        async with self._workers.working() if self._database.is_shared else own_folder(self._data_dir):
            yield


async def _get(session: AsyncSession, run_id: str) -> Run:
    row = await session.get(Run, run_id)
    if row is None:
        raise NotFound(f"There is no run {run_id!r}.")
    return row


def _begun_by(runs: Mapping[str, Run], run_id: str) -> str:
    """The run that was brought here which this one goes on from, or is; "" where there is none."""
    at = runs.get(run_id)
    while at is not None and at.parent_id is not None:
        at = runs.get(at.parent_id)
    return at.id if at is not None and at.root_id is not None else ""


def _summary(row: Run) -> RunSummary:
    fields = row.model_dump(exclude={"pending"})
    if row.origin not in get_args(Origin):
        fields["origin"] = ""  # of another version of the studio
    return RunSummary.model_validate({**fields, "status": _status(row)})


def _status(row: Run) -> RunStatus:
    """What the row says; of one that is damaged, or of another version, what can be read of it."""
    usage = Usage(row.prompt_tokens, row.completion_tokens, row.micro_usd, row.unpriced_calls)
    try:
        pending = None if row.pending is None else PendingInput.model_validate(row.pending)
        return RunStatus.model_validate(
            {"state": row.state, "reason": row.reason, "detail": row.detail, "pending": pending, "usage": usage}
        )
    except ValidationError as error:
        state = RunState(row.state) if row.state in set(RunState) else RunState.INTERRUPTED
        wrong = error.errors()[0]
        field = ".".join(map(str, wrong["loc"])) or "status"
        detail = f"The record of this run in the database cannot be read ({field}: {wrong['msg']}). {row.detail}"
        return RunStatus(state=state, detail=detail.strip(), usage=usage)
