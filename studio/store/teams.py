"""Teams and every version of them. What a person saved is kept, also when it is unfinished or wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

from pydantic import JsonValue
from sqlalchemy import delete, func, insert, or_, update
from sqlalchemy import select as columns
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.components import Side, diff, summary
from studio.components.titles import type_title
from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.json_text import JsonText, to_json
from studio.store.labels import ENDED, forget_labels
from studio.store.merging import TeamDocument, TeamsDiffer, merge_documents
from studio.store.pruning import PRUNED_EVERY, VersionHead, prune
from studio.store.tables import Budget, JsonObject, Run, Team, TeamVersion, table_of, without
from studio.store.team_search import ACTIVE_TEAMS, TeamFilter

MERGE, SIDE = "merge", "side"
MAX_TRIES = 20
"""To save what others change at the same time."""


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
class SaveResult:
    """The team as it is now. `sent` is what was to be saved, when that was merged with what somebody else saved."""

    team: Team
    sent: TeamDocument | None = None


@dataclass(frozen=True, slots=True)
class MergeChoices:
    """Which side to take where both changed the same, by the `id` of the conflict.

    They count only while `against` is the stored revision: nobody chooses against what they have not seen.
    """

    sides: Mapping[str, Side] = field(default_factory=dict[str, Side])
    against: int = 0


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """Why a version is made, by whom, and of which kind it is."""

    note: str = ""
    author: str = ""
    kind: str = ""


_WITHOUT_DOCUMENT = without(Team.component, Team.layout)


class Teams:
    """The teams of this studio. Each save that changes something makes one version."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._change_turn = asyncio.Lock()

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
        first = await asyncio.to_thread(_version, team.id, 1, _document(team), VersionInfo("", author), "", now)
        row = {**dict(team), "component": first["component"], "layout": first["layout"]}
        async with self._database.write() as session:
            connection = await session.connection()
            await connection.execute(insert(table_of(Team)), row)
            await connection.execute(insert(table_of(TeamVersion)), first)
        return team

    async def list(
        self, wanted: TeamFilter = ACTIVE_TEAMS, *, offset: int = 0, limit: int | None = None
    ) -> Sequence[TeamSummary]:
        """The teams that meet a filter, in its order: all, or a page of them."""
        query = select(Team).options(*_WITHOUT_DOCUMENT).where(*wanted.conditions())
        query = query.offset(offset).limit(limit) if offset or limit is not None else query
        async with self._database.read() as session:
            return [_listed(row) for row in await session.exec(query.order_by(*wanted.sorted_by()))]

    async def count(self, wanted: TeamFilter = ACTIVE_TEAMS) -> int:
        """How many teams there are, of those that `list` would give."""
        async with self._database.read() as session:
            return (await session.exec(select(func.count(col(Team.id))).where(*wanted.conditions()))).one()

    async def get_many(self, ids: Collection[str]) -> Sequence[Team]:
        """Those of the teams that are there, in no order."""
        async with self._database.read() as session:
            return (await session.exec(select(Team).where(col(Team.id).in_(ids)))).all()

    async def get(self, team_id: str) -> Team:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get(session, team_id)

    async def summary(self, team_id: str) -> TeamSummary:
        """The same without its document, which may be large.

        Raises:
            NotFound: There is no such team.
        """
        async with self._database.read() as session:
            return await _summary_of(session, team_id)

    async def names(self, ids: Collection[str]) -> Mapping[str, str]:
        """The names of those of the teams that are there, by id."""
        async with self._database.read() as session:
            return dict((await session.exec(select(Team.id, Team.name).where(col(Team.id).in_(ids)))).all())

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
        choices: MergeChoices | None = None,
    ) -> SaveResult:
        """Save a change that was made to revision `revision`; one that was saved since is merged with it.

        Saving what is there already only takes the note. What `author` saved since `revision` is what they began with.

        Raises:
            NotFound: There is no such team, or no such revision.
            TeamsDiffer: Both changed the same, and `choices` do not say which to take. Nothing was stored.
        """

        async def plan(team: Team) -> _Change:
            new_name = team.name if name is None or not name.strip() else name.strip()
            mine, reason = TeamDocument(new_name, component, layout), VersionInfo(note, author)
            if await asyncio.to_thread(_same, _document(team), mine):
                return _Change(team, note=note)
            base = await self._base(team, revision, author)
            if base is None:
                return await asyncio.to_thread(_change, team, mine, reason)
            return await asyncio.to_thread(_merge, team, _document(base), mine, reason, choices or MergeChoices())

        return await self._store(team_id, plan)

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
        """Remove the team and its versions for good; its runs stay.

        Raises:
            NotFound: There is no such team.
            Conflict: A run of it has not ended: its tools would be called without the team's rules.
        """
        under_way = select(Run.id).where(Run.team_id == team_id, col(Run.state).not_in(ENDED)).limit(1)
        async with self._database.write() as session:
            team = await session.get(Team, team_id)
            if team is None:
                raise _no_team(team_id)
            if (await session.exec(under_way)).first() is not None:
                raise Conflict("A run of this team is still active.", fix="Stop or cancel its runs first.")
            await session.delete(team)
            await session.exec(delete(Budget).where(col(Budget.scope) == f"team:{team_id}"))
            await forget_labels(session, "team", [team_id])

    async def versions(
        self, team_id: str, *, before: int | None = None, limit: int = 100, named: bool = False
    ) -> Sequence[VersionSummary]:
        """The newest versions, or those older than the version `before`; with `named` those that have a name.

        Raises:
            NotFound: There is no such team.
        """
        query = select(TeamVersion).options(*without(TeamVersion.component, TeamVersion.layout))
        query = query.where(TeamVersion.team_id == team_id).order_by(col(TeamVersion.number).desc()).limit(limit)
        if before is not None:
            query = query.where(col(TeamVersion.number) < before)
        if named:
            query = query.where(TeamVersion.title != "")
        async with self._database.read() as session:
            await _summary_of(session, team_id)
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

        async def plan(team: Team) -> _Change:
            old = _document(await self.version(team_id, number))
            if await asyncio.to_thread(_same, _document(team), old):
                return _Change(team)
            return await asyncio.to_thread(_change, team, old, VersionInfo(f"Restored version {number}"))

        return (await self._store(team_id, plan)).team

    async def _store(self, team_id: str, plan: Callable[[Team], Awaitable[_Change]]) -> SaveResult:
        """Change a team as planned for what is stored; planned anew when somebody else was quicker.

        A plan may take long. The database is free meanwhile: all runs write their logs to it.
        """
        for _ in range(MAX_TRIES):
            async with self._change_turn:  # or many plans would be made for the one that counts
                team = await self.get(team_id)
                change = await plan(team)
                pruning = await self._pruning(team, change)
                if await self._is_written(team, change, pruning):
                    return SaveResult(change.team, change.sent)
        raise Conflict("Other users keep saving this team.", fix="Save again.", where=team_id)

    async def _pruning(self, team: Team, change: _Change) -> _Pruning:
        """What goes with a change: not each save needs to look for it."""
        if team.revision // PRUNED_EVERY == change.team.revision // PRUNED_EVERY:
            return _Pruning()
        async with self._database.read() as session:
            details = (TeamVersion.author, TeamVersion.title, TeamVersion.note, TeamVersion.kind, TeamVersion.at)
            query = columns(*map(col, (TeamVersion.number, *details))).where(col(TeamVersion.team_id) == team.id)
            rows = await (await session.connection()).execute(query.order_by(col(TeamVersion.number).desc()))
            pruning = await asyncio.to_thread(prune, [VersionHead._make(row) for row in rows])
        changes: dict[int, str] = {}
        for number, since in pruning.since.items():
            before, after = [_document(await self.version(team.id, each)) for each in (since, number)]
            changes[number] = await asyncio.to_thread(_changes, before, after)
        return _Pruning(pruning.dropped, changes)

    async def _is_written(self, before: Team, change: _Change, pruning: _Pruning) -> bool:
        """Write the change unless the team is another one by now."""
        if not change.versions and not change.note:
            return True
        async with self._database.write() as session:
            values = change.values or {"revision": before.revision}
            team = table_of(Team)
            connection = await session.connection()
            newer = update(team).where(team.c.id == before.id, team.c.revision == before.revision).values(values)
            if (await connection.execute(newer)).rowcount == 0:
                return False
            if change.note:
                (await _get_version(session, before.id, before.revision)).note = change.note
            if change.versions:
                await connection.execute(insert(table_of(TeamVersion)), change.versions)
            await _prune(connection, before.id, pruning)
        return True

    async def _base(self, team: Team, revision: int, author: str) -> TeamVersion | None:
        """The version that a change began with; None when that is the newest, so that nothing needs merging.

        An answer may have been lost on the way to the author: then they began with what they sent last. A version
        that is not kept any more is stood for by the one before it: what came between is then the change of both.
        """
        if revision == team.revision:
            return None
        of_team = select(TeamVersion).where(TeamVersion.team_id == team.id).order_by(col(TeamVersion.number).desc())
        async with self._database.read() as session:
            if author:
                own = of_team.where(TeamVersion.author == author, TeamVersion.kind != MERGE)
                newest = (await session.exec(own.where(col(TeamVersion.number) > revision).limit(1))).first()
                if newest is not None:
                    return None if newest.number == team.revision else newest
            if not 0 < revision < team.revision:
                raise _no_version(team.id, revision)
            is_base = or_(col(TeamVersion.number) == revision, col(TeamVersion.kind) != SIDE)
            found = (await session.exec(of_team.where(col(TeamVersion.number) <= revision, is_base).limit(1))).first()
        if found is None:
            raise _no_version(team.id, revision)
        return found


@dataclass(frozen=True, slots=True)
class _Change:
    """What is to be written: the team as it is then, its new versions as rows, or only a note for the newest."""

    team: Team
    values: dict[str, object] = field(default_factory=dict[str, object])
    versions: Sequence[dict[str, object]] = ()
    note: str = ""
    sent: TeamDocument | None = None


@dataclass(frozen=True, slots=True)
class _Pruning:
    """Versions to drop, and what others tell of their changes from now on."""

    dropped: Sequence[int] = ()
    changes: Mapping[int, str] = field(default_factory=dict[int, str])


async def _prune(connection: AsyncConnection, team_id: str, pruning: _Pruning) -> None:
    version = table_of(TeamVersion)
    if pruning.dropped:  # one that was given a name meanwhile stays
        unnamed = (version.c.team_id == team_id, version.c.title == "")
        await connection.execute(delete(version).where(*unnamed, version.c.number.in_(pruning.dropped)))
    for number, changes in pruning.changes.items():
        here = (version.c.team_id == team_id, version.c.number == number)
        await connection.execute(update(version).where(*here).values(changes=changes))


def _merge(team: Team, base: TeamDocument, mine: TeamDocument, reason: VersionInfo, choices: MergeChoices) -> _Change:
    """Bring the change and the stored team together; what was sent stays as a version of its own."""
    theirs, revision = _document(team), team.revision
    decided = (choices if choices.against == revision else MergeChoices()).sides
    merged, conflicts = merge_documents(base, mine, theirs, decided)
    if conflicts:
        raise TeamsDiffer(conflicts, merged, revision)
    if _same(merged, theirs) and not decided:
        return _Change(team, sent=mine)
    side = VersionInfo(f"Before it was merged with version {revision}", reason.author, SIDE)
    both = VersionInfo(reason.note or f"Merged with version {revision}", reason.author, MERGE)
    return _changed(team, [(mine, side, base), (merged, both, theirs)], mine)


def _change(team: Team, document: TeamDocument, reason: VersionInfo) -> _Change:
    return _changed(team, [(document, reason, _document(team))])


def _changed(
    team: Team, steps: Sequence[tuple[TeamDocument, VersionInfo, TeamDocument]], sent: TeamDocument | None = None
) -> _Change:
    """Each step makes a version: the document, why it is made, and what its changes are counted from."""
    now, versions = datetime.now(UTC), list[dict[str, object]]()
    for number, (document, reason, since) in enumerate(steps, team.revision + 1):
        versions.append(_version(team.id, number, document, reason, _changes(since, document), now))
    newest = steps[-1][0]
    values: dict[str, object] = {
        "name": newest.name,
        "component": versions[-1]["component"],
        "layout": versions[-1]["layout"],
        "summary": _summary(newest.component),
        "revision": versions[-1]["number"],
        "updated_at": now,
    }
    after = {**values, "component": newest.component, "layout": newest.layout}
    return _Change(Team.model_validate({**team.model_dump(), **after}), values, versions, "", sent)


async def _get(session: AsyncSession, team_id: str) -> Team:
    team = await session.get(Team, team_id)
    if team is None:
        raise _no_team(team_id)
    if team.listing == "trashed":
        raise _in_trash(team)
    return team


def _no_team(team_id: str) -> NotFound:
    return NotFound(f"There is no team {team_id!r}.", fix="It may have been deleted in another tab.")


def _in_trash(team: Team) -> NotFound:
    return NotFound(f"The team {team.name!r} is in the trash.", fix="Restore it on the Trash page.")


async def _summary_of(session: AsyncSession, team_id: str) -> TeamSummary:
    team = (await session.exec(select(Team).options(*_WITHOUT_DOCUMENT).where(Team.id == team_id))).first()
    if team is None:
        raise _no_team(team_id)
    return _listed(team)


def _listed(team: Team) -> TeamSummary:
    return TeamSummary(team.id, team.name, team.revision, team.summary, team.updated_at)


async def _get_version(session: AsyncSession, team_id: str, number: int) -> TeamVersion:
    version = await session.get(TeamVersion, (team_id, number))
    if version is None:
        raise _no_version(team_id, number)
    return version


def _no_version(team_id: str, number: int) -> NotFound:
    return NotFound(
        f"The team {team_id!r} has no version {number}.",
        fix="Choose one from the list. Of the saves within one minute, only the last is kept.",
    )


def _version(
    team_id: str, number: int, document: TeamDocument, reason: VersionInfo, changes: str, at: datetime
) -> dict[str, object]:
    """The row of a version, with its documents as text: JSON of hundreds of agents is written in a thread."""
    return {
        "team_id": team_id,
        "number": number,
        "name": document.name,
        "title": "",
        "note": reason.note,
        "changes": changes,
        "author": reason.author,
        "kind": reason.kind,
        "component": JsonText(to_json(document.component)),
        "layout": JsonText(to_json(document.layout)),
        "at": at,
    }


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
    kind = type_title(str(component.get("provider") or "").rpartition(".")[2])
    return f"{kind}: {', '.join(names)}" if names else kind


def _name(participant: JsonValue) -> str:
    config = participant.get("config") if isinstance(participant, dict) else None
    name = config.get("name") if isinstance(config, dict) else None
    return str(name or "?")
