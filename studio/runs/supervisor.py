"""Owns the runs of this process. A run belongs to the supervisor, never to a page or request."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import replace
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from studio.errors import Conflict, SetupError, StudioError
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.admission import ApprovalSource, SecretVault
from studio.runs.commands import Command, CommandName, dispatch
from studio.runs.concurrency import Notifier, task_group
from studio.runs.control import RunControl
from studio.runs.debugging.settings import EmptySettings, SettingsSource
from studio.runs.debugging.team_tools import tools_in
from studio.runs.driver import drive
from studio.runs.feed import Batch, follow, read_finished
from studio.runs.files import RunFileStore
from studio.runs.journal.log import (
    SHOWN,
    EntryKind,
    JsonObject,
    Lease,
    LeaseLost,
    LogUnavailable,
    NewRun,
    RunStatus,
    RunStore,
)
from studio.runs.middleware.stack import ReplayGuide
from studio.runs.prepare import PreparedRun, RunDependencies, prepare_resume
from studio.runs.replay.fork import inherited_entries, inherited_log, start_of
from studio.runs.replay.resume import (
    DIED_TWICE,
    discard_unstarted,
    has_killed_server,
    is_auto_resumable,
    park_run,
    parking_reason,
    resume_run,
)
from studio.runs.replay.source import ReplaySource
from studio.runs.replay.verify import ReplayVerification, ToolMode
from studio.runs.state import PauseReason, RunAlreadyEnded, RunState
from studio.runs.submission import Submission
from studio.runs.view import RunView

ANSWER_GRACE_S = 1.0
"""How long a stopping server waits for answers of models: one that is paid for should not be asked for again."""


async def drain_runs(runs: Collection[ActiveRun], grace_s: float) -> None:
    """Let no run begin anything more, and wait a while for what is under way.

    Runs are still pulled, so that an answer which has arrived is read to its end and kept, also beside others.

    Args:
        runs: Those that are about to be left.
        grace_s: How long to wait for tools and code: of what is broken off, nobody knows the outcome.
    """
    for run in runs:
        run.debugger.in_flight.close()
    await _while_any(runs, lambda run: run.is_waiting_for_answers, min(ANSWER_GRACE_S, grace_s))
    await _while_any(runs, lambda run: run.is_at_work, grace_s)


async def _while_any(runs: Collection[ActiveRun], is_busy: Callable[[ActiveRun], bool], limit_s: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(limit_s):
            for run in runs:
                while is_busy(run) and not run.is_closed:
                    rung = run.notifier.wait_handle()
                    if is_busy(run):
                        await rung.wait()


FINISH_S = 2.0
MAX_FINISH_ATTEMPTS = 3
"""A run that does not end when it is cancelled is told again, so many times, after so many seconds."""

GRACE_S = 5.0
"""How long a stopping server waits for tools and code at work: what is broken off, nobody knows the outcome of."""
IDLE_S = 600.0
"""How long a run that waits for a person is kept in memory."""
MAX_RESUMED_AT_ONCE = 4
"""Runs that are taken up at the same time when the server starts."""

SHUT_DOWN = Ending(RunState.INTERRUPTED, "shutdown", "The server was stopped.")
LEFT = Ending(RunState.PAUSED, "shutdown", "The server was stopped. The run resumes when it starts again.")

logger = logging.getLogger(__name__)

MakeGuide = Callable[[ActiveRun], ReplayGuide]


class RunSupervisor(RunControl):
    """Runs teams in this process.

    An async context manager: entering it takes up the runs that another server has left, leaving it pauses what is
    under way. A run that only waits for a person is taken up when somebody tells it something.

    Args:
        store: Keeps the runs.
        approvals: What people have allowed.
        secrets: The studio's own ones.
        settings: What is kept with teams for their runs.
        files: Where the files of runs are kept; None where they have none.
        goes_on: Whether runs go on at the next start; those that nobody could find again do not.
        rest_s: How long a run that waits for a person is kept in memory.
    """

    def __init__(
        self,
        store: RunStore,
        approvals: ApprovalSource,
        secrets: SecretVault,
        settings: SettingsSource | None = None,
        *,
        files: RunFileStore | None = None,
        goes_on: bool = True,
        rest_s: float = IDLE_S,
    ) -> None:
        self._settings = settings or EmptySettings()
        super().__init__(RunDependencies(store, approvals, secrets, self._settings, files))
        self._goes_on = goes_on
        self._rest_s = rest_s
        self._live: dict[str, ActiveRun] = {}
        self._notifiers: WeakValueDictionary[str, Notifier] = WeakValueDictionary()
        """Of runs that nobody drives and somebody looks at; rung when one is taken up, or held back."""
        self._taking_up = asyncio.Lock()
        self._at_once = asyncio.Semaphore(MAX_RESUMED_AT_ONCE)
        self._stack = AsyncExitStack()
        self._group: asyncio.TaskGroup | None = None
        self.watch: Callable[[ActiveRun], None] | None = None
        """Told of each run that is driven from now on."""

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._store.own_runs())
            self._context = contextvars.copy_context()
            group = self._group = await stack.enter_async_context(task_group())
            for run_id in await self._store.unfinished():
                group.create_task(self.resume_abandoned(run_id), name=f"resume {run_id}")
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.shut_down()
        finally:
            await self._stack.__aexit__(kind, error, trace)

    async def launch(self, prepared: PreparedRun, *, by: str, tools: Mapping[str, ToolMode]) -> str:
        run_id = await self.play(prepared, by=by, guide=await self._guide_for(prepared.new, tools))
        if run_id in self._live:
            await self._live[run_id].begun.wait()  # a team that has not begun hears no command
        return run_id

    async def _guide_for(self, new: NewRun, tools: Mapping[str, ToolMode]) -> MakeGuide | None:
        """What leads a run that goes on from another one, or is a replay of it; None for one that is new."""
        if new.origin == "replay" and new.parent_id:
            replayed = await self._store.get(new.parent_id)
            has_ended = replayed.status.state in (RunState.FINISHED, RunState.STOPPED)
            log = inherited_log(self._store, replayed)
            return lambda run: ReplayVerification(run, log, tools, has_ended=has_ended)
        if new.origin in ("fork", "rerun"):
            return lambda run: ReplaySource(run, inherited_entries(self._store, run.id, new))
        return None

    async def play(self, prepared: PreparedRun, *, by: str = "", guide: MakeGuide | None = None) -> str:
        """Start a run, and return its id.

        Nothing is awaited after its task is there: whoever is cancelled meanwhile has started nothing, or knows what.

        Raises:
            Conflict: The server is stopping.
        """
        return await self._play(await self._store.create(prepared.new), prepared, by=by, guide=guide)

    async def _play(self, lease: Lease, prepared: PreparedRun, *, by: str, guide: MakeGuide | None) -> str:
        new = prepared.new
        run = ActiveRun(lease, self._store, RunStatus(), last_seq=new.parent_seq, namespace=new.root_id or "")
        if new.first_message is not None:
            run.debugger.edits.inject(replace(new.first_message, by=by))
        await run.change_state(RunState.RUNNING, "start", before=start_of(new, by))
        await self._begin(run, prepared, guide(run) if guide else None, SHUT_DOWN)
        return run.id

    async def start_submitted(self, run_id: str, submitted: Submission) -> None:
        """Let a run begin that another process has made. One that cannot is ended and says why.

        Raises:
            NotFound: There is no such run.
            LeaseLost, LogUnavailable, Conflict: Not now; it can be tried again.
        """
        record = await self._store.get(run_id)
        if record.status.state is not RunState.CREATED:
            return  # whoever began it did not live to say so
        new = submitted.complete(record)
        try:
            prepared = replace(await prepare_resume(self._sources, record, self._context), new=new)
            guide = await self._guide_for(new, submitted.tools)
        except Exception as error:
            if isinstance(error, SetupError):  # such as a database that does not answer
                raise
            lease, status = await self._store.take_over(run_id)
            await ActiveRun(lease, self._store, status, last_seq=record.last_seq).end(Ending.failed(error))
            return
        lease, _ = await self._store.take_over(run_id)
        await self._play(lease, prepared, by=submitted.by, guide=guide)

    async def _begin(self, run: ActiveRun, prepared: PreparedRun, past: ReplayGuide | None, too_late: Ending) -> None:
        settings = await self._settings.load(prepared.new.team_id or "")
        tools = await asyncio.to_thread(tools_in, prepared.component) if prepared.new.team_id else ()
        run.debugger.begin(prepared.new.team_id or "", settings.policy, settings.breakpoints, tools)
        if self._group is None:
            await run.end(too_late)
            raise Conflict("The studio is stopping and starts no more runs.")
        self._live[run.id] = run
        run.attach_task(
            self._group.create_task(
                self._drive(run, prepared, past), name=f"run {run.id}", context=self._context.copy()
            ),
            request_stop=lambda: prepared.player.request_stop("Stopped by the user."),
        )
        if self._goes_on:
            run.yield_after(self._rest_s)
        self._notify(run.id)
        if self.watch:
            self.watch(run)

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
        return await self.carry_out(run_id, Command(command, by, request_id, text, data or {}))

    async def carry_out(self, run_id: str, sent: Command) -> RunView:
        """As `command`."""
        run = await self._find_active(run_id, sent.name, sent.by)
        if sent.name != "cancel":
            await run.live_edge_reached.wait()
        if sent.name in ("answer", "decide"):
            await run.human.has_recorded(sent.request_id)
        if sent.name != "continue" or run.state is RunState.PAUSED:
            await dispatch(run, sent)
        return run.view

    async def _find_active(self, run_id: str, command: CommandName, by: str) -> ActiveRun:
        """The run, taken up if nobody drives it."""
        while (run := self._live.get(run_id)) is not None:
            if not run.is_shutting_down or run.task is None:
                return run
            await asyncio.wait({run.task})
        await self._check_resumable(run_id, command)  # who is to be refused need not wait for others
        return await self._resume(run_id, command, by)

    async def _check_resumable(self, run_id: str, command: CommandName) -> None:
        """Raises: RunAlreadyEnded."""
        state = (await self.view(run_id)).state
        if state.is_final and (command != "continue" or state is not RunState.INTERRUPTED):
            raise RunAlreadyEnded(f"The run has ended: {state.value}.", fix="Start a new run of the team.")

    async def _resume(
        self, run_id: str, command: CommandName = "continue", by: str = "", *, by_itself: bool = False
    ) -> ActiveRun:
        async with self._taking_up:
            if (run := self._live.get(run_id)) is not None:
                return run
            await self._check_resumable(run_id, command)  # others may have taken it up meanwhile, to its end
            taken = await resume_run(self._sources, run_id, self._context, by=by, by_itself=by_itself)
            await self._begin(taken.run, taken.prepared, taken.past, LEFT)
            return taken.run

    async def resume_abandoned(self, run_id: str) -> bool:
        """Let a run go on that was under way when its driver stopped; whatever is wrong with one, others go on.

        Returns:
            Whether it goes on, has ended, or may be tried again; else it waits for a person.
        """
        async with self._at_once:
            try:
                status = (await self._store.summary(run_id)).status
                if status.state is RunState.CREATED:
                    await discard_unstarted(self._store, run_id)
                elif status.state is RunState.RUNNING and await has_killed_server(self._store, run_id):
                    logger.warning("Run %s is not resumed: %s", run_id, DIED_TWICE)
                    await self._park(run_id, "killed", DIED_TWICE)
                    return False
                elif is_auto_resumable(status) and self._group is not None:
                    run = await self._resume(run_id, by_itself=True)
                    await run.live_edge_reached.wait()
            except Exception as error:
                logger.warning("Run %s cannot resume: %s", run_id, error, exc_info=not isinstance(error, StudioError))
                if not isinstance(error, Conflict | LeaseLost | LogUnavailable):
                    await self._park(run_id, *parking_reason(error))
                    return False
        return True

    async def _park(self, run_id: str, reason: PauseReason, detail: str) -> None:
        try:
            async with self._taking_up:
                if run_id not in self._live:  # a person may have been faster
                    await park_run(self._store, run_id, reason, detail)
        except Exception:
            logger.exception("Run %s could not be marked as waiting.", run_id)
        self._notify(run_id)

    async def command_team(self, team_id: str, command: CommandName, *, by: str = "", data: JsonObject) -> None:
        for run in [run for run in self._live.values() if team_id and run.debugger.team_id == team_id]:
            with suppress(RunAlreadyEnded):
                await dispatch(run, Command(command, by, data=data))

    def interrupt_call(self, run_id: str, ending: Ending) -> None:
        """End a run now, if it is under way, without waiting for its last entry."""
        if (run := self._live.get(run_id)) is not None:
            run.interrupt(ending)

    def is_driven(self, run_id: str) -> bool:
        """Whether a run is driven here now."""
        return run_id in self._live

    def driven(self) -> Collection[ActiveRun]:
        """The runs that are driven here now."""
        return list(self._live.values())

    async def leave(self, run_id: str) -> None:
        """Wait until nobody drives the run here: it has ended, or it has waited long for a person."""
        while (run := self._live.get(run_id)) is not None and run.task:
            await asyncio.wait({run.task})

    async def view(self, run_id: str) -> RunView:
        run = self._live.get(run_id)
        if run is not None:
            return run.view
        run_row = await self._store.summary(run_id)
        return RunView(**dict(run_row.status), last_seq=run_row.last_seq)

    async def subscribe(
        self, run_id: str, after_seq: int = 0, *, kinds: Collection[EntryKind] = SHOWN
    ) -> AsyncGenerator[Batch]:
        place, notifier = after_seq, self._notifiers.setdefault(run_id, Notifier())
        while True:
            changed, run = notifier.wait_handle(), self._live.get(run_id)
            if run is not None and not run.is_gone:
                batches = follow(run, self._store, place, kinds)
            else:
                batches = read_finished(self._store, run_id, await self.view(run_id), place, kinds)
            has_ended = False
            async with aclosing(batches):
                async for batch in batches:
                    place, has_ended = batch.last_seq, batch.view.state.is_final
                    yield batch
            if has_ended or self._is_stopping:
                return
            await changed.wait()

    def _notify(self, run_id: str) -> None:
        if (notifier := self._notifiers.get(run_id)) is not None:
            notifier.notify()

    @property
    def _is_stopping(self) -> bool:
        return self._group is None

    async def _drive(self, run: ActiveRun, prepared: PreparedRun, past: ReplayGuide | None) -> None:
        try:
            await drive(run, prepared, past)
        finally:
            del self._live[run.id]
            self._notify(run.id)

    async def shut_down(self) -> None:
        """Leave all runs, also those that hang in a call, so that they can go on at the next start; start no more.

        Leaving the supervisor does so, too; a server calls it earlier, so that its pages come to an end.
        """
        self._group = None
        for notifier in list(self._notifiers.values()):
            notifier.notify()
        if self._goes_on:
            await drain_runs(list(self._live.values()), GRACE_S)
        tasks: dict[asyncio.Task[None], ActiveRun] = {}
        for run in list(self._live.values()):
            tasks[run.interrupt(LEFT if self._goes_on else SHUT_DOWN)] = run
        waiting = set(tasks)
        for _ in range(MAX_FINISH_ATTEMPTS):
            if not waiting:
                return
            _, waiting = await asyncio.wait(waiting, timeout=FINISH_S)
            for task in waiting:
                logger.warning("Run %s has not ended; canceling it again.", tasks[task].id)
                tasks[task].cancel_task()
