"""Hands the entries of one run to its log: in order, several in one transaction, and never past one that was lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.runs.bell import Bell
from studio.runs.log import Draft, Lease, LeaseLost, LogEntry, LogUnavailable, RunLog, RunStatus

MOST_UNWRITTEN = 200
"""Parts. Whoever adds more waits for the log."""

GATHER_S = 0.005
"""How long an entry for which nobody waits may lie, so that others go with it: too short for anybody to see, and long
enough for a model's answer and what comes of it, or for many turns of a run whose models answer at once."""

Committed = Callable[[Sequence[LogEntry], RunStatus], None]


@dataclass(slots=True, eq=False)
class _Part:
    """What is added in one call; it gets into the log as a whole or not at all."""

    drafts: Sequence[Draft]
    status: RunStatus
    is_awaited: bool
    is_settled: bool = False
    error: LeaseLost | LogUnavailable | None = None


class LogWriter:
    """Writes what is added. While one append is under way the next parts gather, and then go together.

    Args:
        committed: Told of entries when they are in the log, in their order. It must not raise.
    """

    def __init__(self, lease: Lease, log: RunLog, committed: Committed) -> None:
        self._lease = lease
        self._log = log
        self._committed = committed
        self._waiting: list[_Part] = []
        self._sent: list[_Part] = []
        self._newest: _Part | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_urgent = False
        self._one_by_one = 0
        self._failure: LeaseLost | LogUnavailable | None = None
        self._changed = Bell()

    def add(self, drafts: Sequence[Draft], status: RunStatus, *, is_awaited: bool) -> None:
        """Put entries, and the status that they lead to, behind all others.

        Args:
            drafts: The entries.
            status: The run's status with them.
            is_awaited: Somebody waits for these and then looks at the status: what comes later goes separately.

        Raises:
            LeaseLost, LogUnavailable: An entry before these was not taken.
        """
        if self._failure:
            raise self._failure
        self._newest = _Part(drafts, status, is_awaited)
        self._waiting.append(self._newest)
        self._is_urgent |= is_awaited
        self._plan()

    @property
    def is_full(self) -> bool:
        """Whether whoever adds something now should wait until it is written."""
        return len(self._waiting) >= MOST_UNWRITTEN

    async def written(self) -> None:
        """Wait until everything that was added so far is in the log.

        Raises:
            LeaseLost, LogUnavailable: It is not, and never will be.
        """
        newest = self._newest
        if newest is None:
            return
        self._hurry()
        while not newest.is_settled:
            await self._changed.listen().wait()
        if newest.error:
            raise newest.error

    async def forgive(self) -> None:
        """Wait until nothing is under way, and take entries again although some were lost: the last one is tried."""
        self._hurry()
        while self._waiting or self._sent:
            await self._changed.listen().wait()
        self._failure = None

    def _hurry(self) -> None:
        self._is_urgent |= bool(self._waiting)
        self._plan()

    def _plan(self) -> None:
        """Send at once when somebody waits, and else after a while; never while something is under way."""
        if self._sent or not self._waiting:
            return
        if self._is_urgent:
            self._send()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHER_S, self._send)

    def _send(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        count = self._next_count()
        self._one_by_one = max(self._one_by_one - 1, 0)
        self._sent, self._waiting = self._waiting[:count], self._waiting[count:]
        self._is_urgent = self._is_urgent and bool(self._waiting)
        drafts = [draft for part in self._sent for draft in part.drafts]
        self._log.append(self._lease, drafts, self._sent[-1].status).add_done_callback(self._take_note)

    def _next_count(self) -> int:
        if self._one_by_one:
            return 1
        ends = (count for count, part in enumerate(self._waiting, start=1) if part.is_awaited)
        return next(ends, len(self._waiting))

    def _take_note(self, appended: asyncio.Future[Sequence[LogEntry]]) -> None:
        sent, self._sent = self._sent, []
        error = appended.exception()
        if error is None:
            self._settle(sent)
        elif isinstance(error, LogUnavailable) and len(sent) > 1:
            self._waiting[:0] = sent  # what stands before the bad one is good
            self._one_by_one = len(sent)
            self._is_urgent = True
        elif isinstance(error, LeaseLost | LogUnavailable):
            self._lose([*sent, *self._waiting], error)
        else:
            raise error
        self._plan()
        if error is None:  # after those who wait here: a run's task is over when its readers hear of its end
            self._committed(appended.result(), sent[-1].status)

    def _settle(self, parts: Sequence[_Part], error: LeaseLost | LogUnavailable | None = None) -> None:
        for part in parts:
            part.is_settled = True
            part.error = error
        self._changed.ring()

    def _lose(self, parts: Sequence[_Part], error: LeaseLost | LogUnavailable) -> None:
        self._failure = error
        self._waiting.clear()
        self._one_by_one = 0
        self._settle(parts, error)
