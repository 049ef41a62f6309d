"""The port of a run that is repeated: what was recorded answers, for as long as it lasts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Literal, cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.effects.divergence import Diverged, Divergence, of_entry, of_item, of_request
from studio.effects.journal import Recorded, ReplayCursor
from studio.effects.outcomes import outcome_of
from studio.effects.port import INJECTED_BY, Effects, EffectsMiddleware, InjectedMessage, Message, current
from studio.effects.request import HASH_VERSION, AsyncGeneratorLike, EffectRequest, Perform, StreamItem

Match = Literal["exact", "by position"]
Given = Callable[[EffectRequest, Recorded], Awaitable[None]]
Substitute = Callable[[EffectRequest, Perform], Awaitable[JsonValue]]

PATIENCE_S = 1.0
"""How long one of several that work side by side waits for its turn while nothing happens at all."""
UNLIKE = frozenset({"id", "created_at"})
"""What need not be the same in an item that comes again."""
OTHER_VERSION = "Another version of the studio recorded this, and its requests cannot be compared with today's."


async def _nothing(request: EffectRequest, entry: Recorded) -> None:
    del request, entry


class ReplayEffects(EffectsMiddleware):
    """Answers from a cursor, in its order, and then passes everything on.

    A recorded result is given when everything before it has happened again: the effects, and the items, of which the
    one who pulls the run tells by `match`. So branches that ran side by side do so again as they did then. It cannot
    wait for ever, because the recorded order was a possible one; where nothing can happen any more, what was asked is
    not what was recorded, and that is the divergence.

    Args:
        cursor: What was recorded.
        outer: Asked when the cursor is over.
        match: By the hash of the request; or only by its kind and its place, where the team was changed on purpose.
        given: Told of each request that a recorded effect has answered.
        substitutes: By the names of tools: who answers in place of what is recorded.
    """

    def __init__(
        self,
        cursor: ReplayCursor,
        outer: Effects,
        *,
        match: Match = "exact",
        given: Given = _nothing,
        substitutes: Mapping[str, Substitute] | None = None,
    ) -> None:
        super().__init__(outer)
        self.cursor = cursor
        self.divergence: Divergence | None = None
        """The first place where the run did not do what was recorded; nothing is answered after it."""
        self.is_held = False
        """Whether nobody pulls the run now, so that it is no wonder that nothing happens."""
        self.takes_up_last = False
        """Whether the team takes up the last recorded message before it gives it: for those who look at it then."""
        self._match: Match = match
        self._given = given
        self._substitutes = substitutes or {}
        self._performing = 0
        self._clock_s: float | None = None
        self._clock_ahead_s: float | None = None

    def call(self, request: EffectRequest, perform: Perform) -> Awaitable[JsonValue]:
        if self.cursor.is_over:
            return self._outer.call(request, self._going_on(request, perform))
        return self._repeated(request, perform)

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        if self.cursor.is_over:
            return self._outer.stream(request, perform)
        return self._repeated_stream(request, perform)

    async def _repeated(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if (found := await self._recorded(request)) is None:
            return await self._asked_now(request, self._outer.call, perform)
        if request.kind == "tool" and (substitute := self._substitutes.get(request.source)):
            return await self._asked_now(request, substitute, perform)
        await self._given(request, found)
        if request.kind == "clock" and isinstance(shown := found.body.get("result"), float):
            self._clock_s = shown
        return outcome_of(found.body)

    async def _repeated_stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        if (found := await self._recorded(request)) is not None:
            await self._given(request, found)
            yield cast("StreamItem", outcome_of(found.body))
            return
        async with aclosing(cast("AsyncGeneratorLike", self._outer.stream(request, perform))) as items:
            async for item in items:
                yield item

    def recorded_order(self) -> Sequence[str]:
        return () if self.cursor.is_over else [str(item.body.get("id")) for item in self.cursor.recorded_order()]

    @property
    def can_edit(self) -> bool:
        if self.takes_up_last and self.cursor.is_at_last_item:
            return False
        return not self.cursor.is_over or self._outer.can_edit

    async def edited(self, message: Message) -> Message | None:
        if not self.cursor.is_over:
            await self.cursor.head()  # what people changed then stands before what came of it
        return await self._outer.edited(message)

    async def injected(self) -> Sequence[InjectedMessage]:
        head = None if self.cursor.is_over else await self.cursor.head()
        if head is None:
            return await self._outer.injected()
        metadata = head.body.get("metadata") if head.kind == "item" else None
        if not isinstance(metadata, dict) or INJECTED_BY not in metadata:
            return ()
        return [InjectedMessage.from_message(head.body)]

    async def happened(self, item: JsonObject) -> Recorded | None:
        """The recorded entry of an item that the run has just given; None for one that is new.

        Raises:
            Diverged: Something else was recorded.
        """
        if self.divergence:
            raise Diverged(self.divergence)
        head, expected = await self.cursor.head(), await self.cursor.next_item()
        if head is None:
            return None
        if head.kind == "effect" and not head.body.get("scope"):
            raise self._diverged(head, of_item(item))
        if expected is None:
            return None  # while others still ask for what is recorded
        if not self._is_same(expected.body, item):
            raise self._diverged(expected, of_item(item))
        self.cursor.take_effect(expected)
        return expected

    async def _recorded(self, request: EffectRequest) -> Recorded | None:
        scope = current().scope
        while True:
            if self.divergence:
                raise Diverged(self.divergence)
            head = await self.cursor.head()
            if head is None:
                return None
            if head.kind == "effect" and self._fits(head.body, request, scope):
                self.cursor.take_effect(head)
                return head
            await self._wait_for_order(request, scope, head)

    def _fits(self, body: JsonObject, request: EffectRequest, scope: str) -> bool:
        if self._match == "exact":
            return body.get("request") == request.hash
        is_like = body.get("effect") == request.kind and body.get("scope", "") == scope
        return is_like and (request.kind != "tool" or body.get("source") == request.source)

    async def _wait_for_order(self, request: EffectRequest, scope: str, head: Recorded) -> None:
        """Wait until something has happened; where nothing else can, this is the divergence."""
        moved = self.cursor.moved()
        is_alone = not scope and (head.kind == "item" or not head.body.get("scope"))
        while not moved.is_set():
            if not is_alone:
                try:
                    async with asyncio.timeout(PATIENCE_S):
                        await moved.wait()
                    return
                except TimeoutError:
                    if self.is_held or self._performing:
                        continue
            raise self._diverged(head, of_request(request))

    def _is_same(self, recorded: JsonObject, item: JsonObject) -> bool:
        if self._match == "by position":
            return recorded.get("type") == item.get("type")
        return all(recorded.get(name) == item.get(name) for name in recorded.keys() | item.keys() if name not in UNLIKE)

    def _diverged(self, expected: Recorded, actual: str) -> Diverged:
        version = str(expected.body.get("request", HASH_VERSION)).partition(":")[0] + ":"
        note = OTHER_VERSION if self._match == "exact" and version != HASH_VERSION else ""
        self.divergence = self.divergence or Divergence(expected.seq, of_entry(expected), actual, note)
        return Diverged(self.divergence)

    async def _asked_now(self, request: EffectRequest, ask: Substitute, perform: Perform) -> JsonValue:
        perform = self._going_on(request, perform)
        if self.cursor.is_over:
            return await ask(request, perform)
        self._performing += 1
        try:
            return await ask(request, perform)
        finally:
            self._performing -= 1

    def _going_on(self, request: EffectRequest, perform: Perform) -> Perform:
        """The clock goes on where it stood: a run does not grow older while nobody runs it."""
        if request.kind != "clock" or self._clock_s is None:
            return perform
        last_s = self._clock_s

        async def read() -> JsonValue:
            shown = await perform()
            if not isinstance(shown, float):
                return shown
            if self._clock_ahead_s is None:
                self._clock_ahead_s = last_s - shown
            return shown + self._clock_ahead_s

        return read
