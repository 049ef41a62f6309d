"""Tags, stars and lists: what people keep teams and runs in order by."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Insert, SQLColumnExpression, func, literal, update
from sqlalchemy import select as columns
from sqlalchemy.dialects import sqlite
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.runs import RunState
from studio.store.database import Database
from studio.store.tables import Kind, Listing, Run, Star, Tag, Team, table_of

MAX_TAGS = 200
"""Of a kind that are offered: those used most."""
NO_TAG = ""
"""Stands for a star where tags and stars are read in one statement: no tag is empty."""
ENDED = [state.value for state in RunState if state.is_final]


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one team or run, as one person sees them."""

    tags: Sequence[str] = ()
    is_starred: bool = False


NO_LABELS = Labels()


class UsedTag(NamedTuple):
    """A tag and how many teams or runs have it."""

    name: str
    uses: int


class LabelBook:
    """Labels of all teams and runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_many(self, kind: Kind, ids: Collection[str], user_id: str) -> Mapping[str, Labels]:
        """The labels of those that have any."""
        tags = columns(col(Tag.object_id), col(Tag.name)).where(col(Tag.kind) == kind, col(Tag.object_id).in_(ids))
        stars = columns(col(Star.object_id), literal(NO_TAG)).where(
            col(Star.user_id) == user_id, col(Star.kind) == kind, col(Star.object_id).in_(ids)
        )
        found: dict[str, set[str]] = {}
        async with self._database.read() as session:
            for object_id, name in await (await session.connection()).execute(tags.union_all(stars)):
                found.setdefault(object_id, set()).add(name)
        return {each: Labels(sorted(names - {NO_TAG}), NO_TAG in names) for each, names in found.items()}

    async def tags(self, kind: Kind) -> Sequence[UsedTag]:
        """The tags used most, by name."""
        count = func.count(col(Tag.object_id))
        query = select(Tag.name, count).where(Tag.kind == kind).group_by(col(Tag.name))
        async with self._database.read() as session:
            rows = await session.exec(query.order_by(count.desc(), col(Tag.name)).limit(MAX_TAGS))
            return sorted(UsedTag(*row) for row in rows)

    async def has_any(self, kind: Kind) -> bool:
        """Whether there is any team or run, in whichever list."""
        of_kind = Team if kind == "team" else Run
        async with self._database.read() as session:
            return (await session.exec(select(of_kind.id).limit(1))).first() is not None

    async def tag(self, kind: Kind, ids: Collection[str], *, add: Iterable[str], remove: Collection[str]) -> None:
        """Add tags to teams or runs and remove others; those that are not there are passed over."""
        async with self._database.write() as session:
            known = await _known(session, kind, ids)
            await session.exec(
                delete(Tag).where(col(Tag.kind) == kind, col(Tag.object_id).in_(known), col(Tag.name).in_(remove))
            )
            rows = [{"kind": kind, "name": name, "object_id": each} for name in add for each in known]
            await _insert_new(session, Tag, rows)

    async def star(self, kind: Kind, ids: Collection[str], user_id: str, *, is_starred: bool) -> None:
        """Star teams or runs for one person, or take their stars away."""
        async with self._database.write() as session:
            if is_starred:
                known = await _known(session, kind, ids)
                rows = [{"user_id": user_id, "kind": kind, "object_id": each} for each in known]
                await _insert_new(session, Star, rows)
            else:
                here = (col(Star.user_id) == user_id, col(Star.kind) == kind, col(Star.object_id).in_(ids))
                await session.exec(delete(Star).where(*here))

    async def move(self, kind: Kind, ids: Collection[str], listing: Listing) -> Sequence[str]:
        """Move teams or runs to another list. Returns those that are there now; a run under way is not trashed."""
        table = table_of(Team if kind == "team" else Run)
        here: list[ColumnElement[bool]] = [table.c.id.in_(ids)]
        if kind == "run" and listing == "trashed":
            here.append(table.c.state.in_(ENDED))
        trashed_at = datetime.now(UTC) if listing == "trashed" else None
        async with self._database.write() as session:
            connection = await session.connection()
            moving = update(table).where(*here, table.c.listing != listing)
            await connection.execute(moving.values(listing=listing, trashed_at=trashed_at))
            there = await connection.execute(
                table.select().with_only_columns(table.c.id).where(*here, table.c.listing == listing)
            )
            return [str(row[0]) for row in there]


def tagged(kind: Kind, object_id: SQLColumnExpression[str], name: str) -> ColumnElement[bool]:
    """Whether something has a tag, as a condition."""
    return object_id.in_(select(Tag.object_id).where(Tag.kind == kind, Tag.name == name))


def starred(kind: Kind, object_id: SQLColumnExpression[str], user_id: str) -> ColumnElement[bool]:
    """Whether a person has starred something, as a condition."""
    return object_id.in_(select(Star.object_id).where(Star.user_id == user_id, Star.kind == kind))


async def forget_labels(session: AsyncSession, kind: Kind, ids: Collection[str]) -> None:
    """Delete the labels of what is deleted."""
    await session.exec(delete(Tag).where(col(Tag.kind) == kind, col(Tag.object_id).in_(ids)))
    await session.exec(delete(Star).where(col(Star.kind) == kind, col(Star.object_id).in_(ids)))


async def _known(session: AsyncSession, kind: Kind, ids: Collection[str]) -> Sequence[str]:
    of_kind = Team if kind == "team" else Run
    return (await session.exec(select(of_kind.id).where(col(of_kind.id).in_(ids)))).all()


async def _insert_new(session: AsyncSession, table: type[Tag] | type[Star], rows: Sequence[dict[str, str]]) -> None:
    if not rows:
        return
    connection = await session.connection()
    insert = sqlite.insert
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert  # slow to load, and a studio on SQLite needs none of it

    statement: Insert = insert(table_of(table)).on_conflict_do_nothing()
    await connection.execute(statement, rows)
