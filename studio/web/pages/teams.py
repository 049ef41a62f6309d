"""The list of teams, where the studio opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response
from fastapi.responses import RedirectResponse

from studio.runs import RunSummary
from studio.services.team_checks import TeamCheck
from studio.store import NO_LABELS, Labels, TeamFilter, TeamSummary
from studio.store.team_search import Order
from studio.web.api.labels import MAX_TAG
from studio.web.auth.person import Person
from studio.web.dependencies import PersonDep, SettingsDep, StoreDep, TeamChecksDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
PAGE = 100
FILTERED_FROM = 5
"""Teams beyond which the page offers its filters."""
ORDERS: Mapping[Order, str] = {
    "changed": "Last changed",
    "run": "Last run",
    "created": "Newest",
    "name": "Name",
}


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
    labels: Labels


@router.get("/")
async def home() -> Response:
    return RedirectResponse("/teams", 303)


@router.get("/login")
async def login() -> Response:
    """Only signed-in users get here: the guard answers others with the login page."""
    return RedirectResponse("/teams", 303)


@dataclass(frozen=True)
class TeamQuery:
    """What the address of the page asks for."""

    search: Annotated[str, Query(max_length=200)] = ""
    tag: Annotated[str, Query(max_length=MAX_TAG)] = ""
    starred: Annotated[bool, Query()] = False
    listing: Annotated[Literal["active", "archived"], Query()] = "active"
    order: Annotated[Order, Query()] = "changed"
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1

    def filter(self, person: Person) -> TeamFilter:
        return TeamFilter(
            text=self.search,
            tag=self.tag,
            starred_by=person.id if self.starred else None,
            listing=self.listing,
            order=self.order,
        )

    @property
    def is_narrowed(self) -> bool:
        return bool(self.search or self.tag or self.starred)

    def address(self) -> str:
        """The query of the address without its page."""
        given = {"search": self.search, "tag": self.tag, "starred": "1" if self.starred else ""}
        given["listing"] = self.listing if self.listing != "active" else ""
        given["order"] = self.order if self.order != "changed" else ""
        return urlencode({name: value for name, value in given.items() if value})


@router.get("/teams")
async def teams_page(
    request: Request,
    store: StoreDep,
    checks: TeamChecksDep,
    templates: TemplatesDep,
    settings: SettingsDep,
    person: PersonDep,
    asked: Annotated[TeamQuery, Depends()],
) -> Response:
    wanted = asked.filter(person)
    count = await store.teams.count(wanted)
    page_count = max(1, -(-count // PAGE))
    page = min(asked.page, page_count)
    teams = await store.teams.list(wanted, offset=(page - 1) * PAGE, limit=PAGE)
    ids = [team.id for team in teams]
    found, runs = await checks.get_many(teams), await store.runs.newest_of(ids)
    labels, tags = await store.labels.get_many("team", ids, person.id), await store.labels.tags("team")
    has_any = bool(teams) or await store.labels.has_any("team")
    return templates.page(
        request,
        "pages/teams.html",
        title="Teams",
        nav="teams",
        teams=[
            _row(team, found[team.id], runs.get(team.id), labels.get(team.id, NO_LABELS))
            for team in teams
            if team.id in found
        ],
        team_count=count,
        asked=asked,
        orders=ORDERS,
        tags=tags,
        query=asked.address(),
        page=page,
        page_count=page_count,
        has_any=has_any,
        has_filters=asked.is_narrowed or asked.listing != "active" or count > FILTERED_FROM or bool(tags),
        starters=await checks.starters(),
        max_mb=settings.max_upload_mb,
        has_connections=bool(await store.connections.list()),
    )


def _row(summary: TeamSummary, check: TeamCheck, run: RunSummary | None, labels: Labels) -> TeamRow:
    state, text = _problem(check)
    return TeamRow(
        id=summary.id,
        name=summary.name,
        summary=summary.summary,
        updated_at=summary.updated_at,
        problem_state=state,
        problem_text=text,
        last_run=_last_run(run) if run else None,
        labels=labels,
    )


def _problem(check: TeamCheck) -> tuple[str, str]:
    if count := check.error_count:
        return "wrong", f"{count} error{'' if count == 1 else 's'}"
    return ("", "") if check.is_runnable else ("opaque", "Missing components")


def _last_run(run: RunSummary) -> LastRun:
    return LastRun(run.id, run.status.state.value, run.ended_at or run.started_at or run.created_at)
