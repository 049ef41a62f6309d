"""What is waited for in a run, call by call: given up when it is held, and by nobody else's will."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import cast

import pytest
from pydantic import JsonValue

from studio.effects import AsyncGeneratorLike, EffectRequest, LiveEffects, StreamItem
from studio.runs.active_run import ActiveRun
from studio.runs.journal.log import Lease, RunStatus
from studio.runs.middleware.interrupts import InterruptibleEffects
from tests.runs.memory_log import MemoryLog
from tests.waiting import until

MODEL = EffectRequest("model", "model", lambda: None)
TOOL = EffectRequest("tool", "tool", lambda: None)


class Asked:
    """A world that answers when it is let, and counts how often it is asked."""

    def __init__(self) -> None:
        self.run = ActiveRun(Lease("run", 1), MemoryLog(), RunStatus())
        self.port = InterruptibleEffects(LiveEffects(), self.run)
        self.flights = self.run.debugger.in_flight
        self.answers = asyncio.Event()
        self.count = 0

    async def perform(self) -> JsonValue:
        self.count += 1
        await self.answers.wait()
        return self.count

    async def pieces(self) -> AsyncIterator[StreamItem]:
        self.count += 1
        yield "one"
        yield {"asked": self.count}


async def _asked(world: Asked, request: EffectRequest = MODEL) -> JsonValue:
    return await world.port.call(request, world.perform)


async def test_a_model_is_asked_again_as_often_as_the_run_is_held() -> None:
    world = Asked()
    begun: set[datetime] = set()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(_asked(world))
        for count in (1, 2, 3):
            await until(lambda count=count: world.count == count)
            begun.update(each.since for each in world.flights.listed())
            world.flights.interrupt()
            world.flights.interrupt()
        world.answers.set()
    assert (asking.result(), asking.cancelling(), list(world.flights.listed())) == (4, 0, [])
    assert len(begun) == 1


async def test_a_tool_is_not_given_up() -> None:
    world = Asked()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(_asked(world, TOOL))
        await until(lambda: world.count == 1)
        world.flights.interrupt()
        world.answers.set()
    assert (asking.result(), world.count) == (1, 1)


@pytest.mark.parametrize("is_first", [True, False])
async def test_whoever_else_cancels_a_call_that_is_held_has_cancelled_it(is_first: bool) -> None:
    world = Asked()
    asking = asyncio.get_running_loop().create_task(_asked(world))
    await asyncio.sleep(0)
    if is_first:
        asking.cancel()
    world.flights.interrupt()
    if not is_first:
        asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (world.count, list(world.flights.listed())) == (1, [])


async def test_an_answer_that_came_meanwhile_counts() -> None:
    world = Asked()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(_asked(world))
        await asyncio.sleep(0)
        world.answers.set()
        await asyncio.sleep(0)
        world.flights.interrupt()
    assert (asking.result(), world.count, asking.cancelling()) == (1, 1, 0)


async def test_an_answer_in_pieces_is_given_up_between_two_of_them() -> None:
    world = Asked()
    got: list[StreamItem] = []
    async with aclosing(cast("AsyncGeneratorLike", world.port.stream(MODEL, world.pieces))) as pieces:
        async for piece in pieces:
            got.append(piece)
            assert len(world.flights.listed()) == 1
            if len(got) == 1:
                world.flights.interrupt()
    assert got == ["one", "one", {"asked": 2}]
    assert list(world.flights.listed()) == []


async def test_a_stream_that_is_closed_is_under_way_no_more() -> None:
    world = Asked()
    async with aclosing(cast("AsyncGeneratorLike", world.port.stream(MODEL, world.pieces))) as pieces:
        async for _ in pieces:
            world.flights.interrupt()
            break
    assert list(world.flights.listed()) == []
    world.answers.set()
    assert await _asked(world) == 2
