"""The trash: teams and runs that were deleted, until somebody empties it or they have been there for long."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import col, delete, select

from studio.store.database import Database
from studio.store.labels import ENDED, forget_labels
from studio.store.lineage import Lineage
from studio.store.tables import Budget, Run, Team

KEPT_DAYS = 30
RUNS_AT_ONCE = 20
"""That are deleted in one transaction: others want to write as well."""
TEAMS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Trashed:
    """A team or run in the trash, as a list shows it."""

    id: str
    name: str
    about: str
    trashed_at: datetime


@dataclass(frozen=True, slots=True)
class Emptied:
    """How many teams and runs were deleted for good, and how many are left in the trash."""

    deleted: int
    left: int


class Trash:
    """What was deleted and can still come back."""

    def __init__(self, database: Database, lineage: Lineage) -> None:
        self._database = database
        self._lineage = lineage

    async def teams(self, *, limit: int) -> Sequence[Trashed]:
        """The trashed teams, the one trashed last first."""
        query = select(Team.id, Team.name, Team.summary, Team.trashed_at).where(Team.listing == "trashed")
        async with self._database.read() as session:
            rows = await session.exec(query.order_by(col(Team.trashed_at).desc(), col(Team.id)).limit(limit))
            return [Trashed(*row[:3], row[3] or datetime.now(UTC)) for row in rows]

    async def runs(self, *, limit: int) -> Sequence[Trashed]:
        """The runs that were trashed by themselves, the one trashed last first."""
        name = func.coalesce(func.nullif(Run.title, ""), Run.task_text)
        query = select(Run.id, name, Run.team_name, Run.trashed_at).where(Run.listing == "trashed")
        async with self._database.read() as session:
            rows = await session.exec(query.order_by(col(Run.trashed_at).desc(), col(Run.id)).limit(limit))
            return [Trashed(*row[:3], row[3] or datetime.now(UTC)) for row in rows]

    async def count(self) -> int:
        """How many teams and runs are in the trash by themselves."""
        teams = select(func.count(col(Team.id))).where(Team.listing == "trashed")
        runs = select(func.count(col(Run.id))).where(Run.listing == "trashed")
        async with self._database.read() as session:
            return (await session.exec(teams)).one() + (await session.exec(runs)).one()

    async def empty(self, *, until: datetime | None = None, within_s: float = float("inf")) -> Emptied:
        """Delete what is in the trash for good: all of it, or what was put there before a time.

        Stops after `within_s`; call it again until nothing is deleted any more.
        """
        team_due, run_due = _due(Team, until), _due(Run, until)
        async with self._database.read() as session:
            team_ids = (await session.exec(select(Team.id).where(*team_due).limit(TEAMS_AT_ONCE))).all()
        ends_s = time.monotonic() + within_s
        deleted = await self._delete_runs(ends_s, *run_due)
        for team_id in team_ids:
            if time.monotonic() < ends_s:
                deleted += await self._delete_team(team_id, ends_s)
        return Emptied(deleted, await self.count())

    async def _delete_team(self, team_id: str, ends_s: float) -> int:
        """Delete a trashed team with its versions, once all its runs could be deleted. Returns how many of both."""
        deleted = await self._delete_runs(ends_s, col(Run.team_id) == team_id)
        async with self._database.write() as session:
            if (await session.exec(select(Run.id).where(Run.team_id == team_id).limit(1))).first() is not None:
                return deleted
            here = (col(Team.id) == team_id, col(Team.listing) == "trashed")
            gone = await session.exec(delete(Team).where(*here))
            await session.exec(delete(Budget).where(col(Budget.scope) == f"team:{team_id}"))
            await forget_labels(session, "team", [team_id])
        return deleted + gone.rowcount

    async def _delete_runs(self, ends_s: float, *due: ColumnElement[bool]) -> int:
        """Delete the ended ones of these runs that no run continues from, until none is left. Returns how many."""
        child = aliased(Run)
        is_continued = select(child.id).where(child.parent_id == Run.id, col(child.parent_seq) > 0).exists()
        query = select(Run.id).where(*due, col(Run.state).in_(ENDED), ~is_continued).limit(RUNS_AT_ONCE)
        deleted = 0
        while time.monotonic() < ends_s:
            async with self._database.write() as session:
                ids = (await session.exec(query)).all()
                if not ids:
                    break
                await session.exec(delete(Run).where(col(Run.id).in_(ids)))
                await session.exec(delete(Budget).where(col(Budget.scope).in_([f"run:{each}" for each in ids])))
                await forget_labels(session, "run", ids)
            for each in ids:
                self._lineage.forget(each)
            deleted += len(ids)
        return deleted

    async def prune(self, now: datetime) -> None:
        """Delete for good what has been in the trash for `KEPT_DAYS`; mostly that is nothing, and costs a look."""
        until = now - timedelta(days=KEPT_DAYS)
        is_due = or_(*(select(table.id).where(*_due(table, until)).exists() for table in (Team, Run)))
        async with self._database.read() as session:
            if not (await session.exec(select(is_due))).one():
                return
        await self.empty(until=until)


def _due(table: type[Team] | type[Run], until: datetime | None) -> list[ColumnElement[bool]]:
    """What tells that a row is in the trash by itself, and since before a time."""
    is_trashed = col(table.listing) == "trashed"
    return [is_trashed] if until is None else [is_trashed, col(table.trashed_at) < until]
