"""What the command palette finds beyond the page it is opened on: teams, runs, pages and help."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from fastapi import Query

from studio.components.deferred_model import DeferredModel
from studio.help import Library, load_library
from studio.store import Role, RunFilter, TeamFilter
from studio.web.auth.person import Person
from studio.web.dependencies import PersonDep, StoreDep
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["search"])
MAX_EACH = 6
"""Teams, runs, and places in Help, that are found at once."""
MAX_LABEL = 120


class PageLink(NamedTuple):
    """A page, and other words that lead to it."""

    label: str
    url: str
    icon: str
    words: str = ""
    role: Role = "viewer"


PAGE_LINKS = (
    PageLink("Teams", "/teams", "users", "home list"),
    PageLink("Runs", "/runs", "history", "past log"),
    PageLink("Evaluate", "/suites", "circle-check", "suites cases scorers evaluation tests eval"),
    PageLink("Deployments", "/deployments", "globe", "publish api keys callers endpoints"),
    PageLink("Galleries", "/galleries", "library", "templates components import"),
    PageLink("Costs", "/costs", "coins", "charts spending tokens latency prices budget limits"),
    PageLink("Charts", "/costs/charts", "chart-column", "cost tokens outcome latency trends failures"),
    PageLink("Inbox", "/inbox", "inbox", "questions approvals waiting"),
    PageLink("Trash", "/trash", "trash-2", "deleted restore undo"),
    PageLink("Archived teams", "/teams?listing=archived", "archive", "list"),
    PageLink("Archived runs", "/runs?listing=archived", "archive", "list"),
    PageLink("Starred teams", "/teams?starred=1", "star", "favorites"),
    PageLink("Starred runs", "/runs?starred=1", "star", "favorites"),
    PageLink("Help", "/help", "circle-help", "docs documentation how-to guide tutorial reference"),
    PageLink("Settings", "/settings", "settings", "preferences theme notifications about"),
    PageLink("Settings: models", "/settings/models", "brain", "connections services providers keys"),
    PageLink("Settings: secrets", "/settings#secrets-title", "key-round", "keys passwords tokens"),
    PageLink("Settings: approvals", "/settings/approvals", "shield-check", "permissions capabilities revoke"),
    PageLink("Settings: health", "/settings/health", "circle-check", "doctor status", "admin"),
    PageLink("Users", "/users", "users", "people roles accounts", "admin"),
    PageLink("Audit log", "/audit", "scroll-text", "who did what history", "admin"),
)
ACCOUNT = PageLink("Your account", "/account", "user", "password sign out tokens")


class ResultOut(DeferredModel):
    """One thing to open."""

    label: str
    detail: str = ""
    group: str
    icon: str
    url: str


class ResultsOut(DeferredModel):
    results: list[ResultOut]


@router.get("/search", summary="Search teams, runs, pages and help")
async def search(store: StoreDep, person: PersonDep, q: Annotated[str, Query(max_length=200)] = "") -> ResultsOut:
    teams = await store.teams.list(TeamFilter(text=q), limit=MAX_EACH)
    runs = await store.runs.list(RunFilter(text=q), limit=MAX_EACH)
    found = [
        ResultOut(
            label=team.name, detail=team.summary[:MAX_LABEL], group="Teams", icon="users", url=f"/teams/{team.id}"
        )
        for team in teams
    ]
    found += [
        ResultOut(
            label=(run.title or run.task_text or "No task")[:MAX_LABEL],
            detail=f"{run.team_name} · {run.status.state.value}",
            group="Runs",
            icon="history",
            url=f"/runs/{run.id}",
        )
        for run in runs
    ]
    library = await asyncio.to_thread(load_library)
    return ResultsOut(results=[*found, *_places(q, person), *_help(library, q)])


def _places(query: str, person: Person) -> Sequence[ResultOut]:
    words = query.casefold().split()
    offered = [*PAGE_LINKS, ACCOUNT] if person.id else PAGE_LINKS
    return [
        ResultOut(label=each.label, group="Go to", icon=each.icon, url=each.url)
        for each in offered
        if person.may(each.role) and all(word in f"{each.label} {each.words}".casefold() for word in words)
    ]


def _help(library: Library, query: str) -> Sequence[ResultOut]:
    return [
        ResultOut(
            label=f"Help: {hit.title}", detail=hit.heading[:MAX_LABEL], group="Help", icon="circle-help", url=hit.url
        )
        for hit in library.search(query, MAX_EACH)
    ]
