"""Where the entries of a run stand that goes on from another one: its first ones are that one's, by reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col, select

from studio.store.database import Database
from studio.store.tables import Run, RunEvent

MAX_CACHED = 5_000


class LogRange(NamedTuple):
    """Entries of one run's own, from after one number up to another; None for all that follow."""

    run_id: str
    after: int
    last: int | None


class Lineage:
    """Remembers the spans of runs, which never change."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, Sequence[LogRange]] = {}

    async def spans(self, run_id: str) -> Sequence[LogRange]:
        """Where the entries of a run stand, the newest first."""
        if (known := self._known.get(run_id)) is not None:
            return known
        spans: list[LogRange] = []
        at: str | None = run_id
        last: int | None = None
        async with self._database.read() as session:
            while at is not None and last != 0:
                found = (await session.exec(select(Run.parent_id, Run.parent_seq).where(Run.id == at))).first()
                if found is None:
                    return spans or (LogRange(run_id, 0, None),)
                parent_id, parent_seq = found
                after = parent_seq if last is None else min(parent_seq, last)
                spans.append(LogRange(at, after, last))
                at, last = parent_id, after
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        self._known[run_id] = spans
        return spans

    def forget(self, run_id: str) -> None:
        """Told that a run was deleted."""
        self._known.pop(run_id, None)


def entries_in(spans: Sequence[LogRange]) -> ColumnElement[bool]:
    """The condition for entries of the log that stand there."""
    return or_(*(_in(span) for span in spans))


def _in(span: LogRange) -> ColumnElement[bool]:
    condition = and_(col(RunEvent.run_id) == span.run_id, col(RunEvent.seq) > span.after)
    return condition if span.last is None else and_(condition, col(RunEvent.seq) <= span.last)
