"""Turns that happen side by side, joined so that none runs ahead of whoever reads them.

Each branch has a task of its own, which stands still while an item of it waits to be taken and until somebody asks for
more. What a branch has begun to ask of the world goes on meanwhile, also an answer that comes in pieces; it begins
nothing new while nobody pulls.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Generic, NamedTuple, TypeVar, cast

from pydantic import JsonValue

from studio import effects
from studio.effects import AsyncGeneratorLike, EffectRequest, Effects, Perform, Scoped, StreamItem

Item = TypeVar("Item")

PATIENCE_S = 1.0
"""How long a run that is repeated waits for an item that came before the others then, and may not come now."""


async def side_by_side(
    branches: Sequence[AsyncGenerator[Item, None]],
    left: list[Item] | None = None,
    *,
    id_of: Callable[[Item], str] = lambda _: "",
) -> AsyncGenerator[Item, None]:
    """Give the items of all branches as they come; those that come at once in the order of the branches.

    A run that is repeated is given them in the order in which they came then. The first error of a branch ends them
    all, after what was waiting to be taken. When the generator is closed the branches are cancelled and have ended
    before `aclose` returns.

    Args:
        branches: What goes on at the same time.
        left: Is given, at the end, the items that nobody has taken.
        id_of: The id under which an item is logged; empty for those that are not.
    """
    junction = _Junction(id_of)
    outer = effects.current()
    ports = [_BranchEffects(outer, junction.pulled) for _ in branches]  # ids first, so that they follow the order
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(junction.drive(items, port)) for items, port in zip(branches, ports, strict=True)]
    for task in tasks:
        task.add_done_callback(junction.note_end)
    try:
        async with aclosing(junction.items(tasks, _Order(outer, ports, tasks))) as items:
            async for item in items:
                yield item
    finally:
        if left is not None:
            left += junction.untaken
        await _end(tasks)


class _Offer(NamedTuple, Generic[Item]):
    item: Item
    goes_on: asyncio.Event


class _Junction(Generic[Item]):
    """A channel without a buffer, from several branches to one reader."""

    def __init__(self, id_of: Callable[[Item], str]) -> None:
        self._id_of = id_of
        self._offers: deque[_Offer[Item]] = deque()
        self._taken: list[asyncio.Event] = []
        self._changed = asyncio.Event()
        self.pulled = asyncio.Event()
        """Set while the reader waits for an item."""

    @property
    def untaken(self) -> list[Item]:
        return [offer.item for offer in self._offers]

    async def drive(self, items: AsyncGenerator[Item, None], port: Effects) -> None:
        """Offer the items of one branch, each when the one before was taken and more is asked for."""
        with effects.use(port):
            async with aclosing(items):
                async for item in items:
                    goes_on = asyncio.Event()
                    self._offers.append(_Offer(item, goes_on))
                    self._changed.set()
                    await goes_on.wait()

    def note_end(self, _task: asyncio.Task[None]) -> None:
        """Told when a branch has ended."""
        self._changed.set()

    async def items(self, tasks: Sequence[asyncio.Task[None]], order: _Order) -> AsyncGenerator[Item, None]:
        """What the branches offer, until all have ended.

        A branch whose item was taken goes on only when nothing else is left to give.
        """
        is_patient = True
        while True:
            while (offer := self._next(order, is_patient=is_patient)) is not None:
                is_patient = True
                self._taken.append(offer.goes_on)
                yield offer.item
            for task in tasks:
                if task.done():
                    task.result()  # raises the branch's error
            if not self._offers and all(task.done() for task in tasks):
                return
            self._changed.clear()
            self.pulled.set()
            for goes_on in self._taken:
                goes_on.set()
            self._taken.clear()
            is_patient = await self._wait()
            self.pulled.clear()

    def _next(self, order: _Order, *, is_patient: bool) -> _Offer[Item] | None:
        if not self._offers:
            return None
        place = order.place(lambda: [self._id_of(offer.item) for offer in self._offers]) if is_patient else 0
        if place is None:
            return None
        offer = self._offers[place]
        del self._offers[place]
        return offer

    async def _wait(self) -> bool:
        """Wait until a branch offers something or ends; False when what is held back for its turn waited in vain."""
        try:
            async with asyncio.timeout(PATIENCE_S if self._offers else None):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True


class _Order:
    """Which of several items comes next: the first that came, or, in a run that is repeated, the one that came then."""

    def __init__(self, port: Effects, branches: Sequence[Scoped], tasks: Sequence[asyncio.Task[None]]) -> None:
        self._port = port
        self._branches = branches
        self._tasks = tasks

    def place(self, offered: Callable[[], Sequence[str]]) -> int | None:
        """Place of the item to give; None to wait for one that is still to come."""
        next_recorded = self._port.recorded_order()
        if not next_recorded:
            return 0
        ids = offered()
        if "" in ids:
            return ids.index("")
        for item_id in next_recorded:
            for branch, task in zip(self._branches, self._tasks, strict=True):
                if branch.made(item_id):
                    return ids.index(item_id) if item_id in ids else 0 if task.done() else None
        return 0


class _BranchEffects(Scoped):
    """The port to the world as one branch has it: it asks nothing while nobody pulls."""

    def __init__(self, outer: Effects, pulled: asyncio.Event) -> None:
        super().__init__(outer)
        self._pulled = pulled

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        await self._pulled.wait()
        return await self._outer.call(request, perform)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        await self._pulled.wait()
        async with aclosing(_read_on(cast("AsyncGeneratorLike", self._outer.stream(request, perform)))) as items:
            async for item in items:
                yield item


async def _read_on(answer: AsyncGeneratorLike) -> AsyncGenerator[StreamItem, None]:
    """An answer in pieces, read to its end also while nobody takes them, so that it gets into the log."""
    pieces: asyncio.Queue[StreamItem | None] = asyncio.Queue()

    async def read() -> None:
        try:
            async with aclosing(answer) as items:
                async for item in items:
                    pieces.put_nowait(item)
        finally:
            pieces.put_nowait(None)

    reading = asyncio.get_running_loop().create_task(read())
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
        await reading  # raises its error
    finally:
        await _end([reading])


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
