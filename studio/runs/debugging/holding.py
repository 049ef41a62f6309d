"""Abandons the model calls in flight when the run is held, and makes them again when it goes on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import cast

from pydantic import JsonValue

from studio.effects import EffectRequest, Effects, Perform, Relay, StreamItem
from studio.runs.debugging.flights import Held
from studio.runs.live import LiveRun


class Holding(Relay):
    """Keeps the list of what is under way, and lets go of calls that can be made again.

    A tool, code, or a question to a person is never abandoned: it may change something in the world.
    """

    def __init__(self, outer: Effects, run: LiveRun) -> None:
        super().__init__(outer)
        self._run = run
        self._flights = run.debugger.flights

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        flight = self._flights.begin(request)
        try:
            if request.kind != "model":
                return await self._outer.call(request, perform)
            while True:
                try:
                    return await flight.unless_held(lambda: self._outer.call(request, perform))
                except Held:
                    await self._run.pass_gate()
        finally:
            self._flights.end(flight)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        flight = self._flights.begin(request)
        try:
            while True:
                pieces = cast("AsyncGenerator[StreamItem, None]", self._outer.stream(request, perform))
                try:
                    async with aclosing(pieces):
                        while (item := await flight.unless_held(lambda: anext(pieces, None))) is not None:  # noqa: B023
                            yield item
                except Held:
                    await self._run.pass_gate()
                else:
                    return
        finally:
            self._flights.end(flight)
