"""Hands the entries of one run to its log: in order, several in one transaction, and never past one that was lost."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import cast

from studio.runs.concurrency import Notifier
from studio.runs.journal.log import Draft, Lease, LeaseLost, LogEntry, LogUnavailable, RunLog, RunStatus, Usage

MAX_UNWRITTEN = 200
"""Parts. Whoever adds more waits for the log."""

GATHER_S = 0.005
"""How long after one append the next one comes, where nobody waits for it: an answer goes into the log as soon as it is
there, and the many turns of a run whose models answer at once go together."""

Committed = Callable[[Sequence[LogEntry], RunStatus], None]


_Part = tuple[Sequence[Draft], RunStatus, Usage, bool]
"""What is added in one call, and gets into the log as a whole or not at all: entries, the status that they lead to but
for its usage, that usage, and whether somebody waits for them. It is no class: each turn adds several."""

_drafts_of = cast("Callable[[_Part], Sequence[Draft]]", itemgetter(0))
_is_awaited = cast("Callable[[_Part], bool]", itemgetter(3))


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
        self._settled = 0
        """How many parts are in the log or lost."""
        self._lost = range(0)
        """Which parts were lost the last time, counted from 1, to `_loss`."""
        self._loss: LeaseLost | LogUnavailable | None = None
        self._sent_at = -math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._is_urgent = False
        self._one_by_one = 0
        self._failure: LeaseLost | LogUnavailable | None = None
        self._changed = Notifier()

    def add(self, drafts: Sequence[Draft], status: RunStatus, usage: Usage, *, is_awaited: bool) -> bool:
        """Put entries, and the status that they lead to, behind all others.

        Args:
            drafts: The entries.
            status: The run's status with them, but for its usage.
            usage: What the run's calls have taken with them.
            is_awaited: Somebody waits for these and then looks at the status: what comes later goes separately.

        Returns:
            Whether so many wait now that whoever adds should wait until they are written.

        Raises:
            LeaseLost, LogUnavailable: An entry before these was not taken.
        """
        if self._failure:
            raise self._failure
        self._waiting.append((drafts, status, usage, is_awaited))
        if is_awaited:
            self._is_urgent = True
            self._plan()
        elif self._timer is None:
            self._plan()
        return len(self._waiting) >= MAX_UNWRITTEN

    async def wait_written(self) -> None:
        """Wait until everything that was added so far is in the log.

        Raises:
            LeaseLost, LogUnavailable: It is not, and never will be.
        """
        newest = self._settled + len(self._sent) + len(self._waiting)
        self._hurry()
        while self._settled < newest:
            await self._changed.wait_handle().wait()
        if self._loss and newest in self._lost:
            raise self._loss

    async def reset_failure(self) -> None:
        """Wait until nothing is under way, and take entries again although some were lost: the last one is tried."""
        self._hurry()
        while self._waiting or self._sent:
            await self._changed.wait_handle().wait()
        self._failure = None

    def _hurry(self) -> None:
        self._is_urgent |= bool(self._waiting)
        self._plan()

    def _plan(self) -> None:
        """Send now when somebody waits, and else a while after the last time; never while something is under way."""
        if self._sent or not self._waiting:
            return
        loop, due = asyncio.get_running_loop(), self._sent_at + GATHER_S
        if self._is_urgent or loop.time() >= due:
            self._send()
        elif self._timer is None:
            self._timer = loop.call_at(due, self._send)

    def _send(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._sent_at = asyncio.get_running_loop().time()
        count = self._next_count()
        self._one_by_one = max(self._one_by_one - 1, 0)
        self._sent, self._waiting = self._waiting[:count], self._waiting[count:]
        self._is_urgent = self._is_urgent and bool(self._waiting)
        drafts = list(chain.from_iterable(map(_drafts_of, self._sent)))
        _, status, usage, _ = self._sent[-1]
        leads_to = status.with_usage(usage)  # made once for all that go together
        self._log.append(self._lease, drafts, leads_to).add_done_callback(partial(self._note_committed, leads_to))

    def _next_count(self) -> int:
        if self._one_by_one:
            return 1
        awaited = list(map(_is_awaited, self._waiting))
        return awaited.index(True) + 1 if True in awaited else len(awaited)

    def _note_committed(self, leads_to: RunStatus, appended: asyncio.Future[Sequence[LogEntry]]) -> None:
        sent, self._sent = self._sent, []
        error = _failure_of(appended)
        if error is None:
            self._settle(len(sent))
        elif isinstance(error, LogUnavailable) and len(sent) > 1:
            self._waiting[:0] = sent  # what stands before the bad one is good
            self._one_by_one = len(sent)
            self._is_urgent = True
        else:
            self._lose(len(sent), error)
        self._plan()
        if error is None:  # after those who wait here: a run's task is over when its readers hear of its end
            self._committed(appended.result(), leads_to)

    def _settle(self, count: int) -> None:
        self._settled += count
        self._changed.notify()

    def _lose(self, sent: int, error: LeaseLost | LogUnavailable) -> None:
        """Lose what was sent and all that waits behind it."""
        count = sent + len(self._waiting)
        self._failure = self._loss = error
        self._lost = range(self._settled + 1, self._settled + count + 1)
        self._waiting.clear()
        self._one_by_one = 0
        self._settle(count)


def _failure_of(appended: asyncio.Future[Sequence[LogEntry]]) -> LeaseLost | LogUnavailable | None:
    """Why entries are not in the log. Whoever waits for them is told, whatever the log raised."""
    if appended.cancelled():
        return LogUnavailable("The log was closed before the entry was written.", fix="Continue the run.")
    error = appended.exception()
    if error is None or isinstance(error, LeaseLost | LogUnavailable):
        return error
    unforeseen = LogUnavailable(f"An entry could not be written to the log: {type(error).__name__}: {error}")
    unforeseen.__cause__ = error
    return unforeseen
