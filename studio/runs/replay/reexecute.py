"""Runs a team again over its log, without asking the world anything and without a log of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from pydantic import JsonValue

from studio import effects
from studio.components import Component, walk
from studio.effects import (
    AsyncGeneratorLike,
    Divergence,
    EffectRequest,
    Match,
    Named,
    Perform,
    Recorded,
    ReplayCursor,
    ReplayEffects,
    StreamItem,
)
from studio.executors import CodeExecutor
from studio.memory import Memory
from studio.messages import BaseMessage, Explanation, TaskResult, explained
from studio.runs.admission import ApprovalSource, check_approved, load_team
from studio.runs.concurrency import CooperativeYield
from studio.runs.edits import AppliedEdits
from studio.runs.journal.log import RunStore
from studio.runs.replay.fork import inherited_log
from studio.runs.replay.source import Entries, recorded_pages
from studio.runs.tasks import task_message
from studio.teams import Team
from studio.tools import StreamTool
from studio.tools.mcp import McpWorkbench

Look = Callable[[EffectRequest, Recorded], None]


@dataclass
class Reexecution:
    """What came of it.

    Args:
        items: All that the team gave: messages, events, and explanations.
        last_seq: Number of the last entry that happened again.
        divergence: Where the team did something else than was recorded; None where it did the same.
        state: What the team remembers at the end, as `Team.save_state` gives it.
        error: What the team failed with.
        has_ended: Whether the team came to its own end.
        rest_seq: Number of the first entry that the team did not come to; None where all happened again.
    """

    items: list[BaseMessage] = field(default_factory=list[BaseMessage])
    last_seq: int = 0
    divergence: Divergence | None = None
    state: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    error: Exception | None = None
    has_ended: bool = False
    rest_seq: int | None = None


async def reexecute(
    component: JsonValue,
    task: JsonValue,
    entries: Entries,
    until_seq: int | None = None,
    *,
    run_id: str,
    match: Match = "exact",
    edits: Mapping[str, str | None] | None = None,
    look: Look | None = None,
    with_state: bool = False,
    initial_state: Mapping[str, JsonValue] | None = None,
    to_end: bool = False,
) -> Reexecution:
    """Run a team over recorded entries, up to one of them, and stop there. Costs nothing and asks nothing.

    Args:
        component: The team, as the run was started with it (`RunRecord.component`).
        task: Its task (`RunRecord.task`).
        entries: The log of the run, all kinds, oldest first; see `entries_of`.
        until_seq: The last entry that happens again; None for all.
        run_id: Whose ids the messages have: `RunRecord.namespace`.
        match: How requests are told to be those that were recorded; `"by position"` for a changed team.
        edits: Other texts for messages, by their ids: `RunRecord.changes.edits`.
        look: Told of each request with the recorded entry that answered it: its `body` is the exact prompt of a call.
        with_state: Whether the state is wanted.
        initial_state: What the team remembered at the beginning: `RunRecord.changes.initial_state`.
        to_end: Whether a team that said its last word is let come to its end.

    Raises:
        InvalidComponent: The team does not load.
    """
    team = await asyncio.to_thread(load_team, component)
    if initial_state:
        await team.load_state(initial_state)
    end = _End(run_id)
    world = AppliedEdits(end, edits or {})
    cursor = ReplayCursor(recorded_pages(entries, until=until_seq), seen=world.note)

    async def tell(request: EffectRequest, entry: Recorded) -> None:
        if look:
            look(request, entry)

    port = ReplayEffects(cursor, world, match=match, given=tell)
    port.takes_up_last = with_state
    found = Reexecution()
    with effects.use(port), explained():
        async with asyncio.TaskGroup() as group:
            pulling = group.create_task(_pull(team, task, port, found, end.reached, to_end))
            await end.reached.wait()
            if with_state:
                found.state = await team.save_state()
            pulling.cancel()
    head = await cursor.head()
    found.rest_seq = head.seq if head else None
    found.last_seq, found.divergence = cursor.last_seq, port.divergence
    return found


class _End(Named):
    """The world behind the end of a log: nobody answers any more."""

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id)
        self.reached = asyncio.Event()

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        del request, perform
        self.reached.set()
        return await asyncio.get_running_loop().create_future()

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        await self.call(request, _nothing)
        async with aclosing(cast("AsyncGeneratorLike", perform())) as items:  # never comes to this
            async for item in items:
                yield item


async def _nothing() -> JsonValue:
    return None


async def _pull(
    team: Team, task: JsonValue, port: ReplayEffects, found: Reexecution, reached: asyncio.Event, to_end: bool
) -> None:
    """Pull the team to the end of its log, and hold it there."""
    try:
        async with aclosing(team.run_stream(task_message(task))) as stream:
            rest = CooperativeYield()
            while to_end or await port.cursor.head() is not None:
                await rest.yield_if_due()
                item = await anext(stream, None)
                if item is None or isinstance(item, TaskResult):
                    found.has_ended = True
                    break
                if not item.is_kept:
                    found.items += [item] if isinstance(item, Explanation) else []
                elif await port.happened(item.dump()) is not None:
                    found.items.append(item)
            reached.set()
            await asyncio.get_running_loop().create_future()
    except Exception as error:  # noqa: BLE001  how a run failed is part of what happened; whatever its team raises
        found.error = error
    finally:
        reached.set()


UNRECORDED_KINDS: tuple[tuple[type[Component], str], ...] = (
    (Memory, "The contents of a memory are not part of a team's state."),
    (McpWorkbench, "The state of a tool server is not recorded."),
    (CodeExecutor, "Files and variables that code creates are not recorded."),
    (StreamTool, "The memory of an agent or team that is used as a tool is not part of the state."),
)


class UnrecordedState(NamedTuple):
    """A part of a team that keeps something elsewhere: where it stands in the component, and why it matters."""

    where: str
    reason: str


@dataclass(frozen=True)
class HistoricalState:
    """The state behind an entry, as `Team.save_state` gives it; exact where nothing is unrecorded."""

    seq: int
    state: Mapping[str, JsonValue]
    unrecorded: tuple[UnrecordedState, ...]
    divergence: Divergence | None

    @property
    def is_exact(self) -> bool:
        return not self.unrecorded and self.divergence is None


async def state_at(store: RunStore, approvals: ApprovalSource, run_id: str, seq: int) -> HistoricalState:
    """What the team of a run remembered behind the entry `seq`: its log is repeated up to there.

    Raises:
        NotFound: There is no such run.
        InvalidComponent: The team does not load any more.
        NotApproved: The team could do something that is not allowed any more.
    """
    record = await store.get(run_id)
    team = load_team(record.component)
    await check_approved(team, approvals, team_id=record.team_id or "")
    past = inherited_log(store, record)
    found = await reexecute(
        record.component,
        record.task,
        past.entries,
        seq,
        run_id=record.namespace,
        match=past.match,
        edits=past.edits,
        with_state=True,
        initial_state=record.changes.initial_state,
    )
    return HistoricalState(seq, found.state, tuple(unrecorded_parts(team)), found.divergence)


def unrecorded_parts(team: Component) -> Iterator[UnrecordedState]:
    """Parts that keep something outside of the team's state."""
    for where, part in walk(team):
        for kind, reason in UNRECORDED_KINDS:
            if isinstance(part, kind):
                yield UnrecordedState(where, reason)
                break
