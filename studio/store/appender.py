"""Writes log entries of all runs, those that wait at the same moment in one transaction."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import compress, repeat
from operator import itemgetter
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, bindparam, func, insert, update
from sqlalchemy.dialects import sqlite
from sqlmodel import col

from studio.deployments.webhooks import EventKind, event_of
from studio.runs import Draft, EntryKind, Lease, LeaseLost, LogEntry, LogUnavailable, RunState, RunStatus
from studio.runs.journal.log import Body
from studio.store.database import Database
from studio.store.json_text import JsonText, to_json
from studio.store.metrics import observe_append
from studio.store.spending import add_spending
from studio.store.sqlite import plain_connection
from studio.store.tables import Run, RunEvent, UtcDateTime, table_of
from studio.store.unavailable import StorageUnavailable
from studio.store.webhooks import add_deliveries

logger = logging.getLogger(__name__)

PATIENCE_S = 60.0
"""How long runs wait for a database that cannot be written, before they are parked until the next start."""
FIRST_PAUSE_S, MAX_PAUSE_S = 0.1, 5.0


class _AlreadyWritten(Exception):
    """Raised inside a transaction that must not be: the one before it has committed, only its answer was lost."""


@dataclass(eq=False)
class _Append:
    lease: Lease
    drafts: Sequence[Draft]
    status: RunStatus
    done: asyncio.Future[Sequence[LogEntry]] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    tried: Sequence[LogEntry] = ()
    """The entries of a transaction whose end is not known."""

    def succeed(self, entries: Sequence[LogEntry]) -> None:
        if not self.done.done():
            self.done.set_result(entries)

    def is_written(self, last: int) -> bool:
        """Whether the transaction before has committed after all: the next numbers would come behind its own."""
        return bool(self.tried) and last - len(self.drafts) >= self.tried[-1].seq

    def fail(self, error: LeaseLost | LogUnavailable) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class _Written(NamedTuple):
    """What a transaction wrote."""

    entries: list[Sequence[LogEntry] | None]
    """Those of each run of the batch; None for one that was not written."""
    effects: list[Body]
    """What the world answered, of all of them."""


class Appender:
    """A queue with one writer task. An append returns when the transaction that holds it is committed.

    While one transaction is under way the next ones gather, so many runs cost one commit and a lone run waits for
    nobody. What a caller has put in is written even when the caller is cancelled.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Append] = []
        self._wake = asyncio.Event()
        self._hurried = asyncio.Event()
        self._fails_since: float | None = None
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
        self._hurried.set()

    async def _commit(self, batch: Sequence[_Append]) -> None:
        began = time.monotonic()
        try:
            results, effects = await self._patiently(batch)
        except Exception as error:  # noqa: BLE001  drivers raise their own too; one run's entry must not end the rest
            if len(batch) == 1 or isinstance(error, StorageUnavailable):
                for item in batch:
                    item.fail(_unavailable(error))
                return
            for item in batch:  # one bad entry must not fail its neighbours
                await self._commit([item])
            return
        observe_append(time.monotonic() - began, sum(map(len, filter(None, results))), effects)
        for item, entries in zip(batch, results, strict=True):
            if entries is None:
                item.fail(LeaseLost(f"The run {item.lease.run_id!r} is now driven by another process."))
            else:
                item.succeed(entries)

    async def _patiently(self, batch: Sequence[_Append]) -> _Written:
        """Write, and wait while the disk is full or another program holds the database: the runs wait with it."""
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                written = await self._database.run_in_transaction(lambda connection: _write_all(connection, batch))
            except _AlreadyWritten:
                self._fails_since = None
                found = [item.tried if item.tried or not item.drafts else None for item in batch]
                return _Written(
                    found, [each.body_json for item in batch for each in item.tried if each.kind == "effect"]
                )
            except StorageUnavailable as error:
                now = time.monotonic()
                if self._fails_since is None:
                    self._fails_since = now
                    logger.warning("Run logs are waiting for the database: %s", error)
                if self._closing or now + pause_s > self._fails_since + PATIENCE_S:
                    raise
            else:
                self._fails_since = None
                return written
            self._hurried.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurried.wait(), pause_s)
            pause_s = min(2 * pause_s, MAX_PAUSE_S)


# One statement for all, compiled once: it is executed for every batch of entries.
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

# SQLite's driver is handed values as they are kept: to make them so one by one takes longer than to write them.
_SQLITE = sqlite.dialect(paramstyle="named")
_ADVANCE_PLAINLY = str(_ADVANCE.compile(dialect=_SQLITE))
_ADD_PLAINLY = f"INSERT INTO run_event ({', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)"

_Row = tuple[str, int, int, EntryKind, str, object]
"""The values of `_COLUMNS`: the body as JSON text, the time as it is kept."""

_as_text = UtcDateTime().dialect_impl(_SQLITE).bind_processor(_SQLITE)
_is_effect = "effect".__eq__
_body_of = cast("Callable[[tuple[str, Body]], Body]", itemgetter(1))
_entry = cast("Callable[[tuple[object, ...]], LogEntry]", partial(cast("Any", tuple).__new__, LogEntry))
"""Makes one of its fields. All entries come by here: what can be done for many at once is not done one by one."""


def _write_all(connection: Connection, batch: Sequence[_Append]) -> _Written:
    at = datetime.now(UTC)
    kept_at = _as_text(at) if _as_text and plain_connection(connection) else at
    results: list[Sequence[LogEntry] | None] = []
    rows: list[_Row] = []
    effects: list[tuple[str, Body]] = []
    events: list[tuple[str, int, EventKind]] = []
    for item in batch:
        run_id, epoch, drafts = item.lease.run_id, item.lease.epoch, item.drafts
        last = _advance(connection, item, kept_at)
        if last is None or not drafts:
            item.tried = ()
            results.append(None if last is None else ())
            continue
        if item.is_written(last):
            raise _AlreadyWritten
        numbers = range(last - len(drafts) + 1, last + 1)
        kinds, said, texts = _columns(drafts)
        rows += zip(repeat(run_id), numbers, repeat(epoch), kinds, texts, repeat(kept_at))
        effects += zip(repeat(run_id), compress(said, map(_is_effect, kinds)))
        if "state" in kinds and (event := event_of(item.status)):
            events.append((run_id, last, event))
        item.tried = list(map(_entry, zip(repeat(run_id), numbers, repeat(at), kinds, said)))
        results.append(item.tried)
    if rows:
        _add_rows(connection, rows)
        add_spending(connection, at.date(), effects)
    if events:
        add_deliveries(connection, kept_at, events)
    return _Written(results, list(map(_body_of, effects)))


def _columns(drafts: Sequence[Draft]) -> tuple[Sequence[EntryKind], Sequence[Body], Sequence[str]]:
    """The kinds of all, what they say, and that as JSON text."""
    kinds, said, texts = cast("tuple[Sequence[EntryKind], Sequence[Body], Sequence[str]]", zip(*drafts, strict=True))
    if not all(texts):
        texts = [draft.text or to_json(draft.body_json) for draft in drafts]
    return kinds, said, texts


def _advance(connection: Connection, item: _Append, kept_at: object) -> int | None:
    """Set the status and take the next numbers, in one statement that only the lease's holder gets through; the last
    of them."""
    status = item.status
    usage = status.usage
    values: dict[str, object] = {
        "of_run": item.lease.run_id,
        "of_epoch": item.lease.epoch,
        "added": len(item.drafts),
        "to_state": status.state.value,
        "to_reason": status.reason,
        "to_detail": status.detail,
        "to_pending": JsonText(to_json(status.pending.model_dump() if status.pending else None)),
        "to_prompt_tokens": usage.prompt_tokens,
        "to_completion_tokens": usage.completion_tokens,
        "to_micro_usd": usage.micro_usd,
        "to_unpriced_calls": usage.unpriced_calls,
        "to_started_at": kept_at if status.state is RunState.RUNNING else None,
        "to_ended_at": kept_at if status.state.is_final else None,
    }
    if plain := plain_connection(connection):
        row: tuple[int] | None = plain.execute(_ADVANCE_PLAINLY, values).fetchone()
        return row and row[0]
    return connection.execute(_ADVANCE, values).scalar()


def _add_rows(connection: Connection, rows: Sequence[_Row]) -> None:
    if plain := plain_connection(connection):
        plain.executemany(_ADD_PLAINLY, rows)
        return
    named = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    connection.execute(_ADD, [{**row, "body": JsonText(row["body"])} for row in named])


def _unavailable(error: Exception) -> LogUnavailable:
    if isinstance(error, StorageUnavailable):
        return LogUnavailable(f"The log could not be written. {error.what}", fix=error.fix)
    return LogUnavailable(
        f"The log could not be written: {error}", fix="Check the free space and the permissions of the data folder."
    )
