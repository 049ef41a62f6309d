"""When web pages of knowledge bases are to be read again, and which server does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from sqlmodel import col, select, update

from studio.errors import ConfigError, NotFound
from studio.store.database import Database
from studio.store.knowledge_tables import KnowledgeDocument

Interval = Literal["", "hourly", "daily", "weekly"]
INTERVALS: Mapping[str, timedelta] = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(days=7),
}
CLAIM = timedelta(minutes=10)
"""How long a page belongs to the server that claimed it. Longer than fetching and reading it may take."""
MAX_ERROR_CHARS = 500


class DuePage(NamedTuple):
    """A document that this server reads again. It is another's after `until`."""

    document: KnowledgeDocument
    until: datetime


class KnowledgeRefreshes:
    """Those of all knowledge bases of a studio."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def choose(self, base_id: str, document_id: str, interval: Interval, now: datetime) -> KnowledgeDocument:
        """Say how often a page is read again, the first time one interval from now; "" is never.

        Raises:
            NotFound: There is no such document.
            ConfigError: It was not fetched from an address.
        """
        async with self._database.write() as session:
            row = await session.get(KnowledgeDocument, document_id)
            if row is None or row.base_id != base_id:
                raise NotFound(f"There is no document {document_id!r} in this knowledge base.")
            if not row.url:
                raise ConfigError(f"{row.name!r} has no address to read again.", fix="Add it as a web page.")
            row.refresh, row.refresh_at = interval, now + INTERVALS[interval] if interval else None
            session.add(row)
        return row

    async def claim_due(self, now: datetime, limit: int) -> Sequence[DuePage]:
        """Pages that are to be read again now, each for this server alone until `CLAIM` has passed."""
        due = select(KnowledgeDocument).where(col(KnowledgeDocument.refresh_at) <= now)
        async with self._database.read() as session:
            rows = (await session.exec(due.order_by(col(KnowledgeDocument.refresh_at)).limit(limit))).all()
        until = now + CLAIM
        return [DuePage(row, until) for row in rows if await self._claim(row, until)]

    async def _claim(self, row: KnowledgeDocument, until: datetime) -> bool:
        """The server that moves the time on from what all have read is the one."""
        is_same = col(KnowledgeDocument.id) == row.id, col(KnowledgeDocument.refresh_at) == row.refresh_at
        async with self._database.write() as session:
            moved = await session.exec(update(KnowledgeDocument).where(*is_same).values(refresh_at=until))
        return moved.rowcount == 1

    async def settle(self, due: DuePage, now: datetime, *, etag: str = "", error: str = "") -> None:
        """Keep how it went, and when it is next, unless somebody chose another interval meanwhile."""
        row = due.document
        is_row = col(KnowledgeDocument.id) == row.id
        following = now + INTERVALS[row.refresh]
        async with self._database.write() as session:
            await session.exec(update(KnowledgeDocument).where(is_row).values(**_outcome(now, etag, error)))
            is_claimed = is_row, col(KnowledgeDocument.refresh_at) == due.until
            await session.exec(update(KnowledgeDocument).where(*is_claimed).values(refresh_at=following))

    async def note(self, document_id: str, now: datetime, *, etag: str = "", error: str = "") -> None:
        """Keep how a reading beside the schedule went."""
        is_row = col(KnowledgeDocument.id) == document_id
        async with self._database.write() as session:
            await session.exec(update(KnowledgeDocument).where(is_row).values(**_outcome(now, etag, error)))


def _outcome(now: datetime, etag: str, error: str) -> dict[str, object]:
    """A failure keeps the `etag`: what had it is still what was read."""
    kept = {} if error else {"etag": etag}
    return {"checked_at": now, "refresh_error": error[:MAX_ERROR_CHARS], **kept}
