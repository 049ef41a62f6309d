"""Who did what, and who was refused: written down once, changed never."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta

from sqlmodel import col, delete, select

from studio.store.database import Database
from studio.store.tables import AuditEntry

KEPT_DAYS = 400
MAX_LENGTH = 300
PAGE = 500


class Audit:
    """The audit log. It holds no bodies and no values."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, who: str, action: str, *, object: str = "", address: str = "", outcome: str) -> None:
        """Write down one thing that was done or refused."""
        entry = AuditEntry(
            at=datetime.now(UTC),
            who=who[:MAX_LENGTH],
            action=action[:MAX_LENGTH],
            object=object[:MAX_LENGTH],
            address=address[:MAX_LENGTH],
            outcome=outcome[:MAX_LENGTH],
        )
        async with self._database.write() as session:
            session.add(entry)

    async def list(self, *, before: int | None = None, who: str = "", limit: int = 100) -> Sequence[AuditEntry]:
        """The newest first, or those older than the entry `before`."""
        wanted = select(AuditEntry).order_by(col(AuditEntry.id).desc()).limit(limit)
        if before is not None:
            wanted = wanted.where(col(AuditEntry.id) < before)
        if who:
            wanted = wanted.where(AuditEntry.who == who)
        async with self._database.read() as session:
            return (await session.exec(wanted)).all()

    async def all(self) -> AsyncGenerator[AuditEntry]:
        """Everything, the oldest first."""
        last = 0
        while True:
            wanted = select(AuditEntry).where(col(AuditEntry.id) > last).order_by(col(AuditEntry.id)).limit(PAGE)
            async with self._database.read() as session:
                rows = (await session.exec(wanted)).all()
            for row in rows:
                last = row.id or last
                yield row
            if len(rows) < PAGE:
                return

    async def prune(self, now: datetime) -> None:
        """Drop what is older than a year and a month."""
        async with self._database.write() as session:
            await session.exec(delete(AuditEntry).where(col(AuditEntry.at) < now - timedelta(days=KEPT_DAYS)))
