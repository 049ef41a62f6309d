"""What the Galleries pages swap in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from fastapi import Response
from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.errors import NotFound
from studio.galleries import parse_gallery
from studio.importers import Imported
from studio.services.galleries import preview_of
from studio.services.imports import report_of
from studio.services.slots import Slot, slots_for, type_of
from studio.store.tables import Team
from studio.web.dependencies import QUEUED, StoreDep, TemplatesDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter
from studio.web.sources import REQUEST_BODY, GallerySourceDep

router = StudioRouter(prefix="/fragments", include_in_schema=False)


MAX_TEAMS = 100
"""Those changed last, of which one is chosen."""


class ComponentOfGallery(RequestBody):
    gallery_id: str
    group: str
    index: int = Field(ge=0)


class TeamPlaces(DeferredModel):
    """The places of one team."""

    id: str
    name: str
    places: list[Slot]


@router.post("/galleries/preview", dependencies=[QUEUED], openapi_extra=REQUEST_BODY)
async def gallery_preview(source: GallerySourceDep, templates: TemplatesDep) -> Response:
    found = await source.found()
    if isinstance(found, Imported):
        return templates.fragment("fragments/import_report.html", report=report_of(found), digest=source.digest)
    return await asyncio.to_thread(
        lambda: templates.fragment("fragments/gallery_preview.html", preview=preview_of(found), digest=source.digest)
    )


def _places_in(team: Team, kind: str) -> TeamPlaces:
    return TeamPlaces(id=team.id, name=team.name, places=list(slots_for(team.component, kind)))


def _with_places(teams: Sequence[Team], kind: str) -> list[TeamPlaces]:
    return [team for team in (_places_in(each, kind) for each in teams) if team.places]


@router.post("/places")
async def places(body: ComponentOfGallery, store: StoreDep, templates: TemplatesDep) -> Response:
    gallery = await asyncio.to_thread(parse_gallery, (await store.galleries.get(body.gallery_id)).config)
    entries = [entry for entry in gallery.entries if entry.group == body.group]
    if body.index >= len(entries):
        raise NotFound(f"The gallery has no component {body.index} among its {body.group}.")
    entry = entries[body.index]
    kind = type_of(entry.component)
    ids = [summary.id for summary in await store.teams.list(limit=MAX_TEAMS)]
    found = {team.id: team for team in await store.teams.get_many(ids)}
    teams = await asyncio.to_thread(_with_places, [found[each] for each in ids if each in found], kind)
    return templates.fragment("fragments/places.html", teams=teams, label=entry.label)
