"""Runs by what they are: text, team, state, date, cost, tag, star and list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, UnaryExpression, func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.runs import RunState
from studio.store.labels import starred, tagged
from studio.store.tables import Listing, Run, Team
from studio.store.text_search import holds

Order = Literal["newest", "oldest", "cost", "tokens"]
RunListing = Listing | Literal["evaluation"]
"""Runs of evaluations are in no list of people's runs."""
FAR = date(9000, 1, 1)
"""No database holds a day beyond it plus one."""

_TOKENS = col(Run.prompt_tokens) + col(Run.completion_tokens)
_ORDERS: dict[Order, tuple[UnaryExpression[Any], ...]] = {
    "newest": (col(Run.created_at).desc(), col(Run.id).desc()),
    "oldest": (col(Run.created_at).asc(), col(Run.id).asc()),
    "cost": (col(Run.micro_usd).desc(), col(Run.created_at).desc(), col(Run.id).desc()),
    "tokens": (_TOKENS.desc(), col(Run.created_at).desc(), col(Run.id).desc()),
}


class RunFilter(BaseModel):
    """Which runs are looked for. A run must meet all that is given.

    `text` is part of the task, of the run's name or of the team's; `since` and `until` are days (UTC), both included,
    of the start; `min_usd` is the least that it cost; `starred_by` the id of a person.
    """

    model_config = ConfigDict(frozen=True)

    text: str = ""
    team_id: str | None = None
    states: tuple[RunState, ...] = ()
    since: date | None = None
    until: date | None = None
    min_usd: float | None = None
    tag: str = ""
    starred_by: str | None = None
    listing: RunListing = "active"
    order: Order = "newest"

    def conditions(self) -> list[ColumnElement[bool]]:
        found: list[ColumnElement[bool]] = [col(Run.listing) == self.listing]
        if self.listing != "trashed":
            found.append(col(Run.team_id).is_(None) | ~of_trashed_team())
        if text := self.text.strip():
            found.append(holds(text, col(Run.task_text), col(Run.title), col(Run.team_name)))
        if self.team_id is not None:
            found.append(col(Run.team_id) == self.team_id)
        if self.states:
            found.append(col(Run.state).in_([state.value for state in self.states]))
        if self.since:
            found.append(col(Run.created_at) >= _midnight(self.since))
        if self.until:
            found.append(col(Run.created_at) < _midnight(min(self.until, FAR) + timedelta(days=1)))
        if self.min_usd is not None:
            found.append(col(Run.micro_usd) >= round(self.min_usd * 1_000_000))
        if self.tag:
            found.append(tagged("run", col(Run.id), self.tag))
        if self.starred_by is not None:
            found.append(starred("run", col(Run.id), self.starred_by))
        return found


def of_trashed_team() -> ColumnElement[bool]:
    """Whether a run is of a team in the trash, as a condition."""
    return col(Run.team_id).in_(select(Team.id).where(Team.listing == "trashed"))


ALL_RUNS = RunFilter()


async def search(session: AsyncSession, wanted: RunFilter, *, offset: int, limit: int) -> tuple[Sequence[Run], int]:
    """One page of what is looked for, and how many there are in all."""
    conditions = wanted.conditions()
    if wanted.text.strip():
        return await _search_text(session, wanted, conditions, offset, limit)
    count = (await session.exec(select(func.count(col(Run.id))).where(*conditions))).one()
    order = _ORDERS[wanted.order]
    # Whole rows are read of one page only: to sort them all takes four times as long.
    of_page = select(Run.id).where(*conditions).order_by(*order).offset(offset).limit(limit).subquery()
    query = select(Run).join(of_page, col(Run.id) == of_page.c.id).order_by(*order)
    return (await session.exec(query)).all(), count


async def _search_text(
    session: AsyncSession, wanted: RunFilter, conditions: Sequence[ColumnElement[bool]], offset: int, limit: int
) -> tuple[Sequence[Run], int]:
    """The same by one look at all texts, which is what takes the time."""
    order = _ORDERS[wanted.order]
    found = select(Run.id, func.count().over().label("together")).where(*conditions).order_by(*order)
    of_page = found.offset(offset).limit(limit).subquery()
    query = select(Run, of_page.c.together).join(of_page, col(Run.id) == of_page.c.id).order_by(*order)
    rows = (await session.exec(query)).all()
    if rows or not offset:
        return [run for run, _ in rows], int(rows[0][1]) if rows else 0
    return [], (await session.exec(select(func.count(col(Run.id))).where(*conditions))).one()


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
