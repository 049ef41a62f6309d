"""The ports through which a run asks the world, one around the other."""

from __future__ import annotations

from studio import effects
from studio.runs.live import LiveRun


def port_of(run: LiveRun) -> effects.Effects:
    """What a run of the supervisor asks through: each answer goes into its log."""
    return effects.Recording(run.record_effect, run_id=run.id, human=run.human.ask, written=run.written)
