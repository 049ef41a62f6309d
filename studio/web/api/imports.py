"""Teams of other tools: a report of what would come along, and the team."""

from __future__ import annotations

from fastapi import Response
from pydantic import Field

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.importers import Imported
from studio.services.imports import layout_of, name_of
from studio.services.secret_storage import with_references
from studio.web.dependencies import QUEUED, StoreDep
from studio.web.requests import large_answer
from studio.web.router import StudioRouter
from studio.web.sources import REQUEST_BODY, GallerySourceDep

router = StudioRouter(prefix="/api/imports", tags=["imports"])


class ImportOut(DeferredModel):
    source: str = Field(description="Where it is from, such as `agent-builder`.")
    name: str
    counts: dict[str, int] = Field(description="How many parts are `exact`, `approximated`, `dropped` and `asked`.")
    findings: list[JsonObject] = Field(description="What became of each part, with its place there and here.")
    team: JsonObject
    digest: str


class ImportedTeamOut(ImportOut):
    id: str


@router.post(
    "/preview",
    dependencies=[QUEUED],
    openapi_extra=REQUEST_BODY,
    summary="Make a team of another tool's file, with a report; stores and executes nothing",
    response_model=ImportOut,
)
async def preview_import(source: GallerySourceDep) -> Response:
    imported = await source.imported()
    return await large_answer(lambda: ImportOut.model_validate(_shown(imported, source.digest)))


@router.post(
    "",
    status_code=201,
    dependencies=[QUEUED],
    openapi_extra=REQUEST_BODY,
    summary="Import a team from another tool's file; a note on its canvas holds the report",
    response_model=ImportedTeamOut,
)
async def import_team(source: GallerySourceDep, store: StoreDep) -> Response:
    imported = await source.imported()
    component = await with_references(store, imported.team)
    team = await store.teams.create(component, name=name_of(imported), layout=layout_of(imported))
    return await large_answer(
        lambda: ImportedTeamOut.model_validate({**_shown(imported, source.digest), "id": team.id}), 201
    )


def _shown(imported: Imported, digest: str) -> JsonObject:
    return {**imported.as_json(), "name": name_of(imported), "digest": digest}
