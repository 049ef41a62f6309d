"""Labels: what people say of the runs of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import Response
from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.services.label_agreement import LabelReport, ScorerAgreement, label_report
from studio.store.evaluation_labels import LabelVerdict
from studio.store.evaluation_tables import EvaluationCell, EvaluationLabel
from studio.store.evaluations import CellRow
from studio.web.api.evaluations import EstimateOut
from studio.web.dependencies import PersonDep, StoreDep
from studio.web.requests import RequestBody, large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["evaluations"])


class NewLabel(RequestBody):
    """What the person says of the run at a position; `skip` is that they cannot tell."""

    position: Annotated[int, Field(ge=1, le=2**31, description="Of the run in the evaluation.")]
    verdict: LabelVerdict
    note: Annotated[str, Field(max_length=2_000, description="Why.")] = ""


class LabelOut(DeferredModel):
    """What a person said of a run. The newest label of a person counts."""

    id: int
    position: int
    version: int
    case: str
    epoch: int
    run_id: str
    by: str
    verdict: LabelVerdict
    note: str
    at: datetime


class AgreementOut(DeferredModel):
    """How often a scorer says what people say: in `share` of the runs that both judged, in `of_passes` of those that
    people pass and in `of_fails` of those that people fail.

    `too_kind` runs pass by the scorer alone, `too_strict` ones by people alone. `disagreements` are their positions.
    """

    scorer: str
    sentence: str
    both_pass: int
    both_fail: int
    too_kind: int
    too_strict: int
    unscored: int
    share: EstimateOut
    of_passes: EstimateOut | None
    of_fails: EstimateOut | None
    disagreements: list[int]


class LabelsOut(DeferredModel):
    """The labels of an evaluation, the oldest first, and how far scorers agree with them.

    People disagree on `disputed` runs, which count for no agreement. `advice` is what is missing to rely on it.
    """

    labels: list[LabelOut]
    agreements: list[AgreementOut]
    disputed: int
    advice: str


@router.get("/evaluations/{evaluation_id}/labels", summary="Read the labels of an evaluation", response_model=LabelsOut)
async def get_labels(evaluation_id: str, store: StoreDep) -> Response:
    row = await store.evaluations.get(evaluation_id)
    labels = await store.evaluation_labels.list(evaluation_id)
    cells = await store.evaluations.cells(evaluation_id)
    report = await label_report(store, row, cells)
    return await large_answer(lambda: labels_out(labels, cells, report))


@router.post("/evaluations/{evaluation_id}/labels", status_code=201, summary="Label a run")
async def add_label(evaluation_id: str, body: NewLabel, store: StoreDep, person: PersonDep) -> LabelOut:
    note = body.note.strip()
    label = await store.evaluation_labels.add(evaluation_id, body.position, body.verdict, note, person.name)
    return _label(label, await store.evaluations.cell(evaluation_id, body.position))


def labels_out(labels: Sequence[EvaluationLabel], cells: Sequence[CellRow], report: LabelReport | None) -> LabelsOut:
    """All that is known of the labels of an evaluation; it takes a moment for many."""
    by_position = {each.position: each for each in cells}
    return LabelsOut(
        labels=[_label(each, by_position[each.position]) for each in labels],
        agreements=[_agreement(each) for each in report.agreements] if report else [],
        disputed=report.disputed if report else 0,
        advice=report.advice if report else "",
    )


def _agreement(each: ScorerAgreement) -> AgreementOut:
    found = each.agreement
    return AgreementOut(
        scorer=each.scorer,
        sentence=each.sentence,
        both_pass=found.both_pass,
        both_fail=found.both_fail,
        too_kind=found.too_kind,
        too_strict=found.too_strict,
        unscored=each.unscored,
        share=EstimateOut.from_estimate(found.share),
        of_passes=EstimateOut.from_estimate(found.of_passes) if found.of_passes else None,
        of_fails=EstimateOut.from_estimate(found.of_fails) if found.of_fails else None,
        disagreements=[other.position for other in each.disagreements],
    )


def _label(label: EvaluationLabel, cell: CellRow | EvaluationCell) -> LabelOut:
    return LabelOut(
        **label.model_dump(include={"id", "position", "by", "verdict", "note", "at"}),
        version=cell.version,
        case=cell.case_key,
        epoch=cell.epoch,
        run_id=cell.run_id,
    )
