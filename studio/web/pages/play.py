"""The builder and the playground: pages that fetch their data from the API."""

from __future__ import annotations

import asyncio

from fastapi import Request, Response

from studio.agents.participant import RECORDED_PROGRAM
from studio.errors import NotFound
from studio.exporters import TARGETS
from studio.runs.journal.log import RunSummary
from studio.services.secret_list import suggested_references
from studio.services.team_templates import scripted_model
from studio.store import Store
from studio.store.runs import DamagedRun
from studio.store.tables import Team
from studio.web.dependencies import SettingsDep, StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)


@router.get("/teams/{team_id}")
async def builder_page(
    request: Request, team_id: str, store: StoreDep, templates: TemplatesDep, settings: SettingsDep
) -> Response:
    team = await store.teams.summary(team_id)
    secrets = await suggested_references(store)
    return templates.page(
        request,
        "pages/builder.html",
        title=team.name,
        nav="teams",
        team_id=team.id,
        secrets=secrets,
        export_targets=tuple(TARGETS.values()),
        trusts_typed_code=settings.trust_typed_code,
        max_file_mb=settings.max_file_mb,
    )


@router.get("/teams/{team_id}/play")
async def play_page(
    request: Request, team_id: str, store: StoreDep, templates: TemplatesDep, settings: SettingsDep
) -> Response:
    team = await store.teams.get(team_id)
    scripted = await asyncio.to_thread(scripted_model, team.component)
    return templates.page(
        request,
        "pages/playground.html",
        title=team.name,
        nav="teams",
        team_id=team.id,
        run_id="",
        program="",
        scripted=scripted,
        trusts_typed_code=settings.trust_typed_code,
        max_file_mb=settings.max_file_mb,
    )


@router.get("/runs/{run_id}")
async def run_page(
    request: Request, run_id: str, store: StoreDep, templates: TemplatesDep, settings: SettingsDep
) -> Response:
    run = await store.runs.summary(run_id)
    team = await _team_of(store, run.team_id)
    return templates.page(
        request,
        "pages/playground.html",
        title=run.team_name,
        nav="teams",
        team_id=team.id if team else "",
        run_id=run.id,
        program=await _program_of(store, run),
        scripted=await asyncio.to_thread(scripted_model, team.component) if team else "",
        trusts_typed_code=settings.trust_typed_code,
        max_file_mb=settings.max_file_mb,
    )


async def _program_of(store: Store, run: RunSummary) -> str:
    """The name of the program that a run is the record of; empty for the run of a team."""
    if run.team_id is not None:
        return ""
    try:
        record = await store.runs.get(run.id)
    except DamagedRun:  # the page shows what there is of it
        return ""
    return record.team_name if record.component.get("provider") == RECORDED_PROGRAM else ""


async def _team_of(store: Store, team_id: str | None) -> Team | None:
    """The team as it is now; None where it is deleted, or in the trash."""
    try:
        return await store.teams.get(team_id or "")
    except NotFound:
        return None


@router.get("/runs/{run_id}/beside/{other_id}")
async def split_view_page(
    request: Request, run_id: str, other_id: str, store: StoreDep, templates: TemplatesDep
) -> Response:
    runs = [await store.runs.summary(each) for each in (run_id, other_id)]
    return templates.page(request, "pages/beside.html", title="Runs side by side", nav="teams", runs=runs)
