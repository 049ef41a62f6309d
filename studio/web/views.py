"""Views of past runs that take long: they run the engine again, or read a whole log.

A short run is looked at right here. For a longer one a process beside the server does it: done here it would keep the
loop from going on, and all runs with it. So would a thread, since Python has one lock for all of them. The process can
only read the database and comes after the server on the processor. It ends when nobody has asked for a while, and is
killed when whoever asked has left or when it takes too long.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

from anyio import BrokenWorkerProcess, CapacityLimiter, to_process
from fastapi import Request, Response

from studio.errors import TooLarge
from studio.runs import RunSummary, task_group
from studio.settings import Settings
from studio.store import Store, read_store
from studio.web.auth.authorization import AUTH_CONTEXT
from studio.web.auth.session_cache import AuthContext
from studio.web.request_queue import RequestQueue
from studio.web.templates import Templates, load_templates

MAX_ENTRIES_HERE = 400
MAX_BYTES_HERE = 200_000
"""Of a run that is looked at in the server: what may take some 50 ms."""
MAX_PROCESSES = 2
MAX_CPU_S = 30.0
"""Of the processor, for one view."""
MAX_VIEW_S = 300.0
"""By the clock, on however busy a machine."""
AT_ONCE_S = 1.0
"""A process that ends so soon had waited for long enough, just when it was chosen."""
MAX_VIEW_BYTES = 64 * 1024 * 1024
MAX_CACHED_BYTES = 32 * 1024 * 1024
MAX_MEMORY_BYTES = 2 * 1024**3
IDLE_S = 60
"""After which a process that nobody needs ends."""
LEFT = 499
"""The status of an answer that nobody is there to read."""
BESIDE_RUNS = 5
"""How much less of the processor it has, as `nice` counts."""


@dataclass(frozen=True)
class Desk:
    """What a view is made from, and for whom."""

    store: Store
    settings: Settings
    templates: Templates
    admitted: AuthContext

    @property
    def request(self) -> Request:
        """As a template is given it; it tells who asks and nothing else."""
        return Request({"type": "http", AUTH_CONTEXT: self.admitted})


View = Callable[..., Awaitable[Response]]
"""A function of a module: given a `Desk` and arguments that can be sent to a process."""


@dataclass
class Views:
    """The views of one server; those of ended runs are remembered for a while."""

    store: Store
    settings: Settings
    templates: Templates
    _processes: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(MAX_PROCESSES))
    _turns: RequestQueue = field(default_factory=lambda: RequestQueue("views"))
    _cache: OrderedDict[object, Response] = field(default_factory=lambda: OrderedDict[object, Response]())

    async def show(
        self, request: Request, admitted: AuthContext, view: View, runs: Sequence[str], *args: object, is_kept: bool
    ) -> Response:
        """Make a view of these runs, or give the one that was made before.

        Args:
            request: Who asks; when they leave, the view is not made.
            admitted: The same person, as the view may tell of them.
            view: Makes it.
            runs: What it is of.
            args: Go to the view.
            is_kept: Whether it may be remembered, when the runs have ended: it must be the same for everybody.

        Raises:
            NotFound: There is no such run.
            TooManyAtOnce: The person waits for too many already.
            TooLarge: It takes too long, or more memory than it may.
        """
        found = [await self.store.runs.summary(run_id) for run_id in runs]
        if await self._is_short(found):
            return await view(Desk(self.store, self.settings, self.templates, admitted), *args)
        is_kept = is_kept and all(run.status.state.is_final for run in found)
        key = (
            view,
            args,
            *((run.id, run.created_at, run.last_seq) for run in found),
            await self.store.approvals.mark(),
        )
        async with self._turns.wait_turn(admitted.person.id or admitted.person.name):
            if is_kept and (made := self._cache.get(key)) is not None:
                self._cache.move_to_end(key)
                return _again(made)
            made = await self._made(request, admitted, view, args)
            if is_kept and made.status_code == 200:
                self._keep(key, made)
            return _again(made)

    def forget(self) -> None:
        """A run was deleted: another one may come under its id."""
        self._cache.clear()

    async def _is_short(self, runs: Sequence[RunSummary]) -> bool:
        if sum(run.last_seq for run in runs) > MAX_ENTRIES_HERE:
            return False
        return sum([await self.store.logs.size(run.id) for run in runs]) <= MAX_BYTES_HERE

    async def _made(self, request: Request, admitted: AuthContext, view: View, args: Sequence[object]) -> Response:
        async with task_group() as group:
            work = group.create_task(self._by_process(admitted, view, args), name="make a view")
            left = group.create_task(_left(request), name="see whether the reader leaves")
            await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
            left.cancel()
            work.cancel()
        return Response(status_code=LEFT) if work.cancelled() else work.result()

    async def _by_process(self, admitted: AuthContext, view: View, args: Sequence[object]) -> Response:
        too_large = TooLarge("This run is too long to show completely.", fix="Choose an earlier entry.")
        while True:
            began_s = time.monotonic()
            try:
                async with asyncio.timeout(MAX_VIEW_S):
                    return await to_process.run_sync(
                        _in_process, self.settings, admitted, view, args, cancellable=True, limiter=self._processes
                    )
            except (BrokenWorkerProcess, TimeoutError, MemoryError) as error:
                if not isinstance(error, BrokenWorkerProcess) or time.monotonic() - began_s > AT_ONCE_S:
                    raise too_large from error

    def _keep(self, key: object, made: Response) -> None:
        if len(made.body) > MAX_CACHED_BYTES // 4:
            return
        self._cache[key] = made
        while sum(len(each.body) for each in self._cache.values()) > MAX_CACHED_BYTES:
            self._cache.popitem(last=False)


async def _left(request: Request) -> None:
    """Return when the reader has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _again(made: Response) -> Response:
    """A response of its own: what is done to one must not show in the next."""
    return Response(made.body, made.status_code, dict(made.headers))


def _in_process(settings: Settings, admitted: AuthContext, view: View, args: Sequence[object]) -> Response:
    """What the process does. It is killed by a signal when it has taken too much of the processor."""
    _settle_down()
    signal.alarm(0)
    signal.setitimer(signal.ITIMER_PROF, MAX_CPU_S)
    try:
        made = asyncio.run(_view(settings, admitted, view, args))
        if len(made.body) > MAX_VIEW_BYTES:
            raise TooLarge(f"This view would have more than {MAX_VIEW_BYTES >> 20} MB.", fix="Choose an earlier entry.")
        return made
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(IDLE_S)


async def _view(settings: Settings, admitted: AuthContext, view: View, args: Sequence[object]) -> Response:
    async with read_store(settings.data_dir, settings.database_url) as store:
        return await view(Desk(store, settings, load_templates(), admitted), *args)


@cache
def _settle_down() -> None:
    """Leave the server the better part of the machine; a signal to stop is for the server, which stops this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(BESIDE_RUNS)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
