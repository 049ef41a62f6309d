"""One evaluation: its result in a sentence, and its cases by what they do."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Query, Request, Response

from studio.evaluation.preferences import preference_sentences
from studio.evaluation.results import BASELINE, CANDIDATE
from studio.services.amounts import MICRO, money
from studio.services.evaluation_confirmation import CONFIRM_REPEATS, confirmable
from studio.services.evaluation_labels import label_queue
from studio.services.evaluations import EvaluationReport, report_of, reuse_sentences
from studio.services.label_agreement import label_report
from studio.store import Store
from studio.store.evaluation_tables import Evaluation
from studio.web.dependencies import PersonDep, StoreDep, TemplatesDep
from studio.web.evaluation_rows import GROUPS, case_page, offered_tags, offered_versions
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
GroupName = Annotated[str, Query(max_length=20)]
PageNumber = Annotated[int, Query(ge=1, le=10_000)]
DISAGREEMENTS_SHOWN = 10
CellNumber = Annotated[int | None, Query(ge=1, le=2**31)]


@router.get("/evaluations/{evaluation_id}")
async def evaluation_page(
    request: Request,
    evaluation_id: str,
    store: StoreDep,
    templates: TemplatesDep,
    group: GroupName = "",
    page: PageNumber = 1,
) -> Response:
    report = await report_of(store, evaluation_id)
    team = await store.teams.summary(report.row.team_id)
    return templates.page(
        request,
        "pages/evaluation.html",
        title=f"Evaluation of {team.name}",
        nav="evaluate",
        team=team,
        suite_id=report.row.suite_id,
        offers=await offered_versions(store, report.row.team_id),
        tags=await offered_tags(store, report.row.suite_id),
        chosen=_plan_of(report),
        **await shown_result(store, report, group, page),
    )


@router.get("/evaluations/{evaluation_id}/labels")
async def labels_page(
    request: Request,
    evaluation_id: str,
    store: StoreDep,
    templates: TemplatesDep,
    person: PersonDep,
    cell: CellNumber = None,
) -> Response:
    queue = await label_queue(store, evaluation_id, person.name, cell)
    return templates.page(request, "pages/labels.html", title="Label runs", nav="evaluate", queue=queue)


async def shown_result(store: Store, report: EvaluationReport, group: str, page: int) -> dict[str, object]:
    """What `fragments/evaluation/result.html` shows."""
    names = {each.number: f"version {each.revision}" for each in report.versions}
    return {
        "report": report,
        "reused": reuse_sentences(report, names),
        "preferred": [*preference_sentences(report.preferences, names)],
        "names": {each.number: f"Version {each.revision}" for each in report.versions},
        "confirmable": confirmable(report),
        "labels": await label_report(store, report.row, report.cells),
        "disagreements_shown": DISAGREEMENTS_SHOWN,
        "cases": await asyncio.to_thread(case_page, report, group, page),
        "groups": GROUPS,
        "confirm_repeats": CONFIRM_REPEATS,
        "money": money,
    }


def _plan_of(report: EvaluationReport) -> dict[str, object]:
    """What the dialog that evaluates again begins with."""
    row, revisions = report.row, {each.number: each.revision for each in report.versions}
    return {
        "version": revisions.get(CANDIDATE),
        "against": revisions.get(BASELINE),
        "cases": _cases_of(row),
        "repeats": row.repeats,
        "at_once": row.at_once,
        "reuse_days": row.reuse_days,
        "stops_when_clear": row.stops_when_clear,
        "usd": f"{row.micro_usd / MICRO:g}" if row.micro_usd else None,
    }


def _cases_of(row: Evaluation) -> str:
    """The choice of cases, as the dialog names it."""
    if row.only_tag:
        return f"only:{row.only_tag}"
    return f"without:{row.without_tag}" if row.without_tag else ""
