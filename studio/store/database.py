"""The database connection: one writer at a time on SQLite, plain transactions elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Self

from sqlalchemy import URL, Connection, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import Conflict, SetupError
from studio.store.migrate import upgrade

ASYNC_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}

# FULL: a reply that was paid for and shown is still there after a power cut. Commits are shared, so it costs little.
PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 5000", "foreign_keys = ON")


class DatabaseClosed(Conflict):
    """Raised to whoever comes after the studio has begun to stop."""

    code = "closed"


class Database:
    """Hands out sessions. In `read` each statement sees what is committed; `write` commits when its block ends well."""

    def __init__(self, reader: AsyncEngine, writer: AsyncEngine) -> None:
        self._reader = reader
        self._writer = writer
        # SQLite has one writer. Waiting for it here is fair and costs nothing, unlike waiting inside SQLite.
        is_sqlite = writer.dialect.name == "sqlite"
        self._write_turn: AbstractAsyncContextManager[object] = asyncio.Lock() if is_sqlite else nullcontext()
        self._use_count = 0
        self._unused = asyncio.Event()
        self._is_closing = False

    @classmethod
    async def connect(cls, url: URL) -> Self:
        """Open the database and bring its tables to the newest form.

        Raises:
            SetupError: The database cannot be reached or is of a newer studio.
        """
        try:
            # Reading is one statement at a time; it needs no transaction and no round trip to end one.
            reader = create_async_engine(url, isolation_level="AUTOCOMMIT", skip_autocommit_rollback=True)
            writer = create_async_engine(url)
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            raise SetupError(
                f"The database URL {url.render_as_string()!r} is not usable: {error}",
                fix="Install the driver it names or change `STUDIO_DATABASE_URL`.",
            ) from error
        if writer.dialect.name == "sqlite":
            _check_folder(url)
            event.listen(reader.sync_engine, "connect", _prepare_sqlite)
            event.listen(writer.sync_engine, "connect", _prepare_sqlite)
            event.listen(writer.sync_engine, "begin", _begin_sqlite)
        database = cls(reader, writer)
        try:
            async with database._writer.begin() as connection:
                await connection.run_sync(upgrade)
        except (DBAPIError, OSError) as error:
            await writer.dispose()
            raise SetupError(
                f"The database {url.render_as_string()!r} cannot be opened: {error}",
                fix="Check that the folder or server exists and that you may write to it.",
            ) from error
        except SetupError:
            await writer.dispose()
            raise
        return database

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncSession]:
        async with self._in_use(), AsyncSession(self._reader, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncSession]:
        async with (
            self._in_use(),
            self._write_turn,
            AsyncSession(self._writer, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    async def close(self) -> None:
        """Let those who are reading or writing finish, then close; nobody gets in any more."""
        self._is_closing = True
        if self._use_count:
            await self._unused.wait()
        await self._reader.dispose()
        await self._writer.dispose()

    @asynccontextmanager
    async def _in_use(self) -> AsyncGenerator[None]:
        if self._is_closing:
            raise DatabaseClosed("The studio is stopping; its database is closed.")
        self._use_count += 1
        try:
            yield
        finally:
            self._use_count -= 1
            if not self._use_count and self._is_closing:
                self._unused.set()


def _check_folder(url: URL) -> None:
    """Refuse a file in a folder that is not there before the driver starts a thread to find out."""
    if url.database and url.database != ":memory:" and not Path(url.database).absolute().parent.is_dir():
        raise SetupError(
            f"The database {url.render_as_string()!r} cannot be opened: its folder does not exist.",
            fix="Make the folder or change `STUDIO_DATABASE_URL`.",
        )


def database_url(data_dir: Path, given: str) -> URL:
    """The URL that was given, with an asynchronous driver; SQLite in the data folder when none was."""
    if not given:
        return URL.create("sqlite+aiosqlite", database=str(data_dir / "studio.db"))
    try:
        url = make_url(given)
    except ArgumentError as error:
        raise SetupError(f"{given!r} is no database URL.", fix="Change `STUDIO_DATABASE_URL`.") from error
    return url.set(drivername=ASYNC_DRIVERS.get(url.drivername, url.drivername))


def _prepare_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    # The driver must not open transactions by itself; `_begin_sqlite` does.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # Asking for the write lock at once: a transaction that turns from reading to writing later can fail.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
