"""Pieces of pages about suites: a run as a case, and past runs scored."""

from __future__ import annotations

from fastapi import Response

from studio.services.case_offers import offer_case
from studio.services.past_runs import verdict_counts
from studio.services.team_suites import try_suite
from studio.web.api.suites import PastRuns
from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/fragments", include_in_schema=False)


@router.get("/runs/{run_id}/case")
async def case_form(run_id: str, store: StoreDep, templates: TemplatesDep) -> Response:
    return templates.fragment("fragments/suite/case_of_run.html", offer=await offer_case(store, run_id))


@router.post("/suites/{suite_id}/scores")
async def scored_runs(suite_id: str, body: PastRuns, store: StoreDep, templates: TemplatesDep) -> Response:
    scores = await try_suite(store, suite_id, body.run_ids)
    return templates.fragment("fragments/suite/scores.html", scores=scores, counts=verdict_counts(scores))
