"""Pieces of pages about suites: a run as a case, past runs scored, and what an import would add."""

from __future__ import annotations

import asyncio

from fastapi import Response

from studio.services.case_offers import offer_case
from studio.services.conversion_report import groups_of, tallies_of
from studio.services.past_runs import verdict_counts
from studio.services.team_suites import SuiteImport, preview_import, try_suite
from studio.web.api.suites import FilesOfSuite, PastRuns
from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.router import StudioRouter
from studio.web.suite_rows import case_rows
from studio.web.templates import Templates

router = StudioRouter(prefix="/fragments", include_in_schema=False)
SHOWN = 8
"""Cases of an import that are shown before it."""


@router.get("/runs/{run_id}/case")
async def case_form(run_id: str, store: StoreDep, templates: TemplatesDep) -> Response:
    return templates.fragment("fragments/suite/case_of_run.html", offer=await offer_case(store, run_id))


@router.post("/suites/{suite_id}/scores")
async def scored_runs(suite_id: str, body: PastRuns, store: StoreDep, templates: TemplatesDep) -> Response:
    scores = await try_suite(store, suite_id, body.run_ids)
    return templates.fragment("fragments/suite/scores.html", scores=scores, counts=verdict_counts(scores))


@router.post("/suites/{suite_id}/imports")
async def import_preview(suite_id: str, body: FilesOfSuite, store: StoreDep, templates: TemplatesDep) -> Response:
    return await _preview(templates, await preview_import(store, suite_id, body.files), "")


@router.post("/suites/imports")
async def new_suite_preview(body: FilesOfSuite, store: StoreDep, templates: TemplatesDep) -> Response:
    made = await preview_import(store, "", body.files)
    return await _preview(templates, made, made.whole.suite)


async def _preview(templates: Templates, made: SuiteImport, name: str) -> Response:
    """`name` is that of a new suite."""
    findings = made.imported.findings
    return await asyncio.to_thread(
        lambda: templates.fragment(
            "fragments/suite/import_preview.html",
            title=made.title,
            suite_name=name,
            count=len(made.added),
            rows=case_rows(made.added[:SHOWN]),
            report={"tallies": tallies_of(findings), "groups": groups_of(findings)},
        )
    )
