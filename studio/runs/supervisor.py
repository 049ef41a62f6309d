"""Owns the runs of this process. A run belongs to the supervisor, never to a page or request."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import AsyncExitStack, aclosing
from types import TracebackType
from typing import Protocol, Self

from pydantic import JsonValue

from studio.components.secrets import SecretSource
from studio.errors import Conflict
from studio.runs.admission import ApprovalSource, SecretVault, check_approved, load_team
from studio.runs.commands import Command, CommandName, obey
from studio.runs.driver import Player, drive
from studio.runs.feed import Batch, follow, replay
from studio.runs.live import Ending, LiveRun, RunView
from studio.runs.log import SHOWN, Draft, EntryKind, NewRun, RunStatus, RunStore
from studio.runs.owning import owned_tasks
from studio.runs.state import RunAlreadyEnded, RunState
from studio.runs.tasks import task_text
from studio.runs.well_formed import well_formed, well_formed_json

GOODBYE_S = 2.0
GOODBYES = 3
"""A run that does not end when it is cancelled is told again, so many times, after so many seconds."""

SHUT_DOWN = Ending(RunState.INTERRUPTED, "shutdown", "The server was stopped.")
KILLED = Ending(RunState.INTERRUPTED, "killed", "The server was killed while the run was under way.")

logger = logging.getLogger(__name__)


class Supervisor(Protocol):
    """What the rest of the studio asks of whoever runs the teams: this process, or later many workers."""

    async def start(
        self, component: JsonValue, task: JsonValue, *, team_id: str | None = None, team_name: str = "", by: str = ""
    ) -> str: ...

    async def command(
        self, run_id: str, command: CommandName, *, by: str = "", request_id: str = "", text: str = ""
    ) -> RunView: ...

    async def view(self, run_id: str) -> RunView: ...

    def subscribe(
        self, run_id: str, after_seq: int = 0, *, kinds: Collection[EntryKind] = SHOWN
    ) -> AsyncGenerator[Batch]: ...


class RunSupervisor:
    """Runs teams in this process.

    An async context manager: entering it marks what a killed server left unfinished as interrupted; leaving it
    interrupts what is under way.
    """

    def __init__(self, store: RunStore, approvals: ApprovalSource, secrets: SecretVault) -> None:
        self._store = store
        self._approvals = approvals
        self._secrets = secrets
        self._live: dict[str, LiveRun] = {}
        self._stack = AsyncExitStack()
        self._group: asyncio.TaskGroup | None = None
        self._context = contextvars.copy_context()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._store.own_runs())
            await self._mark_killed()
            self._context = contextvars.copy_context()
            self._group = await stack.enter_async_context(owned_tasks())
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.shut_down()
        finally:
            await self._stack.__aexit__(kind, error, trace)

    async def start(
        self, component: JsonValue, task: JsonValue, *, team_id: str | None = None, team_name: str = "", by: str = ""
    ) -> str:
        """Start a run of a team and return its id.

        Raises:
            InvalidComponent: The team does not load or holds unknown components.
            InvalidTask: There is nothing to do.
            NotApproved: The team could do something that nobody allowed.
            Conflict: The server is stopping.
        """
        task = well_formed_json(task)
        text = task_text(task)
        team = load_team(component)
        await check_approved(team, self._approvals)
        # What is kept is what was loaded: references in place of keys.
        document = team.dump_component()
        new = NewRun(document, task, text, team_id, well_formed(team_name or team.label))
        run_id = await self.play(team, new, by=by)
        if run_id in self._live:
            await self._live[run_id].begun.wait()  # a team that has not begun hears no command
        return run_id

    async def play(self, player: Player, new: NewRun, *, by: str = "") -> str:
        """Start a run of what was loaded and approved, and return its id.

        Nothing is awaited after its task is there: whoever is cancelled meanwhile has started nothing, or knows what.

        Raises:
            Conflict: The server is stopping.
        """
        secrets = await self._secrets.source()
        lease = await self._store.create(new)
        run = LiveRun(lease, self._store, RunStatus())
        await run.change(RunState.RUNNING, "start", before=[Draft("command", {"command": "start", "by": by})])
        if self._group is None:
            await run.end(SHUT_DOWN)
            raise Conflict("The studio is stopping; it starts no more runs.")
        self._live[run.id] = run
        run.attend(
            self._group.create_task(
                self._drive(run, player, new.task, secrets), name=f"run {run.id}", context=self._context.copy()
            ),
            request_stop=lambda: player.request_stop("Stopped by the user."),
        )
        return run.id

    async def command(
        self, run_id: str, command: CommandName, *, by: str = "", request_id: str = "", text: str = ""
    ) -> RunView:
        """Tell a run something and return its status after it.

        Raises:
            NotFound: There is no such run.
            RunAlreadyEnded: It takes no more commands.
            Conflict: Its state does not allow this one.
        """
        run = self._live.get(run_id)
        if run is None:
            view = await self.view(run_id)
            raise RunAlreadyEnded(f"The run has ended: {view.state.value}.", fix="Start a new run of the team.")
        await obey(run, Command(command, by, request_id, text))
        return run.view

    def break_off(self, run_id: str, ending: Ending) -> None:
        """End a run now, if it is under way, without waiting for its last entry."""
        if (run := self._live.get(run_id)) is not None:
            run.interrupt(ending)

    async def view(self, run_id: str) -> RunView:
        """The run's status now.

        Raises:
            NotFound: There is no such run.
        """
        run = self._live.get(run_id)
        if run is not None:
            return run.view
        run_row = await self._store.summary(run_id)
        return RunView(**dict(run_row.status), last_seq=run_row.last_seq)

    async def subscribe(
        self, run_id: str, after_seq: int = 0, *, kinds: Collection[EntryKind] = SHOWN
    ) -> AsyncGenerator[Batch]:
        """Follow a run from the entry after `after_seq` to its end; ends at once after an ended run's last entry.

        Raises:
            NotFound: There is no such run.
        """
        run = self._live.get(run_id)
        if run is not None:
            batches = follow(run, self._store, after_seq, kinds)
        else:
            batches = replay(self._store, run_id, await self.view(run_id), after_seq, kinds)
        async with aclosing(batches):
            async for batch in batches:
                yield batch

    async def _drive(self, run: LiveRun, player: Player, task: JsonValue, secrets: SecretSource) -> None:
        try:
            await drive(run, player, task, secrets)
        finally:
            del self._live[run.id]

    async def _mark_killed(self) -> None:
        for run_id in await self._store.unfinished():
            lease, status = await self._store.take_over(run_id)
            await LiveRun(lease, self._store, status).end(KILLED)

    async def shut_down(self) -> None:
        """End all runs as interrupted, also those that hang in a call, and start no more.

        Leaving the supervisor does this too; a server calls it earlier, so that its pages come to an end.
        """
        self._group = None
        tasks: dict[asyncio.Task[None], LiveRun] = {}
        for run in list(self._live.values()):
            tasks[run.interrupt(SHUT_DOWN)] = run
        waiting = set(tasks)
        for _ in range(GOODBYES):
            if not waiting:
                return
            _, waiting = await asyncio.wait(waiting, timeout=GOODBYE_S)
            for task in waiting:
                logger.warning("Run %s does not end; cancelling it again.", tasks[task].id)
                tasks[task].cancel_task()
