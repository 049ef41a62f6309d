"""Suites of teams: cases and scorers that runs of a team are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.components import JsonObject
from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.evaluation_tables import Evaluation
from studio.store.evaluations import trash_runs
from studio.store.tables import Team, TeamSuite, without

MAX_SUITES = 50
"""Of one team."""


class Suites:
    """All suites, by the IDs of their teams. Documents are kept as they come: the caller checks them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, team_id: str) -> Sequence[TeamSuite]:
        """Those of a team without their documents, the oldest first."""
        query = select(TeamSuite).where(TeamSuite.team_id == team_id).options(*without(TeamSuite.document))
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(TeamSuite.created_at), col(TeamSuite.id)))).all()

    async def page(self, team_id: str = "", *, offset: int = 0, limit: int = 100) -> Sequence[tuple[TeamSuite, str]]:
        """Those of a team, or of all teams that are not in the trash, with the names of their teams.

        They come without their documents, those changed last first.
        """
        query = select(TeamSuite, Team.name).join(Team, col(Team.id) == col(TeamSuite.team_id))
        query = query.where(Team.listing != "trashed").options(*without(TeamSuite.document))
        if team_id:
            query = query.where(TeamSuite.team_id == team_id)
        query = query.order_by(col(TeamSuite.updated_at).desc(), col(TeamSuite.id)).offset(offset).limit(limit)
        async with self._database.read() as session:
            return [(suite, name) for suite, name in (await session.exec(query)).all()]

    async def get(self, suite_id: str) -> TeamSuite:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get(session, suite_id)

    async def add(self, team_id: str, name: str, document: JsonObject, case_count: int, by: str) -> TeamSuite:
        """Keep a new suite of a team.

        Raises:
            NotFound: There is no such team.
            Conflict: The team has too many suites.
        """
        now = datetime.now(UTC)
        row = TeamSuite(
            id=uuid4().hex,
            team_id=team_id,
            name=name,
            revision=1,
            case_count=case_count,
            document=document,
            by=by,
            created_at=now,
            updated_at=now,
        )
        async with self._database.write() as session:
            if await session.get(Team, team_id) is None:
                raise NotFound(f"There is no team {team_id!r}.")
            others = await session.exec(select(TeamSuite.id).where(TeamSuite.team_id == team_id))
            if len(others.all()) >= MAX_SUITES:
                raise Conflict(f"A team has up to {MAX_SUITES} suites.", fix="Delete some of them.")
            session.add(row)
        return row

    async def save(
        self, suite_id: str, revision: int, name: str, document: JsonObject, case_count: int, by: str
    ) -> TeamSuite:
        """Replace a suite as it was read at a revision.

        Raises:
            NotFound: There is no such suite.
            Conflict: The suite has been saved since.
        """
        async with self._database.write() as session:
            row = await _get(session, suite_id)
            if row.revision != revision:
                raise Conflict("The suite has been changed since you opened it.", fix="Open it again.")
            row.revision, row.name, row.document, row.case_count, row.by = revision + 1, name, document, case_count, by
            row.updated_at = datetime.now(UTC)
        return row

    async def delete(self, suite_id: str) -> None:
        """Delete a suite with its evaluations, whose runs go to the trash.

        Raises:
            NotFound: There is no such suite.
            Conflict: An evaluation of it is under way.
        """
        async with self._database.write() as session:
            await trash_runs(session, col(Evaluation.suite_id) == suite_id)
            await session.delete(await _get(session, suite_id))


async def _get(session: AsyncSession, suite_id: str) -> TeamSuite:
    row = await session.get(TeamSuite, suite_id)
    if row is None:
        raise NotFound(f"There is no suite {suite_id!r}.")
    return row
