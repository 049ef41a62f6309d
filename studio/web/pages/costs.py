"""What teams have spent, by day."""

from __future__ import annotations

from fastapi import Request, Response

from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
MAX_TEAMS = 500
"""That can be chosen: those changed last. The others are in the costs of all."""


@router.get("/costs")
async def costs_page(request: Request, store: StoreDep, templates: TemplatesDep) -> Response:
    teams = [(team.id, team.name) for team in await store.teams.list(limit=MAX_TEAMS)]
    return templates.page(request, "pages/costs.html", title="Costs", nav="costs", teams=teams)
