"""Begins the calls of schedules. What is due is claimed in the database, so any process may do it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from studio.components import load_component
from studio.deployments import CallRefused
from studio.deployments.cron import in_zone, next_times
from studio.errors import ConfigError, StudioError
from studio.runs import InvalidTask
from studio.runs.redaction import redact_text
from studio.services.calls import CallDesk, CallRequest
from studio.store import Store
from studio.store.deployment_tables import Deployment, Schedule
from studio.store.deployments import OpenedDeployment
from studio.store.schedules import GRACE, DueFiring

AT_ONCE = 8
LOOK_S = 1.0
PROTOCOL = "schedule"
SHOWN_TIMES = 5
MAX_TASK_CHARACTERS = 20_000
IN_VAIN = "Its call could not begin within an hour. The log of the server says why."

logger = logging.getLogger(__name__)


async def task_to_keep(store: Store, deployment: Deployment, task: str) -> str:
    """The task of a schedule without the secrets of the team that is live."""
    release = await store.deployments.release(deployment.id, deployment.live)
    secrets = await store.secrets.source()
    return await asyncio.to_thread(lambda: redact_text(task, load_component(release.component), secrets))


async def add_schedule(
    store: Store, deployment: Deployment, cron: str, zone: str, task: str, *, is_on: bool = True, by: str
) -> Schedule:
    """Let a deployment be called at the times of a cron expression.

    Raises:
        ConfigError: The expression or the zone cannot be read, or the task is empty or too long.
        Conflict: The deployment has too many.
    """
    if not 0 < len(task) <= MAX_TASK_CHARACTERS:
        raise ConfigError(f"A task has 1 to {MAX_TASK_CHARACTERS:,} characters.", where="/task")
    new = Schedule(
        id=uuid4().hex,
        deployment_id=deployment.id,
        cron=cron,
        zone=zone,
        task=await task_to_keep(store, deployment, task),
        is_on=is_on,
        by=by,
        created_at=datetime.now(UTC),
        due_at=None,
    )
    return await store.schedules.add(new)


def coming_times(schedule: Schedule) -> Sequence[datetime]:
    """The next times of a schedule, in its zone; none while it is off.

    They begin with the time that it is due at, so that they are those at which it fires.
    """
    if schedule.due_at is None:
        return []
    following = next_times(schedule.cron, schedule.zone, schedule.due_at, SHOWN_TIMES - 1)
    return [in_zone(each, schedule.zone) for each in (schedule.due_at, *following)]


@dataclass(frozen=True)
class ScheduleCalls:
    """The calls of all schedules."""

    store: Store
    desk: CallDesk

    async def keep_calling(self) -> None:
        """Begin what is due until this is canceled."""
        while True:
            try:
                if await self.call_due(datetime.now(UTC)):
                    continue
            except StudioError as error:
                logger.warning("Schedules cannot be read now: %s", error)
            await asyncio.sleep(LOOK_S)

    async def call_due(self, now: datetime) -> int:
        """Begin a call for each schedule that is due; how many there were."""
        claimed = await self.store.schedules.claim_due(now, AT_ONCE)
        for due in claimed:
            try:
                await self._call(due)
                continue
            except StudioError as error:  # whoever claims it next tries it again
                logger.warning("The call of schedule %s cannot begin now: %s", due.firing.schedule_id, error)
            except Exception:  # one that cannot begin must not end the others, or all that the process does
                logger.exception("The call of schedule %s cannot begin", due.firing.schedule_id)
            if now - due.firing.due_at > GRACE:
                await self.store.schedules.settle(due.firing, "missed", detail=IN_VAIN)
        return len(claimed)

    async def _call(self, due: DueFiring) -> None:
        """Begin the one call of a firing: its idempotency key makes a second one impossible."""
        firing = due.firing
        by = OpenedDeployment(await self.store.deployments.schedule_key(due.deployment), due.deployment)
        sent_under = f"{firing.schedule_id} {firing.due_at.isoformat()}"
        request = CallRequest(firing.task, PROTOCOL, idempotency_key=sent_under)
        try:
            call = await self.desk.begin(by, request)
        except (CallRefused, InvalidTask) as error:
            await self.store.schedules.settle(firing, "refused", detail=error.what)
            return
        await self.store.schedules.settle(firing, "called", call_id=call.id)
