"""How often a password or token was guessed wrongly, by where the guesses come from or whom they are about.

It is kept for all processes of a studio, and through a restart: otherwise each replica would allow its own number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from sqlmodel import col, delete, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.store.database import Database
from studio.store.tables import WrongGuess

WINDOW = timedelta(minutes=1)


class WrongGuesses:
    """Counts within a window. A subject is a digest: what people type as a name may be a password."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def wait_s(self, limits: Mapping[str, int]) -> int:
        """Seconds until another guess is allowed by all limits, which are by subject; 0 when one is now."""
        async with self._database.read() as session:
            return await _wait_s(session, limits)

    async def count(self, limits: Mapping[str, int]) -> int:
        """Count a guess about each subject, unless one has had too many: then the seconds until it may be tried again.

        A guess that takes long is counted before it is looked at: others may be made meanwhile.
        """
        if wait_s := await self.wait_s(limits):
            return wait_s  # without a place among those who write
        now = datetime.now(UTC)
        async with self._database.write() as session:
            if wait_s := await _wait_s(session, limits):
                return wait_s
            await session.exec(delete(WrongGuess).where(col(WrongGuess.began_at) < now - WINDOW))
            for subject in limits:
                row = await session.get(WrongGuess, subject) or WrongGuess(subject=subject, began_at=now, guesses=0)
                row.guesses += 1
                session.add(row)
        return 0

    async def take_back(self, subjects: Collection[str]) -> None:
        """Count one less: it was right after all."""
        fewer = col(WrongGuess.guesses) - 1
        async with self._database.write() as session:
            await session.exec(update(WrongGuess).where(col(WrongGuess.subject).in_(subjects)).values(guesses=fewer))


async def _wait_s(session: AsyncSession, limits: Mapping[str, int]) -> int:
    now = datetime.now(UTC)
    rows = await session.exec(select(WrongGuess).where(col(WrongGuess.subject).in_(limits.keys())))
    left = [row.began_at + WINDOW - now for row in rows if row.guesses >= limits[row.subject]]
    longest = max((each.total_seconds() for each in left), default=0)
    return int(longest) + 1 if longest > 0 else 0
