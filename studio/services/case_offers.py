"""What a case could take from a run: its task, its answer and the tools that it called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.errors import ConfigError
from studio.services.past_runs import stored_run
from studio.store import Store
from studio.store.tables import TeamSuite

MAX_CALLS_OFFERED = 30
MAX_ANSWER_OFFERED = 20_000
"""Characters; a longer answer is no expectation."""


@dataclass(frozen=True)
class CaseOffer:
    """A run as a case, and the suites of its team.

    Args:
        answer: The last message of the team; empty where it is very long.
        calls: Names of the tools that were called, in order.
        went_wrong: Whether the run itself failed.
    """

    run_id: str
    team_id: str
    team_name: str
    task: str
    answer: str
    calls: Sequence[str]
    went_wrong: bool
    suites: Sequence[TeamSuite]


async def offer_case(store: Store, run_id: str) -> CaseOffer:
    """What can be taken from a run.

    Raises:
        NotFound: There is no such run, or its team is in the trash.
        ConfigError: It belongs to no team.
        TooLarge: Its log is too long.
    """
    summary = await store.runs.summary(run_id)
    if not summary.team_id:
        raise ConfigError("The team of this run was deleted, and its suites with it.", fix="Choose another run.")
    team = await store.teams.summary(summary.team_id)
    run = await stored_run(store, run_id)
    answer = run.transcript.turns[-1].text if run.transcript.turns else ""
    return CaseOffer(
        run_id=run_id,
        team_id=team.id,
        team_name=team.name,
        task=run.task,
        answer=answer if len(answer) <= MAX_ANSWER_OFFERED else "",
        calls=[each.name for each in run.transcript.calls if each.has_succeeded][:MAX_CALLS_OFFERED],
        went_wrong=run.transcript.ending == "failed",
        suites=await store.suites.list(team.id),
    )
