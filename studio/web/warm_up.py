"""What first visitors would wait for is made ready in steps, between their requests and not beside them.

Python has one lock for all threads: whatever is made while a page is answered makes that page late.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager

from starlette.types import ASGIApp, Message, Receive, Scope, Send

QUIET_S = 0.1
"""A browser that loads a page asks more often than that."""
SLOWEST_ANSWER_S = 1.0
"""What takes longer to begin waits for something itself, such as the next message of a run."""

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]


class Activity:
    """What the server was asked for, and when it last was or answered."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._last_s: float | None = None
        self._waiting: list[float] = []

    def note(self) -> None:
        self._last_s = self._clock()

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Somebody waits for the beginning of an answer."""
        self.note()
        began_s = self._clock()
        self._waiting.append(began_s)
        try:
            yield
        finally:
            self._waiting.remove(began_s)
            self.note()

    @property
    def quiet_in_s(self) -> float:
        """Seconds until the server counts as quiet if nobody asks meanwhile; 0 when it is. An open stream is quiet."""
        now_s = self._clock()
        if any(now_s < began_s + SLOWEST_ANSWER_S for began_s in self._waiting):
            return QUIET_S
        return 0 if self._last_s is None else max(0.0, self._last_s + QUIET_S - now_s)


class NoteActivity:
    """ASGI middleware that notes who waits for an answer, and when one ends."""

    def __init__(self, app: ASGIApp, activity: Activity) -> None:
        self.app = app
        self.activity = activity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        with ExitStack() as waiting:
            waiting.enter_context(self.activity.waiting())

            async def begin(message: Message) -> None:
                waiting.close()
                await send(message)

            await self.app(scope, receive, begin)
        self.activity.note()


async def warm_up(steps: Iterator[None], activity: Activity, sleep: Sleep = asyncio.sleep) -> None:
    """Take one step after the other in a thread, each when the server is quiet."""
    while True:
        await until_quiet(activity, sleep)
        if not await asyncio.to_thread(_step, steps):
            return


async def until_quiet(activity: Activity, sleep: Sleep = asyncio.sleep) -> None:
    """Wait until nobody waits for an answer, nor has done so just now."""
    while (left := activity.quiet_in_s) > 0:
        await sleep(left)


def _step(steps: Iterator[None]) -> bool:
    """Take the next step; False when there is none."""
    return next(steps, False) is None
