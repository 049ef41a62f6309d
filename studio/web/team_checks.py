"""What checking the stored teams and galleries told. Every page that lists teams wants it, and a check takes
milliseconds each."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from studio.components import Capability, JsonObject, validate_component
from studio.galleries import parse_gallery
from studio.store import GallerySummary, Store, TeamSummary
from studio.web.keeping import secret_references

KEPT = 500
"""Teams, and galleries, whose last check is remembered; the one asked for longest ago goes first."""


@dataclass(frozen=True)
class TeamCheck:
    """What pages need of a team's report."""

    error_count: int
    is_runnable: bool
    capabilities: tuple[Capability, ...]
    secrets: frozenset[str]
    """References of all secrets that the team names."""


class TeamChecks:
    """The checks of one store's teams and galleries, each made once for a revision."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, int], TeamCheck] = OrderedDict()
        self._galleries: OrderedDict[tuple[str, datetime], Sequence[Capability]] = OrderedDict()

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

    async def of_gallery(self, gallery: GallerySummary) -> Sequence[Capability]:
        """What the components of a gallery ask for, as it is stored now.

        Raises:
            NotFound: The gallery was deleted meanwhile.
        """
        key = (gallery.id, gallery.updated_at)
        if key not in self._galleries:
            stored = await self._store.galleries.get(gallery.id)
            key = (stored.id, stored.updated_at)
            self._galleries[key] = await asyncio.to_thread(_asked_for, stored.config)
        self._galleries.move_to_end(key)
        asked = self._galleries[key]
        while len(self._galleries) > KEPT:
            self._galleries.popitem(last=False)
        return asked


def _checked(component: JsonObject) -> TeamCheck:
    report = validate_component(component)
    return TeamCheck(
        len(report.errors), report.is_runnable, report.capabilities, frozenset(secret_references(component, report))
    )


def _asked_for(gallery: JsonObject) -> Sequence[Capability]:
    report = parse_gallery(gallery).check()
    return [capability for entry in report.entries for capability in entry.report.capabilities]
