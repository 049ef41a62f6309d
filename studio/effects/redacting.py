"""The port of a run that knows secrets: what the world answers comes without them, to the team and to the log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import cast

from pydantic import JsonValue

from studio.components.redacting import Redactor
from studio.effects.outcomes import error_from, told_of
from studio.effects.port import Effects, Relay
from studio.effects.request import AsyncGeneratorLike, EffectRequest, Perform, StreamItem


class Redacting(Relay):
    """Takes secrets out of results, pieces and errors before anybody sees them.

    Stands next to the world, so that a run that is repeated from its log is told the same as it was then. An error
    that held one is raised as a repeated run would raise it, without what led to it.
    """

    def __init__(self, outer: Effects, redactor: Redactor) -> None:
        super().__init__(outer)
        self._redactor = redactor

    def call(self, request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]:
        redactor = self._redactor

        async def discreetly() -> JsonValue:
            try:
                result = await perform()
            except Exception as error:
                if (clean := self._without_secrets(error)) is error:
                    raise
                raise clean from None
            return redactor.clean(result) if redactor else result

        return self._outer.call(request, discreetly)

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        async def discreetly() -> AsyncIterator[StreamItem]:
            pieces = self._redactor.stream()
            try:
                async with aclosing(cast("AsyncGeneratorLike", perform())) as items:
                    async for item in items:
                        if not isinstance(item, str):
                            if last := pieces.end():
                                yield last
                            yield cast("StreamItem", self._redactor.clean(item))
                        elif (piece := pieces.feed(item)) or not item:
                            yield piece
            except Exception as error:
                if (clean := self._without_secrets(error)) is error:
                    raise
                raise clean from None

        return self._outer.stream(request, discreetly)

    def _without_secrets(self, error: Exception) -> Exception:
        if not self._redactor:
            return error
        told = told_of(error)
        clean = self._redactor.clean(told)
        return error if clean is told else error_from(cast("dict[str, JsonValue]", clean))
