"""The one way to a run: its team loads, a person allowed what it can do, and what is kept of it holds no secret."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextvars import Context
from dataclasses import dataclass, replace
from typing import Protocol, cast

from studio.agents.participant import require_loaded
from studio.components import Component, load_component
from studio.components.readable_json import well_formed
from studio.components.secrets import SecretSource
from studio.messages import BaseChatMessage, BaseMessage, TaskResult
from studio.runs.admission import ApprovalSource, SecretVault, check_approved, has_code, require_jail
from studio.runs.debugging.settings import SettingsSource
from studio.runs.files import RunFileStore
from studio.runs.journal.answers import RecordedAnswers
from studio.runs.journal.log import NewRun, RunRecord, RunStore
from studio.runs.redaction import redact_new_run
from studio.runs.spending.costs import names_of
from studio.sandbox import UNCONFINED, current_jail, current_workers
from studio.sandbox.grants import Grants
from studio.teams import Team

Stream = AsyncGenerator[BaseMessage | TaskResult, None]


class Player(Protocol):
    """What a run drives: a team, or a part of one that is tried alone."""

    def run_stream(self, task: str | BaseChatMessage) -> Stream:
        """Work on the task; nothing happens ahead of a pull."""
        ...

    def request_stop(self, reason: str) -> None:
        """End after the turn in progress."""
        ...


@dataclass(frozen=True)
class RunDependencies:
    """What runs are prepared from, and kept in."""

    store: RunStore
    approvals: ApprovalSource
    secrets: SecretVault
    settings: SettingsSource
    files: RunFileStore | None = None
    """None where code finds no files of its run."""


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run that may begin. `prepare_run` and `prepare_resume` make it, and nothing else does.

    Args:
        new: What is kept of its start; of a run that goes on, what was kept.
        player: What is driven.
        names: The agent that each component of it works for; see `names_of`.
        component: What was loaded, which knows the secrets that it may read.
        grants: What its code may reach.
        secrets: Finds the studio's own ones.
        files: Where its files are kept.
        answers: Those of the run that it reuses; None where it reuses none.
    """

    new: NewRun
    player: Player
    names: Mapping[int, str]
    component: Component
    grants: Grants
    secrets: SecretSource
    files: RunFileStore | None = None
    answers: RecordedAnswers | None = None


def play_team(component: Component) -> Player:
    """A team is driven as it is."""
    assert isinstance(component, Team)
    return component


async def prepare_run(
    sources: RunDependencies,
    new: NewRun,
    context: Context,
    *,
    kind: type[Component] = Team,
    make_player: Callable[[Component], Player] = play_team,
) -> PreparedRun:
    """Load what is to run, and raise when it may not; what is kept of it holds no secret.

    Args:
        sources: Know what was allowed, and the secrets.
        new: What the run is started with, as somebody wrote it.
        context: The context of the run, which knows the jail.
        kind: What may be started.
        make_player: Makes what is driven of what was loaded.

    Raises:
        InvalidComponent: It does not load, or parts of it are of no kind that this studio knows.
        NotApproved: With all that is missing, each once.
        JailUnavailable: The studio has no sandbox for its code.
    """
    prepared = await _prepare(sources, new, context, kind, make_player)
    component = prepared.component
    # What is kept is what was loaded: references in place of keys.
    named = new.team_name or (component.label or "" if isinstance(component, Team) else "")
    new = replace(new, component=await asyncio.to_thread(component.dump_component), team_name=well_formed(named))
    return replace(prepared, new=redact_new_run(new, component, prepared.secrets))


async def prepare_resume(sources: RunDependencies, record: RunRecord, context: Context) -> PreparedRun:
    """The same for a run that goes on from its log. It is told what it was told then, so nothing of it is changed.

    Raises:
        InvalidComponent, NotApproved, JailUnavailable: As for `prepare_run`.
    """
    kept = NewRun(record.component, record.task, record.task_text, record.team_id, changes=record.changes)
    return await _prepare(sources, kept, context, Team, play_team)


async def _prepare(
    sources: RunDependencies,
    new: NewRun,
    context: Context,
    kind: type[Component],
    make_player: Callable[[Component], Player],
) -> PreparedRun:
    component = await asyncio.to_thread(load_component, new.component, kind)
    require_loaded(component)
    player = make_player(component)
    names = await asyncio.to_thread(names_of, player)
    grants = await check_approved(component, sources.approvals, team_id=new.team_id or "")
    require_jail(component, context.get(current_jail, UNCONFINED))
    workers = context.get(current_workers)
    if workers is not None and has_code(component):
        workers.prepare()  # by the time of the first call they are ready
    if new.changes.initial_state:
        await cast("Team", component).load_state(new.changes.initial_state)
    secrets = await sources.secrets.source()
    answers = RecordedAnswers(sources.store, new.changes.reuse) if new.changes.reuse is not None else None
    return PreparedRun(new, player, names, component, grants, secrets, sources.files, answers)
