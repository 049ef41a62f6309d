"""Schedules of a deployment: the times at which it is called, and what became of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.deployments.cron import MAX_CRON_CHARACTERS, MAX_ZONE_CHARACTERS
from studio.services import schedule_calls
from studio.services.schedule_calls import MAX_TASK_CHARACTERS, coming_times, task_to_keep
from studio.store import Store
from studio.store.deployment_tables import Firing, Schedule
from studio.web.dependencies import PersonDep, StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/deployments/{deployment}", tags=["schedules"])
Cron = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_CRON_CHARACTERS,
        description="Five fields, as `30 8 * * 1-5`, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.",
    ),
]
Zone = Annotated[str, Field(min_length=1, max_length=MAX_ZONE_CHARACTERS, description="IANA name of a time zone.")]
Task = Annotated[str, Field(min_length=1, max_length=MAX_TASK_CHARACTERS, description="What the team is to do.")]


class NewSchedule(RequestBody):
    cron: Cron
    zone: Zone = "UTC"
    task: Task
    is_on: bool = True


class ChangeSchedule(RequestBody):
    """What is not given stays."""

    cron: Cron | None = None
    zone: Zone | None = None
    task: Task | None = None
    is_on: bool | None = None


class FiringOut(DeferredModel):
    """A time that has come. `state` is `due`, `called`, `refused` or `missed`; `detail` says why there was no call."""

    due_at: datetime
    state: str
    call_id: str | None
    detail: str


class ScheduleOut(DeferredModel):
    """A schedule with its next times, in its zone; none while it is off."""

    id: str
    cron: str
    zone: str
    task: str
    is_on: bool
    by: str
    created_at: datetime
    next_times: Sequence[datetime]
    last: FiringOut | None


@router.get("/schedules", summary="List schedules, the oldest first")
async def list_schedules(deployment: str, store: StoreDep) -> list[ScheduleOut]:
    found = await store.deployments.get(deployment)
    rows, last = await store.schedules.list(found.id), await store.schedules.last_firings(found.id)
    return await asyncio.to_thread(lambda: [_shown(each, last.get(each.id)) for each in rows])


@router.post("/schedules", status_code=201, summary="Call a deployment at the times of a cron expression")
async def add_schedule(deployment: str, body: NewSchedule, store: StoreDep, person: PersonDep) -> ScheduleOut:
    found = await store.deployments.get(deployment)
    new = await schedule_calls.add_schedule(store, found, **body.model_dump(), by=person.name)
    return await _schedule(store, new)


@router.patch("/schedules/{schedule_id}", summary="Change a schedule, or turn it on or off")
async def change_schedule(deployment: str, schedule_id: str, body: ChangeSchedule, store: StoreDep) -> ScheduleOut:
    found = await store.deployments.get(deployment)
    said = body.model_dump(exclude_unset=True)
    if body.task is not None:
        said["task"] = await task_to_keep(store, found, body.task)
    changed = await store.schedules.change(found.id, schedule_id, datetime.now(UTC), **said)
    return await _schedule(store, changed)


@router.delete("/schedules/{schedule_id}", status_code=204, summary="Delete a schedule; its calls stay")
async def delete_schedule(deployment: str, schedule_id: str, store: StoreDep) -> None:
    await store.schedules.delete((await store.deployments.get(deployment)).id, schedule_id)


@router.get("/schedules/{schedule_id}/firings", summary="List the last times of a schedule; they are kept for 90 days")
async def list_firings(deployment: str, schedule_id: str, store: StoreDep) -> list[FiringOut]:
    found = await store.schedules.get((await store.deployments.get(deployment)).id, schedule_id)
    return [_firing(each) for each in await store.schedules.firings(found.id)]


@router.post("/schedules/{schedule_id}/firings", status_code=202, summary="Call now, beside the times of a schedule")
async def fire_now(deployment: str, schedule_id: str, store: StoreDep) -> FiringOut:
    """The call begins within seconds, also while the schedule is off."""
    found = await store.deployments.get(deployment)
    return _firing(await store.schedules.fire(found.id, schedule_id, datetime.now(UTC)))


async def _schedule(store: Store, row: Schedule) -> ScheduleOut:
    last = await store.schedules.firings(row.id, limit=1)
    return await asyncio.to_thread(_shown, row, last[0] if last else None)


def _shown(row: Schedule, last: Firing | None) -> ScheduleOut:
    return ScheduleOut(
        **row.model_dump(include={*ScheduleOut.model_fields}),
        next_times=coming_times(row),
        last=_firing(last) if last else None,
    )


def _firing(row: Firing) -> FiringOut:
    return FiringOut(**row.model_dump(include={*FiringOut.model_fields}))
