"""Teams and every version of them. What a person saved is kept, also when it is unfinished or wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from pydantic import JsonValue
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.tables import JsonObject, Team, TeamVersion, without


@dataclass(frozen=True, slots=True)
class TeamSummary:
    """A team as a list shows it."""

    id: str
    name: str
    revision: int
    summary: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """One saved version as a list shows it; `number` is the revision that it was."""

    number: int
    name: str
    note: str
    at: datetime


class Teams:
    """The teams of this studio. Each save that changes something makes one version."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, component: JsonObject, *, name: str = "", layout: JsonObject | None = None) -> Team:
        """Add a team; without a name it takes the component's label."""
        now = datetime.now(UTC)
        team = Team(
            id=str(uuid4()),
            name=name.strip() or _default_name(component),
            summary=_summary(component),
            revision=1,
            component=component,
            layout=layout or {},
            created_at=now,
            updated_at=now,
        )
        async with self._database.write() as session:
            session.add(team)
            await session.flush()
            session.add(_version(team))
        return team

    async def list(self) -> Sequence[TeamSummary]:
        """All teams, the one changed last first."""
        query = select(Team).options(*without(Team.component, Team.layout))
        async with self._database.read() as session:
            rows = await session.exec(query.order_by(col(Team.updated_at).desc(), col(Team.id)))
            return [TeamSummary(row.id, row.name, row.revision, row.summary, row.updated_at) for row in rows]

    async def get(self, team_id: str) -> Team:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get(session, team_id)

    async def save(
        self,
        team_id: str,
        *,
        component: JsonObject,
        layout: JsonObject,
        revision: int,
        note: str = "",
        name: str | None = None,
    ) -> Team:
        """Save a change that was made to revision `revision`; saving what is there already only takes the note.

        Raises:
            NotFound: There is no such team.
            Conflict: Somebody saved another revision since.
        """
        async with self._database.write() as session:
            team = await _get(session, team_id, to_change=True)
            new_name = team.name if name is None or not name.strip() else name.strip()
            if _same([team.name, team.component, team.layout], [new_name, component, layout]):
                if note:
                    (await _get_version(session, team_id, team.revision)).note = note
                return team
            if revision != team.revision:
                raise Conflict(
                    f"The team was saved as revision {team.revision} meanwhile; yours was made from {revision}.",
                    fix="Reload the team, or restore one of its versions; both are kept.",
                )
            _change(team, new_name, component, layout)
            session.add(_version(team, note))
        return team

    async def rename(self, team_id: str, name: str) -> Team:
        """Give the team another name.

        Raises:
            NotFound: There is no such team.
        """
        team = await self.get(team_id)
        return await self.save(
            team_id, component=team.component, layout=team.layout, revision=team.revision, name=name, note="Renamed"
        )

    async def delete(self, team_id: str) -> None:
        """Remove the team and its versions; its runs stay.

        Raises:
            NotFound: There is no such team.
        """
        async with self._database.write() as session:
            await session.delete(await _get(session, team_id))

    async def versions(self, team_id: str) -> Sequence[VersionSummary]:
        """All versions, the newest first.

        Raises:
            NotFound: There is no such team.
        """
        query = select(TeamVersion.number, TeamVersion.name, TeamVersion.note, TeamVersion.at)
        query = query.where(TeamVersion.team_id == team_id).order_by(col(TeamVersion.number).desc())
        async with self._database.read() as session:
            await _get(session, team_id)
            return [VersionSummary(*row) for row in await session.exec(query)]

    async def version(self, team_id: str, number: int) -> TeamVersion:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get_version(session, team_id, number)

    async def restore(self, team_id: str, number: int) -> Team:
        """Save an old version once more as the newest; what was newest stays as a version.

        Raises:
            NotFound: There is no such team or version.
        """
        async with self._database.write() as session:
            team = await _get(session, team_id, to_change=True)
            old = await _get_version(session, team_id, number)
            if not _same([team.name, team.component, team.layout], [old.name, old.component, old.layout]):
                _change(team, old.name, old.component, old.layout)
                session.add(_version(team, f"Restored version {number}"))
        return team


async def _get(session: AsyncSession, team_id: str, *, to_change: bool = False) -> Team:
    team = await session.get(Team, team_id, with_for_update=to_change)
    if team is None:
        raise NotFound(f"There is no team {team_id!r}.", fix="It may have been deleted in another tab.")
    return team


async def _get_version(session: AsyncSession, team_id: str, number: int) -> TeamVersion:
    version = await session.get(TeamVersion, (team_id, number))
    if version is None:
        raise NotFound(f"The team {team_id!r} has no version {number}.")
    return version


def _change(team: Team, name: str, component: JsonObject, layout: JsonObject) -> None:
    team.name = name
    team.component = component
    team.layout = layout
    team.summary = _summary(component)
    team.revision += 1
    team.updated_at = datetime.now(UTC)


def _version(team: Team, note: str = "") -> TeamVersion:
    return TeamVersion(
        team_id=team.id,
        number=team.revision,
        name=team.name,
        note=note,
        component=team.component,
        layout=team.layout,
        at=team.updated_at,
    )


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Whether both are the same JSON text: in Python 1 equals 1.0 and True, in a config they differ."""
    return json.dumps(one) == json.dumps(other)


def _default_name(component: JsonObject) -> str:
    for key in ("label", "provider"):
        text = component.get(key)
        if isinstance(text, str) and text.strip():
            return text.strip().rpartition(".")[2] if key == "provider" else text.strip()
    return "Untitled team"


def _summary(component: JsonObject) -> str:
    """One line about a component that may be anything: its kind and who takes part."""
    config = component.get("config")
    participants = config.get("participants") if isinstance(config, dict) else None
    names = [_name(part) for part in participants] if isinstance(participants, list) else []
    kind = str(component.get("provider") or "").rpartition(".")[2]
    return f"{kind}: {', '.join(names)}" if names else kind


def _name(participant: JsonValue) -> str:
    config = participant.get("config") if isinstance(participant, dict) else None
    name = config.get("name") if isinstance(config, dict) else None
    return str(name or "?")
