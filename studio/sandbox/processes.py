"""Processes that somebody owns: none of them outlives its owner, also when that is cancelled at a bad moment."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")


@asynccontextmanager
async def owned(beginning: Coroutine[Any, Any, Process]) -> AsyncGenerator[Process]:
    """The process, which has a session of its own. When the block fails or is left early, it is killed with all its
    children that stayed in the session, and is gone.

    Args:
        beginning: Starts it. A cancellation waits until it has: asyncio alone would kill the process then, but none of
            the children that it may have by now.
    """
    process: Process | None = None
    is_done = False

    async def begin() -> None:
        nonlocal process
        process = await beginning

    try:
        await to_its_end(begin())
        assert process is not None, "a beginning that raises nothing has a process"
        yield process
        is_done = True
    finally:
        if process is not None and not is_done:
            kill_group(process.pid)
            await to_its_end(process.wait())


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Do what takes but a moment; a cancellation is raised when it is done, not before."""
    task = asyncio.get_running_loop().create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # looked at; the cancellation matters more
        raise cancelled
    return task.result()


def kill_group(group: int) -> None:
    """End a process and all its children that did not leave its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
