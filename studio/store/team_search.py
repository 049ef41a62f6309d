"""Teams by what they are: text, tag, star and list, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, UnaryExpression, func
from sqlmodel import col, select

from studio.store.labels import starred, tagged
from studio.store.tables import Listing, Run, Team
from studio.store.text_search import holds

Order = Literal["changed", "created", "run", "name"]

_NEWEST_RUN = select(func.max(Run.created_at)).where(col(Run.team_id) == col(Team.id)).correlate(Team).scalar_subquery()
_ORDERS: dict[Order, Sequence[UnaryExpression[Any]]] = {
    "changed": (col(Team.updated_at).desc(), col(Team.id).desc()),
    "created": (col(Team.created_at).desc(), col(Team.id).desc()),
    "run": (_NEWEST_RUN.desc().nulls_last(), col(Team.updated_at).desc(), col(Team.id).desc()),
    "name": (func.lower(Team.name).asc(), col(Team.id).asc()),
}


class TeamFilter(BaseModel):
    """Which teams are looked for, and in which order. A team must meet all that is given.

    `text` is part of the name or of its members' names; `starred_by` the id of a person; without a
    `listing` it is in any but the trash.
    """

    model_config = ConfigDict(frozen=True)

    text: str = ""
    tag: str = ""
    starred_by: str | None = None
    listing: Listing | None = "active"
    order: Order = "changed"

    def conditions(self) -> list[ColumnElement[bool]]:
        listing = col(Team.listing)
        found: list[ColumnElement[bool]] = [listing == self.listing if self.listing else listing != "trashed"]
        if text := self.text.strip():
            found.append(holds(text, col(Team.name), col(Team.summary)))
        if self.tag:
            found.append(tagged("team", col(Team.id), self.tag))
        if self.starred_by is not None:
            found.append(starred("team", col(Team.id), self.starred_by))
        return found

    def sorted_by(self) -> Sequence[UnaryExpression[Any]]:
        return _ORDERS[self.order]


ACTIVE_TEAMS = TeamFilter()
ALL_TEAMS = TeamFilter(listing=None)
"""Also those that are archived: what they use is in use."""
