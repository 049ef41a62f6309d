"""What a run has asked of the world and not been answered yet."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from studio.effects import EffectKind, EffectRequest

Result = TypeVar("Result")

LISTED: frozenset[EffectKind] = frozenset({"model", "tool", "code", "memory"})
"""What a person waits for; a question to a person is shown as what it is."""


class InFlight(BaseModel):
    """One call under way. `agent` is empty where nobody told."""

    model_config = ConfigDict(frozen=True)

    kind: EffectKind
    name: str
    agent: str
    since: datetime


class Held(Exception):
    """Raised where a call was waited for that is abandoned, to be made again."""


class Flight:
    """One call under way."""

    def __init__(self, request: EffectRequest) -> None:
        self.request = request
        self.since = datetime.now(UTC)
        self.is_set_aside = False
        """Whether it was given up and is made again later."""
        self._scope: asyncio.Timeout | None = None
        self._is_held = False

    async def unless_held(self, ask: Callable[[], Awaitable[Result]]) -> Result:
        """Wait for the answer, or as long as nobody holds the run.

        Raises:
            Held: Somebody did; what was asked is cancelled.
        """
        self.is_set_aside = False
        if self._is_held:
            self._set_aside()
            raise Held
        scope = self._scope = asyncio.timeout(None)
        try:
            async with scope:
                return await ask()
        except TimeoutError:
            if not scope.expired():
                raise
            self._set_aside()
            raise Held from None
        finally:
            self._scope = None

    def hold(self) -> None:
        """Give it up now; or when it is waited for next, if nobody waits."""
        if self._scope is None:
            self._is_held = True
        else:
            self._scope.reschedule(0)

    def _set_aside(self) -> None:
        self.is_set_aside, self._is_held = True, False

    def shown(self) -> InFlight:
        """As pages are told of it."""
        act, request = self.request.tool, self.request
        name, agent = (act.name, act.agent) if act else (request.source, "")
        return InFlight(kind=request.kind, name=name, agent=agent, since=self.since)


class Flights:
    """The calls of one run that are under way, oldest first.

    Args:
        changed: Told when one has ended.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._under_way: dict[int, Flight] = {}
        self._numbers = itertools.count()

    @contextmanager
    def one(self, request: EffectRequest) -> Generator[Flight]:
        """One call, while the block lasts."""
        number = next(self._numbers)
        flight = self._under_way[number] = Flight(request)
        try:
            yield flight
        finally:
            del self._under_way[number]
            self._changed()

    def hold(self) -> None:
        """Give up the calls of models, which can be made again."""
        for flight in self._under_way.values():
            if flight.request.kind == "model":
                flight.hold()

    def listed(self) -> Sequence[InFlight]:
        """What is under way now."""
        waited_for = (flight for flight in self._under_way.values() if not flight.is_set_aside)
        return [flight.shown() for flight in waited_for if flight.request.kind in LISTED]
