"""Owning tasks without hiding their errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast


@asynccontextmanager
async def task_group() -> AsyncGenerator[asyncio.TaskGroup]:
    """A task group that raises a lone error as itself, so that an operator reads one line and not a tree."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as error:
        raise unwrap_single(cast("BaseException", error)) from None


def unwrap_single(error: BaseException) -> BaseException:
    """The one error inside groups that task groups put around it; a group of several stays whole."""
    while isinstance(error, BaseExceptionGroup):
        inner = cast("tuple[BaseException, ...]", error.exceptions)
        if len(inner) != 1:
            break
        error = inner[0]
    return cast("BaseException", error)


class Notifier:
    """Wakes all who wait, without a queue: a sleeper learns that something changed and looks for itself."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def wait_handle(self) -> asyncio.Event:
        """Set at the next ring; take it before you look, so that nothing falls between looking and waiting."""
        return self._next

    def notify(self) -> None:
        rung, self._next = self._next, asyncio.Event()
        rung.set()


MAX_UNINTERRUPTED_S = 0.005
"""How long a run whose models answer at once, or what happens again from a log, may go on without it."""


class CooperativeYield:
    """Taken once for each round; it rests only when the last time is long ago."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._taken_at = self._clock()

    async def yield_if_due(self) -> None:
        if self._clock() - self._taken_at > MAX_UNINTERRUPTED_S:
            await asyncio.sleep(0)
            self._taken_at = self._clock()
