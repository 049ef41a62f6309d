"""Runs a team, as it is now, over a whole recorded log: does it still do the same, to the same end?

`repeating.repeat` looks back at what happened; this also looks at what the team would do behind the last entry.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio import effects
from studio.components import secret_source
from studio.effects import Divergence, EffectRequest, Perform, Recorded, StreamItem
from studio.effects.divergence import of_item
from studio.messages import BaseMessage, Explanation, TaskResult, explained
from studio.runs.log import NO_CHANGES, Changes, JsonObject, LogEntry
from studio.runs.owning import single_cause
from studio.runs.repeating.amending import Amending
from studio.runs.repeating.logged import as_logged
from studio.runs.repeating.pages import tape_pages
from studio.runs.tasks import task_message
from studio.teams import Team

AT_ONCE = 200


@dataclass
class Recalled:
    """What came of running the engine again."""

    items: list[JsonObject] = field(default_factory=list[JsonObject])
    """Messages and events, oldest first."""
    divergence: Divergence | None = None
    missing: str = ""
    """What was asked that nobody had recorded."""
    unanswered: EffectRequest | None = None
    """The last request, where it got no recorded answer."""
    stop_reason: str | None = None
    error: BaseException | None = None
    """What the run failed with, as it was recorded or because of a change."""
    is_over: bool = False
    """Whether everything that was recorded has happened again."""


async def recall(
    team: Team, task: JsonValue, namespace: str, entries: Sequence[LogEntry], changes: Changes = NO_CHANGES
) -> Recalled:
    """Take a team through its log, and see whether it ends where that does. Nothing is performed.

    Args:
        team: Fresh, as it was loaded for the run or changed since.
        task: What the run was to do.
        namespace: From which the ids of its messages follow.
        entries: The whole log, oldest first.
        changes: What the run did otherwise than the one that it went on from.
    """
    found = Recalled()
    world = Amending(_Unrecorded(namespace, found), changes.amendments)
    port = _repeating(found, world, entries)
    secret_token = secret_source.set(_no_secret)
    try:
        with effects.use(_Asking(port, found)), explained():
            await _pull(team, task, port, found)
    except Exception as error:  # noqa: BLE001  a run that failed fails again, with whatever it was
        found.error = single_cause(error)
    finally:
        secret_source.reset(secret_token)
    found.divergence = port.divergence
    found.is_over = port.tape.is_over
    return found


async def _pull(team: Team, task: JsonValue, port: effects.Repeating, found: Recalled) -> None:
    stream: AsyncGenerator[BaseMessage | TaskResult, None] = team.run_stream(task=task_message(task))
    async with aclosing(stream):
        async for item in stream:
            if isinstance(item, TaskResult):
                found.stop_reason = item.stop_reason
                await port.tape.head()  # to learn whether this was all
            elif item.is_kept and not isinstance(item, Explanation):
                body = as_logged(item)
                if await port.happened(body) is None and port.tape.is_over:
                    found.missing = f"It went on with {of_item(body)}."
                    return
                found.items.append(body)


def _no_secret(reference: str) -> None:
    del reference


class _Unrecorded(effects.Named):
    """The end of what is known: it gives ids as the run did, and refuses everything else."""

    def __init__(self, namespace: str, found: Recalled) -> None:
        super().__init__(namespace)
        self._found = found

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        del perform
        raise self._refusal(request)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        del perform
        raise self._refusal(request)
        yield ""  # so that this is a generator

    def _refusal(self, request: EffectRequest) -> Exception:
        refusal = effects.NotRecorded(request)
        self._found.missing = self._found.missing or refusal.what
        return refusal


class _Asking(effects.Relay):
    """Keeps the newest request until it is answered."""

    def __init__(self, outer: effects.Effects, found: Recalled) -> None:
        super().__init__(outer)
        self._found = found

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        self._found.unanswered = request
        return await super().call(request, perform)

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        self._found.unanswered = request
        return super().stream(request, perform)


def _repeating(found: Recalled, world: Amending, entries: Sequence[LogEntry]) -> effects.Repeating:
    async def given(request: EffectRequest, entry: Recorded) -> None:
        del request, entry
        found.unanswered = None

    return effects.Repeating(effects.Tape(tape_pages(_pages(entries)), seen=world.note), world, given=given)


async def _pages(entries: Sequence[LogEntry]) -> AsyncIterator[Sequence[LogEntry]]:
    for first in range(0, len(entries), AT_ONCE):
        yield entries[first : first + AT_ONCE]
