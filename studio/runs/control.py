"""How runs begin: what each is started with is worked out here, whoever drives it then."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextvars import copy_context
from dataclasses import replace
from typing import cast

from pydantic import JsonValue

from studio.components import Component
from studio.components.readable_json import well_formed_json
from studio.runs.admission import load_team
from studio.runs.commands import CommandName
from studio.runs.feed import Batch
from studio.runs.journal.log import SHOWN, Changes, EntryKind, JsonObject, NewRun, Reuse, RunList
from studio.runs.mocks import Mock, mocked
from studio.runs.prepare import Player, PreparedRun, RunDependencies, play_team, prepare_run
from studio.runs.replay.fork import ForkOptions, FromSeq, make_fork, make_replay, make_rerun
from studio.runs.replay.verify import ToolMode
from studio.runs.sessions import next_of
from studio.runs.tasks import task_text
from studio.runs.view import RunView
from studio.sandbox import UNCONFINED, Jail, current_jail
from studio.teams import Team


class RunControl(ABC):
    """Starts, tells and follows runs, in this process or wherever they are driven.

    Args:
        sources: What runs are prepared from, and kept in.
    """

    def __init__(self, sources: RunDependencies) -> None:
        self._sources = sources
        self._store = sources.store
        self._context = copy_context()

    @property
    def jail(self) -> Jail:
        """What confines code in this process. A request has a context of its own, which does not know it."""
        return self._context.get(current_jail, UNCONFINED)

    @abstractmethod
    async def launch(self, prepared: PreparedRun, *, by: str, tools: Mapping[str, ToolMode]) -> str:
        """Let a run begin, and return its id.

        Args:
            prepared: What is driven.
            by: Who starts it.
            tools: What tools do in a replay; see `replay`.

        Raises:
            Conflict: The server is stopping.
        """

    @abstractmethod
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
        """Tell a run something and return its status after it.

        Raises:
            ConfigError: The command cannot carry that data.
            NotFound: There is no such run.
            RunAlreadyEnded: It takes no more commands.
            Conflict: Its state does not allow this one.
        """

    @abstractmethod
    async def command_team(self, team_id: str, command: CommandName, *, by: str = "", data: JsonObject) -> None:
        """Tell all runs of a team that are under way."""

    @abstractmethod
    async def view(self, run_id: str) -> RunView:
        """The run's status now.

        Raises:
            NotFound: There is no such run.
        """

    @abstractmethod
    def subscribe(
        self, run_id: str, after_seq: int = 0, *, kinds: Collection[EntryKind] = SHOWN
    ) -> AsyncGenerator[Batch]:
        """Follow a run from the entry after `after_seq` to its end; ends at once after an ended run's last entry.

        Raises:
            NotFound: There is no such run.
        """

    async def start(
        self,
        component: JsonValue,
        task: JsonValue,
        *,
        team_id: str | None = None,
        team_name: str = "",
        team_revision: int | None = None,
        by: str = "",
        mocks: Mapping[str, Mock] | None = None,
        run_id: str = "",
        listing: RunList = "active",
        reuse: Reuse | None = None,
    ) -> str:
        """Start a run of a team and return its id; with `mocks`, of one in which they stand for its parts; with
        `reuse`, of one that takes the answers of another run.

        Raises:
            RunExists: The run with the given `run_id` has begun already.
            ConfigError: A part cannot be mocked like this.
            InvalidComponent: The team does not load or holds unknown components.
            InvalidTask: There is nothing to do.
            NotApproved: The team could do something that nobody allowed.
            Conflict: The server is stopping.
        """
        text = task_text(task := well_formed_json(task))
        team, applied = await asyncio.to_thread(mocked, cast("JsonObject", component), mocks or {})
        changes = Changes(mocks=applied, reuse=reuse)
        new = NewRun(
            team,
            task,
            text,
            team_id,
            team_name,
            changes=changes,
            team_revision=team_revision,
            id=run_id,
            listing=listing,
        )
        return await self.launch(await self.prepare(new), by=by, tools={})

    async def start_next(self, run_id: str, task: JsonValue, *, by: str = "", next_id: str = "") -> str:
        """Start a run that goes on with another task where one has ended, and still knows that one; returns its id.

        Raises:
            RunExists: The run with the given `next_id` has begun already.
            NotFound: There is no such run.
            InvalidTask, InvalidComponent, NotApproved, Conflict: As for `start`; or the run has not come to an end.
        """
        new = replace(await next_of(self._store, await self._store.get(run_id), task), id=next_id)
        return await self.launch(await self.prepare(new), by=by, tools={})

    async def fork(self, run_id: str, seq: int, options: ForkOptions | None = None, *, by: str = "") -> str:
        """Start a run that has the first `seq` entries of another one, and go on from there; returns its id.

        Raises:
            NotFound: There is no such run.
            ConfigError: There is nothing in it that is as the options says.
            InvalidComponent, NotApproved, Conflict: As for `start`.
        """
        record = await self._store.get(run_id)
        options = options or ForkOptions()
        if options.component is not None:
            options = replace(options, component=load_team(options.component).dump_component())
        if options.task is not None:
            options = replace(options, task=well_formed_json(options.task))
        new = await make_fork(self._store, record, seq, options)
        return await self.launch(await self.prepare(new), by=by, tools={})

    async def rerun(self, run_id: str, from_seq: FromSeq = None, *, by: str = "") -> str:
        """Start a run of the same team and task: anew, behind an entry, or from what made the run fail.

        Raises:
            NotFound, ConfigError, InvalidComponent, NotApproved, Conflict: As for `fork`.
        """
        record = await self._store.get(run_id)
        return await self.launch(await self.prepare(await make_rerun(self._store, record, from_seq)), by=by, tools={})

    async def replay(self, run_id: str, tools: Mapping[str, ToolMode] | None = None, *, by: str = "") -> str:
        """Start a run that does all of another one again from what was recorded; its log is compared with that one's.

        It asks nothing of the world, beside the tools that are to be called, and fails at the first difference.

        Raises:
            NotFound, InvalidComponent, NotApproved, Conflict: As for `fork`.
        """
        record = await self._store.get(run_id)
        return await self.launch(await self.prepare(make_replay(record)), by=by, tools=tools or {})

    async def prepare(
        self,
        new: NewRun,
        *,
        kind: type[Component] = Team,
        make_player: Callable[[Component], Player] = play_team,
    ) -> PreparedRun:
        """As `prepare_run`, for runs of this process."""
        return await prepare_run(self._sources, new, self._context, kind=kind, make_player=make_player)
