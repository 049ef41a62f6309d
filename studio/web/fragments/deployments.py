"""Pieces of pages about deployments: the dialog that publishes a team, the newest calls, the times of a schedule."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query, Request, Response

from studio.deployments import DeploymentSettings
from studio.deployments.cron import MAX_CRON_CHARACTERS, MAX_ZONE_CHARACTERS
from studio.services.publishing import speakers_of, suggested_name
from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.forms.settings_form import settings_fields
from studio.web.pages.deployments import SEES, base_url, call_rows
from studio.web.router import StudioRouter
from studio.web.schedule_rows import preview
from studio.web.snippets import curl

router = StudioRouter(prefix="/fragments", include_in_schema=False)
NAME, KEY = "{name}", "{key}"
"""What the page replaces once it knows them."""


@router.get("/teams/{team_id}/publish")
async def publish_form(request: Request, team_id: str, store: StoreDep, templates: TemplatesDep) -> Response:
    team = await store.teams.get(team_id)
    deployments = await store.deployments.list()
    taken, name = {each.name for each in deployments}, suggested_name(team.name)
    base = base_url(request)
    return templates.fragment(
        "fragments/publish.html",
        team=team,
        suggested="" if name in taken else name,
        published=[each.name for each in deployments if each.team_id == team_id],
        speakers=await asyncio.to_thread(speakers_of, team.component),
        fields=settings_fields(DeploymentSettings()),
        limits=DeploymentSettings().limits,
        sees=SEES,
        base=base,
        curl=curl(base, NAME, KEY),
    )


@router.get("/deployments/{deployment}/calls")
async def newest_calls(deployment: str, store: StoreDep, templates: TemplatesDep) -> Response:
    found = await store.deployments.get(deployment)
    rows = call_rows(await store.calls.list(found.id))
    return templates.fragment("fragments/deployment/call_rows.html", calls=rows)


@router.get("/schedule-times")
async def schedule_times(
    templates: TemplatesDep,
    cron: Annotated[str, Query(max_length=MAX_CRON_CHARACTERS)],
    zone: Annotated[str, Query(max_length=MAX_ZONE_CHARACTERS)],
) -> Response:
    """When a schedule would call, while it is being written."""
    words, times = await asyncio.to_thread(preview, cron, zone, datetime.now(UTC))
    return templates.fragment("fragments/deployment/schedule_times.html", words=words, zone=zone, times=times)
