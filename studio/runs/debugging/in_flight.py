"""What a run has asked of the world and not been answered yet."""

from __future__ import annotations

import asyncio
from asyncio import current_task
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from time import monotonic
from typing import NoReturn, cast

from pydantic import BaseModel, ConfigDict

from studio.effects import EffectKind, EffectRequest

MAX_LISTED: frozenset[EffectKind] = frozenset({"model", "tool", "code", "memory"})
"""What a person waits for; a question to a person is shown as what it is."""


REPORTED_KINDS: frozenset[EffectKind] = frozenset({"tool", "code"})
"""What may tell of its progress."""
MAX_PROGRESS_CHARS = 500
"""Characters of what a call told last that are shown."""
PROGRESS_INTERVAL_S = 0.1
"""Pages are woken no more often for what calls tell."""


class InFlightCall(BaseModel):
    """One call under way. `agent` is empty where nobody told, `said` where it has told nothing of its progress."""

    model_config = ConfigDict(frozen=True)

    kind: EffectKind
    name: str
    agent: str
    since: datetime
    progress_text: str = ""


class CallInterrupted(Exception):
    """Raised where a call was waited for that is abandoned, to be made again."""


class InFlightCalls:
    """The calls of one run that are under way, oldest first. Kept in the fewest steps, since every call comes here.

    Args:
        changed: Told when one has ended.
        progressed: Told when one has told of its progress.
    """

    def __init__(self, changed: Callable[[], None], progressed: Callable[[], None]) -> None:
        self._changed = changed
        self._progressed = progressed
        self._said: dict[EffectRequest, str] = {}
        self._told_at_s = 0.0
        self._under_way: dict[EffectRequest, tuple[asyncio.Task[object] | None, int, float]] = {}
        """The task that waits for each, if one does, how often that was cancelled before, and since when it is."""
        self._given_up: dict[EffectRequest, asyncio.Handle | None] = {}
        """Those that are not to be waited for any more, and what is to cancel the waiting."""
        self._cancelled: set[EffectRequest] = set()
        self.failed: EffectRequest | None = None
        """The newest call that ended in an error."""
        self.is_closed = False
        """Whether the server is stopping: what is under way may end, and nothing else begins."""

    def begin(self, request: EffectRequest, since_s: float) -> None:
        """The running task waits for this call now, which was first made at that time.

        Raises:
            CallInterrupted: It was given up while nobody waited for it.
        """
        if self._given_up and request in self._given_up:
            self._finish(request)
            raise CallInterrupted
        task = cast("asyncio.Task[object]", current_task())
        self._under_way[request] = task, task.cancelling(), since_s

    def suspend(self, request: EffectRequest) -> None:
        """Nobody waits for it for a while, though it goes on."""
        _, _, since_s = self._under_way[request]
        self._finish(request)
        self._under_way[request] = None, 0, since_s

    def end(self, request: EffectRequest) -> None:
        """It goes on no more."""
        if self._given_up:
            self._finish(request)
        del self._under_way[request]
        if self._said:
            self._said.pop(request, None)
        self._changed()

    def note_progress(self, request: EffectRequest, text: str) -> None:
        """A call tells of its progress; only the newest is kept."""
        if not text or request not in self._under_way:
            return
        self._said[request] = text[-MAX_PROGRESS_CHARS:]
        if (now_s := monotonic()) - self._told_at_s >= PROGRESS_INTERVAL_S:
            self._told_at_s = now_s
            self._progressed()

    def note_failure(self, request: EffectRequest) -> bool:
        """Whether the waiting was cancelled here, and by nobody else."""
        task, others, _ = self._under_way[request]
        return request in self._cancelled and task is not None and task.cancelling() <= others + 1

    def close(self) -> None:
        """Let nothing more begin; whatever would, waits until the run is left."""
        self.is_closed = True

    async def never_begin(self) -> NoReturn:
        """Wait until the task is cancelled."""
        await asyncio.get_running_loop().create_future()
        raise AssertionError("this future has no result")

    def interrupt(self) -> None:
        """Give up the calls of models, which can be made again: now, or when they are waited for next."""
        for request, (task, _, _) in self._under_way.items():
            if request.kind == "model" and request not in self._given_up:
                soon = asyncio.get_running_loop().call_soon
                self._given_up[request] = soon(self._cancel, request, task) if task is not None else None

    def waited_for_by(self, task: asyncio.Task[object] | None) -> EffectRequest | None:
        """The call that a task waits for now."""
        return next((request for request, (waits, _, _) in self._under_way.items() if waits is task), None)

    def listed(self) -> Sequence[InFlightCall]:
        """What is under way now."""
        shown = [
            _shown(request, at, self._said.get(request, ""))
            for request, (_, _, at) in self._under_way.items()
            if request.kind in MAX_LISTED
        ]
        return sorted(shown, key=lambda each: each.since)

    def reporting(self) -> Sequence[InFlightCall]:
        """Those that have told of their progress."""
        return [each for each in self.listed() if each.progress_text] if self._said else ()

    def _cancel(self, request: EffectRequest, task: asyncio.Task[object]) -> None:
        # As `asyncio.timeout`, which takes several times as long for something that hardly ever happens.
        self._cancelled.add(request)
        task.cancel()

    def _finish(self, request: EffectRequest) -> None:
        if (giving_up := self._given_up.pop(request, None)) is not None:
            giving_up.cancel()
        if request in self._cancelled:
            self._cancelled.remove(request)
            task, _, _ = self._under_way[request]
            if task is not None:
                task.uncancel()


def _shown(request: EffectRequest, since_s: float, said: str) -> InFlightCall:
    """As pages are told of it."""
    tool_call = request.tool
    name, agent = (tool_call.name, tool_call.agent) if tool_call else (request.source, "")
    return InFlightCall(
        kind=request.kind, name=name, agent=agent, since=datetime.fromtimestamp(since_s, UTC), progress_text=said
    )
