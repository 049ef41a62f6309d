"""What a database is asked: counted, and by which way SQLite finds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine, event
from starlette.types import ASGIApp, Receive, Scope, Send

_answering: ContextVar[bool] = ContextVar("answering", default=False)


class Asked(NamedTuple):
    """One statement with its values."""

    statement: str
    values: Any
    of_request: bool
    """Whether a request asked it, and not what looks after the studio every few seconds. See `Answering`."""


class Answering:
    """Middleware that marks what is asked for the sake of a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        mark = _answering.set(scope["type"] == "http")
        try:
            await self._app(scope, receive, send)
        finally:
            _answering.reset(mark)


@contextmanager
def statements() -> Generator[list[Asked]]:
    """All statements of the block with their values, of whichever engine."""
    asked: list[Asked] = []

    def note(connection: object, cursor: object, statement: str, values: Any, *rest: object) -> None:
        del connection, cursor, rest
        asked.append(Asked(statement, values, _answering.get()))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def plan_of(database: Path, asked: list[Asked]) -> str:
    """How SQLite would answer them."""
    with closing(sqlite3.connect(database)) as connection:
        return "\n".join(
            str(step[3])
            for statement, values, _ in asked
            for step in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
        )
