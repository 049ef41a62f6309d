"""Brings a database to the newest form of the tables, and writes the migration when the tables have changed.

`python -m studio.store.migrate "add a column for ..."` compares `tables.py` with what the migrations make and writes
the next one; read it before you keep it. `python -m studio.store.migrate --schema` then writes `schema.sql`, which is
what all migrations make of an empty SQLite database: a new one begins with that, without Alembic.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, create_engine

from studio.errors import SetupError
from studio.store.form import MIGRATIONS, all_forms, form_of, newest_form
from studio.store.knowledge_index import INDEX
from studio.store.sqlite import plain_connection
from studio.store.tables import Table

if TYPE_CHECKING:
    from alembic.config import Config

SCHEMA: Final = Path(__file__).with_name("schema.sql")
_BETWEEN: Final = ";\n\n"


def upgrade(connection: Connection, to: str = "head") -> str:
    """Bring the database to the newest form, or to that of an older migration; does nothing when it is.

    Returns the form that it had, "" of an empty database.

    Raises:
        SetupError: A newer studio has written this database.
    """
    if (now := form_of(connection)) == newest_form():
        return now
    if now and now not in all_forms():
        raise SetupError(
            f"The database is from a newer version of the studio (form {now}).",
            fix="Use that version, or choose another data folder.",
        )
    if not now and to == "head" and (plain := plain_connection(connection)):
        for statement in newest_schema():
            plain.execute(statement)
        return now
    from alembic import command

    command.upgrade(_config(connection), to)
    return now


@cache
def newest_schema() -> tuple[str, ...]:
    """The statements that make the newest form of an empty SQLite database."""
    return tuple(SCHEMA.read_text(encoding="utf-8").removesuffix(_BETWEEN).split(_BETWEEN))


def schema_of(connection: sqlite3.Connection) -> Iterator[str]:
    """The statements that make a database like this one, whose only row is the form that it has."""
    made_by_others = {row[1] for row in connection.execute("PRAGMA table_list") if row[2] == "shadow"}
    for name, statement in connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    ):
        if name not in made_by_others and not name.startswith("sqlite_"):
            yield statement
    [(form,)] = connection.execute("SELECT version_num FROM alembic_version")
    yield f"INSERT INTO alembic_version VALUES ('{form}')"


def require_newest(connection: Connection) -> str:
    """Returns the form that the database has.

    Raises:
        SetupError: It is not that of this version, and not this process may change that.
    """
    if (found := form_of(connection)) != newest_form():
        raise SetupError(
            f"The database has the form {found or 'none'}, and this version needs {newest_form()}.",
            fix="Run `studio migrate` of the newest version, and start all processes with that version.",
        )
    return found


def differences(connection: Connection) -> list[object]:
    """What the database lacks or has too much, compared with `tables.py`."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": is_compared})
    return list(compare_metadata(context, Table.metadata))


def is_compared(name: str | None, kind: str, _parents: object) -> bool:
    """Whether `tables.py` says what a thing of this name is; an index of words is made by its migration alone."""
    return kind != "table" or name is None or not name.startswith(INDEX)


def write_migration(message: str) -> None:
    """Write the migration that takes the newest form to that of `tables.py`."""
    from alembic import command

    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        upgrade(connection, newest_form())
        command.revision(_config(connection), message, autogenerate=True, rev_id=f"{int(newest_form()) + 1:04d}")
    engine.dispose()


def write_schema() -> None:
    """Write what the migrations make of an empty database as that with which a new one begins."""
    SCHEMA.write_text("".join(statement + _BETWEEN for statement in migrated_schema()), encoding="utf-8")


def migrated_schema() -> list[str]:
    """What `schema.sql` has to hold.

    Raises:
        ValueError: A migration puts rows into an empty database, which the statements would not make.
    """
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        upgrade(connection, newest_form())
        plain = plain_connection(connection)
        assert plain is not None
        statements = list(schema_of(plain))
        for table in Table.metadata.tables:
            if plain.execute(f"SELECT 1 FROM {table}").fetchone():
                raise ValueError(f"A new database would lack the rows of {table}.")
    engine.dispose()
    return statements


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


if __name__ == "__main__":
    if sys.argv[1:] == ["--schema"]:
        write_schema()
    else:
        write_migration(" ".join(sys.argv[1:]) or "change the tables")
