"""Pieces of pages about evaluations: the result while it changes, and what a suite was evaluated by."""

from __future__ import annotations

from fastapi import Response

from studio.services.amounts import money
from studio.services.evaluation_labels import label_queue
from studio.services.evaluations import list_evaluations, report_of
from studio.services.version_matrix import version_matrix
from studio.web.dependencies import PersonDep, StoreDep, TemplatesDep
from studio.web.evaluation_rows import offered_tags, offered_versions
from studio.web.pages.evaluations import CellNumber, GroupName, PageNumber, shown_result
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/fragments", include_in_schema=False)
SHOWN = 20


@router.get("/evaluations/{evaluation_id}")
async def newest_result(
    evaluation_id: str, store: StoreDep, templates: TemplatesDep, group: GroupName = "", page: PageNumber = 1
) -> Response:
    report = await report_of(store, evaluation_id)
    return templates.fragment("fragments/evaluation/result.html", **await shown_result(store, report, group, page))


@router.get("/evaluations/{evaluation_id}/labels")
async def next_label(
    evaluation_id: str, store: StoreDep, templates: TemplatesDep, person: PersonDep, cell: CellNumber = None
) -> Response:
    queue = await label_queue(store, evaluation_id, person.name, cell)
    return templates.fragment("fragments/evaluation/label.html", queue=queue)


@router.get("/suites/{suite_id}/evaluations")
async def evaluations_of_suite(suite_id: str, store: StoreDep, templates: TemplatesDep) -> Response:
    suite = await store.suites.get(suite_id)
    found = await list_evaluations(store, suite_id=suite_id)
    return templates.fragment(
        "fragments/evaluation/list.html",
        suite_id=suite_id,
        has_cases=suite.case_count > 0,
        evaluations=found[:SHOWN],
        more=len(found) - SHOWN,
        offers=await offered_versions(store, suite.team_id),
        tags=await offered_tags(store, suite_id),
        matrix=await version_matrix(store, suite_id, suite.team_id),
        money=money,
    )
