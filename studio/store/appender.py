"""Writes log entries of all runs, those that wait at the same moment in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, func, insert, update
from sqlmodel import col

from studio.runs import Draft, Lease, LeaseLost, LogEntry, LogUnavailable, RunState, RunStatus
from studio.store.database import Database
from studio.store.json_text import JsonText, to_json
from studio.store.spending import add_spending
from studio.store.tables import Run, RunEvent, UtcDateTime, table_of


@dataclass(eq=False)
class _Append:
    lease: Lease
    drafts: Sequence[Draft]
    status: RunStatus
    done: asyncio.Future[Sequence[LogEntry]] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def succeed(self, entries: Sequence[LogEntry]) -> None:
        if not self.done.done():
            self.done.set_result(entries)

    def fail(self, error: LeaseLost | LogUnavailable) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class Appender:
    """A queue with one writer task. An append returns when the transaction that holds it is committed.

    While one transaction is under way the next ones gather, so many runs cost one commit and a lone run waits for
    nobody. What a caller has put in is written even when the caller is cancelled.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Append] = []
        self._wake = asyncio.Event()
        self._closing = False

    def append(self, lease: Lease, drafts: Sequence[Draft], status: RunStatus) -> asyncio.Future[Sequence[LogEntry]]:
        item = _Append(lease, drafts, status)
        if self._closing:
            item.fail(LogUnavailable("The studio's database is closed."))
        else:
            self._waiting.append(item)
            self._wake.set()
        return item.done

    async def run(self) -> None:
        """Write until closed."""
        while self._waiting or not self._closing:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            if batch:
                await self._commit(batch)

    def close(self) -> None:
        """Take nothing more; `run` returns after what is waiting."""
        self._closing = True
        self._wake.set()

    async def _commit(self, batch: Sequence[_Append]) -> None:
        try:
            results = await self._database.in_one_go(lambda connection: _write_all(connection, batch))
        except Exception as error:  # noqa: BLE001  drivers raise their own too; one run's entry must not end the rest
            if len(batch) == 1:
                batch[0].fail(_unavailable(error))
                return
            for item in batch:  # one bad entry must not fail its neighbours
                await self._commit([item])
            return
        for item, entries in zip(batch, results, strict=True):
            if entries is None:
                item.fail(LeaseLost(f"The run {item.lease.run_id!r} now has another owner."))
            else:
                item.succeed(entries)


# One statement for all, compiled once: it is executed for every entry of every run.
_ADVANCE = (
    update(table_of(Run))
    .where(col(Run.id) == bindparam("of_run"), col(Run.epoch) == bindparam("of_epoch"))
    .values(
        last_seq=col(Run.last_seq) + bindparam("added"),
        state=bindparam("to_state"),
        reason=bindparam("to_reason"),
        detail=bindparam("to_detail"),
        pending=bindparam("to_pending"),
        prompt_tokens=bindparam("to_prompt_tokens"),
        completion_tokens=bindparam("to_completion_tokens"),
        micro_usd=bindparam("to_micro_usd"),
        unpriced_calls=bindparam("to_unpriced_calls"),
        started_at=func.coalesce(col(Run.started_at), bindparam("to_started_at", type_=UtcDateTime)),
        ended_at=bindparam("to_ended_at"),
    )
    .returning(col(Run.last_seq))
)
_ADD = insert(table_of(RunEvent))
_COLUMNS = ("run_id", "seq", "epoch", "kind", "body", "at")
_ADD_PLAINLY = f"INSERT INTO run_event ({', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)"

_Row = tuple[str, int, int, str, str]
"""All but the last column; the body as JSON text."""


def _write_all(connection: Connection, batch: Sequence[_Append]) -> list[Sequence[LogEntry] | None]:
    at = datetime.now(UTC)
    results = [_number(connection, item, at) for item in batch]
    taken = [(item, entries) for item, entries in zip(batch, results, strict=True) if entries]
    if taken:
        _add_rows(connection, at, [row for item, entries in taken for row in _rows(item, entries)])
        told = [(item.lease.run_id, draft) for item, _ in taken for draft in item.drafts]
        add_spending(connection, at.date(), [(run_id, draft.said) for run_id, draft in told if draft.kind == "effect"])
    return results


def _rows(item: _Append, entries: Sequence[LogEntry]) -> list[_Row]:
    run_id, epoch = item.lease.run_id, item.lease.epoch
    return [
        (run_id, entry.seq, epoch, draft.kind, draft.text or to_json(draft.said))
        for draft, entry in zip(item.drafts, entries, strict=True)
    ]


def _add_rows(connection: Connection, at: datetime, rows: Sequence[_Row]) -> None:
    """Add entries, all of one moment."""
    if connection.dialect.name != "sqlite":
        values = [(*row[:-1], JsonText(row[-1]), at) for row in rows]
        connection.execute(_ADD, [dict(zip(_COLUMNS, each, strict=True)) for each in values])
        return
    # SQLite is handed the values as it keeps them: making them so row by row takes longer than writing them.
    write = UtcDateTime().dialect_impl(connection.dialect).bind_processor(connection.dialect)
    assert write
    kept_at = write(at)
    connection.exec_driver_sql(_ADD_PLAINLY, [(*row, kept_at) for row in rows])


def _number(connection: Connection, item: _Append, at: datetime) -> Sequence[LogEntry] | None:
    """Set the status and take the next numbers, in one statement that only the lease's holder gets through."""
    run_id, status, count = item.lease.run_id, item.status, len(item.drafts)
    values: dict[str, object] = {
        "of_run": run_id,
        "of_epoch": item.lease.epoch,
        "added": count,
        "to_state": status.state.value,
        "to_reason": status.reason,
        "to_detail": status.detail,
        "to_pending": status.pending.model_dump() if status.pending else None,
        "to_prompt_tokens": status.usage.prompt_tokens,
        "to_completion_tokens": status.usage.completion_tokens,
        "to_micro_usd": status.usage.micro_usd,
        "to_unpriced_calls": status.usage.unpriced_calls,
        "to_started_at": at if status.state is RunState.RUNNING else None,
        "to_ended_at": at if status.state.is_final else None,
    }
    last: int | None = connection.execute(_ADVANCE, values).scalar()
    if last is None:
        return None
    return [
        LogEntry(run_id, seq, at, draft.kind, draft.said)
        for seq, draft in enumerate(item.drafts, start=last - count + 1)
    ]


def _unavailable(error: Exception) -> LogUnavailable:
    return LogUnavailable(
        f"The log could not be written: {error}", fix="Check the free space and the rights of the data folder."
    )
