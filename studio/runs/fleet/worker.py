"""Lets runs begin that other processes have made, carries out what they tell them, and shows what is not in the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from studio.errors import RunFailed, StudioError
from studio.runs.active_run import ActiveRun
from studio.runs.commands import Command
from studio.runs.concurrency import task_group
from studio.runs.fleet import outcomes
from studio.runs.fleet.port import WORK, FleetStore, LiveState, Notifications, SentCommand
from studio.runs.journal.log import JsonObject, LeaseLost, RunStore
from studio.runs.journal.pages import read_log
from studio.runs.submission import Submission
from studio.runs.supervisor import RunSupervisor

LOOK_S = 2.0
"""How often is looked all the same: a notification may get lost, and then costs so long."""
SHOWN_EVERY_S = 0.05
"""How long what has changed of runs is gathered before others are told."""
RETRY_S = 1.0
CLAIMED_AT_ONCE = 20
"""Runs that are claimed at a time: what is left is there for the other workers."""

logger = logging.getLogger(__name__)

Lane = tuple[str, bool]
"""A run, and whether it is about to be canceled."""
_Work = tuple[Submission | None, list[SentCommand]]


class FleetWorker:
    """Serves other processes with the runs of one supervisor.

    Args:
        supervisor: Drives them.
        store: Keeps the runs.
        fleet: What other processes tell, and are told.
        notifications: Wakes them, and this one.
        look: Takes what else they have changed, such as a limit, ahead of a run or command that it is about.
    """

    def __init__(
        self,
        supervisor: RunSupervisor,
        store: RunStore,
        fleet: FleetStore,
        notifications: Notifications,
        look: Callable[[], Awaitable[None]],
    ) -> None:
        self._supervisor = supervisor
        self._store = store
        self._fleet = fleet
        self._notifications = notifications
        self._look = look
        self._topic = notifications.topic(WORK)
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy: set[Lane] = set()
        """Where a run begins, or is being told something."""
        self._declined: set[str] = set()
        """Runs that could not go on here. A person may tell them to, or another worker may try."""
        self._changed: dict[str, ActiveRun] = {}
        self._has_changed = asyncio.Event()

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[None]:
        """Do so inside the block."""
        await self._fleet.tidy()
        async with task_group() as group:
            self._group = group
            for run in self._supervisor.driven():
                self._watch(run)
            self._supervisor.watch = self._watch
            self._spawn(self._take_work(), "take work")
            self._spawn(self._show(), "show runs to other processes")
            try:
                yield
            finally:
                self._supervisor.watch = None
                await self._supervisor.shut_down()
                for each in list(self._tasks):
                    each.cancel()

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = self._group.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _take_work(self) -> None:
        while True:
            rung, claimed = self._topic.wait_handle(), ()
            try:
                await self._release_idle()
                claimed = await self._fleet.claim(CLAIMED_AT_ONCE, besides=self._declined)
                self._serve_all(claimed, await self._lanes())
            except StudioError as error:
                logger.warning("No work can be taken now: %s", error)
            if len(claimed) == CLAIMED_AT_ONCE:
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await rung.wait()

    async def _release_idle(self) -> None:
        """Let go of runs for which nothing is done here any more: they have ended, wait for a person, or were lost."""
        idle = [run_id for run_id in await self._fleet.claimed() if not self._is_at_work(run_id)]
        if idle:
            await self._fleet.release(idle)

    def _is_at_work(self, run_id: str) -> bool:
        return self._supervisor.is_driven(run_id) or not self._busy.isdisjoint({(run_id, False), (run_id, True)})

    def _serve_all(self, claimed: Sequence[str], lanes: Mapping[Lane, _Work]) -> None:
        for lane, (submission, commands) in lanes.items():
            if lane not in self._busy:
                self._busy.add(lane)
                self._spawn(self._serve(lane, submission, commands), f"serve run {lane[0]}")
        for run_id in claimed:
            if not self._is_at_work(run_id):
                self._busy.add((run_id, False))
                self._spawn(self._resume(run_id), f"resume run {run_id}")

    async def _resume(self, run_id: str) -> None:
        """Resume a run that another worker has left, unless that is in vain."""
        try:
            if await self._supervisor.resume_abandoned(run_id):
                self._declined.discard(run_id)
            else:
                self._declined.add(run_id)
        finally:
            self._busy.discard((run_id, False))
            self._topic.notify()

    async def _lanes(self) -> Mapping[Lane, _Work]:
        """What there is to do for claimed runs. To cancel one waits for nothing else that it was told."""
        commands = await self._fleet.unsettled()  # before submissions: a run is there ahead of its commands
        begin = dict(await self._fleet.submitted())
        lanes: dict[Lane, _Work] = {(run_id, False): (submission, []) for run_id, submission in begin.items()}
        for command in commands:
            is_cancel = command.body.get("name") == "cancel" and command.run_id not in begin
            lanes.setdefault((command.run_id, is_cancel), (None, []))[1].append(command)
        return lanes

    async def _serve(self, lane: Lane, submission: Submission | None, commands: Sequence[SentCommand]) -> None:
        """Let a run begin, and tell it what was sent, one after the other. What fails now is tried again."""
        run_id, _ = lane
        try:
            if submission is not None:
                await self._look()
                await self._supervisor.start_submitted(run_id, submission)
                await self._fleet.begun(run_id)
                await self._notifications.notify(run_id)
            for command in commands:
                await self._fleet.settle(command.id, await self._outcome(command))
                await self._notifications.notify(run_id)
        except StudioError as error:
            logger.warning("Run %s cannot be served now: %s", run_id, error)
            await asyncio.sleep(RETRY_S)
        finally:
            self._busy.discard(lane)
            self._topic.notify()  # there may be more for it by now

    async def _outcome(self, sent: SentCommand) -> JsonObject:
        try:
            if await self._is_carried_out(sent):
                return outcomes.of_view(await self._supervisor.view(sent.run_id))
            await self._look()
            command = Command(**cast("dict[str, Any]", sent.body), id=str(sent.id))
            return outcomes.of_view(await self._supervisor.carry_out(sent.run_id, command))
        except LeaseLost:
            raise  # whoever drives the run now carries it out
        except StudioError as error:
            return outcomes.of_error(error)
        except Exception as error:
            logger.exception("A command to run %s failed with an unexpected error.", sent.run_id)
            return outcomes.of_error(RunFailed(f"The command failed. {type(error).__name__}: {error}"))

    async def _is_carried_out(self, sent: SentCommand) -> bool:
        """Whether the log has it, though whoever carried it out did not live to say so."""
        async for page in read_log(self._store, sent.run_id, kinds=("command",)):
            if any(entry.body.get("id") == str(sent.id) for entry in page):
                return True
        return False

    def _watch(self, run: ActiveRun) -> None:
        self._spawn(self._note_changes(run), f"watch run {run.id}")

    async def _note_changes(self, run: ActiveRun) -> None:
        while True:
            rung = run.notifier.wait_handle()
            self._changed[run.id] = run
            self._has_changed.set()
            if run.is_gone or run.view.state.is_final:
                self._topic.notify()
                return
            await rung.wait()

    async def _show(self) -> None:
        while True:
            await self._has_changed.wait()
            self._has_changed.clear()
            changed, self._changed = self._changed, {}
            try:
                await self._fleet.publish({run_id: _live(run) for run_id, run in changed.items()})
                await self._notifications.notify(*changed)
            except StudioError as error:
                logger.warning("What runs do cannot be shown now: %s", error)
                self._changed = changed | self._changed
                self._has_changed.set()
                await asyncio.sleep(RETRY_S)
            await asyncio.sleep(SHOWN_EVERY_S)


def _live(run: ActiveRun) -> LiveState | None:
    view = run.view
    if run.is_gone or view.state.is_final:
        return None
    return LiveState(view.as_json(), run.chunks.written())
