"""Schedules as the page of a deployment shows them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from studio.deployments.cron import in_zone, next_times
from studio.deployments.cron_words import describe_cron
from studio.services.schedule_calls import SHOWN_TIMES, coming_times
from studio.store import Store
from studio.store.deployment_tables import Deployment, Firing, Schedule
from studio.store.schedules import FiringState

PRESETS = ("0 * * * *", "0 8 * * *", "0 8 * * 1-5", "0 8 * * 1", "0 8 1 * *")
"""What is offered to who writes no cron expressions."""
STATES: Mapping[FiringState, tuple[str, str]] = {
    "due": ("running", "Starting"),
    "called": ("ok", "Called"),
    "refused": ("failed", "Refused"),
    "missed": ("warning", "Missed"),
}
"""Of a firing: the tone and the label, by its `FiringState`."""


@dataclass(frozen=True)
class ScheduleRow:
    """A schedule with its next times, in its zone, and what came of the last one."""

    schedule: Schedule
    words: str
    times: Sequence[datetime]
    last: Firing | None
    tone: str
    state: str


async def schedule_rows(store: Store, found: Deployment) -> Sequence[ScheduleRow]:
    """All of a deployment, the oldest first."""
    rows, last = await store.schedules.list(found.id), await store.schedules.last_firings(found.id)
    return await asyncio.to_thread(lambda: [_row(each, last.get(each.id)) for each in rows])


def preview(cron: str, zone: str, now: datetime) -> tuple[str, Sequence[datetime]]:
    """When a schedule would call, in words or "", and its next times, in its zone.

    Raises:
        ConfigError: The expression or the zone cannot be read.
    """
    times = [in_zone(each, zone) for each in next_times(cron, zone, now, SHOWN_TIMES)]
    return describe_cron(cron), times


def preset_words() -> Mapping[str, str]:
    """What `PRESETS` mean."""
    return {cron: describe_cron(cron) for cron in PRESETS}


def _row(schedule: Schedule, last: Firing | None) -> ScheduleRow:
    tone, state = STATES[cast("FiringState", last.state)] if last else ("", "")
    return ScheduleRow(schedule, describe_cron(schedule.cron), coming_times(schedule), last, tone, state)
