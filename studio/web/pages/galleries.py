"""The galleries, and one of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import Request, Response

from studio.galleries import Gallery, parse_gallery
from studio.services.galleries import Count, Section, counts_of, sections_of
from studio.services.team_checks import GalleryOutline
from studio.store import LIBRARY, GallerySummary, publisher_of
from studio.store import tables as rows
from studio.web.dependencies import SettingsDep, StoreDep, TeamChecksDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
LIBRARY_TEXT = "Your saved components. They appear in the builder's palette."


@dataclass(frozen=True)
class GalleryCard:
    """A gallery as its card and its page show it."""

    id: str
    name: str
    description: str
    counts: tuple[Count, ...]
    origin: str
    source: str
    facts: tuple[str, ...]

    @property
    def is_shipped(self) -> bool:
        return self.origin == "shipped"

    @property
    def is_library(self) -> bool:
        return self.id == LIBRARY

    @property
    def can_delete(self) -> bool:
        return not (self.is_shipped or self.is_library)


@router.get("/galleries")
async def galleries_page(
    request: Request, store: StoreDep, checks: TeamChecksDep, templates: TemplatesDep, settings: SettingsDep
) -> Response:
    galleries = await store.galleries.list()
    outlines = await checks.outlines(galleries)
    cards = [_card(one, outlines[one.id]) for one in galleries if one.id in outlines]
    if LIBRARY not in outlines:
        library = await store.galleries.get(LIBRARY)
        cards.insert(0, _card(library, parse_gallery(library.config)))
    return templates.page(
        request,
        "pages/galleries.html",
        title="Galleries",
        nav="galleries",
        galleries=cards,
        max_mb=settings.max_upload_mb,
    )


@router.get("/galleries/{gallery_id}")
async def gallery_page(
    request: Request, gallery_id: str, store: StoreDep, templates: TemplatesDep, kind: str = ""
) -> Response:
    row = await store.galleries.get(gallery_id)
    gallery = await asyncio.to_thread(parse_gallery, row.config)
    sections = await asyncio.to_thread(_sections, gallery)
    shown = next((section for section in sections if section.group == kind), sections[0] if sections else None)
    hashes = [capability.hash for card in (shown.cards if shown else ()) for capability in card.capabilities]
    return templates.page(
        request,
        "pages/gallery.html",
        title=row.name,
        nav="galleries",
        gallery=_card(row, gallery),
        sections=sections,
        shown=shown,
        approved=await store.approvals.approved(hashes, publisher=publisher_of(row)),
    )


def _sections(gallery: Gallery) -> tuple[Section, ...]:
    return sections_of(gallery.check())


def _card(row: GallerySummary | rows.Gallery, gallery: Gallery | GalleryOutline) -> GalleryCard:
    description = gallery.metadata.get("description")
    return GalleryCard(
        id=row.id,
        name=row.name,
        description=LIBRARY_TEXT if row.id == LIBRARY else str(description or ""),
        counts=counts_of(gallery.counts),
        origin=row.origin,
        source=row.source,
        facts=_facts(row, gallery),
    )


def _facts(row: GallerySummary | rows.Gallery, gallery: Gallery | GalleryOutline) -> tuple[str, ...]:
    named = [("author", "By {}"), ("version", "Version {}"), ("license", "License {}")]
    parts = [text.format(gallery.metadata[name]) for name, text in named if gallery.metadata.get(name)]
    if row.id == LIBRARY:
        return ()
    return (*parts, *([f"From {row.source}"] if row.source else []))
