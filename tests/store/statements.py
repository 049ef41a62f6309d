"""What a database is asked: counted, and by which way SQLite finds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

Statements = list[tuple[str, Any]]


@contextmanager
def statements() -> Generator[Statements]:
    """All statements of the block with their values, of whichever engine."""
    asked: Statements = []

    def note(connection: object, cursor: object, statement: str, values: Any, *rest: object) -> None:
        del connection, cursor, rest
        asked.append((statement, values))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def plan_of(database: Path, asked: Statements) -> str:
    """How SQLite would answer them."""
    with closing(sqlite3.connect(database)) as connection:
        return "\n".join(
            str(step[3])
            for statement, values in asked
            for step in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
        )
