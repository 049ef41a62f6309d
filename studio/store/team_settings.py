"""What is kept with a team for its runs: breakpoints, rules for tools, and example tasks. It is no part of the team's
component."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic import BaseModel, ValidationError
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import Conflict, NotFound
from studio.runs import STORED, Breakpoint, RunSettings, ToolPolicy
from studio.store.database import Database
from studio.store.tables import JsonObject, Team, TeamSettings


class DamagedSettings(Conflict):
    """What is kept with a team for its runs cannot be read."""

    code = "damaged_settings"


class TeamSettingsStore:
    """The settings of all teams; those of a deleted team go with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, team_id: str) -> RunSettings:
        """Those of a team; the empty ones where nobody set any."""
        async with self._database.read() as session:
            row = await session.get(TeamSettings, team_id) if team_id else None
        return RunSettings() if row is None else _read(row)

    async def rules(self) -> dict[str, ToolPolicy]:
        """The rules of all teams that have any, by the team."""
        async with self._database.read() as session:
            rows = (await session.exec(select(TeamSettings))).all()
        found = {row.team_id: _read(row).policy for row in rows}
        return {team_id: policy for team_id, policy in found.items() if not policy.is_idle}

    async def set_breakpoints(self, team_id: str, breakpoints: Sequence[Breakpoint]) -> None:
        """Raises: NotFound."""
        async with self._database.write() as session:
            row = await _row(session, team_id)
            row.breakpoints = [_json(each) for each in breakpoints]
            session.add(row)

    async def set_policy(self, team_id: str, policy: ToolPolicy) -> None:
        """Raises: NotFound."""
        async with self._database.write() as session:
            row = await _row(session, team_id)
            row.policy = _json(policy)
            session.add(row)

    async def examples(self, team_id: str) -> list[str]:
        """The example tasks of a team."""
        async with self._database.read() as session:
            row = await session.get(TeamSettings, team_id)
        return [] if row is None else [str(each) for each in row.examples]

    async def set_examples(self, team_id: str, examples: Sequence[str]) -> None:
        """Raises: NotFound."""
        async with self._database.write() as session:
            row = await _row(session, team_id)
            row.examples = [*examples]
            session.add(row)


async def _row(session: AsyncSession, team_id: str) -> TeamSettings:
    if await session.get(Team, team_id) is None:
        raise NotFound(f"There is no team {team_id!r}.")
    return await session.get(TeamSettings, team_id) or TeamSettings(
        team_id=team_id, breakpoints=[], policy=_json(ToolPolicy())
    )


def _json(value: BaseModel) -> JsonObject:
    return cast("JsonObject", value.model_dump(mode="json"))


def _read(row: TeamSettings) -> RunSettings:
    """Raises: DamagedSettings: Nobody knows what is to be asked about; so nothing runs."""
    try:
        return RunSettings.model_validate({"breakpoints": row.breakpoints, "policy": row.policy}, context=STORED)
    except ValidationError as error:
        raise DamagedSettings(
            f"The breakpoints or rules for tools of the team {row.team_id} cannot be read.",
            fix="Set both again in the team's run settings.",
        ) from error
