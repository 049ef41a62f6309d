"""Trying one part of a team alone: runs of a supervisor of their own, in memory, that end with their reader."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Literal, Self, cast

from pydantic import JsonValue

from studio.agents import Participant
from studio.components import Component
from studio.components.readable_json import well_formed_json
from studio.errors import ConfigError, Conflict, RunFailed
from studio.models import ChatCompletionClient
from studio.runs.active_run import Ending
from studio.runs.admission import ApprovalSource, SecretVault
from studio.runs.feed import Batch
from studio.runs.journal.log import JsonObject, NewRun
from studio.runs.part_runs.dialogues import ModelDriver, PartDriver, ParticipantDriver, ToolDriver
from studio.runs.part_runs.memory_store import InMemoryRunStore
from studio.runs.part_runs.tools import tools_for
from studio.runs.prepare import PreparedRun
from studio.runs.state import RunState
from studio.runs.supervisor import RunSupervisor
from studio.runs.tasks import task_text
from studio.runs.view import RunView
from studio.tools import BaseTool, StaticStreamWorkbench, Workbench

WORK_LIMIT_S = 300.0
"""How long a part may work at a stretch; waiting for the person does not count."""
MAX_CHARACTERS = 8_000_000
"""Of what a try may say altogether."""
MAX_CONCURRENT = 20
"""Tries that are open at the same time; each may hold a tool server, a browser or a container."""

LEFT = Ending(RunState.CANCELLED, "user", "Its page was closed.")
TOO_LONG = Ending.failed(
    RunFailed("The try was stopped: it ran too long without an answer.", fix="Use a run for longer work.")
)
TOO_MUCH = Ending.failed(
    RunFailed(
        "The try was stopped: its output is larger than a page can show.", fix="Request less output, or use a run."
    )
)


class NotRunnableAlone(ConfigError):
    """Only some kinds of components do something by themselves."""

    code = "cannot_be_tried"


class TooManyPartRuns(Conflict):
    """As many tries are open as the studio keeps at once."""

    code = "too_many_tries"


class PartRunner:
    """Tries parts of teams; an async context manager, as the supervisor in it is.

    Args:
        approvals: Knows what people have allowed.
        secrets: Knows the studio's own secrets.
        work_limit_s: How long a part may work without an answer.
        max_characters: How much a try may say, and how much of it while it is still being written.
        max_concurrent: How many tries may be open.
    """

    def __init__(
        self,
        approvals: ApprovalSource,
        secrets: SecretVault,
        *,
        work_limit_s: float = WORK_LIMIT_S,
        max_characters: int = MAX_CHARACTERS,
        max_concurrent: int = MAX_CONCURRENT,
    ) -> None:
        self._max_characters = max_characters
        self._max_concurrent = max_concurrent
        self._open_count = 0
        self._work_limit_s = work_limit_s
        self._runs = InMemoryRunStore(max_characters, lambda run_id: self._supervisor.interrupt_call(run_id, TOO_MUCH))
        self._supervisor = RunSupervisor(self._runs, approvals, secrets, goes_on=False)

    async def __aenter__(self) -> Self:
        await self._supervisor.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._supervisor.__aexit__(kind, error, trace)

    async def prepare(
        self, document: JsonValue, message: JsonValue, *, system_message: str = "", team_id: str = ""
    ) -> PreparedRun:
        """Load a part as it is tried; nothing of it runs yet.

        Args:
            document: Component JSON of the part.
            message: The first thing that it gets: what a team takes as its task, for tools a call as JSON text.
            system_message: What a model is told before it; other parts have their own.
            team_id: The stored team that it is a part of: some things are allowed for one team alone.

        Raises:
            InvalidComponent: It does not load, or parts of it are of no kind that this studio knows.
            NotRunnableAlone: It is of a kind that does nothing by itself.
            InvalidTask: The message is empty.
            NotApproved: It could do something that nobody allowed.
            TooManyPartRuns: So many are open that no more begins.
        """
        if self._open_count >= self._max_concurrent:
            raise TooManyPartRuns(
                f"{self._open_count} tries are open, which is the limit.",
                fix="Close one: reset it, or close its page.",
            )
        text = task_text(message := well_formed_json(message))
        new = NewRun(cast("JsonObject", document), message, text, team_id or None)
        prepared = await self._supervisor.prepare(
            new, kind=Component, make_player=lambda part: _driver_for(part, system_message)
        )
        return replace(prepared, new=replace(prepared.new, team_id=None))  # it counts as no run of that team

    @asynccontextmanager
    async def running(self, prepared: PreparedRun) -> AsyncGenerator[str]:
        """Begin a try; the block gets its id, and leaving the block ends it.

        Raises:
            Conflict: The server is stopping.
        """
        run_id = ""
        self._open_count += 1
        try:
            run_id = await self._supervisor.play(prepared)
            yield run_id
        finally:  # without awaiting anything: it must also work while the reader's task is being cancelled
            self._open_count -= 1
            self._supervisor.interrupt_call(run_id, LEFT)
            self._runs.forget(prepared.new)

    async def follow(self, run_id: str) -> AsyncGenerator[Batch]:
        """Follow a try to its end. A part that works for too long, or streams too much, is broken off."""
        streamed = 0
        limit = _WorkLimit(self._work_limit_s, lambda: self._supervisor.interrupt_call(run_id, TOO_LONG))
        try:
            async with aclosing(self._supervisor.subscribe(run_id)) as batches:
                async for batch in batches:
                    limit.see(is_waiting=batch.view.pending is not None)
                    streamed += sum(len(chunk.text) for chunk in batch.chunks)
                    if streamed > self._max_characters:
                        self._supervisor.interrupt_call(run_id, TOO_MUCH)
                    yield batch
        finally:
            limit.lift()

    async def view(self, run_id: str) -> RunView:
        """How the try stands now.

        Raises:
            NotFound: There is no such try.
        """
        return await self._supervisor.view(run_id)

    async def command(
        self, run_id: str, command: Literal["answer", "cancel"], *, request_id: str = "", text: str = ""
    ) -> RunView:
        """Answer the try's question, or end it.

        Raises:
            NotFound: There is no such try.
            RunAlreadyEnded, Conflict: It does not take this now.
        """
        return await self._supervisor.command(run_id, command, request_id=request_id, text=text)


class _WorkLimit:
    """Calls `overdue` when something has worked for so many seconds between two times of waiting."""

    def __init__(self, limit_s: float, overdue: Callable[[], None]) -> None:
        self._limit_s = limit_s
        self._overdue = overdue
        self._timer: asyncio.TimerHandle | None = None
        self.see(is_waiting=False)

    def see(self, *, is_waiting: bool) -> None:
        if is_waiting:
            self.lift()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._limit_s, self._overdue)

    def lift(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _driver_for(part: Component, system_message: str) -> PartDriver:
    match part:
        case ChatCompletionClient():
            return ModelDriver(part, system_message)
        case Participant():
            return ParticipantDriver(part)
        case Workbench():
            return ToolDriver(part)
        case BaseTool():
            return ToolDriver(StaticStreamWorkbench(tools=[part]))
        case _ if tools := tools_for(part):
            return ToolDriver(StaticStreamWorkbench(tools=list(tools)))
        case _:
            raise NotRunnableAlone(
                f"A {part.component_type} cannot be tried alone.", fix="Try the agent or the team that uses it."
            )
