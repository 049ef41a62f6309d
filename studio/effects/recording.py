"""The port of a run whose every answer is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import cast
from uuid import UUID, uuid5

from pydantic import JsonValue

from studio.effects.ids import is_uuid, named_id
from studio.effects.port import AskHuman, Live, ask_on_console
from studio.effects.request import AsyncGeneratorLike, EffectKind, EffectRequest, Perform, StreamItem

Append = Callable[[dict[str, JsonValue]], Awaitable[None]]
REPEATABLE: frozenset[EffectKind] = frozenset({"model", "clock"})
"""Asking again costs money at the worst. All others may change something in the world."""


async def nothing_waits() -> None:
    """For a log that holds an entry as soon as `append` returns."""


class Recording(Live):
    """Talks to the world and hands each result, with the hash of its request, to `append`.

    A call that raises is recorded too, as an error, so that a repeated run fails in the same place. A cancelled call
    is not: it has no result.

    Args:
        append: Takes a result; it may be on its way to the log when this returns.
        run_id: From which the ids of the run's messages follow.
        human: Asks the person.
        written: Waits until all results are in the log. This comes before anything that must not be done twice.
    """

    def __init__(
        self,
        append: Append,
        *,
        run_id: str,
        human: AskHuman = ask_on_console,
        written: Callable[[], Awaitable[None]] = nothing_waits,
    ) -> None:
        super().__init__(human)
        self._append = append
        self._written = written
        self._namespace = UUID(run_id) if is_uuid(run_id) else uuid5(UUID(int=0), run_id)
        self._ids = 0

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if request.kind not in REPEATABLE:
            await self._written()
        try:
            result = await perform()
        except Exception as error:
            await self._record_error(request, error)
            raise
        await self._record(request, result)
        return result

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        if request.kind not in REPEATABLE:
            await self._written()
        result: StreamItem | None = None
        try:
            async with aclosing(cast("AsyncGeneratorLike", perform())) as items:
                async for item in items:
                    if not isinstance(item, str):
                        result = item
                        await self._record(request, result)
                    yield item
        except Exception as error:
            if result is None:
                await self._record_error(request, error)
            raise

    def new_id(self) -> str:
        """Ids of a recorded run follow from its own id, so that they need no entry in the log."""
        self._ids += 1
        return named_id(self._namespace, str(self._ids))

    async def _record(self, request: EffectRequest, result: JsonValue) -> None:
        await self._append(
            {"effect": request.kind, "source": request.source, "request": request.hash, "result": result}
        )

    async def _record_error(self, request: EffectRequest, error: Exception) -> None:
        await self._append(
            {
                "effect": request.kind,
                "source": request.source,
                "request": request.hash,
                "error": {"type": type(error).__name__, "message": str(error)},
            }
        )
