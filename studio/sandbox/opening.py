"""The sandbox of one studio: its jail, and the workers that wait in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from studio.sandbox.choosing import jail_or_refusal
from studio.sandbox.jail import Jail, current_jail
from studio.sandbox.policy import NOTHING, Outside
from studio.sandbox.warm import Workers, current_workers
from studio.settings import Sandbox


@asynccontextmanager
async def open_sandbox(setting: Sandbox, outside: Outside = NOTHING) -> AsyncGenerator[Jail]:
    """Confine the foreign code of all runs that begin inside the block. Where nothing can confine it, none runs.

    Args:
        setting: The jail by its name, or "auto".
        outside: What all code is given of the machine's files, and what none is.
    """
    jail = await asyncio.to_thread(jail_or_refusal, setting, outside)
    jail_before, workers_before = current_jail.set(jail), current_workers.set(None)
    try:
        async with Workers() as workers:
            current_workers.set(workers)
            yield jail
    finally:
        current_workers.reset(workers_before)
        current_jail.reset(jail_before)
