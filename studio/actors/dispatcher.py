"""Begins handlers in order. Only one that waits for something keeps a task to itself."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context
from types import coroutine
from typing import Any

from studio.actors.delivery import Item

Handler = Coroutine[Any, Any, None]


class Dispatcher:
    """Begins the handling of items in the order in which they came, each in context variables of its own.

    A task begins one after the other until one waits: with that handler the task stays, and another takes the rest. So
    each handler sees a task as if it were its own, with time limits and groups, and those that never wait cost no task.

    Args:
        handle: Handles an item.
        on_idle: Called when nothing is left.
    """

    def __init__(self, handle: Callable[[Item], Handler], on_idle: Callable[[], None]) -> None:
        self._handle = handle
        self._on_idle = on_idle
        self._waiting: deque[Item] = deque()
        """Items whose handling has not begun."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._following: asyncio.Task[None] | None = None
        """The task that takes what waits, before its first step."""
        self._beginning: Item | None = None
        """The item whose handler takes its first step now."""
        self._suspended: dict[asyncio.Task[None], Item] = {}
        """Items whose handlers wait for something, by their tasks."""

    @property
    def unfinished_count(self) -> int:
        """Items that wait, and handlers that run."""
        return len(self._waiting) + len(self._suspended) + (self._beginning is not None)

    @property
    def waiting_count(self) -> int:
        """Items whose handling has not begun."""
        return len(self._waiting)

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """Those that have not ended."""
        return [*self._tasks]

    def is_handling(self, item: Item) -> bool:
        return item is self._beginning or item in self._suspended.values()

    def add(self, item: Item, loop: asyncio.AbstractEventLoop) -> None:
        """Handle an item after those that were added before."""
        self._waiting.append(item)
        if self._following is None:
            self._follow(loop)

    def cancel(self, error: Exception, but: Item | None) -> list[asyncio.Task[None]]:
        """Refuse what waits, and cancel all handlers but one and the one that runs; the tasks of those are returned."""
        self._refuse_waiting(error)
        own = asyncio.current_task()
        others = [task for task in self._tasks if task is not own and (but is None or self._suspended.get(task) != but)]
        for task in others:
            task.cancel()
        return others

    def _follow(self, loop: asyncio.AbstractEventLoop) -> None:
        self._following = task = loop.create_task(self._begin_waiting())
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def _begin_waiting(self) -> None:
        """Begin what waits now. What is added meanwhile is for the next task, so that others have a turn."""
        self._following = None
        task = asyncio.current_task()
        assert task is not None
        waiting, handle = self._waiting, self._handle
        for _ in range(len(waiting)):
            if not waiting:  # all of it was refused
                return
            item = waiting.popleft()
            if waiting and self._following is None:
                self._follow(asyncio.get_running_loop())
            handler = handle(item)
            self._beginning = item
            try:
                awaited = item.variables.run(handler.send, None)
            except (StopIteration, asyncio.CancelledError):  # it has ended, or is cancelled by what it called
                if task.cancelling():  # it has cancelled its task, which the next one must not feel
                    return
                continue
            finally:
                self._beginning = None
            await self._keep(task, item, handler, awaited)
            return

    async def _keep(self, task: asyncio.Task[None], item: Item, handler: Handler, awaited: Any) -> None:
        """Let a handler that waits have its task until it ends."""
        self._suspended[task] = item
        item.link(task)
        try:
            await _rest(handler, item.variables, awaited)
        finally:
            item.unlink(task)
            del self._suspended[task]

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task is self._following:  # cancelled from outside, before its first step
            self._following = None
            self._refuse_waiting(asyncio.CancelledError())
        if not self._tasks:
            self._on_idle()

    def _refuse_waiting(self, error: BaseException) -> None:
        while self._waiting:
            self._waiting.popleft().refuse(error)


@coroutine
def _rest(handler: Handler, variables: Context, awaited: Any) -> Generator[Any, Any, None]:
    """All further steps of a coroutine, each in its context variables; the first one gave what it waits for."""
    step, given = handler.send, None
    while True:
        try:
            given = yield awaited
            step = handler.send
        except GeneratorExit:
            handler.close()
            raise
        except BaseException as error:  # noqa: BLE001 -- it is the handler's, which is cancelled
            step, given = handler.throw, error
        try:
            awaited = variables.run(step, given)
        except StopIteration:
            return
