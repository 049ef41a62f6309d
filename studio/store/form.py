"""The form of a database: the number of the last migration that it has had.

It is told without Alembic, which is only needed where something is to be migrated and takes a while to import.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, inspect, text

MIGRATIONS = Path(__file__).parent / "migrations"
NONE = ""
"""The form of a database without tables."""


@cache
def all_forms() -> Sequence[str]:
    """The forms that this version knows, the newest last; each migration's file begins with its number."""
    return sorted(file.name.partition("_")[0] for file in MIGRATIONS.glob("versions/[0-9]*.py"))


def newest_form() -> str:
    """The form that the tables of this version have."""
    return all_forms()[-1]


def form_of(connection: Connection) -> str:
    """The form of this database."""
    if not inspect(connection).has_table("alembic_version"):
        return NONE
    return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or NONE)
