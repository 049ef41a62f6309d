"""Wakes whoever waits for something in the database, in other processes by PostgreSQL's LISTEN and NOTIFY."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from studio.errors import StudioError
from studio.runs import task_group
from studio.runs.concurrency import Notifier
from studio.store.database import Database

CHANNEL = "studio"
MAX_AT_ONCE = 100
"""Topics of one notification, whose text PostgreSQL limits to 8,000 bytes."""
CHECK_S = 15.0
"""How often the connection that listens is tried: one whose other end is gone would be silent forever."""
RETRY_S = 1.0

logger = logging.getLogger(__name__)


class DatabaseNotifications:
    """Fulfils `studio.runs.fleet.port.Notifications`.

    A notification is a statement of its own, after the commit that it tells of: within that transaction it would make
    all commits of the database queue. One that is lost is a delay and no more, since all who wait look now and then.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._topics: WeakValueDictionary[str, Notifier] = WeakValueDictionary()

    def topic(self, name: str) -> Notifier:
        return self._topics.setdefault(name, Notifier())

    async def notify(self, *topics: str) -> None:
        if not self._database.is_shared:
            self._ring(topics)
            return
        with suppress(StudioError, DBAPIError):
            for some in _in_parts(topics):
                async with self._database.read() as session:
                    await (await session.connection()).execute(select(func.pg_notify(CHANNEL, " ".join(some))))

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[None]:
        async with task_group() as group:
            listening = [group.create_task(self._listen(), name="listen")] if self._database.is_shared else []
            try:
                yield
            finally:
                for each in listening:
                    each.cancel()

    async def _listen(self) -> None:
        """Listen, and begin again when the connection is lost; what was notified meanwhile is to be looked for."""
        while True:
            try:
                async with self._database.connection() as connection:
                    await self._receive(connection)
            except Exception as error:  # noqa: BLE001  drivers raise their own too; who listens must outlive them all
                logger.warning("The connection for notifications of the database was lost: %s", error)
            await asyncio.sleep(RETRY_S)

    async def _receive(self, connection: AsyncConnection) -> None:
        """Returns, or raises, when the connection is lost."""
        driver: Any = (await connection.get_raw_connection()).driver_connection
        ended = asyncio.Event()

        def end(_driver: object) -> None:
            ended.set()

        def ring(_driver: object, _pid: int, _channel: str, topics: str) -> None:
            self._ring(topics.split())

        driver.add_termination_listener(end)
        await driver.add_listener(CHANNEL, ring)
        self._ring(list(self._topics))
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(CHECK_S):
                    await ended.wait()
                    return
            async with asyncio.timeout(CHECK_S):
                await connection.execute(select(1))

    def _ring(self, topics: Sequence[str]) -> None:
        for name in topics:
            if (found := self._topics.get(name)) is not None:
                found.notify()


def _in_parts(topics: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(topics), MAX_AT_ONCE):
        yield topics[start : start + MAX_AT_ONCE]
