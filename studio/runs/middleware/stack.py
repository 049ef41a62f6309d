"""The ports through which a run asks the world, one around the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from studio import effects
from studio.messages import BaseMessage
from studio.runs.active_run import ActiveRun
from studio.runs.journal.answers import RecordedAnswers
from studio.runs.middleware.approvals import ApprovalEffects
from studio.runs.middleware.budget import BudgetEffects
from studio.runs.middleware.edits import EditableEffects
from studio.runs.middleware.interrupts import InterruptibleEffects
from studio.runs.middleware.reuse import ReusingEffects
from studio.runs.middleware.tracing import CompositeObserver, TracingEffects, tracing
from studio.runs.spending.ledger import current_spending


class ReplayGuide(Protocol):
    """Leads a run over what was recorded."""

    def wrap(self, outer: effects.Effects, recording: effects.Effects) -> effects.Effects:
        """The ports through which the run asks, given those of a run without a past and the innermost of them."""
        ...

    async def is_behind(self) -> bool:
        """Whether what is asked for now was recorded."""
        ...

    def note_pull(self, *, is_held: bool) -> None:
        """Tell whether somebody waits for the team's next item, or holds it."""
        ...

    async def is_recorded(self, item: BaseMessage) -> bool:
        """Whether the team has given this before and it is in the run's own log.

        Raises:
            Diverged: Something else was recorded.
        """
        ...

    async def end(self) -> None:
        """The team has come to its end.

        Raises:
            Diverged: More was recorded.
        """
        ...


def build_effects(
    run: ActiveRun,
    player: object,
    names: Mapping[int, str],
    past: ReplayGuide | None = None,
    answers: RecordedAnswers | None = None,
) -> effects.Effects:
    """What a run of the supervisor asks through: each answer goes into its log, with what it cost.

    What is in its log already answers first, and then the run that it reuses. `names` tell for whom each part of the
    team works; see `names_of`.
    """
    recording = effects.RecordingEffects(
        run.record_effect,
        run_id=run.namespace,
        human=run.human.ask,
        written=run.wait_written,
        intend=run.intend,
        redactor=run.redactor,
    )
    found = tracing()
    traced = TracingEffects(recording, found, run.id, player, names) if found else None
    budgeted = BudgetEffects(traced or recording, run, current_spending(), names)
    recording.meter = budgeted.record_spending
    run.observer = CompositeObserver(budgeted, traced) if traced else budgeted
    asking: effects.Effects = InterruptibleEffects(budgeted, run)
    asking = ReusingEffects(asking, run, answers) if answers is not None else asking
    port = EditableEffects(ApprovalEffects(asking, run), run)
    return past.wrap(port, recording) if past else port
