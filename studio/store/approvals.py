"""What a person has allowed components to do, by the hash of exactly that thing, and where that holds."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from typing import cast
from uuid import uuid4

from pydantic import JsonValue
from sqlalchemy import ColumnElement, func, tuple_
from sqlmodel import col, or_, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.components import Capability
from studio.errors import NotFound
from studio.store.database import Database
from studio.store.tables import Approval, Team, TeamReview

ANYWHERE = ""
MAX_AT_ONCE = 500
"""Hashes of one query; databases take only so many values at once."""
PAGE = 100
MAX_CHARACTERS = 1_000_000
"""Of what the approvals of one page cover; the first one is on it however long it is."""

Hosts = Mapping[str, Sequence[str]]
"""What code may reach, by the hash of the code."""


@dataclass(frozen=True, slots=True)
class ReviewRecord:
    """What of a team was allowed when somebody last decided about it: hashes, each with the place that had it."""

    items: tuple[tuple[str, str], ...]
    by: str
    at: datetime


def team_scope(team_id: str) -> str:
    """The scope of an approval that holds in the runs of one team."""
    return f"team:{team_id}"


class Approvals:
    """The approvals of this studio. One holds until it is revoked, and is kept as history after that."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def mark(self) -> str:
        """Another text after each change of what is allowed."""
        query = select(func.count(), func.max(col(Approval.at)), func.max(col(Approval.revoked_at)))
        async with self._database.read() as session:
            return str((await session.exec(query)).one())

    async def approve(
        self, capabilities: Collection[Capability], *, by: str = "", scope: str = ANYWHERE, hosts: Hosts | None = None
    ) -> Sequence[Approval]:
        """Allow these. What was allowed before in the same way keeps its date; with other hosts it is allowed anew.

        Returns what holds for them in the scope now, the newest first.
        """
        hosts, now = hosts or {}, datetime.now(UTC)
        wanted = {item.hash: item for item in capabilities}
        async with self._database.write() as session:
            holding = {row.hash: row for row in await _holding(session, wanted, (scope,))}
            for key, capability in wanted.items():
                reach = sorted(set(hosts.get(key, ())))
                if (row := holding.get(key)) is not None:
                    if row.hosts == reach:
                        continue
                    _end(session, row, by, now)
                holding[key] = _new(capability, scope, reach, by, now)
                session.add(holding[key])
        return sorted(holding.values(), key=lambda row: (now - row.at, row.hash, row.id))

    async def count(self) -> int:
        """How many approvals hold."""
        async with self._database.read() as session:
            query = select(func.count(col(Approval.id))).where(col(Approval.revoked_at).is_(None))
            return (await session.exec(query)).one()

    async def list(
        self, *, scope: str | None = None, before: str | None = None, limit: int = PAGE
    ) -> Sequence[Approval]:
        """A page of the approvals that hold, the newest first; it ends after a megabyte of what they cover.

        Args:
            scope: Only those of this scope.
            before: Only those older than the approval with this id, which may be revoked meanwhile.
            limit: How many.

        Raises:
            NotFound: There is no approval `before`.
        """
        wanted: list[ColumnElement[bool]] = [col(Approval.revoked_at).is_(None)]
        if scope is not None:
            wanted.append(col(Approval.scope) == scope)
        async with self._database.read() as session:
            last = None if before is None else await _get(session, before)
            return await _page(session, wanted, ("at", "id"), last, limit)

    async def all(self, *, scope: str | None = None) -> AsyncGenerator[Approval]:
        """Those of all pages of `list`, with one page in memory at a time."""
        before = None
        while rows := await self.list(scope=scope, before=before):
            before = rows[-1].id
            for row in rows:
                yield row

    async def revoked(self, *, before: str | None = None, limit: int = PAGE) -> Sequence[Approval]:
        """A page of those that hold no longer, the one revoked last first; as long as one of `list`.

        Args:
            before: Only those revoked before the approval with this id.
            limit: How many.

        Raises:
            NotFound: No revoked approval has this id.
        """
        wanted = [col(Approval.revoked_at).is_not(None)]
        async with self._database.read() as session:
            last = None if before is None else await _get(session, before)
            if last is not None and last.revoked_at is None:
                raise NotFound(f"The approval {before!r} is not revoked.")
            return await _page(session, wanted, ("revoked_at", "at", "id"), last, limit)

    async def active_for(self, hashes: Collection[str], *, team_id: str = "") -> Mapping[str, Sequence[str]]:
        """Those of the hashes that are allowed in a team's runs, each with the hosts that its code may reach.

        Args:
            hashes: Of capabilities.
            team_id: The team that runs; without one only what is allowed anywhere counts.
        """
        found = await self.holding(hashes, team_id=team_id)
        return {key: tuple(map(str, row.hosts)) for key, row in found.items()}

    async def holding(
        self, hashes: Collection[str], *, team_id: str = "", publisher: str = ""
    ) -> Mapping[str, Approval]:
        """The approval of each hash that decides for a team, or for what a publisher's gallery holds.

        The narrowest decides: what was said of the team, then of its publisher, then of all.
        """
        async with self._database.read() as session:
            scopes = [ANYWHERE]
            if team_id:
                team = await session.get(Team, team_id)
                publisher = team.publisher if team else ""
            if publisher:
                scopes.append(publisher)
            if team_id:
                scopes.append(team_scope(team_id))
            rows = await _holding(session, hashes, scopes)
        return {row.hash: row for row in sorted(rows, key=lambda row: scopes.index(row.scope))}

    async def approved(self, hashes: Collection[str], *, team_id: str = "", publisher: str = "") -> frozenset[str]:
        """Those of the hashes that are allowed there."""
        return frozenset(await self.holding(hashes, team_id=team_id, publisher=publisher))

    async def revoke(self, key: str, *, by: str = "") -> Sequence[Approval]:
        """Allow it no longer; a run that is under way is not touched. Returns what held until now.

        Args:
            key: The id of one approval, or the hash of a thing for all approvals of it.
            by: Who revokes it.

        Raises:
            NotFound: It was not allowed.
        """
        async with self._database.write() as session:
            query = select(Approval).where(or_(col(Approval.id) == key, col(Approval.hash) == key))
            rows = (await session.exec(query.where(col(Approval.revoked_at).is_(None)))).all()
            if not rows:
                raise NotFound(f"Nothing is approved with {key!r}.")
            now = datetime.now(UTC)
            for row in rows:
                _end(session, row, by, now)
        return rows

    async def known(self, hashes: Collection[str]) -> Mapping[str, Approval]:
        """What was ever approved under these hashes, revoked or not: what the thing was."""
        found: dict[str, Approval] = {}
        async with self._database.read() as session:
            for some in _in_parts(hashes):
                rows = await session.exec(select(Approval).where(col(Approval.hash).in_(some)))
                found.update({row.hash: row for row in rows})
        return found

    async def reviewed(self, team_id: str) -> ReviewRecord | None:
        """What of a team was allowed when somebody last decided about it; None if nobody did."""
        async with self._database.read() as session:
            row = await session.get(TeamReview, team_id)
        if row is None:
            return None
        items = [cast("dict[str, str]", item) for item in row.items]
        return ReviewRecord(tuple((item["hash"], item["place"]) for item in items), row.by, row.at)

    async def remember(self, team_id: str, items: Collection[tuple[str, str]], *, by: str = "") -> None:
        """Keep what of a team is allowed now, as hashes and places, to compare later versions with."""
        kept: list[JsonValue] = [{"hash": key, "place": place} for key, place in items]
        async with self._database.write() as session:
            row = await session.get(TeamReview, team_id)
            if row is None:
                row = TeamReview(team_id=team_id, items=kept, by=by, at=datetime.now(UTC))
            row.items, row.by, row.at = kept, by, datetime.now(UTC)
            session.add(row)


async def _holding(session: AsyncSession, hashes: Collection[str], scopes: Collection[str]) -> list[Approval]:
    found: list[Approval] = []
    for some in _in_parts(hashes):
        query = select(Approval).where(col(Approval.hash).in_(some), col(Approval.scope).in_(scopes))
        found += (await session.exec(query.where(col(Approval.revoked_at).is_(None)))).all()
    return found


async def _get(session: AsyncSession, approval_id: str) -> Approval:
    row = await session.get(Approval, approval_id)
    if row is None:
        raise NotFound(f"There is no approval {approval_id!r}.")
    return row


async def _page(
    session: AsyncSession,
    wanted: Sequence[ColumnElement[bool]],
    order: Sequence[str],
    last: Approval | None,
    limit: int,
) -> Sequence[Approval]:
    """Those after the last one of another page, the greatest first."""
    columns = [col(getattr(Approval, name)) for name in order]
    newest = select(Approval.id).where(*wanted).order_by(*(column.desc() for column in columns)).limit(limit)
    if last is not None:
        newest = newest.where(tuple_(*columns) < tuple(getattr(last, name) for name in order))
    ids = (await session.exec(newest)).all()
    if not ids:
        return ()
    query = select(Approval.id, func.length(Approval.detail)).where(col(Approval.id).in_(ids))
    lengths = dict((await session.exec(query)).all())
    sums = accumulate(lengths[each] for each in ids)
    shown = [each for each, characters in zip(ids, sums, strict=True) if each == ids[0] or characters <= MAX_CHARACTERS]
    rows = {row.id: row for row in await session.exec(select(Approval).where(col(Approval.id).in_(shown)))}
    return [rows[each] for each in shown]


def _in_parts(hashes: Collection[str]) -> list[list[str]]:
    ordered = sorted(set(hashes))
    return [ordered[start : start + MAX_AT_ONCE] for start in range(0, len(ordered), MAX_AT_ONCE)]


def _new(capability: Capability, scope: str, hosts: Sequence[str], by: str, now: datetime) -> Approval:
    return Approval(
        id=str(uuid4()),
        hash=capability.hash,
        scope=scope,
        kind=capability.kind,
        text=capability.text,
        detail=capability.detail,
        hosts=list[JsonValue](hosts),
        by=by,
        at=now,
    )


def _end(session: AsyncSession, row: Approval, by: str, now: datetime) -> None:
    row.revoked_by, row.revoked_at = by, now
    session.add(row)
