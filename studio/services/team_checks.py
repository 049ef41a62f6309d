"""What checking the stored teams and galleries told. Every page that lists teams wants it, and a check takes
milliseconds each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from studio.components import JsonObject, validate_component
from studio.errors import InvalidDocument
from studio.galleries import parse_gallery
from studio.models.endpoints import ModelPlace, places_in
from studio.services.document_cache import DocumentCache
from studio.services.secret_storage import secret_references
from studio.services.team_templates import TeamTemplate, templates_in
from studio.store import GallerySummary, Store, TeamSummary
from studio.store.tables import Gallery, Team


@dataclass(frozen=True)
class TeamCheck:
    """What pages need of a team's report."""

    error_count: int
    is_runnable: bool
    capabilities: frozenset[str]
    """Hashes of what it asks for."""
    secrets: frozenset[str]
    """References of all secrets that the team names."""
    model_places: frozenset[ModelPlace]
    """Where its models ask, and with which keys."""


@dataclass(frozen=True)
class GalleryOutline:
    """What lists show of a gallery, and the teams in it to start from."""

    counts: Mapping[str, int]
    metadata: JsonObject
    starters: Sequence[TeamTemplate]


class TeamChecks:
    """The checks of one store's teams and galleries, each made once for a revision.

    Those that were deleted while a list was made are left out of it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._teams = DocumentCache(store.teams.get_many, _checked)
        self._asked_for = DocumentCache(store.galleries.get_many, _asked_for)
        self._outlines = DocumentCache(store.galleries.get_many, _outline)

    async def get_many(self, teams: Sequence[TeamSummary]) -> Mapping[str, TeamCheck]:
        """The checks of teams as they are stored now, by id."""
        return await self._teams.get_many({team.id: team.revision for team in teams})

    async def of_galleries(self, galleries: Sequence[GallerySummary]) -> Mapping[str, frozenset[str]]:
        """Hashes of what the components of galleries ask for, by id."""
        return await self._asked_for.get_many({gallery.id: gallery.updated_at for gallery in galleries})

    async def outlines(self, galleries: Sequence[GallerySummary]) -> Mapping[str, GalleryOutline]:
        """What lists show of galleries, by id."""
        return await self._outlines.get_many({gallery.id: gallery.updated_at for gallery in galleries})

    async def starters(self) -> list[TeamTemplate]:
        """Teams of the shipped galleries first, as they run without a key. Ready teams have a page of their own."""
        galleries = sorted(await self._store.galleries.list(), key=lambda summary: summary.origin != "shipped")
        outlines = await self.outlines(galleries)
        shipped = {summary.id for summary in galleries if summary.origin == "shipped"}
        return [
            starter
            for gallery_id, outline in outlines.items()
            for starter in outline.starters
            if not (gallery_id in shipped and set(outline.counts) == {"teams"})
        ]


def _checked(team: Team) -> tuple[str, int, TeamCheck]:
    report = validate_component(team.component)
    hashes = frozenset(capability.hash for capability in report.capabilities)
    secrets = frozenset(secret_references(team.component, report))
    return (
        team.id,
        team.revision,
        TeamCheck(len(report.errors), report.is_runnable, hashes, secrets, places_in(team.component)),
    )


def _asked_for(gallery: Gallery) -> tuple[str, datetime, frozenset[str]]:
    try:
        report = parse_gallery(gallery.config).check()
    except InvalidDocument:  # who opens it is told; lists show the others
        return gallery.id, gallery.updated_at, frozenset()
    hashes = frozenset(capability.hash for entry in report.entries for capability in entry.report.capabilities)
    return gallery.id, gallery.updated_at, hashes


def _outline(row: Gallery) -> tuple[str, datetime, GalleryOutline]:
    try:
        gallery = parse_gallery(row.config)
    except InvalidDocument:
        return row.id, row.updated_at, GalleryOutline({}, {}, ())
    outline = GalleryOutline(gallery.counts, gallery.metadata, templates_in(row, gallery))
    return row.id, row.updated_at, outline
