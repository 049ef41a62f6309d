"""What checking the stored teams told. Every page that lists teams wants it, and a check takes milliseconds each."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from studio.components import Capability, JsonObject, validate_component
from studio.store import Store, TeamSummary
from studio.web.keeping import secret_references

KEPT = 500
"""Teams whose last check is remembered; the one asked for longest ago goes first."""


@dataclass(frozen=True)
class TeamCheck:
    """What pages need of a team's report."""

    error_count: int
    is_runnable: bool
    capabilities: tuple[Capability, ...]
    secrets: frozenset[str]
    """References of all secrets that the team names."""


class TeamChecks:
    """The checks of one store's teams, each made once for a revision."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, int], TeamCheck] = OrderedDict()

    async def of(self, team: TeamSummary) -> TeamCheck:
        """The check of a team as it is stored now.

        Raises:
            NotFound: The team was deleted meanwhile.
        """
        key = (team.id, team.revision)
        if key not in self._known:
            stored = await self._store.teams.get(team.id)
            key = (stored.id, stored.revision)
            self._known[key] = await asyncio.to_thread(_checked, stored.component)
        self._known.move_to_end(key)
        check = self._known[key]
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return check


def _checked(component: JsonObject) -> TeamCheck:
    report = validate_component(component)
    return TeamCheck(
        len(report.errors), report.is_runnable, report.capabilities, frozenset(secret_references(component, report))
    )
