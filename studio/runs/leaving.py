"""Letting what is under way end before a server stops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress

from studio.runs.live import LiveRun

ANSWER_GRACE_S = 1.0
"""How long a stopping server waits for answers of models: one that is paid for should not be asked for again."""


async def drain(runs: Collection[LiveRun], grace_s: float) -> None:
    """Let no run begin anything more, and wait a while for what is under way.

    Runs are still pulled, so that an answer which has arrived is read to its end and kept, also beside others.

    Args:
        runs: Those that are about to be left.
        grace_s: How long to wait for tools and code: of what is broken off, nobody knows the outcome.
    """
    for run in runs:
        run.debugger.flights.close()
    await _while_any(runs, lambda run: run.is_waiting_for_answers, min(ANSWER_GRACE_S, grace_s))
    await _while_any(runs, lambda run: run.is_at_work, grace_s)


async def _while_any(runs: Collection[LiveRun], is_busy: Callable[[LiveRun], bool], limit_s: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(limit_s):
            for run in runs:
                while is_busy(run) and not run.is_closed:
                    rung = run.bell.listen()
                    if is_busy(run):
                        await rung.wait()
