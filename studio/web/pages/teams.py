"""The list of teams, where the studio opens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from studio.runs import RunSummary
from studio.store import Store, TeamSummary
from studio.web.dependencies import SettingsDep, StoreDep, TeamChecksDep, TemplatesDep
from studio.web.starters import starters
from studio.web.team_checks import TeamCheck

router = APIRouter(include_in_schema=False)


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
    request: Request, store: StoreDep, checks: TeamChecksDep, templates: TemplatesDep, settings: SettingsDep
) -> Response:
    return templates.page(
        request,
        "pages/teams.html",
        title="Teams",
        nav="teams",
        teams=[await _row(store, summary, await checks.of(summary)) for summary in await store.teams.list()],
        starters=await starters(store),
        max_mb=settings.max_upload_mb,
    )


async def _row(store: Store, summary: TeamSummary, check: TeamCheck) -> TeamRow:
    state, text = _problem(check)
    runs = await store.runs.list(summary.id, limit=1)
    return TeamRow(
        id=summary.id,
        name=summary.name,
        summary=summary.summary,
        updated_at=summary.updated_at,
        problem_state=state,
        problem_text=text,
        last_run=_last_run(runs[0]) if runs else None,
    )


def _problem(check: TeamCheck) -> tuple[str, str]:
    if count := check.error_count:
        return "wrong", f"{count} problem{'' if count == 1 else 's'}"
    return ("", "") if check.is_runnable else ("opaque", "Has parts not installed here")


def _last_run(run: RunSummary) -> LastRun:
    return LastRun(run.id, run.status.state.value, run.ended_at or run.started_at or run.created_at)
