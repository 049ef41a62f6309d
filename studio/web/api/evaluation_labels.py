"""Labels: what people say of the runs of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import Response
from pydantic import BaseModel, Field

from studio.store.evaluation_labels import LabelVerdict
from studio.store.evaluation_tables import EvaluationCell, EvaluationLabel
from studio.store.evaluations import CellRow
from studio.web.dependencies import PersonDep, StoreDep
from studio.web.requests import RequestBody, large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["evaluations"])


class NewLabel(RequestBody):
    """What the person says of the run at a position; `skip` is that they cannot tell."""

    position: Annotated[int, Field(ge=1, le=2**31, description="Of the run in the evaluation.")]
    verdict: LabelVerdict
    note: Annotated[str, Field(max_length=2_000, description="Why.")] = ""


class LabelOut(BaseModel):
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


class LabelsOut(BaseModel):
    """The labels of an evaluation, the oldest first."""

    labels: list[LabelOut]


@router.get("/evaluations/{evaluation_id}/labels", summary="Read the labels of an evaluation", response_model=LabelsOut)
async def get_labels(evaluation_id: str, store: StoreDep) -> Response:
    await store.evaluations.get(evaluation_id)
    labels = await store.evaluation_labels.list(evaluation_id)
    cells = await store.evaluations.cells(evaluation_id)
    return await large_answer(lambda: _labels(labels, cells))


@router.post("/evaluations/{evaluation_id}/labels", status_code=201, summary="Label a run")
async def add_label(evaluation_id: str, body: NewLabel, store: StoreDep, person: PersonDep) -> LabelOut:
    note = body.note.strip()
    label = await store.evaluation_labels.add(evaluation_id, body.position, body.verdict, note, person.name)
    return _label(label, await store.evaluations.cell(evaluation_id, body.position))


def _labels(labels: Sequence[EvaluationLabel], cells: Sequence[CellRow]) -> LabelsOut:
    by_position = {each.position: each for each in cells}
    return LabelsOut(labels=[_label(each, by_position[each.position]) for each in labels])


def _label(label: EvaluationLabel, cell: CellRow | EvaluationCell) -> LabelOut:
    return LabelOut(
        **label.model_dump(include={"id", "position", "by", "verdict", "note", "at"}),
        version=cell.version,
        case=cell.case_key,
        epoch=cell.epoch,
        run_id=cell.run_id,
    )
