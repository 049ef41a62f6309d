"""`studio schedules`, for whoever has the studio's folder. A studio that runs on it calls at these times."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from studio.cli.deploy import OPERATOR, in_store, record
from studio.cli.short_ids import find_by_beginning, short_id
from studio.deployments.cron_words import describe_cron
from studio.services import schedule_calls
from studio.services.schedule_calls import coming_times
from studio.settings import Settings
from studio.store import Store
from studio.store.deployment_tables import Deployment, Firing, Schedule


def add_schedule(settings: Settings, name: str, cron: str, zone: str, task: str) -> None:
    """Make a schedule and print its ID and its next times.

    Raises:
        StudioError: There is no such deployment, it has too many, or the expression or the zone cannot be read.
    """

    async def add(store: Store) -> Schedule:
        found = await store.deployments.get(name)
        made = await schedule_calls.add_schedule(store, found, cron, zone, task, by=OPERATOR)
        await record(store, "add a schedule", name)
        return made

    made = in_store(settings, add)
    print(f"{short_id(made)}  {_when(made)}")
    for each in coming_times(made):
        print(f"          {each:%a %d %b %Y, %H:%M}")


def list_schedules(settings: Settings, name: str, *, as_json: bool) -> None:
    """Print the schedules of a deployment, the oldest first.

    Raises:
        NotFound: There is no such deployment.
    """

    async def read(store: Store) -> list[tuple[Schedule, Firing | None]]:
        found = await store.deployments.get(name)
        last = await store.schedules.last_firings(found.id)
        return [(each, last.get(each.id)) for each in await store.schedules.list(found.id)]

    rows = in_store(settings, read)
    if as_json:
        print(json.dumps([_as_json(*each) for each in rows], indent=2))
        return
    for schedule, last in rows:
        following = f"next {coming_times(schedule)[0]:%d %b %Y, %H:%M}" if schedule.is_on else "paused"
        outcome = f"; last {last.state}" if last else ""
        print(f"{short_id(schedule)}  {_when(schedule)}: {schedule.task[:60]!r}, {following}{outcome}")
    if not rows:
        print(f"No schedules. `studio schedules add {name} '0 8 * * 1-5' TASK` adds one.")


def turn_schedule(settings: Settings, name: str, schedule: str, *, is_on: bool) -> None:
    """Resume a schedule, or pause it.

    Raises:
        NotFound, ConfigError: None or several begin so.
    """

    async def change(store: Store) -> None:
        found, row = await _named(store, name, schedule)
        await store.schedules.change(found.id, row.id, datetime.now(UTC), is_on=is_on)
        await record(store, "resume a schedule" if is_on else "pause a schedule", name)

    in_store(settings, change)
    print(f"The schedule {schedule} is {'on' if is_on else 'paused'}.")


def remove_schedule(settings: Settings, name: str, schedule: str) -> None:
    """Delete a schedule; its calls stay.

    Raises:
        NotFound, ConfigError: None or several begin so.
    """

    async def remove(store: Store) -> None:
        found, row = await _named(store, name, schedule)
        await store.schedules.delete(found.id, row.id)
        await record(store, "delete a schedule", name)

    in_store(settings, remove)
    print(f"The schedule {schedule} is deleted.")


async def _named(store: Store, name: str, beginning: str) -> tuple[Deployment, Schedule]:
    found = await store.deployments.get(name)
    return found, find_by_beginning(await store.schedules.list(found.id), beginning, "schedule", name)


def _when(schedule: Schedule) -> str:
    return f"{describe_cron(schedule.cron) or schedule.cron}, {schedule.zone}"


def _as_json(schedule: Schedule, last: Firing | None) -> dict[str, object]:
    return {
        **schedule.model_dump(mode="json", include={"id", "cron", "zone", "task", "is_on", "by"}),
        "next_times": [each.isoformat() for each in coming_times(schedule)],
        "last": last.model_dump(mode="json", include={"due_at", "state", "call_id", "detail"}) if last else None,
    }
