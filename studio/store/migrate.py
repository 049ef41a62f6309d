"""Brings a database to the newest form of the tables, and writes the migration when the tables have changed.

`python -m studio.store.migrate "add a column for ..."` compares `tables.py` with what the migrations make and writes
the next one; read it before you keep it.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine

from studio.errors import SetupError
from studio.store.tables import Table

HERE = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, to: str = "head") -> str:
    """Bring the database to the newest form, or to that of an older migration; does nothing when it is.

    Returns the form that it had, "" of an empty database.

    Raises:
        SetupError: A newer studio has written this database.
    """
    now = MigrationContext.configure(connection).get_current_heads()
    if now == (newest_form(),):
        return newest_form()
    config = _config(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if not known.issuperset(now):
        raise SetupError(
            f"The database is from a newer version of the studio (form {', '.join(now)}).",
            fix="Use that version, or choose another data folder.",
        )
    command.upgrade(config, to)
    return "".join(now)


def require_newest(connection: Connection) -> None:
    """Raises: SetupError: The database is not in the form of this version, and not this process may change that."""
    if (found := MigrationContext.configure(connection).get_current_revision()) != newest_form():
        raise SetupError(
            f"The database has the form {found or 'none'}, and this version needs {newest_form()}.",
            fix="Run `studio migrate` of the newest version, and start all processes with that version.",
        )


@cache
def newest_form() -> str:
    """The form that `upgrade` leads to."""
    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config).get_current_head() or ""


def differences(connection: Connection) -> list[object]:
    """What the database lacks or has too much, compared with `tables.py`."""
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, Table.metadata))


def write_migration(message: str) -> None:
    """Write the migration that takes the newest form to that of `tables.py`."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        upgrade(connection)
        count = len(list(HERE.glob("versions/[0-9]*.py")))
        command.revision(_config(connection), message, autogenerate=True, rev_id=f"{count + 1:04d}")
    engine.dispose()


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


if __name__ == "__main__":
    write_migration(" ".join(sys.argv[1:]) or "change the tables")
