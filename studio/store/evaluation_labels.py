"""What people say of the runs of evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import func
from sqlmodel import col, select

from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.evaluation_tables import EvaluationCell, EvaluationLabel

MAX_LABELS = 20_000
"""Of one evaluation."""

LabelVerdict = Literal["pass", "fail", "skip"]
"""`skip` is that the person cannot tell."""


class EvaluationLabels:
    """The labels of all evaluations. None is changed or replaced: a person's newest one of a run counts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self, evaluation_id: str, position: int, verdict: LabelVerdict, note: str, by: str
    ) -> EvaluationLabel:
        """Keep what a person says of the run of a cell.

        Args:
            evaluation_id: Of the evaluation.
            position: Of the cell.
            verdict: What the person says.
            note: Why; "" where nothing was written.
            by: Who says it.

        Raises:
            NotFound: There is no such cell.
            Conflict: Its run has not been scored yet, or the evaluation has too many labels.
        """
        async with self._database.write() as session:
            cell = await session.get(EvaluationCell, (evaluation_id, position))
            if cell is None:
                raise NotFound(f"Evaluation {evaluation_id!r} has no run {position}.")
            if cell.state != "done":
                raise Conflict("The run has not been scored yet.", fix="Label it once it is.")
            count = select(func.count()).where(col(EvaluationLabel.evaluation_id) == evaluation_id)
            if (await session.exec(count)).one() >= MAX_LABELS:
                raise Conflict(f"The evaluation has {MAX_LABELS:,} labels.", fix="Start another one.")
            label = EvaluationLabel(
                evaluation_id=evaluation_id, position=position, by=by, verdict=verdict, note=note, at=datetime.now(UTC)
            )
            session.add(label)
        return label

    async def list(self, evaluation_id: str, position: int | None = None) -> Sequence[EvaluationLabel]:
        """Those of an evaluation, or of one cell of it, the oldest first."""
        query = select(EvaluationLabel).where(EvaluationLabel.evaluation_id == evaluation_id)
        query = query if position is None else query.where(EvaluationLabel.position == position)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(EvaluationLabel.id)))).all()

    async def positions(self, evaluation_id: str, by: str) -> Sequence[int]:
        """Of the cells that a person has labeled."""
        query = select(EvaluationLabel.position).where(
            EvaluationLabel.evaluation_id == evaluation_id, EvaluationLabel.by == by
        )
        async with self._database.read() as session:
            return (await session.exec(query.distinct())).all()

    async def newest(self, evaluation_id: str, by: str) -> EvaluationLabel | None:
        """What a person labeled last."""
        query = select(EvaluationLabel).where(EvaluationLabel.evaluation_id == evaluation_id, EvaluationLabel.by == by)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(EvaluationLabel.id).desc()).limit(1))).first()
