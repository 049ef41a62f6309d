"""The versions of a team side by side: what each passes on the same suite, by which models, and for how much."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from studio.components import JsonObject
from studio.evaluation.results import CANDIDATE
from studio.evaluation.statistics import Estimate, pass_all_of
from studio.services.evaluations import EvaluationReport, newest_results, report_of
from studio.services.judges import model_names
from studio.store import Store

MAX_ROWS = 12
"""Versions that are shown: the newest ones."""
TOGETHER = 3
"""How many runs of a case must pass together for the figure of reliability."""


@dataclass(frozen=True)
class MatrixRow:
    """A version as its newest evaluation found it.

    Args:
        evaluation_id: Of the evaluation.
        revision: Of the team.
        models: Names of the models that it asks.
        rate: Its pass rate.
        all_pass: The chance that three runs of a case all pass; None where a case has fewer scored runs.
        micro_usd: What a run costs, in millionths of a dollar, as its answers were drawn.
        is_dominated: Whether another version passes no less and costs no more, and one of both is better.
    """

    evaluation_id: str
    revision: int
    models: Sequence[str]
    rate: Estimate
    all_pass: float | None
    micro_usd: float
    is_dominated: bool = False


async def version_matrix(store: Store, suite_id: str, team_id: str) -> Sequence[MatrixRow]:
    """The versions that were evaluated on the whole suite as its newest evaluation had it, the best first.

    Others had other cases, so their rates say nothing beside these. One version alone makes no matrix.
    """
    newest = [
        (revision, row)
        for revision, row in (await newest_results(store, team_id, suite_id)).items()
        if not row.only_tag and not row.without_tag
    ]
    latest = max((row.suite_revision for _, row in newest), default=0)
    same = sorted((each for each in newest if each[1].suite_revision == latest), key=lambda each: -each[0])
    rows: list[MatrixRow] = []
    for revision, row in same[:MAX_ROWS] if len(same) > 1 else ():
        report = await report_of(store, row.id)
        version = await store.evaluations.version(row.id, CANDIDATE)
        models = await asyncio.to_thread(_models_of, version.component)
        if (found := await asyncio.to_thread(_row, report, revision, models)) is not None:
            rows.append(found)
    marked = [_marked(each, rows) for each in rows]
    return sorted(marked, key=lambda each: (-each.rate.mean, each.micro_usd, -each.revision))


def _models_of(component: JsonObject) -> Sequence[str]:
    return sorted({*model_names(component)})


def _row(report: EvaluationReport, revision: int, models: Sequence[str]) -> MatrixRow | None:
    rate = next(each.rate for each in report.result.versions if each.version == CANDIDATE)
    cells = [each for each in report.cells if each.version == CANDIDATE]
    if rate is None:
        return None
    tallies = [each.tallies[CANDIDATE] for each in report.result.cases]
    is_known = all(each.scored >= TOGETHER for each in tallies)
    all_pass = fmean(pass_all_of(each.passed, each.scored, TOGETHER) for each in tallies) if is_known else None
    cost = fmean(each.micro_usd + each.saved_micro_usd for each in cells)
    return MatrixRow(report.row.id, revision, models, rate, all_pass, cost)


def _marked(each: MatrixRow, rows: Sequence[MatrixRow]) -> MatrixRow:
    mine = each.rate.mean, -each.micro_usd
    others = [(row.rate.mean, -row.micro_usd) for row in rows]
    is_dominated = any(other != mine and other[0] >= mine[0] and other[1] >= mine[1] for other in others)
    return replace(each, is_dominated=is_dominated)
