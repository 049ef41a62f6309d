"""What SQLite needs: how a connection is prepared, and one that lives in a thread of its own."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import TypeVar, cast
from weakref import WeakSet

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import AdaptedConnection, DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from studio.components.readable_json import stored_document, stored_text
from studio.store.json_text import to_json

# FULL: a reply that was paid for and shown is still there after a power cut. Commits are shared, so it costs little.
PRAGMAS = (
    "busy_timeout = 5000",
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "journal_size_limit = 4194304",  # a log that a long reader made large is cut when it begins anew
)

MAX_JOIN_S = 10.0

Result = TypeVar("Result")


class OwnThread:
    """A connection in a thread of its own, where a whole transaction costs one crossing.

    The asynchronous driver crosses for each statement, which takes longer than the statement does.
    """

    def __init__(self, url: URL) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="run logs")
        self._engine: Engine = create_engine(
            url.set(drivername="sqlite"), json_serializer=to_json, json_deserializer=stored_document, poolclass=NullPool
        )
        self._connection: Connection | None = None
        event.listen(self._engine, "connect", give_back_space)
        event.listen(self._engine, "connect", prepare_sqlite)
        event.listen(self._engine, "begin", begin_sqlite)

    async def transact(self, work: Callable[[Connection], Result]) -> Result:
        """Run `work` in a transaction; it is committed when this returns and rolled back when this raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transact, work)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    def _transact(self, work: Callable[[Connection], Result]) -> Result:
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin():
            return work(self._connection)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()


def plain_connection(connection: Connection) -> sqlite3.Connection | None:
    """That of the driver, where it is SQLite's own: on it a small statement costs a fraction of what it does else."""
    driver = connection.connection.driver_connection
    return driver if isinstance(driver, sqlite3.Connection) else None


class DriverThreads:
    """The threads of the asynchronous driver, one for each connection. One whose statement was given up goes on with
    it, and would report to a loop that is closed by then."""

    def __init__(self) -> None:
        self._threads = WeakSet[Thread]()

    def add(self, connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
        """Listens to new connections."""
        thread = getattr(cast("AdaptedConnection", connection).driver_connection, "_thread", None)
        if isinstance(thread, Thread):
            self._threads.add(thread)

    async def join(self) -> None:
        """Wait until all have ended, or for so long as an orderly stop may take."""
        deadline = time.monotonic() + MAX_JOIN_S
        for thread in [each for each in self._threads if each.is_alive()]:
            await asyncio.to_thread(thread.join, max(0.0, deadline - time.monotonic()))


def prepare_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    # The driver must not open transactions by itself; `begin_sqlite` does.
    connection.isolation_level = None
    connection.create_function("stored_text", 1, stored_text)
    _set(connection, *PRAGMAS)


def give_back_space(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    """Let a new database give back the pages of what is deleted; one with tables keeps what it was made with."""
    _set(connection, "auto_vacuum = INCREMENTAL")


def refuse_writing(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    """Refuse every statement that would write."""
    _set(connection, "query_only = ON")


def _set(connection: DBAPIConnection, *pragmas: str) -> None:
    script = "".join(f"PRAGMA {pragma};" for pragma in pragmas)
    if isinstance(connection, AdaptedConnection):  # one crossing to its thread; each statement would cross four times
        connection.run_async(lambda driver: driver.executescript(script))
    else:
        cast("sqlite3.Connection", connection).executescript(script)


def begin_sqlite(connection: Connection) -> None:
    # Asking for the write lock at once: a transaction that turns from reading to writing later can fail.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
