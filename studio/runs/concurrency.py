"""Owning tasks without hiding their errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, cast


@asynccontextmanager
async def task_group() -> AsyncGenerator[asyncio.TaskGroup]:
    """A task group that raises a lone error as itself, so that an operator reads one line and not a tree."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as error:
        raise unwrap_single(cast("BaseException", error)) from None


@asynccontextmanager
async def until_left(work: Coroutine[Any, Any, None], *, name: str) -> AsyncGenerator[None]:
    """Do something beside the block, and end it with that."""
    async with task_group() as group:
        task = group.create_task(work, name=name)
        try:
            yield
        finally:
            task.cancel()


def unwrap_single(error: BaseException) -> BaseException:
    """The one error inside groups that task groups put around it; a group of several stays whole."""
    while isinstance(error, BaseExceptionGroup):
        inner = cast("tuple[BaseException, ...]", error.exceptions)
        if len(inner) != 1:
            break
        error = inner[0]
    return cast("BaseException", error)


GATHERED_S = 0.04
"""What comes in many small pieces is shown so often: a reader sees no difference, and to show it costs most of all."""


class Notifier:
    """Wakes all who wait, without a queue: a sleeper learns that something changed and looks for itself."""

    def __init__(self) -> None:
        self._next = asyncio.Event()
        self._gathering: asyncio.TimerHandle | None = None
        self._has_gathered = False

    def wait_handle(self) -> asyncio.Event:
        """Set at the next ring; take it before you look, so that nothing falls between looking and waiting."""
        return self._next

    def notify(self) -> None:
        self._has_gathered = False
        rung, self._next = self._next, asyncio.Event()
        rung.set()

    def notify_of_piece(self) -> None:
        """As `notify`: at once for the first of many pieces, and then for those of `GATHERED_S` together."""
        if self._gathering is not None:
            self._has_gathered = True
            return
        self.notify()
        self._gathering = asyncio.get_running_loop().call_later(GATHERED_S, self._end_gathering)

    def _end_gathering(self) -> None:
        self._gathering = None
        if self._has_gathered:
            self.notify_of_piece()


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
