"""Turns that happen side by side, joined so that none runs ahead of whoever reads them.

Each branch has a task of its own, which stands still while an item of it waits to be taken and until somebody asks for
more. What a branch has begun to ask of the world goes on meanwhile; it begins nothing new while nobody pulls.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Generic, TypeVar, cast
from uuid import NAMESPACE_OID

from pydantic import JsonValue

from studio import effects
from studio.effects import AsyncGeneratorLike, EffectRequest, Effects, HumanQuestion, Perform, StreamItem, named_id

Item = TypeVar("Item")


async def side_by_side(
    branches: Sequence[AsyncGenerator[Item, None]], left: list[Item] | None = None
) -> AsyncGenerator[Item, None]:
    """Give the items of all branches as they come; those that come at once in the order of the branches.

    The first error of a branch ends them all, after what was waiting to be taken. When the generator is closed the
    branches are cancelled and have ended before `aclose` returns.

    Args:
        branches: What goes on at the same time.
        left: Is given, at the end, the items that nobody has taken.
    """
    junction = _Junction[Item]()
    outer = effects.current()
    ports = [_BranchEffects(outer, junction.pulled) for _ in branches]  # ids first, so that they follow the order
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(junction.drive(items, port)) for items, port in zip(branches, ports, strict=True)]
    for task in tasks:
        task.add_done_callback(junction.note_end)
    try:
        async with aclosing(junction.items(tasks)) as items:
            async for item in items:
                yield item
    finally:
        if left is not None:
            left += junction.untaken
        await _end(tasks)


class _Junction(Generic[Item]):
    """A channel without a buffer, from several branches to one reader."""

    def __init__(self) -> None:
        self._offers: deque[tuple[Item, asyncio.Event]] = deque()
        self._taken: list[asyncio.Event] = []
        self._changed = asyncio.Event()
        self.pulled = asyncio.Event()
        """Set while the reader waits for an item."""

    @property
    def untaken(self) -> list[Item]:
        return [item for item, _ in self._offers]

    async def drive(self, items: AsyncGenerator[Item, None], port: Effects) -> None:
        """Offer the items of one branch, each when the one before was taken and more is asked for."""
        with effects.use(port):
            async with aclosing(items):
                async for item in items:
                    goes_on = asyncio.Event()
                    self._offers.append((item, goes_on))
                    self._changed.set()
                    await goes_on.wait()

    def note_end(self, _task: asyncio.Task[None]) -> None:
        """Told when a branch has ended."""
        self._changed.set()

    async def items(self, tasks: Sequence[asyncio.Task[None]]) -> AsyncGenerator[Item, None]:
        """What the branches offer, until all have ended.

        A branch whose item was taken goes on only when nothing else is left to give.
        """
        while True:
            while self._offers:
                item, goes_on = self._offers.popleft()
                self._taken.append(goes_on)
                yield item
            for task in tasks:
                if task.done():
                    task.result()  # raises the branch's error
            if all(task.done() for task in tasks):
                return
            self._changed.clear()
            self.pulled.set()
            for goes_on in self._taken:
                goes_on.set()
            self._taken.clear()
            await self._changed.wait()
            self.pulled.clear()


class _BranchEffects:
    """The port to the world as one branch has it.

    It asks nothing while nobody pulls, and its ids do not depend on what the other branches do meanwhile.
    """

    def __init__(self, outer: Effects, pulled: asyncio.Event) -> None:
        self._outer = outer
        self._pulled = pulled
        self._name = outer.new_id()
        self._id_count = 0

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        await self._pulled.wait()
        return await self._outer.call(request, perform)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        await self._pulled.wait()
        async with aclosing(cast("AsyncGeneratorLike", self._outer.stream(request, perform))) as items:
            async for item in items:
                yield item

    async def answer(self, question: HumanQuestion) -> str:
        return await self._outer.answer(question)

    def new_id(self) -> str:
        self._id_count += 1
        return named_id(NAMESPACE_OID, f"{self._name} {self._id_count}")

    def now(self) -> datetime:
        return self._outer.now()


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Cancel what still runs and wait for it, also when this is itself cancelled meanwhile."""
    for task in tasks:
        task.cancel()
    was_cancelled = False
    while running := [task for task in tasks if not task.done()]:
        try:
            await asyncio.wait(running)
        except asyncio.CancelledError:
            was_cancelled = True
            for task in running:  # told again: one may hang in its own end
                task.cancel()
    for task in tasks:
        if not task.cancelled():
            task.exception()  # the first error was raised already; the others follow from the same end
    if was_cancelled:
        raise asyncio.CancelledError
