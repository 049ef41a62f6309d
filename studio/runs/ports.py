"""The ports through which a run asks the world, one around the other."""

from __future__ import annotations

from collections.abc import Mapping

from studio import effects
from studio.runs.debugging.amendable import Amendable
from studio.runs.debugging.holding import Holding
from studio.runs.debugging.reviewing import Reviewed
from studio.runs.live import LiveRun
from studio.runs.repeating.logged import Guide
from studio.runs.spending.bookkeeping import bookkeeping
from studio.runs.spending.budgets import Budgeted
from studio.runs.tracing import Both, Traced, tracing


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
