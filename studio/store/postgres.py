"""What PostgreSQL needs: its text has no NUL, and JSON that holds one, or half a character, cannot be looked into."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import JSON
from sqlalchemy.engine.interfaces import AdaptedConnection, DBAPIConnection
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.sql import functions
from sqlalchemy.sql.compiler import SQLCompiler

ASYNCPG = "postgresql+asyncpg"
TEXT_TYPES = ("text", "varchar")

MAX_IDLE_S = 5
"""How long a transaction may do nothing: a process that is frozen in one would hold its locks for as long."""

_MARKS = (r"\u0000", r"\ud")
"""One of them is in each body that may have to be repaired; to look for them takes much less than to repair."""
_UNREADABLE = r"\\u(0000|d[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..\\u)d[c-f]..)"


class Readable(functions.FunctionElement[Any]):
    """A column of JSON whose fields a query may take out, whatever it holds."""

    type = JSON()
    inherit_cache = True


@compiles(Readable)
def _valid(element: Readable, compiler: SQLCompiler, **options: Any) -> str:
    column = compiler.process(element.clauses, **options)
    return f"(CASE WHEN json_valid({column}) THEN {column} ELSE stored_text({column}) END)"


@compiles(Readable, "postgresql")
def _repaired(element: Readable, compiler: SQLCompiler, **options: Any) -> str:
    column = compiler.process(element.clauses, **options)
    text = f"CAST({column} AS TEXT)"
    marked = " OR ".join(f"strpos({text}, '{mark}') > 0" for mark in _MARKS)
    repaired = f"CAST(regexp_replace({text}, '{_UNREADABLE}', '\\\\ufffd', 'g') AS JSON)"
    return f"(CASE WHEN {marked} THEN {repaired} ELSE {column} END)"


def prepare_postgres(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    cast("AdaptedConnection", connection).run_async(_prepare)


def refuse_closed(connection: DBAPIConnection, _record: ConnectionPoolEntry, _pooled: object) -> None:
    """Have the pool make another connection in place of one that the server has closed, such as by its restart; it is
    known by then, so nothing is asked.

    Raises:
        DisconnectionError: It is closed.
    """
    driver: Any = cast("AdaptedConnection", connection).driver_connection
    if driver.is_closed():
        raise DisconnectionError


def refuse_writing_postgres(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("SET default_transaction_read_only = on")
    cursor.close()
    connection.commit()


async def _prepare(driver: Any) -> None:
    """Put another character in the place of NULs: what a tool or an address says is to be kept all the same."""
    await driver.execute(f"SET idle_in_transaction_session_timeout = '{MAX_IDLE_S}s'")
    for name in TEXT_TYPES:
        await driver.set_type_codec(name, schema="pg_catalog", encoder=_without_nul, decoder=str)


def _without_nul(text: str) -> str:
    return text.replace("\0", "\ufffd")
