"""What people are asked by all runs; answered through the run's commands."""

from __future__ import annotations

from datetime import datetime

from studio.components.deferred_model import DeferredModel
from studio.runs import PendingInput
from studio.web.dependencies import StoreDep
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/inbox", tags=["runs"])


class OpenQuestionOut(DeferredModel):
    run_id: str
    team_id: str | None
    team_name: str
    task: str
    reason: str
    since: datetime
    pending: PendingInput


@router.get("", summary="List the oldest pending questions of all runs, up to 200")
async def list_questions(store: StoreDep) -> list[OpenQuestionOut]:
    return [
        OpenQuestionOut(
            run_id=found.run_id,
            team_id=found.team_id,
            team_name=found.team_name,
            task=found.task_text,
            reason=found.reason,
            since=found.since,
            pending=found.question,
        )
        for found in await store.inbox.list()
    ]
