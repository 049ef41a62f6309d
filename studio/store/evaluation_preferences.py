"""What the judges of evaluations prefer; see `EvaluationPreference`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlmodel import col, select

from studio.store.database import Database
from studio.store.evaluation_tables import Evaluation, EvaluationJudgment, EvaluationPreference
from studio.store.tables import Run


class EvaluationPreferences:
    """The preferences of all evaluations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, evaluation_id: str) -> Sequence[EvaluationPreference]:
        """Those of an evaluation, by position."""
        query = select(EvaluationPreference).where(EvaluationPreference.evaluation_id == evaluation_id)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(EvaluationPreference.position)))).all()

    async def add(self, found: EvaluationPreference) -> None:
        """Keep one, where no other server has done so."""
        key = (found.evaluation_id, found.position, found.key)
        async with self._database.write() as session:
            is_kept = await session.get(Evaluation, found.evaluation_id) is not None
            if is_kept and await session.get(EvaluationPreference, key) is None:
                session.add(found)

    async def begin(self, evaluation_id: str, position: int, run_ids: Sequence[str]) -> None:
        """Keep that runs are those of a judge, before they begin."""
        async with self._database.write() as session:
            for run_id in run_ids:
                if await session.get(EvaluationJudgment, run_id) is None:
                    session.add(EvaluationJudgment(run_id=run_id, evaluation_id=evaluation_id, position=position))

    async def runs(self, run_ids: Sequence[str]) -> Mapping[str, Run]:
        """Those of these runs that have begun, by their IDs."""
        async with self._database.read() as session:
            rows = await session.exec(select(Run).where(col(Run.id).in_(run_ids)))
            return {row.id: row for row in rows}
