"""What Alembic runs. The connection is always given by `studio.store.migrate`; there is no alembic.ini."""

from __future__ import annotations

from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection
from sqlmodel import AutoString

from studio.store.migrate import is_compared
from studio.store.tables import Table, UtcDateTime


def plain_type(kind: str, item: object, _context: AutogenContext) -> str | Literal[False]:
    """Write our own column types as what the database knows, so that an old migration needs none of today's code."""
    if kind == "type" and isinstance(item, AutoString):
        return "sa.String()"
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    return False


def run() -> None:
    connection = context.config.attributes["connection"]
    assert isinstance(connection, Connection)
    context.configure(
        connection=connection,
        target_metadata=Table.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        render_item=plain_type,
        include_name=is_compared,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
