"""The database connection: many may read at a time, one may write."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self, TypeVar

from sqlalchemy import URL, Connection, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, async_sessionmaker, create_async_engine
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.components.readable_json import stored_document
from studio.errors import Conflict, SetupError
from studio.store.json_text import to_json
from studio.store.migrate import require_newest, upgrade
from studio.store.one_crossing import AIOSQLITE, connecting
from studio.store.postgres import ASYNCPG, prepare_postgres, refuse_closed, refuse_writing_postgres
from studio.store.sqlite import DriverThreads, OwnThread, begin_sqlite, give_back_space, prepare_sqlite, refuse_writing
from studio.store.unavailable import describe, unavailable
from studio.store.worker_lease import SERVER_LOCK, hold_worker_lease

ASYNC_DRIVERS = {"sqlite": AIOSQLITE, "postgresql": ASYNCPG, "postgres": ASYNCPG}

PASSWORD = re.compile(r":[^:@/]*@")
WRITE_LOCK = SERVER_LOCK + 1
"""Of PostgreSQL's advisory locks, the one that the studio takes to look and then write."""

Result = TypeVar("Result")


class DatabaseClosed(Conflict):
    """Raised to whoever comes after the studio has begun to stop."""

    code = "closed"


class Database:
    """Hands out sessions. In `read` each statement sees what is committed; `write` commits when its block ends well."""

    def __init__(self, reader: AsyncEngine, writer: AsyncEngine) -> None:
        self._reader = reader
        self._writer = writer
        # SQLite has one writer. Waiting for it here is fair and costs nothing, unlike waiting inside SQLite. Elsewhere
        # it spares connections that would only wait for the lock of `write`.
        self._write_turn = asyncio.Lock()
        # Its `begin` ends a transaction also if the task is canceled meanwhile; the one of a session does not.
        self._transactions = async_sessionmaker(writer, class_=AsyncSession, expire_on_commit=False)
        self._own_thread = OwnThread(writer.url) if writer.dialect.name == "sqlite" else None
        self._threads = DriverThreads()
        if self._own_thread:
            for engine in (reader, writer):
                event.listen(engine.sync_engine, "connect", self._threads.add)
        self.form_found = ""
        """The form of the tables before they were brought to the newest."""
        self._use_count = 0
        self._unused = asyncio.Event()
        self._is_closing = False

    @classmethod
    async def connect(cls, url: URL, *, migrates: bool = True) -> Self:
        """Open the database and bring its tables to the newest form, or only see that they are.

        Raises:
            SetupError: The database cannot be reached, or is of a newer studio; or of an older one and left alone.
        """
        database = cls(*_engines(url))
        try:
            database.form_found = await database._first_transaction(upgrade if migrates else require_newest)
        except (DBAPIError, OSError, TypeError) as error:  # the last by a driver that does not know a part of the URL
            await database.close()
            raise unavailable(url, error) from error
        except SetupError:
            await database.close()
            raise
        return database

    async def _first_transaction(self, prepare: Callable[[Connection], str]) -> str:
        """Look at the form of the tables. Another process that starts meanwhile must not make the same ones."""
        if self._own_thread:
            return await self._own_thread.transact(prepare)
        async with self._writer.begin() as connection:
            await _take_write_lock(connection)
            return await connection.run_sync(prepare)

    @classmethod
    def beside(cls, url: URL) -> Self:
        """Read a database that a server of this version has open; nothing can be written."""
        reader, writer = _engines(url)
        refuse = refuse_writing if writer.dialect.name == "sqlite" else refuse_writing_postgres
        for engine in (reader, writer):
            event.listen(engine.sync_engine, "connect", refuse)
        database = cls(reader, writer)
        database._own_thread = None
        return database

    @classmethod
    async def as_it_is(cls, url: URL) -> Self:
        """Open a database in whichever form it has, to fill one that is empty.

        Raises:
            SetupError: The database cannot be reached.
        """
        database = cls(*_engines(url))
        try:
            async with database._writer.connect():  # which makes the file of SQLite as `give_back_space` wants it
                return database
        except (DBAPIError, OSError, TypeError) as error:
            await database.close()
            raise unavailable(url, error) from error

    @property
    def folder(self) -> Path | None:
        """Where its file lies; None for a database of a server."""
        url = self._writer.url
        return Path(url.database).absolute().parent if url.get_backend_name() == "sqlite" and url.database else None

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncSession]:
        with describe(self._reader.url):
            async with self._in_use(), AsyncSession(self._reader, expire_on_commit=False) as session:
                yield session

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncSession]:
        """A transaction that looks and then writes: no other one does so meanwhile, in whichever process."""
        with describe(self._writer.url):
            async with self._in_use(), self._write_turn, self._transactions.begin() as session:
                await _take_write_lock(await session.connection())
                yield session

    async def run_in_transaction(self, work: Callable[[Connection], Result]) -> Result:
        """Run `work` in a transaction of its own. On SQLite this crosses to another thread once, not per statement."""
        with describe(self._writer.url):
            async with self._in_use(), self._write_turn:
                if self._own_thread:
                    return await self._own_thread.transact(work)
                async with self._writer.begin() as connection:
                    return await connection.run_sync(work)

    async def ping(self) -> None:
        """Return when the database has answered."""
        async with self.read() as session:
            await (await session.connection()).execute(select(1))

    @asynccontextmanager
    async def lease(self, worker_id: str) -> AsyncGenerator[None]:
        """Be a worker of this database, which `is_shared`; see `hold_worker_lease`."""
        async with hold_worker_lease(self._reader, worker_id):
            yield

    @property
    def is_shared(self) -> bool:
        """Whether processes on other machines may use it, too. SQLite's file lies in the data folder of one."""
        return self._own_thread is None

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[AsyncConnection]:
        """A connection for oneself; it is not used again after that."""
        with describe(self._reader.url):
            async with self._reader.connect() as connection:
                try:
                    yield connection
                finally:
                    await connection.invalidate()

    @property
    def file(self) -> Path | None:
        """SQLite's file, if there is one."""
        name = self._writer.url.database if self._own_thread else None
        return Path(name) if name and name != ":memory:" else None

    async def close(self) -> None:
        """Let those who are reading or writing finish, then close; nobody gets in any more."""
        self._is_closing = True
        if self._use_count:
            await self._unused.wait()
        if self._own_thread:
            await self._own_thread.close()
        await self._reader.dispose()
        await self._writer.dispose()
        await self._threads.join()

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


async def _take_write_lock(connection: AsyncConnection) -> None:
    """Keep out others until this transaction ends: two who take the same name, or the last two admins who step back.

    SQLite has one writer anyway.
    """
    if connection.dialect.name == "postgresql":
        await connection.execute(select(func.pg_advisory_xact_lock(WRITE_LOCK)))


def _engines(url: URL) -> tuple[AsyncEngine, AsyncEngine]:
    """One to read and one to write.

    Raises:
        SetupError: The URL is of no database that can be used here.
    """
    try:
        # Reading is one statement at a time; it needs no transaction and no round trip to end one.
        how = {"async_creator": connecting(url)} if url.drivername == AIOSQLITE else {}
        reader = create_async_engine(
            url, isolation_level="AUTOCOMMIT", skip_autocommit_rollback=True, json_deserializer=stored_document, **how
        )
        writer = create_async_engine(url, json_serializer=to_json, json_deserializer=stored_document, **how)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise SetupError(
            f"The database URL {url.render_as_string()!r} is not usable: {error}",
            fix=_how_to_get(error) or "Install the driver it names or change `STUDIO_DATABASE_URL`.",
        ) from error
    if url.drivername == ASYNCPG:
        for engine in (reader.sync_engine, writer.sync_engine):
            event.listen(engine, "connect", prepare_postgres)
            event.listen(engine, "checkout", refuse_closed)
    if writer.dialect.name == "sqlite":
        _check_folder(url)
        event.listen(reader.sync_engine, "connect", prepare_sqlite)
        event.listen(writer.sync_engine, "connect", give_back_space)
        event.listen(writer.sync_engine, "connect", prepare_sqlite)
        event.listen(writer.sync_engine, "begin", begin_sqlite)
    return reader, writer


def _how_to_get(error: Exception) -> str:
    """What to run for a driver that is not there and comes with an extra."""
    is_extra = isinstance(error, ModuleNotFoundError) and error.name == "asyncpg"
    return 'Run `pip install "team-studio[postgres]"`.' if is_extra else ""


def _check_folder(url: URL) -> None:
    """Refuse a file in a folder that is not there before the driver starts a thread to find out; a new file is for
    its owner alone."""
    if url.database and url.database != ":memory:" and not Path(url.database).absolute().parent.is_dir():
        raise SetupError(
            f"The database {url.render_as_string()!r} cannot be opened: its folder does not exist.",
            fix="Create the folder or change `STUDIO_DATABASE_URL`.",
        )
    if url.database and url.database != ":memory:" and not (file := Path(url.database)).exists():
        with suppress(OSError):  # the driver says why
            file.touch(mode=0o600)  # its journals get the same rights


def database_url(data_dir: Path, given: str) -> URL:
    """The URL that was given, with an asynchronous driver; SQLite in the data folder when none was."""
    if not given:
        return URL.create(AIOSQLITE, database=str(data_dir / "studio.db"))
    try:
        url = make_url(given)
    except (ArgumentError, ValueError) as error:
        raise SetupError(
            f"{PASSWORD.sub(':***@', given)!r} is not a database URL.", fix="Change `STUDIO_DATABASE_URL`."
        ) from error
    url = url.set(drivername=ASYNC_DRIVERS.get(url.drivername, url.drivername))
    if url.drivername == ASYNCPG and (mode := url.query.get("sslmode")):  # PostgreSQL's own word, as hosts give it
        url = url.difference_update_query(["sslmode"]).update_query_dict({"ssl": mode})
    return url
