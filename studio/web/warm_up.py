"""What first visitors would wait for is made ready in steps, between their requests and not beside them.

Python has one lock for all threads: whatever is made while a page is answered makes that page late.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

from starlette.types import ASGIApp, Receive, Scope, Send

QUIET_S = 0.1
"""A browser that loads a page asks more often than that."""

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]


class Activity:
    """When the server was last asked for something, or last answered."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._last_s: float | None = None

    def note(self) -> None:
        self._last_s = self._clock()

    @property
    def quiet_in_s(self) -> float:
        """Seconds until the server counts as quiet if nobody asks meanwhile; 0 when it is. An open stream is quiet."""
        return 0 if self._last_s is None else max(0.0, self._last_s + QUIET_S - self._clock())


class NoteActivity:
    """ASGI middleware that notes when a request begins and ends."""

    def __init__(self, app: ASGIApp, activity: Activity) -> None:
        self.app = app
        self.activity = activity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.activity.note()
        try:
            await self.app(scope, receive, send)
        finally:
            self.activity.note()


async def warm_up(steps: Iterator[None], activity: Activity, sleep: Sleep = asyncio.sleep) -> None:
    """Take one step after the other in a thread, each when the server is quiet."""
    while True:
        while (left := activity.quiet_in_s) > 0:
            await sleep(left)
        if not await asyncio.to_thread(_step, steps):
            return


def _step(steps: Iterator[None]) -> bool:
    """Take the next step; False when there is none."""
    return next(steps, False) is None
