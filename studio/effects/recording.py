"""The port of a run whose every answer is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from time import perf_counter
from typing import cast
from uuid import UUID, uuid5

from pydantic import JsonValue

from studio.components import JsonObject
from studio.components.readable_json import well_formed_json
from studio.components.redaction import Redactor
from studio.effects.idempotency import idempotency_scope
from studio.effects.ids import is_uuid, numbered_ids
from studio.effects.outcomes import error_body, intent_body, result_body
from studio.effects.port import AskHuman, LiveEffects, ask_on_console, current
from studio.effects.redaction import clean_error, clean_pieces
from studio.effects.request import AsyncGeneratorLike, EffectKind, EffectRequest, Perform, StreamItem

Append = Callable[[JsonObject], Awaitable[None] | None]
"""Gives what is still to be waited for, if there is anything."""
REPEATABLE: frozenset[EffectKind] = frozenset({"model", "clock"})
"""Asking again costs money at the worst. All others may change something in the world."""
MAX_STEP_S = 0.02
"""Others have their turn after a call that took longer, which may have been the processor's time."""


async def is_idle() -> None:
    """For a log that holds an entry as soon as `append` returns."""


Intend = Callable[[JsonObject], Awaitable[str]]
Meter = Callable[[EffectRequest, JsonValue | Exception, float], JsonObject]
"""Told of each request, what it gave, and after how many seconds; says what else its entry tells."""


def nothing_measured(request: EffectRequest, result: JsonValue | Exception, seconds: float) -> JsonObject:
    """For a log that tells no costs."""
    del request, result, seconds
    return {}


class Named(LiveEffects):
    """Ids follow from the run's own id and a counter, so that they need no entry in the log."""

    def __init__(self, run_id: str, human: AskHuman = ask_on_console) -> None:
        super().__init__(human)
        self.new_id = numbered_ids(UUID(run_id) if is_uuid(run_id) else uuid5(UUID(int=0), run_id)).__next__


class RecordingEffects(Named):
    """Talks to the world and hands each result, with the hash of its request, to `append`.

    Secrets are taken out of it before, so that a run that is repeated from its log is told the same as it was then.

    A call that raises is recorded too, as an error, so that a repeated run fails in the same place. A cancelled call
    is not: it has no result.

    Args:
        append: Takes a result; it may be on its way to the log when this returns.
        run_id: From which the ids of the run's messages follow.
        human: Asks the person.
        written: Waits until all results are in the log. This comes before anything that others see.
        intend: As `written`, before something that must not be done twice; it notes that this is about to be done and
            gives the key by which whoever does it can tell that it is the same again.
        redactor: Knows the secrets.
    """

    def __init__(
        self,
        append: Append,
        *,
        run_id: str,
        human: AskHuman = ask_on_console,
        written: Callable[[], Awaitable[None]] = is_idle,
        intend: Intend | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        super().__init__(run_id, human)
        self._append = append
        self._written = written
        self._intend = intend
        self.meter: Meter = nothing_measured
        """Reckons what a request took."""
        self._redactor = Redactor() if redactor is None else redactor

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if request.kind not in REPEATABLE and (key := await self._announce(request)):
            perform = partial(_once, key, perform)
        began = perf_counter()
        try:
            result = self._redactor.clean(well_formed_json(await perform()))
        except Exception as error:
            clean = clean_error(self._redactor, error)
            took = self.meter(request, clean, perf_counter() - began)
            await self._keep(error_body(request, current().scope, clean) | took)
            if clean is error:
                raise
            raise clean from None
        duration_s = perf_counter() - began
        body = result_body(request, current().scope, result)
        body |= self.meter(request, result, duration_s)
        if (rest := self._append(body)) is not None:
            await rest
        if duration_s > MAX_STEP_S:
            await asyncio.sleep(0)  # an answer of many megabytes has taken some of the loop by now
        return result

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        if request.kind not in REPEATABLE:
            await self._announce(request)
        began = perf_counter()
        result: StreamItem | None = None
        try:
            async with aclosing(cast("AsyncGeneratorLike", clean_pieces(self._redactor, perform))) as items:
                async for item in items:
                    if not isinstance(item, str):
                        result = item
                        took = self.meter(request, result, perf_counter() - began)
                        await self._keep(result_body(request, current().scope, result) | took)
                    yield item
        except Exception as error:
            if result is None:
                await self._keep(error_body(request, current().scope, error))
            raise

    async def _keep(self, body: JsonObject) -> None:
        if (rest := self._append(body)) is not None:
            await rest

    async def _announce(self, request: EffectRequest) -> str:
        """Say that this is about to be asked, where it matters; the key that goes with it."""
        if request.is_safe or request.kind == "input" or self._intend is None:
            await self._written()
            return ""
        return await self._intend(intent_body(request, current().scope))


async def _once(key: str, perform: Perform) -> JsonValue:
    with idempotency_scope(key):
        return await perform()
