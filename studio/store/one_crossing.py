"""SQLite for the event loop, where a statement crosses to the thread of its connection once.

The cursor of the asynchronous driver crosses to make itself, to execute, to fetch and to close: each takes longer than
most statements do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, cast

import aiosqlite
from sqlalchemy import URL
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from typing_extensions import override

AIOSQLITE = "sqlite+aiosqlite"
CHUNK = 64
"""Rows that the driver would fetch at once where it is asked for single ones, which nothing here does."""


class Found(NamedTuple):
    """What a statement gave: its columns, all rows, and what the driver tells of a change."""

    description: Any = None
    rows: Sequence[Any] = ()
    rowcount: int = -1
    lastrowid: int | None = None


class OneCrossingCursor:
    """A cursor that holds what its last statement gave; nothing of it is left in the database."""

    arraysize = 1

    def __init__(self, connection: OneCrossing) -> None:
        self._connection = connection
        self._found = Found()

    async def __aenter__(self) -> Self:
        return self

    @property
    def description(self) -> Any:
        return self._found.description

    @property
    def rowcount(self) -> int:
        return self._found.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self._found.lastrowid

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> Self:
        self._found = await self._connection.run(lambda driver: _found(driver.execute(statement, parameters)))
        return self

    async def executemany(self, statement: str, parameters: Iterable[Sequence[Any]]) -> Self:
        self._found = await self._connection.run(lambda driver: _found(driver.executemany(statement, parameters)))
        return self

    async def fetchall(self) -> Sequence[Any]:
        rows, self._found = self._found.rows, self._found._replace(rows=())
        return rows

    async def close(self) -> None:
        """Nothing is open."""


class OneCrossing(aiosqlite.Connection):
    """A connection whose cursors cross once for each statement."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, CHUNK)
        self._thread.daemon = True  # as SQLAlchemy has it where it makes the connection itself

    @override
    def cursor(self) -> OneCrossingCursor:  # pyright: ignore[reportIncompatibleMethodOverride]
        return OneCrossingCursor(self)

    async def run(self, work: Callable[[sqlite3.Connection], Found]) -> Found:
        """Do something with SQLite's own connection in the thread of this one."""
        found: Found = await self._execute(lambda: work(self._conn))  # pyright: ignore[reportUnknownMemberType]
        return found


def connecting(url: URL) -> Callable[[], Awaitable[OneCrossing]]:
    """What opens a connection to the database of a URL."""
    arguments, options = cast("tuple[list[Any], dict[str, Any]]", SQLiteDialect_aiosqlite().create_connect_args(url))

    async def connect() -> OneCrossing:
        return cast("OneCrossing", await OneCrossing(lambda: sqlite3.connect(*arguments, **options)))

    return connect


def _found(cursor: sqlite3.Cursor) -> Found:
    found = Found(cursor.description, cursor.fetchall(), cursor.rowcount, cursor.lastrowid)
    cursor.close()
    return found
