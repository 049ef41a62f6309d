"""Logs that live in memory for as long as somebody follows the run: those of parts that are tried alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

from studio.errors import NotFound
from studio.runs.journal.log import SHOWN, Draft, EntryKind, Lease, LogEntry, NewRun, RunRecord, RunStatus, RunSummary


@dataclass(slots=True)
class _StoredRun:
    """One run: what pages show of its log, and how large that is."""

    run: NewRun
    created_at: datetime
    status: RunStatus = field(default_factory=RunStatus)
    entries: list[LogEntry] = field(default_factory=list[LogEntry])
    last_seq: int = 0
    size: int = 0


class InMemoryRunStore:
    """Keeps runs in memory until they are forgotten; fulfils `RunStore`.

    Args:
        max_characters: How much the log of one run may hold.
        overfull: Told the id of a run that says more, each time it does.
    """

    def __init__(self, max_characters: int, overfull: Callable[[str], None]) -> None:
        self._max_characters = max_characters
        self._overfull = overfull
        self._runs: dict[str, _StoredRun] = {}

    async def create(self, run: NewRun) -> Lease:
        run_id = str(uuid4())
        self._runs[run_id] = _StoredRun(run, datetime.now(UTC))
        return Lease(run_id, epoch=1)

    def append(self, lease: Lease, drafts: Sequence[Draft], status: RunStatus) -> asyncio.Future[Sequence[LogEntry]]:
        """Add entries; those of a run that was forgotten are numbered and let go."""
        loop = asyncio.get_running_loop()
        written: asyncio.Future[Sequence[LogEntry]] = loop.create_future()
        kept = self._runs.get(lease.run_id)
        if kept is None:
            loop.call_soon(_settle, written, ())
            return written
        now = datetime.now(UTC)
        added = [
            LogEntry(lease.run_id, kept.last_seq + place, now, draft.kind, draft.body_json)
            for place, draft in enumerate(drafts, start=1)
        ]
        kept.last_seq += len(added)
        kept.status = status
        kept.entries.extend(entry for entry in added if entry.kind in SHOWN)
        kept.size += sum(len(draft.text or json.dumps(draft.body_json)) for draft in drafts if draft.kind in SHOWN)
        if kept.size > self._max_characters:
            loop.call_soon(self._overfull, lease.run_id)
        loop.call_soon(_settle, written, added)
        return written

    async def read(
        self, run_id: str, *, after: int = 0, limit: int = 500, kinds: Collection[EntryKind] | None = None
    ) -> Sequence[LogEntry]:
        newer = (entry for entry in self._found(run_id).entries if entry.seq > after)
        return [entry for entry in newer if kinds is None or entry.kind in kinds][:limit]

    async def summary(self, run_id: str) -> RunSummary:
        kept = self._found(run_id)
        return RunSummary(
            id=run_id,
            team_id=kept.run.team_id,
            team_name=kept.run.team_name,
            task_text=kept.run.task_text,
            status=kept.status,
            last_seq=kept.last_seq,
            created_at=kept.created_at,
            started_at=kept.created_at,
            ended_at=None,
        )

    async def get(self, run_id: str) -> RunRecord:
        kept, summary = self._found(run_id), await self.summary(run_id)
        return RunRecord(**dict(summary), component=kept.run.component, task=kept.run.task)

    async def line(self, run_id: str) -> Sequence[RunSummary]:
        return [await self.summary(run_id)]

    def forget(self, run: NewRun) -> None:
        """Let a run go, also one that has not ended, or whose id nobody was told."""
        self._runs = {run_id: kept for run_id, kept in self._runs.items() if kept.run is not run}

    async def unfinished(self) -> Sequence[str]:
        return []

    async def take_over(self, run_id: str) -> tuple[Lease, RunStatus]:
        raise NotFound(f"There is no run {run_id!r} to take over.")

    @asynccontextmanager
    async def _owned(self) -> AsyncGenerator[None]:
        yield

    def own_runs(self) -> AbstractAsyncContextManager[None]:
        return self._owned()

    def _found(self, run_id: str) -> _StoredRun:
        kept = self._runs.get(run_id)
        if kept is None:
            raise NotFound(f"There is no try {run_id!r}.", fix="It may have ended. Start it again.")
        return kept


def _settle(written: asyncio.Future[Sequence[LogEntry]], entries: Sequence[LogEntry]) -> None:
    if not written.done():
        written.set_result(entries)
