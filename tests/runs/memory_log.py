"""A run log in memory, for tests of what stands above the store."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from studio.runs import Draft, EntryKind, Lease, LogEntry, RunStatus


class MemoryLog:
    """A log that keeps its entries in a list."""

    def __init__(self) -> None:
        self.entries: list[LogEntry] = []
        self.statuses: list[tuple[int, RunStatus]] = []
        """Each with how many entries there were then."""
        self.read_count = 0

    def append(self, lease: Lease, drafts: Sequence[Draft], status: RunStatus) -> asyncio.Future[Sequence[LogEntry]]:
        first = len(self.entries) + 1
        added = [
            LogEntry(
                run_id=lease.run_id,
                seq=first + offset,
                at=datetime.now(UTC),
                kind=draft.kind,
                body_json=draft.body_json,
            )
            for offset, draft in enumerate(drafts)
        ]
        self.entries += added
        self.statuses.append((len(self.entries), status))
        loop = asyncio.get_running_loop()
        written: asyncio.Future[Sequence[LogEntry]] = loop.create_future()
        loop.call_soon(written.set_result, added)
        return written

    async def read(
        self, run_id: str, *, after: int = 0, limit: int = 500, kinds: Collection[EntryKind] | None = None
    ) -> Sequence[LogEntry]:
        del run_id
        self.read_count += 1
        fitting = [entry for entry in self.entries[after:] if kinds is None or entry.kind in kinds]
        return fitting[:limit]
