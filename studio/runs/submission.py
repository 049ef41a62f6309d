"""What is kept, beside the run itself, of a run that one process has made for another one to drive."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from studio.effects import InjectedMessage
from studio.runs.journal.log import NewRun, RunRecord
from studio.runs.replay.verify import ToolMode


class Submission(BaseModel):
    """Who starts a run, what a person says first in it, and what tools do where it is a replay."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    by: str = ""
    first_message: InjectedMessage | None = None
    tools: Mapping[str, ToolMode] = {}

    def complete(self, record: RunRecord) -> NewRun:
        """What the run was made from."""
        return NewRun(
            record.component,
            record.task,
            record.task_text,
            record.team_id,
            record.team_name,
            parent_id=record.parent_id,
            parent_seq=record.parent_seq,
            root_id=record.root_id,
            session_id=record.session_id,
            origin=record.origin,
            changes=record.changes,
            team_revision=record.team_revision,
            first_message=self.first_message,
        )
