"""The ports through which a run asks the world, one around the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from studio import effects
from studio.messages import BaseMessage
from studio.runs.active_run import LiveRun
from studio.runs.middleware.approvals import Reviewed
from studio.runs.middleware.budget import Budgeted
from studio.runs.middleware.edits import Amendable
from studio.runs.middleware.interrupts import Holding
from studio.runs.middleware.tracing import Both, Traced, tracing
from studio.runs.spending.ledger import bookkeeping


class Guide(Protocol):
    """Leads a run over what was recorded."""

    def port(self, outer: effects.Effects, recording: effects.Effects) -> effects.Effects:
        """The ports through which the run asks, given those of a run without a past and the innermost of them."""
        ...

    async def is_past(self) -> bool:
        """Whether what is asked for now was recorded."""
        ...

    def pulled(self, *, is_held: bool) -> None:
        """Tell whether somebody waits for the team's next item, or holds it."""
        ...

    async def knows(self, item: BaseMessage) -> bool:
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


def port_of(run: LiveRun, player: object, names: Mapping[int, str], past: Guide | None = None) -> effects.Effects:
    """What a run of the supervisor asks through: each answer goes into its log, with what it cost.

    What is in its log already answers first. `names` tell for whom each part of the team works; see `names_of`.
    """
    recording = effects.Recording(
        run.record_effect,
        run_id=run.namespace,
        human=run.human.ask,
        written=run.written,
        intend=run.intend,
        redactor=run.redactor,
    )
    found = tracing()
    traced = Traced(recording, found, run.id, player, names) if found else None
    budgeted = Budgeted(traced or recording, run, bookkeeping(), names)
    recording.meter = budgeted.measured
    run.watch = Both(budgeted, traced) if traced else budgeted
    port = Amendable(Reviewed(Holding(budgeted, run), run), run)
    return past.port(port, recording) if past else port
