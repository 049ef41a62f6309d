"""Runs that were made in another studio and brought here, whole and ended."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from studio.errors import Conflict, NotFound
from studio.runs import LogEntry, RunRecord
from studio.runs.journal.log import RunList
from studio.store.database import Database
from studio.store.starts import start_row
from studio.store.tables import Run, RunEvent, RunFile, RunStart, Team, table_of

AT_ONCE = 1_000
IMPORT = "import"
"""The `origin` of such a run."""


class RunImports:
    """Takes runs in with the numbers and times that they came with."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_run(
        self,
        run: RunRecord,
        entries: Sequence[LogEntry],
        *,
        files: Sequence[RunFile] = (),
        listing: RunList = "active",
    ) -> None:
        """Keep an ended run. It keeps its id, from which the ids of its messages follow.

        Raises:
            Conflict: A run with this id is here already; it is left as it is.
            NotFound: There is no such team.
        """
        row = Run(
            id=run.id,
            team_id=run.team_id,
            team_name=run.team_name,
            task_text=run.task_text,
            state=run.status.state.value,
            reason=run.status.reason,
            detail=run.status.detail,
            prompt_tokens=run.status.usage.prompt_tokens,
            completion_tokens=run.status.usage.completion_tokens,
            micro_usd=run.status.usage.micro_usd,
            unpriced_calls=run.status.usage.unpriced_calls,
            last_seq=len(entries),
            created_at=run.created_at,
            started_at=run.started_at,
            ended_at=run.ended_at,
            root_id=run.root_id,
            origin=IMPORT,
            listing=listing,
        )
        start = await start_row(run.id, run.component, run.task, run.changes.without_reuse())
        try:
            async with self._database.write() as session:
                if run.team_id is not None and await session.get(Team, run.team_id) is None:
                    raise NotFound(f"There is no team {run.team_id!r}.")
                session.add(row)
                await session.flush()
                connection = await session.connection()
                await connection.execute(insert(table_of(RunStart)), start)
                for first in range(0, len(entries), AT_ONCE):
                    await connection.execute(insert(table_of(RunEvent)), _rows(entries[first : first + AT_ONCE]))
                session.add_all(files)
        except IntegrityError as error:
            raise Conflict(
                "This run already exists here.", fix="Open it from the list of runs.", where=run.id
            ) from error


def _rows(entries: Sequence[LogEntry]) -> list[dict[str, object]]:
    return [
        {"run_id": run_id, "seq": seq, "at": at, "kind": kind, "body": body, "epoch": 1}
        for run_id, seq, at, kind, body in entries
    ]
