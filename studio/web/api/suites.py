"""Suites of a team: cases and scorers, made from runs and tried on past ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Response
from pydantic import Field, JsonValue

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.services.past_runs import verdict_counts
from studio.services.team_suites import (
    MAX_RUNS,
    SuiteForm,
    SuiteImport,
    add_case_of_run,
    add_suite,
    import_cases,
    import_new_suite,
    save_suite,
    save_suite_text,
    suite_text,
    try_suite,
)
from studio.store.tables import TeamSuite
from studio.web.dependencies import PersonDep, StoreDep
from studio.web.requests import RequestBody, download, filename, large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["suites"])
Document = Annotated[JsonObject, Field(description="What a suite file holds: `studio eval schema` prints its schema.")]
MAX_TEXT = 1_500_000
"""Characters; a suite of the studio has fewer, but not its spaces."""
Id = Annotated[str, Field(min_length=1, max_length=100)]


class NewSuite(RequestBody):
    document: Document


class ChangeSuite(RequestBody):
    document: Document
    revision: Annotated[int, Field(ge=1, description="The one that was read.")]


class ChangeText(RequestBody):
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT, description="What a suite file holds.")]
    form: SuiteForm = "yaml"
    revision: Annotated[int, Field(ge=1, description="The one that was read.")]


Files = Annotated[
    dict[Annotated[str, Field(max_length=255)], str],
    Field(min_length=1, max_length=20, description="Texts by file name; an empty name is found by the text."),
]


class FilesOfSuite(RequestBody):
    files: Files


class ImportFiles(FilesOfSuite):
    revision: Annotated[int, Field(ge=1, description="The one that was read.")]


class CaseOfRun(RequestBody):
    """A case with the task of a run. `why` is why the run was kept; one that went wrong needs a scorer."""

    run_id: Id
    why: Literal["went_well", "went_wrong", "random"]
    id: Annotated[str, Field(max_length=100)] = ""
    target: JsonValue = None
    tags: Annotated[list[str], Field(max_length=50)] = []
    notes: Annotated[str, Field(max_length=10_000)] = ""
    scorers: Annotated[list[JsonValue], Field(max_length=50, description="As in a suite file.")] = []


class PastRuns(RequestBody):
    run_ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_RUNS)]


class SuiteSummary(DeferredModel):
    """A suite as lists show it."""

    id: str
    team_id: str
    name: str
    revision: int
    case_count: int
    by: str
    created_at: datetime
    updated_at: datetime


class SuiteOut(SuiteSummary):
    """A suite with its cases and scorers."""

    document: JsonObject


class SuiteImportOut(DeferredModel):
    """The suite with the imported cases, and what became of each part of the files."""

    source: str = Field(description="Where the files are from, such as `promptfoo`.")
    counts: dict[str, int] = Field(description="How many parts are `exact`, `approximated`, `dropped` and `asked`.")
    findings: list[JsonObject]
    suite: SuiteOut


class PastScoresOut(DeferredModel):
    """What a suite says of runs, in their order. The runs were chosen, so the counts are not a pass rate."""

    counts: dict[Literal["pass", "fail", "unscored"], int]
    runs: Sequence[JsonObject]


@router.get("/teams/{team_id}/suites", summary="List the suites of a team, the oldest first")
async def list_suites(team_id: str, store: StoreDep) -> list[SuiteSummary]:
    await store.teams.get(team_id)
    return [SuiteSummary(**_summary(row)) for row in await store.suites.list(team_id)]


@router.post("/teams/{team_id}/suites", status_code=201, summary="Add a suite to a team")
async def create_suite(team_id: str, body: NewSuite, store: StoreDep, person: PersonDep) -> SuiteOut:
    return _suite(await add_suite(store, team_id, body.document, person.name))


@router.get("/suites/{suite_id}", summary="Get a suite")
async def get_suite(suite_id: str, store: StoreDep) -> SuiteOut:
    return _suite(await store.suites.get(suite_id))


@router.put("/suites/{suite_id}", summary="Replace a suite as it was at a revision")
async def replace_suite(suite_id: str, body: ChangeSuite, store: StoreDep, person: PersonDep) -> SuiteOut:
    return _suite(await save_suite(store, suite_id, body.revision, body.document, person.name))


@router.get("/suites/{suite_id}/file", summary="Download a suite as a file", response_class=Response)
async def suite_file(suite_id: str, store: StoreDep) -> Response:
    row = await store.suites.get(suite_id)
    form, text = await suite_text(row.document)
    media_type = "application/json" if form == "json" else "application/yaml"
    return download(text, filename(row.name, f".suite.{form}"), media_type)


@router.put("/suites/{suite_id}/text", summary="Replace a suite by the text of a suite file")
async def replace_suite_text(suite_id: str, body: ChangeText, store: StoreDep, person: PersonDep) -> SuiteOut:
    return _suite(await save_suite_text(store, suite_id, body.revision, body.text, body.form, person.name))


@router.delete(
    "/suites/{suite_id}", status_code=204, summary="Delete a suite with its evaluations; their runs go to the trash"
)
async def delete_suite(suite_id: str, store: StoreDep) -> None:
    await store.suites.delete(suite_id)


@router.post("/suites/{suite_id}/cases", status_code=201, summary="Make a case from a run")
async def create_case(suite_id: str, body: CaseOfRun, store: StoreDep, person: PersonDep) -> SuiteOut:
    more: JsonObject = body.model_dump(exclude={"run_id", "why"}, exclude_defaults=True)
    return _suite(await add_case_of_run(store, suite_id, body.run_id, body.why, more, person.name))


@router.post(
    "/teams/{team_id}/suites/imports",
    status_code=201,
    summary="Make a suite of other tools' files, with a report; executes nothing",
    response_model=SuiteImportOut,
)
async def import_suite(team_id: str, body: FilesOfSuite, store: StoreDep, person: PersonDep) -> Response:
    return await _import_answer(*await import_new_suite(store, team_id, body.files, person.name))


@router.post(
    "/suites/{suite_id}/imports",
    status_code=201,
    summary="Add the cases of other tools' files, with a report; executes nothing",
    response_model=SuiteImportOut,
)
async def import_files(suite_id: str, body: ImportFiles, store: StoreDep, person: PersonDep) -> Response:
    return await _import_answer(*await import_cases(store, suite_id, body.revision, body.files, person.name))


@router.post("/suites/{suite_id}/scores", summary="Score past runs; nothing is run")
async def score_past(suite_id: str, body: PastRuns, store: StoreDep) -> PastScoresOut:
    scores = await try_suite(store, suite_id, body.run_ids)
    return PastScoresOut(counts=verdict_counts(scores), runs=[each.as_json() for each in scores])


def _suite(row: TeamSuite) -> SuiteOut:
    return SuiteOut(**_summary(row), document=row.document)


def _summary(row: TeamSuite) -> dict[str, Any]:
    return row.model_dump(include={*SuiteSummary.model_fields})


async def _import_answer(row: TeamSuite, made: SuiteImport) -> Response:
    findings = [each.as_json() for each in made.imported.findings]
    counts = {str(verdict): count for verdict, count in made.imported.counts.items()}
    return await large_answer(
        lambda: SuiteImportOut(source=made.imported.source, counts=counts, findings=findings, suite=_suite(row)), 201
    )
