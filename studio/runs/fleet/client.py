"""Runs as a process sees them that drives none: it makes them, sends commands and shows what is in the database."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Self

from studio.errors import RunFailed, StudioError
from studio.runs.commands import Command, CommandName
from studio.runs.concurrency import Notifier, task_group
from studio.runs.control import RunControl
from studio.runs.feed import Batch, follow
from studio.runs.fleet import outcomes
from studio.runs.fleet.port import WORK, FleetStore, LiveState, Notifications
from studio.runs.journal.buffers import ChunkBuffer, RecentEntries
from studio.runs.journal.log import SHOWN, EntryKind, JsonObject
from studio.runs.prepare import PreparedRun, RunDependencies
from studio.runs.replay.verify import ToolMode
from studio.runs.submission import Submission
from studio.runs.view import RunView

LOOK_S = 3.0
"""How often is looked all the same: a notification may get lost, and then costs so long."""
SETTLED_WITHIN_S = 30.0
"""How long a command waits for a worker: longer than it takes one to take over from another."""
ALL = 2**63
LIVE_ONLY = ("is_finishing", "in_flight", "progress", "hits", "editable_id")
"""The fields of a view that no row tells."""

logger = logging.getLogger(__name__)


class NoWorker(RunFailed):
    """No worker has settled a command yet; it is carried out when one comes."""

    code = "no_worker"


class RemoteRun:
    """What this process knows of a run that another one drives, for all who follow it here."""

    def __init__(self, run_id: str, view: RunView) -> None:
        self.id = run_id
        self.view = view
        self.notifier = Notifier()
        self.chunks = ChunkBuffer()
        self.recent = RecentEntries(ALL)  # none are kept here: each reader asks the log
        self.is_gone = False
        self.reader_count = 0

    def show(self, view: RunView, live: LiveState | None) -> None:
        """Take what was read, and wake those who follow."""
        self.chunks.update(live.written if live else ())
        self.view = view
        self.notifier.notify()


class FleetClient(RunControl):
    """Starts, tells and follows runs that workers drive; an async context manager.

    Args:
        sources: What runs are prepared from, and kept in.
        fleet: What is told to workers, and by them.
        notifications: Wakes them, and those who wait here.
    """

    def __init__(self, sources: RunDependencies, fleet: FleetStore, notifications: Notifications) -> None:
        super().__init__(sources)
        self._fleet = fleet
        self._notifications = notifications
        self._followed: dict[str, RemoteRun] = {}
        self._tasks = task_group()
        self._group: asyncio.TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for run in self._followed.values():
            run.reader_count = 0  # those who look end with their next look
            self._notifications.topic(run.id).notify()
        await self._tasks.__aexit__(kind, error, trace)

    async def launch(self, prepared: PreparedRun, *, by: str, tools: Mapping[str, ToolMode]) -> str:
        submission = Submission(by=by, first_message=prepared.new.first_message, tools=tools)
        run_id = await self._fleet.submit(prepared.new, submission)
        await self._notifications.notify(WORK)
        return run_id

    async def command(
        self,
        run_id: str,
        command: CommandName,
        *,
        by: str = "",
        request_id: str = "",
        text: str = "",
        data: JsonObject | None = None,
    ) -> RunView:
        body = _body(Command(command, by, request_id, text, data or {}))
        answered = self._notifications.topic(run_id)
        sent = await self._fleet.send(run_id, body)
        await self._notifications.notify(WORK)
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLED_WITHIN_S):
                return outcomes.read(await self._outcome(sent, answered))
        raise NoWorker(
            "No worker has received the command yet. It is executed once a worker is running.",
            fix="Check that a worker is running.",
        )

    async def _outcome(self, sent: int, answered: Notifier) -> JsonObject:
        while True:
            rung = answered.wait_handle()
            if (outcome := await self._fleet.outcome(sent)) is not None:
                return outcome
            await _within(LOOK_S, rung)

    async def command_team(self, team_id: str, command: CommandName, *, by: str = "", data: JsonObject) -> None:
        body = _body(Command(command, by, data=data))
        for run_id in await self._fleet.driven(team_id):
            await self._fleet.send(run_id, body)
        await self._notifications.notify(WORK)

    async def view(self, run_id: str) -> RunView:
        return (await self._look(run_id))[0]

    async def _look(self, run_id: str) -> tuple[RunView, LiveState | None]:
        """The row of the run says what its state is; its driver's word is taken for what no row tells."""
        live = await self._fleet.live(run_id)
        row = await self._store.summary(run_id)
        view = RunView(**dict(row.status), last_seq=row.last_seq)
        if live is None or view.state.is_final:
            return view, None
        shown = RunView.from_json(live.view)
        if shown.last_seq < view.last_seq:  # of before the last entry; the driver says more in a moment
            return view.model_copy(update={"hits": shown.hits}), live
        return view.model_copy(update={name: getattr(shown, name) for name in LIVE_ONLY}), live

    async def subscribe(
        self, run_id: str, after_seq: int = 0, *, kinds: Collection[EntryKind] = SHOWN
    ) -> AsyncGenerator[Batch]:
        async with self._following(run_id) as run:
            async for batch in follow(run, self._store, after_seq, kinds):
                yield batch

    @asynccontextmanager
    async def _following(self, run_id: str) -> AsyncGenerator[RemoteRun]:
        """The run, looked at for as long as somebody follows it, and once for all of them."""
        topic = self._notifications.topic(run_id)
        if run_id not in self._followed:
            view, live = await self._look(run_id)  # raises where there is no such run
            if run_id not in self._followed:
                run = self._followed[run_id] = RemoteRun(run_id, view)
                run.show(view, live)
                assert self._group
                self._group.create_task(self._keep_looking(run, topic), name=f"look at run {run_id}")
        run = self._followed[run_id]
        run.reader_count += 1
        try:
            yield run
        finally:
            run.reader_count -= 1

    async def _keep_looking(self, run: RemoteRun, topic: Notifier) -> None:
        try:
            while run.reader_count:
                rung = topic.wait_handle()
                try:
                    run.show(*await self._look(run.id))
                except StudioError as error:
                    logger.warning("Run %s cannot be read now: %s", run.id, error)
                if run.view.state.is_final:
                    return
                await _within(LOOK_S, rung)
        finally:
            del self._followed[run.id]


async def _within(seconds: float, rung: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await rung.wait()


def _body(command: Command) -> JsonObject:
    return {
        "name": command.name,
        "by": command.by,
        "request_id": command.request_id,
        "text": command.text,
        "data": command.data,
    }
