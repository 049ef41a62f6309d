"""Suites of all teams, and one of them: its cases, its scorers, and the suite as text."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Query, Request, Response

from studio.evaluation.mistakes import InvalidSuite, PlacedFinding
from studio.evaluation.scorers.words import scorer_words
from studio.evaluation.suites import Suite
from studio.services.team_suites import MAX_RUNS, stored_suite, suite_text
from studio.store import RunFilter, Store
from studio.store.tables import TeamSuite
from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.forms.scorer_form import scorer_forms
from studio.web.router import StudioRouter
from studio.web.suite_rows import case_page
from studio.web.templates import Templates

router = StudioRouter(prefix="/suites", include_in_schema=False)
SUITES_PAGE = 100
RUNS_SHOWN = 60
TABS: Mapping[str, str] = {
    "": "Cases",
    "settings": "Settings",
    "import": "Import",
    "past-runs": "Past runs",
    "text": "Text",
}
"""By the last part of their address."""
PageNumber = Annotated[int, Query(ge=1, le=100_000)]


@dataclass(frozen=True)
class ScorerRow:
    """A scorer of all cases; `part` is its list in the document, `place` its position there."""

    part: str
    place: int
    name: str
    words: str


@router.get("")
async def suites_page(
    request: Request,
    store: StoreDep,
    templates: TemplatesDep,
    team: Annotated[str, Query(max_length=100)] = "",
    page: PageNumber = 1,
) -> Response:
    of_team = await store.teams.summary(team) if team else None
    rows = await store.suites.page(team, offset=(page - 1) * SUITES_PAGE, limit=SUITES_PAGE + 1)
    return templates.page(
        request,
        "pages/suites.html",
        title="Suites",
        nav="evaluate",
        rows=rows[:SUITES_PAGE],
        team=of_team,
        page=page,
        has_more=len(rows) > SUITES_PAGE,
    )


@router.get("/{suite_id}")
async def suite_page(
    request: Request,
    suite_id: str,
    store: StoreDep,
    templates: TemplatesDep,
    search: Annotated[str, Query(max_length=200)] = "",
    page: PageNumber = 1,
) -> Response:
    try:
        row, suite = await stored_suite(store, suite_id)
    except InvalidSuite as error:  # another release kept it: here it can be corrected
        return await _text_page(request, templates, store, suite_id, error.placed)
    return await _page(
        request,
        templates,
        store,
        row,
        "",
        cases=await asyncio.to_thread(case_page, suite, search, page),
        search=search,
        scorers=_scorer_rows(suite),
        forms=await asyncio.to_thread(scorer_forms),
    )


@router.get("/{suite_id}/settings")
async def settings_page(request: Request, suite_id: str, store: StoreDep, templates: TemplatesDep) -> Response:
    try:
        row, suite = await stored_suite(store, suite_id)
    except InvalidSuite as error:
        return await _text_page(request, templates, store, suite_id, error.placed)
    return await _page(
        request, templates, store, row, "settings", gate=suite.gate, people=suite.people, prefer=suite.prefer
    )


@router.get("/{suite_id}/text")
async def text_page(request: Request, suite_id: str, store: StoreDep, templates: TemplatesDep) -> Response:
    return await _text_page(request, templates, store, suite_id)


@router.get("/{suite_id}/import")
async def import_page(request: Request, suite_id: str, store: StoreDep, templates: TemplatesDep) -> Response:
    return await _page(request, templates, store, await store.suites.get(suite_id), "import")


@router.get("/{suite_id}/past-runs")
async def past_runs_page(request: Request, suite_id: str, store: StoreDep, templates: TemplatesDep) -> Response:
    row = await store.suites.get(suite_id)
    runs = await store.runs.list(RunFilter(team_id=row.team_id), limit=RUNS_SHOWN)
    return await _page(request, templates, store, row, "past-runs", runs=runs, most=MAX_RUNS)


async def _text_page(
    request: Request, templates: Templates, store: Store, suite_id: str, mistakes: Sequence[PlacedFinding] = ()
) -> Response:
    row = await store.suites.get(suite_id)
    form, text = await suite_text(row.document)
    return await _page(request, templates, store, row, "text", form=form, text=text, mistakes=mistakes)


async def _page(
    request: Request, templates: Templates, store: Store, row: TeamSuite, tab: str, **context: object
) -> Response:
    team = await store.teams.summary(row.team_id)
    return templates.page(
        request,
        "pages/suite.html",
        title=row.name,
        nav="evaluate",
        suite=row,
        team=team,
        tab=tab,
        part=tab.replace("-", "_") or "cases",
        tabs=TABS,
        **context,
    )


def _scorer_rows(suite: Suite) -> Sequence[ScorerRow]:
    lists = (("always", suite.always), ("scorers", suite.scorers))
    return [
        ScorerRow(part, place, each.name, scorer_words(each)) for part, rows in lists for place, each in enumerate(rows)
    ]
