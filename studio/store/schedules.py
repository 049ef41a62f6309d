"""Schedules of deployments, and the times at which they fired. See docs/design/schedules.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from sqlalchemy import func
from sqlmodel import col, delete, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.deployments.cron import next_times
from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.deployment_tables import Deployment, Firing, Schedule

MAX_SCHEDULES = 50
"""Of one deployment."""
GRACE = timedelta(hours=1)
"""A time that passed while no server ran is caught up once for so long; after that it is told as missed."""
CLAIM = timedelta(seconds=20)
"""How long a firing belongs to the server that claimed it: longer than a call takes to begin. A call has a key by
which a second server that begins it gets the same one."""
KEPT = timedelta(days=90)
LISTED = 20
FiringState = Literal["due", "called", "refused", "missed"]
MISSED = "No server of the studio ran when this was due."


class DueFiring(NamedTuple):
    """A firing that was claimed, and the deployment that gets its call."""

    firing: Firing
    deployment: Deployment


class Schedules:
    """All schedules, by the IDs of their deployments."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, deployment_id: str) -> Sequence[Schedule]:
        """The oldest first."""
        query = select(Schedule).where(Schedule.deployment_id == deployment_id)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Schedule.created_at), col(Schedule.id)))).all()

    async def get(self, deployment_id: str, schedule_id: str) -> Schedule:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get(session, deployment_id, schedule_id)

    async def add(self, new: Schedule) -> Schedule:
        """Keep one; its first time is the next after `created_at`.

        Raises:
            ConfigError: Its expression or its zone cannot be read.
            Conflict: The deployment has too many.
        """
        [first_due] = next_times(new.cron, new.zone, new.created_at)
        new.due_at = first_due if new.is_on else None
        async with self._database.write() as session:
            others = await session.exec(select(Schedule.id).where(Schedule.deployment_id == new.deployment_id))
            if len(others.all()) >= MAX_SCHEDULES:
                raise Conflict(f"A deployment has up to {MAX_SCHEDULES} schedules.", fix="Delete some of them.")
            session.add(new)
        return new

    async def change(
        self,
        deployment_id: str,
        schedule_id: str,
        now: datetime,
        *,
        cron: str | None = None,
        zone: str | None = None,
        task: str | None = None,
        is_on: bool | None = None,
    ) -> Schedule:
        """Change what is given. Times that passed before `now` are not caught up.

        Raises:
            NotFound: The deployment has no such schedule.
            ConfigError: The expression or the zone cannot be read.
        """
        async with self._database.write() as session:
            row = await _get(session, deployment_id, schedule_id)
            row.cron = row.cron if cron is None else cron
            row.zone = row.zone if zone is None else zone
            row.task = row.task if task is None else task
            row.is_on = row.is_on if is_on is None else is_on
            if (cron, zone, is_on) != (None, None, None):
                [first_due] = next_times(row.cron, row.zone, now)
                row.due_at = first_due if row.is_on else None
        return row

    async def delete(self, deployment_id: str, schedule_id: str) -> None:
        """Its calls stay.

        Raises:
            NotFound: The deployment has no such schedule.
        """
        async with self._database.write() as session:
            await session.delete(await _get(session, deployment_id, schedule_id))

    async def firings(self, schedule_id: str, limit: int = LISTED) -> Sequence[Firing]:
        """The newest first."""
        query = select(Firing).where(Firing.schedule_id == schedule_id).order_by(col(Firing.due_at).desc())
        async with self._database.read() as session:
            return (await session.exec(query.limit(limit))).all()

    async def last_firings(self, deployment_id: str) -> Mapping[str, Firing]:
        """The newest of each schedule that has fired, by its ID."""
        newest = (
            select(Firing.schedule_id, func.max(Firing.due_at).label("at"))
            .join(Schedule, col(Schedule.id) == col(Firing.schedule_id))
            .where(Schedule.deployment_id == deployment_id)
            .group_by(col(Firing.schedule_id))
            .subquery()
        )
        query = select(Firing).join(
            newest, (newest.c.schedule_id == col(Firing.schedule_id)) & (newest.c.at == col(Firing.due_at))
        )
        async with self._database.read() as session:
            return {each.schedule_id: each for each in (await session.exec(query)).all()}

    async def claim_due(self, now: datetime, limit: int) -> Sequence[DueFiring]:
        """Firings that need a call now, each for this server alone until `CLAIM` has passed."""
        due = select(Schedule).where(col(Schedule.due_at) <= now).order_by(col(Schedule.due_at)).limit(limit)
        async with self._database.read() as session:
            schedules = (await session.exec(due)).all()
        for each in schedules:
            await self._fire(each, now)
        waiting = (
            select(Firing, Deployment)
            .join(Schedule, col(Schedule.id) == col(Firing.schedule_id))
            .join(Deployment, col(Deployment.id) == col(Schedule.deployment_id))
            .where(col(Firing.try_at) <= now)
            .order_by(col(Firing.try_at))
            .limit(limit)
        )
        async with self._database.read() as session:
            found = [DueFiring(*row) for row in (await session.exec(waiting)).all()]
        return [each for each in found if await self._claim(each.firing, now)]

    async def fire(self, deployment_id: str, schedule_id: str, now: datetime) -> Firing:
        """Let a schedule fire beside its times, also one that is off.

        Raises:
            NotFound: The deployment has no such schedule.
            Conflict: A call of it is about to begin.
        """
        async with self._database.write() as session:
            row = await _get(session, deployment_id, schedule_id)
            is_waiting = col(Firing.schedule_id) == row.id, col(Firing.state) == "due"
            if (await session.exec(select(Firing.due_at).where(*is_waiting).limit(1))).first():
                raise Conflict("A call of this schedule is about to begin.", fix="Wait for it.")
            firing = Firing(schedule_id=row.id, due_at=now, task=row.task, state="due", try_at=now)
            session.add(firing)
        return firing

    async def _fire(self, seen: Schedule, now: datetime) -> None:
        """Move a schedule on and keep what is due, both or neither; of servers that try at once, one does."""
        due_at = seen.due_at
        assert due_at is not None
        is_missed = now - due_at > GRACE
        firing = Firing(
            schedule_id=seen.id,
            due_at=due_at,
            task=seen.task,
            state="missed" if is_missed else "due",
            detail=MISSED if is_missed else "",
            try_at=None if is_missed else now,
        )
        is_same = col(Schedule.id) == seen.id, col(Schedule.due_at) == due_at
        async with self._database.write() as session:
            following = _following(seen, due_at, now)
            moved = await session.exec(update(Schedule).where(*is_same).values(due_at=following))
            # It has fired for this time before where the clock of a server was set back.
            if moved.rowcount == 1 and await session.get(Firing, (seen.id, due_at)) is None:
                session.add(firing)

    async def _claim(self, firing: Firing, now: datetime) -> bool:
        """Whoever moves the time on from what both have read is the one."""
        async with self._database.write() as session:
            done = await session.exec(
                update(Firing).where(*_is(firing), col(Firing.try_at) == firing.try_at).values(try_at=now + CLAIM)
            )
        return done.rowcount == 1

    async def settle(self, firing: Firing, state: FiringState, *, call_id: str | None = None, detail: str = "") -> None:
        """Keep what came of a firing; it is not tried again."""
        values = {"state": state, "call_id": call_id, "detail": detail, "try_at": None}
        async with self._database.write() as session:
            await session.exec(update(Firing).where(*_is(firing)).values(**values))

    async def prune(self, now: datetime) -> None:
        """Forget what was due too long ago."""
        async with self._database.write() as session:
            await session.exec(delete(Firing).where(col(Firing.due_at) < now - KEPT))


def _is(firing: Firing):
    return col(Firing.schedule_id) == firing.schedule_id, col(Firing.due_at) == firing.due_at


def _following(schedule: Schedule, due_at: datetime, now: datetime) -> datetime:
    """The first time that is still to come. Counted from what was due, so that a repeated hour counts once."""
    following = due_at if now - due_at <= GRACE else now
    while following <= now:
        [following] = next_times(schedule.cron, schedule.zone, following)
    return following


async def _get(session: AsyncSession, deployment_id: str, schedule_id: str) -> Schedule:
    row = await session.get(Schedule, schedule_id)
    if row is None or row.deployment_id != deployment_id:
        raise NotFound(f"There is no schedule {schedule_id!r}.", fix="It may have been deleted in another tab.")
    return row
