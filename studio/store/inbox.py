"""All questions that runs wait on, wherever they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError
from sqlalchemy import func
from sqlmodel import col, select

from studio.runs import PendingInput, RunState
from studio.store.database import Database
from studio.store.tables import Run, RunEvent

MAX_QUESTIONS = 200
"""That are read together. What is answered makes room for the others."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question with the run that waits on it; `since` is when it began to wait."""

    run_id: str
    team_id: str | None
    team_name: str
    task_text: str
    reason: str
    since: datetime
    question: PendingInput


class Inbox:
    """What people are asked, over all runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, *, limit: int = MAX_QUESTIONS) -> Sequence[OpenQuestion]:
        """The open questions, the one that waits longest first; so many of them."""
        newest = (
            select(func.max(RunEvent.seq))
            .where(col(RunEvent.run_id) == col(Run.id), col(RunEvent.kind) == "state")
            .correlate(Run)
            .scalar_subquery()
        )
        query = (
            select(Run, RunEvent.at)
            .join(RunEvent, (col(RunEvent.run_id) == col(Run.id)) & (col(RunEvent.seq) == newest))
            .where(col(Run.state) == RunState.PAUSED.value, col(Run.listing) != "evaluation")
            .order_by(col(RunEvent.at), col(Run.id))
            .limit(limit)
        )
        async with self._database.read() as session:
            rows = await session.exec(query)
            found = [_question(run, at, run.pending) for run, at in rows if run.pending is not None]
            return [question for question in found if question is not None]


def _question(run: Run, at: datetime, pending: object) -> OpenQuestion | None:
    try:
        question = PendingInput.model_validate(pending)
    except ValidationError:
        return None  # the run's page says what is wrong with it
    return OpenQuestion(
        run_id=run.id,
        team_id=run.team_id,
        team_name=run.team_name,
        task_text=run.task_text,
        reason=run.reason,
        since=at,
        question=question,
    )
