"""Fresh runs of the cases that got worse: what lost by bad luck alone does not lose again."""

from __future__ import annotations

import asyncio
from statistics import fmean
from typing import NamedTuple

from studio.errors import Conflict
from studio.evaluation.suites import Suite
from studio.runs import NewRun, RunControl
from studio.services.evaluations import (
    MAX_CELLS,
    CheckedPlan,
    EvaluationPlan,
    EvaluationReport,
    PlannedVersion,
    keep_evaluation,
    narrowed,
    report_of,
)
from studio.services.suite_approvals import check_suite_approved
from studio.store import Store
from studio.store.evaluation_tables import Evaluation
from studio.store.tables import TeamSuite

CONFIRM_REPEATS = 5
"""Of each case with each version."""


class Confirmable(NamedTuple):
    """The cases that can be confirmed, how many runs that takes, and what as many cost, in millionths of a dollar."""

    cases: frozenset[str]
    runs: int
    likely_micro_usd: int


def confirmable(report: EvaluationReport) -> Confirmable | None:
    """What of an evaluation fresh runs could confirm; None where there is nothing, or that is known or under way.

    They are asked once: whoever asks until the answer fits would find any.
    """
    row, confirmation = report.row, report.confirmation
    cases = frozenset(each.case for each in report.result.cases if each.group == "worse")
    if row.state != "finished" or row.confirms_id is not None or not cases:
        return None
    if confirmation is not None and confirmation.row.state in ("running", "finished"):
        return None
    costs = [each.micro_usd + each.saved_micro_usd for each in report.cells if each.case_key in cases]
    runs = len(cases) * CONFIRM_REPEATS * len(report.versions)
    return Confirmable(cases, runs, round(fmean(costs) * runs)) if runs <= MAX_CELLS else None


async def confirm_evaluation(
    store: Store, control: RunControl, evaluation_id: str, limits: EvaluationPlan, by: str
) -> Evaluation:
    """Run the cases that got worse again, with both versions as they were frozen, and without reused answers.

    Args:
        store: Keeps the evaluation.
        control: Knows whether the versions may run.
        evaluation_id: Of an evaluation of two versions that is finished.
        limits: What all runs together may take, and how many are under way at once.
        by: Who starts it.

    Raises:
        NotFound: There is no such evaluation.
        Conflict: Nothing can be confirmed, or that is under way or known.
        InvalidComponent, NotApproved: A version or a scorer may not run any more.
    """
    report = await report_of(store, evaluation_id)
    wanted = confirmable(report)
    if wanted is None:
        raise Conflict(
            "There is nothing to confirm in this evaluation.",
            fix="Confirm once, after the evaluation has ended, and only if cases got worse, up to 500.",
        )
    plan = EvaluationPlan(
        repeats=CONFIRM_REPEATS, at_once=limits.at_once, micro_usd=limits.micro_usd, tokens=limits.tokens
    )
    versions: list[PlannedVersion] = []
    for each in report.versions:
        kept = await store.evaluations.version(evaluation_id, each.number)
        new = NewRun(
            kept.component, "Check.", "Check.", report.row.team_id, kept.team_name, team_revision=kept.revision
        )
        prepared = (await control.prepare(new)).new
        versions.append(PlannedVersion(kept.number, kept.revision, prepared.team_name, prepared.component))
    now = await store.suites.get(report.row.suite_id)
    then = TeamSuite.model_validate(
        {**now.model_dump(), "revision": report.row.suite_revision, "document": report.row.document}
    )
    row = await asyncio.to_thread(narrowed, then, wanted.cases, report.row.suite_name)
    suite = await asyncio.to_thread(Suite.model_validate, row.document)
    if (refused := await check_suite_approved(control, store.approvals, row.team_id, "", suite)) is not None:
        raise refused
    return await keep_evaluation(store, CheckedPlan(plan, row, suite, versions), by, confirms_id=evaluation_id)
