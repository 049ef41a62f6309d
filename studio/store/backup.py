"""Copies a database into a file, and a file into an empty database; from either kind of database to either."""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NoReturn

from sqlalchemy import (
    JSON,
    URL,
    Column,
    ColumnElement,
    Connection,
    DateTime,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    cast,
    func,
    select,
    text,
)
from sqlalchemy import Table as SqlTable
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.ext.asyncio import AsyncConnection

from studio.components.readable_json import DAMAGED, stored_json
from studio.errors import Conflict, SetupError
from studio.store.backup_file import GB, BackupDamaged, BackupReader, BackupWriter, Header, Row, Value, writing_backup
from studio.store.database import WRITE_LOCK, Database, database_url
from studio.store.form import NONE, all_forms, form_of, newest_form
from studio.store.json_text import JsonText, to_json
from studio.store.migrate import upgrade
from studio.store.ownership import own_folder
from studio.store.store import make_folder
from studio.store.tables import Table
from studio.version import VERSION

LEFT_OUT = frozenset({"run_live", "open_window", "worker", "run_driver", "wrong_guess", "used_state"})
"""What holds for some seconds only, or tells of processes that run."""
ROWS_AT_ONCE = 50
MAX_GB = 100.0


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """What a backup holds: rows by table."""

    header: Header
    rows: Mapping[str, int]


async def write_backup(data_dir: Path, url: str, path: Path) -> BackupSummary:
    """Write all that the database holds at one moment; servers may go on to use it.

    The file has its name only once it is complete, and only its owner can read it.

    Raises:
        SetupError: The database cannot be read, or the file cannot be written.
        Conflict: There is such a file.
    """
    found = database_url(data_dir, url)
    _check_places(found, path)
    database = Database.beside(found)
    try:
        async with database.connection() as connection, _snapshot(connection):
            form, tables = await connection.run_sync(_described)
            if not form:
                raise SetupError(f"The database {found.render_as_string()!r} holds no studio.")
            header = Header(
                form=form,
                studio=VERSION,
                made_at=datetime.now(UTC).isoformat(timespec="seconds"),
                tables={table.name: [column.name for column in table.columns] for table in tables},
            )
            with _new_file(path) as raw, writing_backup(raw, header) as writer:
                for table in tables:
                    await _copy_out(connection, table, writer)
    finally:
        await database.close()
    return BackupSummary(header, dict(writer.rows))


async def restore_backup(data_dir: Path, url: str, path: Path, *, max_gb: float = MAX_GB) -> BackupSummary:
    """Put what a backup holds into an empty database, in one transaction, and bring it to the newest form.

    The whole file is read and checked before anything is written.

    Args:
        data_dir: Folder of the SQLite database; made when missing.
        url: SQLAlchemy URL of another database.
        path: The backup.
        max_gb: How large its content may be.

    Raises:
        BackupDamaged: The file is no complete backup; the database is as it was.
        SetupError: The backup is of a newer studio, or the database cannot be used.
        Conflict: The database is not empty.
    """
    reader = BackupReader(path, int(max_gb * GB))
    header = reader.header()
    if header.form > newest_form():
        raise SetupError(
            f"The backup is from a newer version of the studio ({header.studio}).", fix="Restore it with that version."
        )
    if header.form not in all_forms():
        raise BackupDamaged(f"There is no form {header.form!r} of the database.", fix="Use another copy.")
    for _ in reader.rows():
        pass
    make_folder(data_dir)
    database = await Database.as_it_is(database_url(data_dir, url))
    try:
        async with nullcontext() if database.is_shared else own_folder(data_dir):
            return BackupSummary(header, await database.run_in_transaction(partial(_fill, reader, header)))
    except (DBAPIError, StatementError, ValueError, TypeError, OverflowError) as error:
        raise BackupDamaged("The backup holds values that its tables cannot have.", fix="Use another copy.") from error
    finally:
        await database.close()


def _check_places(url: URL, path: Path) -> None:
    """Say what is wrong before the driver makes an empty file, and before all is read."""
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise SetupError(f"There is no database {url.render_as_string()!r}.", fix="Check `STUDIO_DATA_DIR`.")
    if path.exists():
        _refuse_existing(path)


@asynccontextmanager
async def _snapshot(connection: AsyncConnection) -> AsyncGenerator[None]:
    """Let all statements inside the block see the same moment."""
    if connection.dialect.name == "postgresql":
        # The rows of one step are compressed before the next are asked for; nothing else waits for this transaction.
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        await connection.execute(text("SET idle_in_transaction_session_timeout = '60s'"))
        yield
        return
    await connection.exec_driver_sql("BEGIN")
    yield
    await connection.exec_driver_sql("ROLLBACK")


def _described(connection: Connection) -> tuple[str, Sequence[SqlTable]]:
    """The form of the database, "" of an empty one, and its tables as they are, parents first."""
    return form_of(connection), [table for table in _tables(connection) if table.name not in LEFT_OUT]


def _tables(connection: Connection) -> Sequence[SqlTable]:
    """The tables of the studio that are there, in the form that they have, which may be an older one."""
    found = MetaData()
    found.reflect(connection, only=lambda name, _: name in Table.metadata.tables)
    for table in found.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, JSON):
                column.type = JSON(none_as_null=True)
    return found.sorted_tables


async def _copy_out(connection: AsyncConnection, table: SqlTable, writer: BackupWriter) -> None:
    columns: list[ColumnElement[Any]] = [_plain(column) for column in table.columns]
    query = select(*columns).order_by(*table.primary_key.columns)
    async with connection.stream(query.execution_options(yield_per=ROWS_AT_ONCE)) as rows:
        async for row in rows:
            writer.add(table.name, [_value(each) for each in row])


def _plain(column: Column[Any]) -> ColumnElement[Any]:
    """JSON as its text: what is damaged, and the order of keys, stay as they are."""
    return cast(column, Text).label(column.name) if isinstance(column.type, JSON) else column


def _value(stored: object) -> Value:
    match stored:
        case None | str() | int() | float():
            return stored
        case datetime():
            aware = stored if stored.tzinfo else stored.replace(tzinfo=UTC)
            return aware.astimezone(UTC).isoformat()
        case bytes():
            return base64.b64encode(stored).decode()
        case _:
            raise TypeError(f"{type(stored).__name__} does not belong in a table")


@contextmanager
def _new_file(path: Path) -> Generator[IO[bytes]]:
    """A file for its owner alone, which appears when the block has ended well.

    Raises:
        SetupError: It cannot be written.
        Conflict: There is one already.
    """
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as raw:
            yield raw
            raw.flush()
            os.fsync(raw.fileno())
        try:
            os.link(part, path)  # unlike a renaming, this never replaces a file
        except FileExistsError:
            _refuse_existing(path)
        except OSError:  # a file system without hard links
            if path.exists():
                _refuse_existing(path)
            os.replace(part, path)
    except OSError as error:
        raise SetupError(f"{str(path)!r} cannot be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            part.unlink()


def _refuse_existing(path: Path) -> NoReturn:
    raise Conflict(f"There is a file {str(path)!r} already.", fix="Choose another name; a backup replaces nothing.")


def _fill(reader: BackupReader, header: Header, connection: Connection) -> Mapping[str, int]:
    """Make the tables in the form of the backup, fill them, and bring them to the newest form."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(WRITE_LOCK)))
    if form_of(connection) not in (NONE, header.form) or any(
        _has_rows(connection, table) for table in _tables(connection)
    ):
        raise Conflict(
            "The database is not empty.",
            fix="Restore into a new data folder, or into a new PostgreSQL database that has no tables.",
        )
    upgrade(connection, header.form)
    tables = {table.name: table for table in _tables(connection)}
    for name, columns in header.tables.items():
        if name in LEFT_OUT or name not in tables or set(columns) != set(tables[name].columns.keys()):
            raise BackupDamaged(f"The backup has a table {name!r} that does not fit its form.", fix="Use another copy.")
    counts = {name: 0 for name in header.tables}
    for name, rows in groupby(reader.rows(), itemgetter(0)):
        for some in _chunks(rows):
            columns = [tables[name].columns[each] for each in header.tables[name]]
            values = [_restored(columns, row, connection.dialect.name) for _, row in some]
            connection.execute(tables[name].insert(), values)
            counts[name] += len(values)
    if connection.dialect.name == "postgresql":
        _continue_numbers(connection, [tables[name] for name in header.tables])
    upgrade(connection)
    return counts


def _has_rows(connection: Connection, table: SqlTable) -> bool:
    return connection.execute(select(1).select_from(table).limit(1)).first() is not None


def _chunks(rows: Iterator[Row]) -> Iterator[Sequence[Row]]:
    while some := list(islice(rows, ROWS_AT_ONCE)):
        yield some


def _restored(columns: Sequence[Column[Any]], values: Sequence[Value], dialect: str) -> dict[str, object]:
    return {column.name: _stored(column, value, dialect) for column, value in zip(columns, values, strict=True)}


def _stored(column: Column[Any], value: Value, dialect: str) -> object:
    if not isinstance(value, str):
        return value
    if isinstance(column.type, JSON):
        return JsonText(value if dialect == "sqlite" else _readable(value))
    if isinstance(column.type, DateTime):
        return datetime.fromisoformat(value).astimezone(UTC)
    return base64.b64decode(value, validate=True) if isinstance(column.type, LargeBinary) else value


def _readable(written: str) -> str:
    """JSON that PostgreSQL takes: SQLite keeps any text."""
    try:
        json.loads(written, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        try:
            return to_json(stored_json(written))
        except ValueError:
            return to_json(DAMAGED)
    return written


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _continue_numbers(connection: Connection, tables: Sequence[SqlTable]) -> None:
    """Let the numbers that PostgreSQL hands out go on behind those that were restored."""
    for table in tables:
        for column in table.primary_key.columns:
            if isinstance(column.type, Integer) and column.server_default is not None:
                last = connection.execute(select(func.max(column))).scalar()
                sequence = func.pg_get_serial_sequence(f'"{table.name}"', column.name)
                if last is not None:
                    connection.execute(select(func.setval(sequence, last)))
