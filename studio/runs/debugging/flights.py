"""What a run has asked of the world and not been answered yet."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
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

    __slots__ = ("_giving_up", "_is_cancelled", "_is_held", "_waiting", "is_set_aside", "request", "since")

    def __init__(self, request: EffectRequest) -> None:
        self.request = request
        self.since = datetime.now(UTC)
        self.is_set_aside = False
        """Whether it was given up and is made again later."""
        self._waiting: asyncio.Task[object] | None = None
        self._giving_up: asyncio.Handle | None = None
        self._is_cancelled = False
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
        # As `asyncio.timeout`, which takes several times as long for something that hardly ever happens.
        task = self._waiting = asyncio.current_task()
        assert task
        others = task.cancelling()
        try:
            return await ask()
        except asyncio.CancelledError:
            if not self._is_cancelled or task.cancelling() > others + 1:
                raise
            self._set_aside()
            raise Held from None
        finally:
            self._waiting = None
            if self._giving_up:
                self._giving_up.cancel()
                self._giving_up = None
            if self._is_cancelled:
                self._is_cancelled = False
                task.uncancel()

    def hold(self) -> None:
        """Give it up now; or when it is waited for next, if nobody waits."""
        if self._waiting is None:
            self._is_held = True
        elif self._giving_up is None:
            self._giving_up = asyncio.get_running_loop().call_soon(self._cancel, self._waiting)

    def _cancel(self, waiting: asyncio.Task[object]) -> None:
        self._is_cancelled = True
        waiting.cancel()

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
        self._under_way: dict[Flight, None] = {}

    def begin(self, request: EffectRequest) -> Flight:
        """One call, until it is told to `end`."""
        flight = Flight(request)
        self._under_way[flight] = None
        return flight

    def end(self, flight: Flight) -> None:
        del self._under_way[flight]
        self._changed()

    def hold(self) -> None:
        """Give up the calls of models, which can be made again."""
        for flight in self._under_way:
            if flight.request.kind == "model":
                flight.hold()

    def listed(self) -> Sequence[InFlight]:
        """What is under way now."""
        waited_for = (flight for flight in self._under_way if not flight.is_set_aside)
        return [flight.shown() for flight in waited_for if flight.request.kind in LISTED]
