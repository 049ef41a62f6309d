"""`studio eval labels`: what people say of the runs of an evaluation, and how far scorers agree."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from studio.cli.approval_prompt import in_one_line
from studio.services.label_agreement import LabelReport, label_report
from studio.settings import Settings
from studio.store import open_store
from studio.store.evaluation_tables import EvaluationLabel
from studio.store.evaluations import CellRow


def show_labels(settings: Settings, evaluation_id: str, *, as_json: bool) -> None:
    """Print how scorers agree with the labels, or all labels as the REST API has them.

    Raises:
        NotFound: There is no such evaluation.
        SetupError: The studio cannot be opened.
    """
    labels, cells, report = asyncio.run(_read(settings, evaluation_id))
    if as_json:
        from studio.web.api.evaluation_labels import labels_out  # takes a while

        print(labels_out(labels, cells, report).model_dump_json(indent=2))
        return
    for line in _lines(report):
        print(in_one_line(line, is_prose=True))


async def _read(
    settings: Settings, evaluation_id: str
) -> tuple[Sequence[EvaluationLabel], Sequence[CellRow], LabelReport | None]:
    async with open_store(settings.data_dir, settings.database_url) as store:
        row = await store.evaluations.get(evaluation_id)
        cells = await store.evaluations.cells(evaluation_id)
        return await store.evaluation_labels.list(evaluation_id), cells, await label_report(store, row, cells)


def _lines(report: LabelReport | None) -> Iterator[str]:
    if report is None:
        yield "No run is labeled."
        return
    yield f"{report.labeled} labeled runs; people disagree on {report.disputed}."
    for each in report.agreements:
        yield f"{each.scorer}"
        yield f"    {each.sentence}"
    if report.advice:
        yield report.advice
