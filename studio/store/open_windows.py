"""Who has a team open in the builder, and what they have selected there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import func
from sqlmodel import col, delete, select

from studio.errors import NotFound
from studio.store.database import Database
from studio.store.tables import OpenWindow, Team

LASTS = timedelta(seconds=25)
"""How long a window counts as open after it was last heard of; it reports every ten seconds."""
MAX_WINDOWS = 100
"""Of one team that are kept; more are not shown to others."""
MAX_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Window:
    """A builder that a person has open. `user_id` is empty for the owner of a studio without accounts."""

    team_id: str
    user_id: str
    tab: str
    name: str = ""
    pointer: str = ""


class OpenWindows:
    """The open builders of all teams."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def report(self, window: Window, now: datetime | None = None) -> Sequence[Window]:
        """Keep where a window is; who else has the team open.

        Raises:
            NotFound: There is no such team.
        """
        at = now or datetime.now(UTC)
        async with self._database.write() as session:
            if await session.get(Team, window.team_id) is None:
                raise NotFound(f"There is no team {window.team_id!r}.")
            await session.exec(delete(OpenWindow).where(col(OpenWindow.seen_at) < at - LASTS))
            known = await session.get(OpenWindow, (window.team_id, window.user_id, window.tab))
            counting = select(func.count()).where(OpenWindow.team_id == window.team_id)
            if known is not None or (await session.exec(counting)).one() < MAX_WINDOWS:
                await session.merge(OpenWindow(**asdict(window), seen_at=at))
            others = (
                select(OpenWindow)
                .where(
                    OpenWindow.team_id == window.team_id,
                    (col(OpenWindow.user_id) != window.user_id) | (col(OpenWindow.tab) != window.tab),
                )
                .order_by(col(OpenWindow.name), col(OpenWindow.tab))
                .limit(MAX_SHOWN)
            )
            found = (await session.exec(others)).all()
            return [Window(each.team_id, each.user_id, each.tab, each.name, each.pointer) for each in found]

    async def leave(self, window: Window) -> None:
        """The window was closed.

        Raises:
            NotFound: It was not open.
        """
        async with self._database.write() as session:
            row = await session.get(OpenWindow, (window.team_id, window.user_id, window.tab))
            if row is None:
                raise NotFound("This window was not open.")
            await session.delete(row)
