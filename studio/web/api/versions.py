"""The versions of a team: list, read, name, restore, and what changed since one of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Path, Query, Response
from pydantic import Field

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.services.changes import is_addition
from studio.web.api.teams import SavedOut, TeamOut, saved_out
from studio.web.dependencies import StoreDep
from studio.web.requests import RequestBody, large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["versions"])
MAX_VERSIONS = 2**63 - 1
MAX_LISTED = 500
VersionNumber = Annotated[int, Path(ge=1, le=MAX_VERSIONS, description="Upper bound of the database.")]


class TitleVersion(RequestBody):
    """What a person calls a version; "" takes the name away."""

    title: str = Field(max_length=120)


class VersionSummaryOut(DeferredModel):
    number: int
    name: str = Field(description="Name of the team in this version.")
    title: str
    note: str
    changes: str = Field(description="Changes from the previous version, in one line.")
    author: str
    kind: str = Field(description='"" for a save, "merge", or "side" for what was brought into the merge after it.')
    at: datetime


class VersionOut(VersionSummaryOut):
    component: JsonObject
    layout: JsonObject


@router.get("/teams/{team_id}/versions", summary="List the versions, newest first")
async def list_versions(
    team_id: str,
    store: StoreDep,
    before: Annotated[
        int | None, Query(ge=1, le=MAX_VERSIONS, description="Only versions older than this one.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 100,
    named: Annotated[bool, Query(description="Only named versions.")] = False,
) -> list[VersionSummaryOut]:
    versions = await store.teams.versions(team_id, before=before, limit=limit, named=named)
    return [VersionSummaryOut.model_validate(version, from_attributes=True) for version in versions]


@router.get("/teams/{team_id}/versions/{number}", summary="Read one version", response_model=VersionOut)
async def get_version(team_id: str, number: VersionNumber, store: StoreDep) -> Response:
    version = await store.teams.version(team_id, number)
    return await large_answer(lambda: VersionOut.model_validate(version, from_attributes=True))


@router.put("/teams/{team_id}/versions/{number}/title", status_code=204, summary="Name a version")
async def title_version(team_id: str, number: VersionNumber, body: TitleVersion, store: StoreDep) -> None:
    await store.teams.title(team_id, number, body.title)


@router.post(
    "/teams/{team_id}/versions/{number}/restore",
    summary="Restore an earlier version as the newest",
    response_model=TeamOut,
)
async def restore_version(team_id: str, number: VersionNumber, store: StoreDep) -> Response:
    team = await store.teams.restore(team_id, number)
    return await large_answer(lambda: TeamOut.model_validate(team, from_attributes=True))


@router.get(
    "/teams/{team_id}/changes",
    summary="Read the current team and what changed since a version",
    response_model=SavedOut,
)
async def changes_since(
    team_id: str, since: Annotated[int, Query(ge=1, le=MAX_VERSIONS, description="A version.")], store: StoreDep
) -> Response:
    team = await store.teams.get(team_id)
    merged_changes = (
        [] if team.revision == since else await is_addition(await store.teams.version(team_id, since), team)
    )
    return await large_answer(lambda: saved_out(team, merged_changes))
