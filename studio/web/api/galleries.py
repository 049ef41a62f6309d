"""Galleries: imported, shipped, and the user's own library."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fastapi import Response
from pydantic import JsonValue

from studio.components import JsonObject, group_of
from studio.components.deferred_model import DeferredModel
from studio.errors import Forbidden, NotFound
from studio.galleries import Gallery, parse_gallery
from studio.services.secret_storage import with_references
from studio.services.slots import type_of
from studio.store import LIBRARY, GallerySummary
from studio.store import tables as rows
from studio.web.dependencies import QUEUED, StoreDep, TeamChecksDep
from studio.web.requests import RequestBody, download, filename, large_answer
from studio.web.router import StudioRouter
from studio.web.sources import REQUEST_BODY, GallerySourceDep

router = StudioRouter(prefix="/api/galleries", tags=["galleries"])
IMPORT: dict[str, Any] = REQUEST_BODY


class GallerySummaryOut(DeferredModel):
    id: str
    name: str
    origin: str
    source: str
    updated_at: datetime
    counts: dict[str, int]


class GalleryOut(GallerySummaryOut):
    metadata: JsonObject
    components: dict[str, list[JsonObject]]


class PreviewOut(DeferredModel):
    name: str
    counts: dict[str, int]
    digest: str
    report: JsonObject


class AddedGalleryOut(PreviewOut):
    id: str


class LibraryComponent(RequestBody):
    component: dict[str, JsonValue]


@router.get("", summary="List the galleries: the library first, then by name")
async def list_galleries(store: StoreDep, checks: TeamChecksDep) -> list[GallerySummaryOut]:
    galleries = await store.galleries.list()
    outlines = await checks.outlines(galleries)
    return [_summary(one, outlines[one.id].counts) for one in galleries if one.id in outlines]


@router.post(
    "/preview",
    dependencies=[QUEUED],
    openapi_extra=IMPORT,
    summary="Preview a gallery: its components and capabilities; stores nothing",
    response_model=PreviewOut,
)
async def preview(source: GallerySourceDep) -> Response:
    gallery = await source.parsed()
    return await large_answer(
        lambda: PreviewOut(
            name=gallery.name, counts=gallery.counts, digest=source.digest, report=gallery.check().as_json()
        )
    )


@router.post(
    "",
    status_code=201,
    dependencies=[QUEUED],
    openapi_extra=IMPORT,
    summary="Import a gallery from a file, text or a URL",
    response_model=AddedGalleryOut,
)
async def add_gallery(source: GallerySourceDep, store: StoreDep) -> Response:
    gallery = await source.parsed()
    report = await asyncio.to_thread(_checked, gallery)
    config = await with_references(store, gallery.dump())
    row = await store.galleries.create(str(config["name"]), config, origin=source.origin, source=source.source)
    return await large_answer(
        lambda: AddedGalleryOut(id=row.id, name=row.name, counts=gallery.counts, digest=source.digest, report=report),
        201,
    )


@router.get("/{gallery_id}", summary="Read a gallery with its components by kind", response_model=GalleryOut)
async def get_gallery(gallery_id: str, store: StoreDep) -> Response:
    row = await store.galleries.get(gallery_id)
    return await large_answer(lambda: _whole(row))


@router.delete("/{gallery_id}", status_code=204, summary="Delete an imported gallery")
async def delete_gallery(gallery_id: str, store: StoreDep) -> None:
    row = await store.galleries.get(gallery_id)
    if row.origin == "shipped":
        raise Forbidden("A built-in gallery cannot be deleted.")
    await store.galleries.delete(gallery_id)


@router.get("/{gallery_id}/export", summary="Export a gallery in the format of AutoGen Studio")
async def export_gallery(gallery_id: str, store: StoreDep) -> Response:
    row = await store.galleries.get(gallery_id)
    return await asyncio.to_thread(lambda: download(parse_gallery(row.config).dump(), filename(row.name, ".json")))


@router.post("/library/components", status_code=201, summary="Save a component to the library")
async def add_to_library(body: LibraryComponent, store: StoreDep) -> GallerySummaryOut:
    component = await with_references(store, body.component)
    row = await store.galleries.add_to_library(component, group=group_of(type_of(component)))
    return _summary(row, (await asyncio.to_thread(parse_gallery, row.config)).counts)


@router.get("/{gallery_id}/components/{group}/{index}", summary="Read one component")
async def get_component(gallery_id: str, group: str, index: int, store: StoreDep) -> JsonObject:
    row = await store.galleries.get(gallery_id)
    members = (await asyncio.to_thread(parse_gallery, row.config)).components.get(group, [])
    if not 0 <= index < len(members):
        raise NotFound(f"The gallery has no component {index} among its {group}.")
    return members[index]


@router.delete(
    "/{gallery_id}/components/{group}/{index}", status_code=204, summary="Remove a component from the library"
)
async def remove_component(gallery_id: str, group: str, index: int, store: StoreDep) -> None:
    if gallery_id != LIBRARY:
        raise Forbidden("Only components of your library can be removed.", fix="Delete the whole gallery instead.")
    await store.galleries.remove_from_library(group=group, index=index)


def _summary(row: GallerySummary | rows.Gallery, counts: Mapping[str, int]) -> GallerySummaryOut:
    return GallerySummaryOut(
        id=row.id,
        name=row.name,
        origin=row.origin,
        source=row.source,
        updated_at=row.updated_at,
        counts=dict(counts),
    )


def _whole(row: rows.Gallery) -> GalleryOut:
    gallery = parse_gallery(row.config)
    summary = _summary(row, gallery.counts).model_dump()
    return GalleryOut(**summary, metadata=gallery.metadata, components=gallery.components)


def _checked(gallery: Gallery) -> JsonObject:
    return gallery.check().as_json()
