"""The list of teams, where the studio opens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from studio.runs import RunSummary
from studio.store import TeamSummary
from studio.web.dependencies import SettingsDep, StoreDep, TeamChecksDep, TemplatesDep
from studio.web.team_checks import TeamCheck

router = APIRouter(include_in_schema=False)
PAGE = 100
SEARCHED_FROM = 20
"""Teams from which on a search is offered."""


@dataclass(frozen=True)
class LastRun:
    id: str
    state: str
    at: datetime


@dataclass(frozen=True)
class TeamRow:
    """A team as the list shows it; `problem_state` is the look of the badge."""

    id: str
    name: str
    summary: str
    updated_at: datetime
    problem_state: str
    problem_text: str
    last_run: LastRun | None


@router.get("/")
async def home() -> Response:
    return RedirectResponse("/teams", 303)


@router.get("/login")
async def login() -> Response:
    """Whoever gets here is signed in: the guard answers everybody else with the login page."""
    return RedirectResponse("/teams", 303)


@router.get("/teams")
async def teams_page(
    request: Request,
    store: StoreDep,
    checks: TeamChecksDep,
    templates: TemplatesDep,
    settings: SettingsDep,
    search: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    count = await store.teams.count(search=search)
    page_count = max(1, -(-count // PAGE))
    page = min(page, page_count)
    teams = await store.teams.list(search=search, offset=(page - 1) * PAGE, limit=PAGE)
    found, runs = await checks.of(teams), await store.runs.newest_of([team.id for team in teams])
    return templates.page(
        request,
        "pages/teams.html",
        title="Teams",
        nav="teams",
        teams=[_row(team, found[team.id], runs.get(team.id)) for team in teams if team.id in found],
        team_count=count,
        search=search,
        page=page,
        page_count=page_count,
        has_search=bool(search) or count > SEARCHED_FROM,
        starters=await checks.starters(),
        max_mb=settings.max_upload_mb,
        has_connections=bool(await store.connections.list()),
    )


def _row(summary: TeamSummary, check: TeamCheck, run: RunSummary | None) -> TeamRow:
    state, text = _problem(check)
    return TeamRow(
        id=summary.id,
        name=summary.name,
        summary=summary.summary,
        updated_at=summary.updated_at,
        problem_state=state,
        problem_text=text,
        last_run=_last_run(run) if run else None,
    )


def _problem(check: TeamCheck) -> tuple[str, str]:
    if count := check.error_count:
        return "wrong", f"{count} problem{'' if count == 1 else 's'}"
    return ("", "") if check.is_runnable else ("opaque", "Has parts not installed here")


def _last_run(run: RunSummary) -> LastRun:
    return LastRun(run.id, run.status.state.value, run.ended_at or run.started_at or run.created_at)
