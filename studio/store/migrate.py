"""Brings a database to the newest form of the tables, and writes the migration when the tables have changed.

`python -m studio.store.migrate "add a column for ..."` compares `tables.py` with what the migrations make and writes
the next one; read it before you keep it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sqlalchemy import Connection, create_engine

from studio.errors import SetupError
from studio.store.form import MIGRATIONS, all_forms, form_of, newest_form
from studio.store.knowledge_index import INDEX
from studio.store.tables import Table

if TYPE_CHECKING:
    from alembic.config import Config


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
    from alembic import command

    command.upgrade(_config(connection), to)
    return now


def require_newest(connection: Connection) -> None:
    """Raises: SetupError: The database is not in the form of this version, and not this process may change that."""
    if (found := form_of(connection)) != newest_form():
        raise SetupError(
            f"The database has the form {found or 'none'}, and this version needs {newest_form()}.",
            fix="Run `studio migrate` of the newest version, and start all processes with that version.",
        )


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
        upgrade(connection)
        command.revision(_config(connection), message, autogenerate=True, rev_id=f"{int(newest_form()) + 1:04d}")
    engine.dispose()


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


if __name__ == "__main__":
    write_migration(" ".join(sys.argv[1:]) or "change the tables")
