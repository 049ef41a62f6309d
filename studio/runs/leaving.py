"""Holding runs before a server stops."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress

from studio.runs.live import LiveRun


async def let_tools_end(runs: Collection[LiveRun], detail: str, grace_s: float) -> None:
    """Hold all runs, and wait a while for what must not be broken off: nobody would know its outcome."""
    for run in runs:
        if run.gate.is_open and run.pending is None:
            run.gate.pause("shutdown", detail)
    with suppress(TimeoutError):
        async with asyncio.timeout(grace_s):
            for run in runs:
                await _while_at_work(run)


async def _while_at_work(run: LiveRun) -> None:
    while run.is_at_work and not run.is_closed:
        rung = run.bell.listen()
        if run.is_at_work:
            await rung.wait()
