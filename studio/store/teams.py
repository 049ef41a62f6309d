"""Teams and every version of them. What a person saved is kept, also when it is unfinished or wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

from pydantic import JsonValue
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.components import Side, diff, summary
from studio.errors import NotFound
from studio.store.database import Database
from studio.store.merging import TeamDocument, TeamsDiffer, merge_documents
from studio.store.tables import JsonObject, Team, TeamVersion, without

MERGE, SIDE = "merge", "side"


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
    title: str
    note: str
    changes: str
    author: str
    kind: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SavedTeam:
    """The team as it is now. `sent` is what was to be saved, when that was merged with what somebody else saved."""

    team: Team
    sent: TeamDocument | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """Which side to take where both changed the same, by the `id` of the conflict.

    They count only while `against` is the stored revision: nobody chooses against what they have not seen.
    """

    sides: Mapping[str, Side] = field(default_factory=dict[str, Side])
    against: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a version is made, by whom, and of which kind it is."""

    note: str = ""
    author: str = ""
    kind: str = ""


class Teams:
    """The teams of this studio. Each save that changes something makes one version."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        component: JsonObject,
        *,
        name: str = "",
        layout: JsonObject | None = None,
        author: str = "",
        publisher: str = "",
    ) -> Team:
        """Add a team; without a name it takes the component's label. `publisher` is that of its gallery."""
        now = datetime.now(UTC)
        team = Team(
            id=str(uuid4()),
            name=name.strip() or _default_name(component),
            summary=_summary(component),
            publisher=publisher,
            revision=1,
            component=component,
            layout=layout or {},
            created_at=now,
            updated_at=now,
        )
        async with self._database.write() as session:
            session.add(team)
            await session.flush()
            session.add(_version(team, Reason("", author), ""))
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
        author: str = "",
        choices: Choices | None = None,
    ) -> SavedTeam:
        """Save a change that was made to revision `revision`; one that was saved since is merged with it.

        Saving what is there already only takes the note. What `author` saved since `revision` is what they began with.

        Raises:
            NotFound: There is no such team, or no such revision.
            TeamsDiffer: Both changed the same, and `choices` do not say which to take. Nothing was stored.
        """
        async with self._database.write() as session:
            team = await _get(session, team_id, to_change=True)
            new_name = team.name if name is None or not name.strip() else name.strip()
            mine, theirs = TeamDocument(new_name, component, layout), _document(team)
            if _same(theirs, mine):
                if note:
                    (await _get_version(session, team_id, team.revision)).note = note
                return SavedTeam(team)
            base = await _base(session, team, revision, author)
            if base is None:
                await _store(session, team, mine, Reason(note, author))
                return SavedTeam(team)
            return await _save_merge(session, team, _document(base), mine, Reason(note, author), choices or Choices())

    async def rename(self, team_id: str, name: str) -> Team:
        """Give the team another name.

        Raises:
            NotFound: There is no such team.
        """
        team = await self.get(team_id)
        saved = await self.save(
            team_id, component=team.component, layout=team.layout, revision=team.revision, name=name, note="Renamed"
        )
        return saved.team

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
        query = select(TeamVersion).options(*without(TeamVersion.component, TeamVersion.layout))
        query = query.where(TeamVersion.team_id == team_id).order_by(col(TeamVersion.number).desc())
        async with self._database.read() as session:
            await _get(session, team_id)
            return [
                VersionSummary(row.number, row.name, row.title, row.note, row.changes, row.author, row.kind, row.at)
                for row in await session.exec(query)
            ]

    async def version(self, team_id: str, number: int) -> TeamVersion:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get_version(session, team_id, number)

    async def title(self, team_id: str, number: int, title: str) -> None:
        """Give a version a name of its own, or take it away with "".

        Raises:
            NotFound: There is no such version.
        """
        async with self._database.write() as session:
            (await _get_version(session, team_id, number)).title = title.strip()

    async def restore(self, team_id: str, number: int) -> Team:
        """Save an old version once more as the newest; what was newest stays as a version.

        Raises:
            NotFound: There is no such team or version.
        """
        async with self._database.write() as session:
            team = await _get(session, team_id, to_change=True)
            old = await _get_version(session, team_id, number)
            if not _same(_document(team), _document(old)):
                await _store(session, team, _document(old), Reason(f"Restored version {number}"))
        return team


async def _base(session: AsyncSession, team: Team, revision: int, author: str) -> TeamVersion | None:
    """The version that a change began with; None when that is the newest, so that nothing needs merging.

    An answer may have been lost on the way to the author: then they began with what they sent last.
    """
    if revision == team.revision:
        return None
    if author:
        query = select(TeamVersion).where(TeamVersion.team_id == team.id, TeamVersion.author == author)
        query = query.where(col(TeamVersion.number) > revision, TeamVersion.kind != MERGE)
        own = (await session.exec(query.order_by(col(TeamVersion.number).desc()))).first()
        if own is not None:
            return None if own.number == team.revision else own
    return await _get_version(session, team.id, revision)


async def _save_merge(
    session: AsyncSession, team: Team, base: TeamDocument, mine: TeamDocument, reason: Reason, choices: Choices
) -> SavedTeam:
    """Bring the change and the stored team together; what was sent stays as a version of its own."""
    theirs, revision = _document(team), team.revision
    decided = (choices if choices.against == revision else Choices()).sides
    merged, conflicts = await asyncio.to_thread(merge_documents, base, mine, theirs, decided)
    if conflicts:
        raise TeamsDiffer(conflicts, merged, revision)
    if _same(merged, theirs) and not decided:
        return SavedTeam(team, mine)
    side = Reason(f"Before it was merged with version {revision}", reason.author, SIDE)
    await _store(session, team, mine, side, since=base)
    merge_reason = Reason(reason.note or f"Merged with version {revision}", reason.author, MERGE)
    await _store(session, team, merged, merge_reason, since=theirs)
    return SavedTeam(team, mine)


async def _store(
    session: AsyncSession, team: Team, document: TeamDocument, reason: Reason, since: TeamDocument | None = None
) -> None:
    """Make the document the newest version. `since`: what its changes are counted from, when not from the newest."""
    changes = await asyncio.to_thread(_changes, since or _document(team), document)
    team.name = document.name
    team.component = document.component
    team.layout = document.layout
    team.summary = _summary(document.component)
    team.revision += 1
    team.updated_at = datetime.now(UTC)
    session.add(_version(team, reason, changes))
    await session.flush()


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


def _version(team: Team, reason: Reason, changes: str) -> TeamVersion:
    return TeamVersion(
        team_id=team.id,
        number=team.revision,
        name=team.name,
        note=reason.note,
        changes=changes,
        author=reason.author,
        kind=reason.kind,
        component=team.component,
        layout=team.layout,
        at=team.updated_at,
    )


def _document(row: Team | TeamVersion) -> TeamDocument:
    return TeamDocument(row.name, row.component, row.layout)


def _changes(before: TeamDocument, after: TeamDocument) -> str:
    """What differs, in one line; "" when only cards were moved."""
    found = summary(diff(before.component, after.component), most=2)
    return found or (f"team renamed to {after.name}" if before.name != after.name else "")


def _same(one: TeamDocument, other: TeamDocument) -> bool:
    """Whether both are the same JSON text: in Python 1 equals 1.0 and True, in a config they differ."""
    return json.dumps([one.name, one.component, one.layout]) == json.dumps([other.name, other.component, other.layout])


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
