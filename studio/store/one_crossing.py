"""SQLite for the event loop, where a statement crosses to the thread of its connection once.

The cursor of the asynchronous driver crosses to make itself, to execute, to fetch and to close: each takes longer than
most statements do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, TypeVar, cast

import aiosqlite
from sqlalchemy import URL
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from typing_extensions import override

T = TypeVar("T")

AIOSQLITE = "sqlite+aiosqlite"
AT_ONCE = 1_000
"""Rows that come with the statement. What gives more is read on in steps of as many, so that a stream of a large table
is never held as a whole."""


class Found(NamedTuple):
    """What a statement gave at once, and the cursor of SQLite where it has more."""

    description: Any = None
    rows: Sequence[Any] = ()
    rowcount: int = -1
    lastrowid: int | None = None
    rest: sqlite3.Cursor | None = None


class OneCrossingCursor:
    """Holds what its last statement gave; but for long results nothing of it is left in the database."""

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
        rest = self._found.rest
        rows = self._next_rows(len(self._found.rows))
        if rest is None:
            return rows
        more = await self._connection.run(lambda _: _found(rest, None))
        self._found = self._found._replace(rest=None, rowcount=more.rowcount)
        return [*rows, *more.rows]

    async def fetchmany(self, size: int = 1) -> Sequence[Any]:
        rest = self._found.rest
        if rest is not None and len(self._found.rows) < size:
            more = await self._connection.run(lambda _: _found(rest, max(size, AT_ONCE)))
            self._found = self._found._replace(rows=[*self._found.rows, *more.rows], rest=more.rest)
        return self._next_rows(size)

    async def fetchone(self) -> Any:
        return next(iter(await self.fetchmany(1)), None)

    async def close(self) -> None:
        rest = self._found.rest
        self._found = self._found._replace(rows=(), rest=None)
        if rest is not None:
            await self._connection.run(lambda _: rest.close())

    def _next_rows(self, count: int) -> Sequence[Any]:
        rows = self._found.rows
        self._found = self._found._replace(rows=rows[count:])
        return rows[:count]


class OneCrossing(aiosqlite.Connection):
    """A connection whose cursors cross once for each statement."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, AT_ONCE)
        self._thread.daemon = True  # as SQLAlchemy has it where it makes the connection itself

    @override
    def cursor(self) -> OneCrossingCursor:  # pyright: ignore[reportIncompatibleMethodOverride]
        return OneCrossingCursor(self)

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do something with SQLite's own connection in the thread of this one."""
        found: T = await self._execute(lambda: work(self._conn))  # pyright: ignore[reportUnknownMemberType]
        return found


def connecting(url: URL) -> Callable[[], Awaitable[OneCrossing]]:
    """What opens a connection to the database of a URL."""
    arguments, options = cast("tuple[list[Any], dict[str, Any]]", SQLiteDialect_aiosqlite().create_connect_args(url))

    async def connect() -> OneCrossing:
        return cast("OneCrossing", await OneCrossing(lambda: sqlite3.connect(*arguments, **options)))

    return connect


def _found(cursor: sqlite3.Cursor, at_most: int | None = AT_ONCE) -> Found:
    """The next rows of a cursor, which is closed after the last."""
    rows = cursor.fetchall() if at_most is None else cursor.fetchmany(at_most)
    has_more = at_most is not None and len(rows) == at_most
    found = Found(cursor.description, rows, cursor.rowcount, cursor.lastrowid, cursor if has_more else None)
    if not has_more:
        cursor.close()
    return found
