"""Abandons the model calls in flight when the run is held, and makes them again when it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from time import time
from typing import cast

from pydantic import JsonValue

from studio.effects import EffectRequest, Effects, EffectsMiddleware, Perform, StreamItem
from studio.effects.progress import listening
from studio.runs.active_run import ActiveRun
from studio.runs.debugging.in_flight import REPORTED_KINDS, CallInterrupted


class InterruptibleEffects(EffectsMiddleware):
    """Keeps the list of what is under way, and lets go of calls that can be made again.

    A tool, code, or a question to a person is never abandoned: it may change something in the world.
    """

    def __init__(self, outer: Effects, run: ActiveRun) -> None:
        super().__init__(outer)
        self._run = run
        self._flights = run.debugger.in_flight

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        flights, since_s = self._flights, time()
        while True:
            if flights.is_closed:
                await flights.never_begin()
            flights.begin(request, since_s)
            try:
                if request.kind in REPORTED_KINDS:
                    with listening(lambda text: flights.note_progress(request, self._run.redactor.clean_text(text))):
                        return await self._outer.call(request, perform)
                return await self._outer.call(request, perform)
            except asyncio.CancelledError:
                if not flights.note_failure(request):
                    raise
            except Exception:
                flights.failed = request
                raise
            finally:
                flights.end(request)
            await self._run.wait_at_gate()

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        flights, since_s = self._flights, time()
        while True:
            if flights.is_closed:
                await flights.never_begin()
            pieces = cast("AsyncGenerator[StreamItem, None]", self._outer.stream(request, perform))
            try:
                async with aclosing(pieces):
                    while (item := await self._next(request, pieces, since_s)) is not None:
                        yield item
                return
            except CallInterrupted:
                pass
            finally:
                flights.end(request)
            await self._run.wait_at_gate()

    async def _next(
        self, request: EffectRequest, pieces: AsyncGenerator[StreamItem, None], since_s: float
    ) -> StreamItem | None:
        flights = self._flights
        flights.begin(request, since_s)
        try:
            return await anext(pieces, None)
        except asyncio.CancelledError:
            if not flights.note_failure(request):
                raise
            raise CallInterrupted from None
        except Exception:
            flights.failed = request
            raise
        finally:
            flights.suspend(request)
