"""Taking up a run that nobody drives: after a stop of the server, or one that has waited long for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from studio.components.secrets import SecretSource
from studio.errors import StudioError
from studio.runs.admission import ApprovalSource, NotApproved, SecretVault, check_approved, load_team, remind
from studio.runs.debugging.setting import SettingsSource
from studio.runs.live import Ending, LiveRun
from studio.runs.log import Draft, RunRecord, RunStatus, RunStore
from studio.runs.repeating.forking import past_of
from studio.runs.repeating.past import Past
from studio.runs.state import RunState
from studio.teams import Team

NEVER_BEGUN = Ending(RunState.INTERRUPTED, "killed", "The server was killed before the run began.")


@dataclass(frozen=True)
class Sources:
    """What a run needs to be begun or taken up."""

    store: RunStore
    approvals: ApprovalSource
    secrets: SecretVault
    settings: SettingsSource


class TakenUp(NamedTuple):
    """A run that can be driven over its log."""

    run: LiveRun
    team: Team
    record: RunRecord
    past: Past
    secrets: SecretSource


def goes_on_by_itself(status: RunStatus) -> bool:
    """Whether a run that nobody drives goes on at the start of the server; others wait for a person."""
    if status.state is RunState.PAUSED:
        has_deadline = status.pending is not None and bool(status.pending.details.get("until"))
        return has_deadline or status.reason == "shutdown"
    return status.state is RunState.RUNNING


async def take_up(sources: Sources, run_id: str, *, by: str = "") -> TakenUp:
    """Become the owner of a run and make it ready to go on; one that does not wait for a person is told to.

    Raises:
        NotFound: There is no such run.
        InvalidComponent: The team does not load any more.
        NotApproved: The team could do something that is not allowed any more.
    """
    record = await sources.store.get(run_id)
    team = load_team(record.component)
    grants = await check_approved(team, sources.approvals, team_id=record.team_id or "")
    await remind(team, record.changes)
    secrets = await sources.secrets.source()
    settings = await sources.settings.of(record.team_id or "")
    lease, status = await sources.store.take_over(run_id)
    run = LiveRun(lease, sources.store, status, last_seq=record.last_seq, namespace=record.namespace)
    run.grants = grants
    run.debugger.begin(record.team_id or "", settings.policy, settings.breakpoints)
    past = Past(run, past_of(sources.store, record))
    told = Draft("command", {"command": "continue", "by": by, "after": status.reason})
    if status.state is RunState.RUNNING:
        await run.write(told)
    elif status.state is RunState.INTERRUPTED or status.reason == "shutdown":
        await run.change(RunState.RUNNING, "resume", before=[told])
    return TakenUp(run, team, record, past, secrets)


async def hold_back(store: RunStore, run_id: str, error: StudioError) -> None:
    """Let a run wait that cannot be taken up; a person may try again."""
    lease, status = await store.take_over(run_id)
    summary = await store.summary(run_id)
    run = LiveRun(lease, store, status, last_seq=summary.last_seq)
    reason = "approval" if isinstance(error, NotApproved) else "shutdown"
    await run.change(RunState.PAUSED, reason, detail=str(error))


async def end_unbegun(store: RunStore, run_id: str) -> None:
    """End a run of which nothing is in the log: nobody was told that there is one."""
    lease, status = await store.take_over(run_id)
    await LiveRun(lease, store, status).end(NEVER_BEGUN)
