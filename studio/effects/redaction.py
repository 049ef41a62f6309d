"""The world of those who know secrets: what it answers comes without them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import cast

from pydantic import JsonValue

from studio.components.readable_json import well_formed_json
from studio.components.redaction import Redactor
from studio.effects.outcomes import error_from, recorded_for
from studio.effects.port import AskHuman, LiveEffects, ask_on_console
from studio.effects.request import AsyncGeneratorLike, EffectRequest, Perform, StreamItem


class RedactingEffects(LiveEffects):
    """Talks to the world and takes secrets out of results, pieces and errors before anybody sees them.

    An error that held one is raised as a repeated run would raise it, without what led to it.
    """

    def __init__(self, redactor: Redactor, human: AskHuman = ask_on_console) -> None:
        super().__init__(human)
        self._redactor = redactor

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        del request
        try:
            return self._redactor.clean(well_formed_json(await perform()))
        except Exception as error:
            if (clean := clean_error(self._redactor, error)) is error:
                raise
            raise clean from None

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        del request
        return clean_pieces(self._redactor, perform)


async def clean_pieces(
    redactor: Redactor, perform: Callable[[], AsyncIterator[StreamItem]]
) -> AsyncIterator[StreamItem]:
    """The answer without secrets, also those that are cut in two."""
    pieces = redactor.stream()
    try:
        async with aclosing(cast("AsyncGeneratorLike", perform())) as items:
            async for item in items:
                if not isinstance(item, str):
                    if last := pieces.end():
                        yield last
                    yield cast("StreamItem", redactor.clean(well_formed_json(item)))
                elif (piece := pieces.feed(item)) or not item:
                    yield piece
    except Exception as error:
        if (clean := clean_error(redactor, error)) is error:
            raise
        raise clean from None


def clean_error(redactor: Redactor, error: Exception) -> Exception:
    """The error as a repeated run would raise it, if it holds a secret or half a character; else the very same."""
    recorded: JsonValue = recorded_for(error)
    clean = redactor.clean(well_formed_json(recorded))
    return error if clean is recorded else error_from(cast("dict[str, JsonValue]", clean))
