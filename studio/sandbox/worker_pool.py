"""Workers that wait for their call, so that it need not wait for them.

Each serves one call and ends, so nothing of one call is there for the next; then another one starts.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Self

from studio.errors import StudioError, ToolFailed
from studio.sandbox.processes import to_its_end
from studio.sandbox.worker_main import WorkerProcess, started_in_new_folder

READY_COUNT = 2
"""Of each kind: a model that calls tools calls one or two at a time."""
KINDS_COUNT = 3
"""Sets of hosts for which workers are kept ready; each worker holds some 30 MB."""
REST_S = 120.0
"""How long workers wait for a call that does not come."""


MAX_AT_ONCE = 16
"""Calls that run at the same time; each may hold some 2 GB. The others wait in their order."""
MAX_WAIT_S = 300.0


class _Slot:
    """One worker, from before its start until it is gone; a task of the pool owns it."""

    def __init__(self, hosts: tuple[str, ...]) -> None:
        self._hosts = hosts
        self._is_done = asyncio.Event()
        self._is_gone = asyncio.Event()
        self._ready: asyncio.Future[WorkerProcess] = asyncio.get_running_loop().create_future()

    async def live(self) -> None:
        """Start the worker and keep it until it is let go."""
        try:
            async with started_in_new_folder(self._hosts) as worker:
                self._ready.set_result(worker)
                await self._is_done.wait()
        except (StudioError, OSError) as error:
            if not self._ready.done():
                self._ready.set_exception(error)
                self._ready.exception()  # looked at; whoever takes the slot hears of it
        finally:
            self._ready.cancel()  # nobody may wait for what does not come
            self._is_gone.set()

    @property
    def is_usable(self) -> bool:
        """Whether it still starts, or waits in good health."""
        if not self._ready.done():
            return True
        return self._ready.exception() is None and self._ready.result().is_running

    async def worker(self) -> WorkerProcess:
        """The worker, once it is there."""
        return await asyncio.shield(self._ready)

    def let_go(self) -> None:
        self._is_done.set()

    async def end(self) -> None:
        """Let go, and wait until nothing of it is left."""
        self.let_go()
        await to_its_end(self._wait())

    async def _wait(self) -> None:
        await self._is_gone.wait()


class WorkerPool:
    """Keeps workers ready. An async context manager: when it is left, all of them are gone.

    They start in the jail of the context in which it was entered.
    """

    def __init__(self, rest_s: float = REST_S) -> None:
        self._rest_s = rest_s
        self._places = asyncio.Semaphore(MAX_AT_ONCE)
        self._ready: OrderedDict[tuple[str, ...], deque[_Slot]] = OrderedDict()
        self._stack = AsyncExitStack()
        self._group: asyncio.TaskGroup | None = None
        self._context = contextvars.copy_context()
        self._resting: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        self._context = contextvars.copy_context()
        self._group = await self._stack.enter_async_context(asyncio.TaskGroup())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del kind, error, trace  # not the group's to raise: its tasks have been told to end
        self._group = None
        if self._resting is not None:
            self._resting.cancel()
        self.rest()
        await self._stack.aclose()

    @asynccontextmanager
    async def one(self, hosts: tuple[str, ...] = ()) -> AsyncGenerator[WorkerProcess]:
        """A worker that nobody has used or will use again. One that fails its block is gone at the end of it.

        Raises:
            JailUnavailable: The policy cannot be held here.
            ToolFailed: Too many others run, and none of them ended in time.
        """
        await self._wait_for_a_place()
        try:
            slot = self._acquire(hosts)
            try:
                yield await slot.worker()
            except BaseException:
                await slot.end()
                raise
            finally:
                self.prepare(hosts)  # not before: a start takes the time of the call
            slot.let_go()
        finally:
            self._places.release()

    async def _wait_for_a_place(self) -> None:
        try:
            async with asyncio.timeout(MAX_WAIT_S):
                await self._places.acquire()
        except TimeoutError as error:
            raise ToolFailed(
                f"{MAX_AT_ONCE} tools are already running, and none ended within {MAX_WAIT_S:g} s.",
                fix="Try again later, or call fewer tools at once.",
            ) from error

    def prepare(self, hosts: tuple[str, ...] = ()) -> None:
        """Have workers of that kind ready soon."""
        ready = self._ready.setdefault(hosts, deque())
        self._ready.move_to_end(hosts)
        while len(ready) < READY_COUNT and self._group is not None:
            ready.append(self._start(hosts))
        while len(self._ready) > KINDS_COUNT:
            _let_go(self._ready.popitem(last=False)[1])
        self._rest_later()

    def rest(self) -> None:
        """Let go of all that wait."""
        while self._ready:
            _let_go(self._ready.popitem()[1])

    def _acquire(self, hosts: tuple[str, ...]) -> _Slot:
        ready = self._ready.setdefault(hosts, deque())
        slot: _Slot | None = None
        while ready and slot is None:
            first = ready.popleft()
            if first.is_usable:
                slot = first
            else:
                first.let_go()
        return slot or self._start(hosts)

    def _start(self, hosts: tuple[str, ...]) -> _Slot:
        slot = _Slot(hosts)
        assert self._group is not None, "workers are asked for between entering and leaving"
        self._group.create_task(slot.live(), name="a worker", context=self._context.copy())
        return slot

    def _rest_later(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
        self._resting = None
        if self._group is not None:
            self._resting = asyncio.get_running_loop().call_later(self._rest_s, self.rest)


def _let_go(slots: deque[_Slot]) -> None:
    for slot in slots:
        slot.let_go()


current_workers: ContextVar[WorkerPool | None] = ContextVar("studio_workers", default=None)
"""Where workers are taken from here; each call starts its own when None."""
