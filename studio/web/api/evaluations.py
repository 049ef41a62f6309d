"""Evaluations: versions of a team, run on the cases of a suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import Query, Response
from pydantic import Field, JsonValue, model_validator

from studio.components.deferred_model import DeferredModel
from studio.evaluation.preferences import PreferenceResult
from studio.evaluation.results import Comparison, Confirmation, Group
from studio.evaluation.statistics import Estimate
from studio.evaluation.suites import ChosenTags
from studio.services.evaluation_confirmation import confirm_evaluation
from studio.services.evaluations import (
    MAX_AT_ONCE,
    MAX_REPEATS,
    MAX_REUSE_DAYS,
    ConfirmedCases,
    EvaluationPlan,
    EvaluationReport,
    ListedEvaluation,
    begin_evaluation,
    check_plan,
    list_evaluations,
    preview_plan,
    report_of,
    reuse_sentences,
)
from studio.store.evaluation_tables import Evaluation, EvaluationCell
from studio.store.evaluations import CellState, EvaluationState
from studio.web.dependencies import QUEUED, PersonDep, StoreDep, SupervisorDep
from studio.web.requests import RequestBody, large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["evaluations"])
MICRO = 1_000_000
MAX_USD = 1e6
MAX_CELLS_SHOWN = 100

Which = Annotated[int, Field(ge=1, le=2**31)] | Literal["current"]


class NewPlan(RequestBody):
    """What to evaluate: each case of the suite is run `repeats` times with each version.

    `usd` and `tokens` are what all runs together may take; one of them is needed.
    """

    version: Annotated[Which, Field(description="The version in question, or `current`.")] = "current"
    against: Annotated[Which | None, Field(description="The version that it is compared with.")] = None
    repeats: Annotated[int, Field(ge=1, le=MAX_REPEATS)] = 3
    at_once: Annotated[int, Field(ge=1, le=MAX_AT_ONCE, description="Runs at the same time.")] = 4
    usd: Annotated[float | None, Field(ge=0, le=MAX_USD, allow_inf_nan=False)] = None
    tokens: Annotated[int | None, Field(ge=0, le=10**12)] = None
    reuse_days: Annotated[
        int | None,
        Field(ge=1, le=MAX_REUSE_DAYS, description="How old reused answers may be; null reuses none."),
    ] = None

    only: Annotated[str, Field(max_length=60, description="Only cases with this tag.")] = ""
    without: Annotated[str, Field(max_length=60, description="Only cases without this tag.")] = ""
    stops_when_clear: Annotated[
        bool, Field(description="Begin nothing more once it is clear that the version is worse or better.")
    ] = False

    @model_validator(mode="after")
    def _is_limited(self) -> Self:
        if self.usd is None and self.tokens is None:
            raise ValueError("A plan needs a spending limit: usd or tokens.")
        return self

    def plan(self) -> EvaluationPlan:
        micro_usd = None if self.usd is None else round(self.usd * MICRO)
        amounts = (self.repeats, self.at_once, micro_usd, self.tokens, self.reuse_days)
        tags = ChosenTags(self.only, self.without)
        return EvaluationPlan(self.version, self.against, *amounts, tags, self.stops_when_clear)


class ReusePreviewOut(DeferredModel):
    """What of a plan is recorded. Of `recorded` runs, `whole` ask no model anew; `parted` ones do, on average after the
    share `at` of their cost, from 0 to 1. `calling` runs call tools anew, which may answer otherwise than recorded.

    Of `looked_at` runs this is exact, but for those tools; the others are estimated by them.
    """

    recorded: int
    whole: int
    parted: int
    at: float
    calling: int
    looked_at: int


class NewConfirmation(RequestBody):
    """What the fresh runs together may take; `usd` or `tokens` is needed."""

    at_once: Annotated[int, Field(ge=1, le=MAX_AT_ONCE, description="Runs at the same time.")] = 4
    usd: Annotated[float | None, Field(ge=0, le=MAX_USD, allow_inf_nan=False)] = None
    tokens: Annotated[int | None, Field(ge=0, le=10**12)] = None

    @model_validator(mode="after")
    def _is_limited(self) -> Self:
        if self.usd is None and self.tokens is None:
            raise ValueError("A confirmation needs a spending limit: usd or tokens.")
        return self

    def limits(self) -> EvaluationPlan:
        micro_usd = None if self.usd is None else round(self.usd * MICRO)
        return EvaluationPlan(at_once=self.at_once, micro_usd=micro_usd, tokens=self.tokens)


class PreviewOut(DeferredModel):
    """What a plan would take. `usd_likely` comes from past runs of the team, and is null where their cost is not known.

    `judged` is how often a judge is asked, within the limit; `usd_likely` does not include it. `usd_judges` is what
    that costs by earlier calls of judges of the team, and null where that is not known.
    `drop_seen` is about the smallest drop, from 0 to 1, that four of five such comparisons find.
    """

    runs: int
    cases: int
    usd_at_most: float | None
    tokens_at_most: int | None
    usd_likely: float | None
    past_runs: int
    drop_seen: float
    reuse: ReusePreviewOut | None
    judged: int
    usd_judges: float | None
    warnings: list[str]


class TallyOut(DeferredModel):
    """Runs by verdict; `open` ones have none yet."""

    passed: int
    failed: int
    unscored: int
    open: int


class EstimateOut(DeferredModel):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    @classmethod
    def from_estimate(cls, estimate: Estimate) -> Self:
        return cls(mean=estimate.mean, low=estimate.interval.low, high=estimate.interval.high)


class EvaluatedVersion(TallyOut):
    """The runs of a version of the team."""

    number: int
    revision: int


class RatedVersion(EvaluatedVersion):
    """`rate` is null until the plan is done."""

    rate: EstimateOut | None


class DifferenceOut(EstimateOut):
    """The version less the one that it is compared with; `pairs` is how many cases both have a scored run of."""

    comparison: Comparison
    pairs: int


class PreferenceOut(DeferredModel):
    """Which answers a judge prefers, asked in both orders. Only what it prefers in both is a win or a loss.

    `by_order` of the ties are pairs in which the same place won in both orders; `first` of `choices` is how often the
    first answer was chosen. `mean` is of wins less losses, from -1 to 1, with its 95 % interval.
    """

    question: str
    wins: int
    losses: int
    ties: int
    by_order: int
    unscored: int
    first: int
    choices: int
    estimate: EstimateOut | None


class EarlyOut(DeferredModel):
    """It was clear after so many cases that the version is worse or better."""

    comparison: Literal["worse", "better"]
    cases: int


class CaseOut(DeferredModel):
    """A case and its runs by version number. `group` is empty while runs of it are open."""

    case: str
    group: Group | Literal[""]
    versions: dict[int, TallyOut]


class EvaluationFields(DeferredModel):
    """An evaluation. `detail` is its result in a sentence once it is finished, or why it was stopped.

    It has the cases with the tag `only_tag` and without `without_tag`; "" is any.
    """

    id: str
    suite_id: str
    team_id: str
    suite_revision: int
    suite_name: str
    repeats: int
    at_once: int
    state: EvaluationState
    detail: str
    cell_count: int
    usd_limit: float | None
    tokens_limit: int | None
    reuse_days: int | None
    confirms_id: str | None
    only_tag: str
    without_tag: str
    stops_when_clear: bool
    by: str
    created_at: datetime
    ended_at: datetime | None


class EvaluationSummary(EvaluationFields):
    """An evaluation as lists show it."""

    versions: list[EvaluatedVersion]


class ConfirmationOut(DeferredModel):
    """The evaluation that ran the lost cases again. The lists are empty until it is finished."""

    id: str
    state: EvaluationState
    confirmed: list[str]
    flaky: list[str]
    unscored: list[str]


class EvaluationOut(EvaluationFields):
    """An evaluation with its result. There are no rates, no difference and no `sentence` before the plan is done.

    `usd` is spent; `usd_saved` is what reused answers took when they were drawn, of which `reused` says more.
    """

    versions: list[RatedVersion]
    usd: float
    usd_saved: float
    tokens: int
    sentence: str
    reused: list[str]
    difference: DifferenceOut | None
    early: EarlyOut | None
    preferences: list[PreferenceOut]
    confirmation: ConfirmationOut | None
    cases: list[CaseOut]


class CellOut(DeferredModel):
    """One run of a case with a version; `scores` are as those of past runs.

    `reused_count` is how many answers it took from another run. `asked_count` is how many model calls it made itself;
    it is 0 for a run that reused nothing.
    """

    position: int
    version: int
    case: str
    epoch: int
    run_id: str
    attempt: int
    state: CellState
    verdict: Literal["pass", "fail", "unscored", ""]
    detail: str
    usd: float
    usd_saved: float
    tokens: int
    reused_count: int
    asked_count: int
    scores: Sequence[JsonValue]


@router.post(
    "/suites/{suite_id}/evaluations",
    status_code=201,
    summary="Start an evaluation",
    response_model=EvaluationOut,
    dependencies=[QUEUED],
)
async def start_evaluation(
    suite_id: str, body: NewPlan, store: StoreDep, runs: SupervisorDep, person: PersonDep
) -> Response:
    row = await begin_evaluation(store, runs, suite_id, body.plan(), person.name)
    report = await report_of(store, row.id)
    return await large_answer(lambda: _report(report), 201)


@router.post(
    "/suites/{suite_id}/evaluations/preview",
    summary="Check a plan, and tell what it would take; nothing is run",
    dependencies=[QUEUED],
)
async def preview_evaluation(suite_id: str, body: NewPlan, store: StoreDep, runs: SupervisorDep) -> PreviewOut:
    found = await preview_plan(store, await check_plan(store, runs, suite_id, body.plan()))
    return PreviewOut(
        runs=found.cells,
        cases=found.cases,
        usd_at_most=_usd(found.micro_usd_at_most),
        tokens_at_most=found.tokens_at_most,
        usd_likely=_usd(found.likely_micro_usd),
        past_runs=found.past_runs,
        drop_seen=found.drop_seen,
        reuse=ReusePreviewOut.model_validate(found.reuse, from_attributes=True) if found.reuse else None,
        judged=found.judged,
        usd_judges=_usd(found.judges_micro_usd),
        warnings=[*found.warnings],
    )


@router.get("/suites/{suite_id}/evaluations", summary="List the evaluations of a suite, the newest first")
async def evaluations_of_suite(suite_id: str, store: StoreDep) -> list[EvaluationSummary]:
    await store.suites.get(suite_id)
    return [_summary(each) for each in await list_evaluations(store, suite_id=suite_id)]


@router.get("/teams/{team_id}/evaluations", summary="List the evaluations of a team, the newest first")
async def evaluations_of_team(team_id: str, store: StoreDep) -> list[EvaluationSummary]:
    await store.teams.summary(team_id)
    return [_summary(each) for each in await list_evaluations(store, team_id=team_id)]


@router.get("/evaluations/{evaluation_id}", summary="Read an evaluation and its result", response_model=EvaluationOut)
async def get_evaluation(evaluation_id: str, store: StoreDep) -> Response:
    report = await report_of(store, evaluation_id)
    return await large_answer(lambda: _report(report))


@router.get("/evaluations/{evaluation_id}/cells", summary="Read the runs of an evaluation with their scores")
async def get_cells(
    evaluation_id: str,
    store: StoreDep,
    after: Annotated[int, Query(ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_CELLS_SHOWN)] = 100,
) -> list[CellOut]:
    await store.evaluations.get(evaluation_id)
    return [_cell(each) for each in await store.evaluations.page(evaluation_id, after=after, limit=limit)]


@router.post(
    "/evaluations/{evaluation_id}/cancel",
    summary="Cancel an evaluation and the runs that are under way",
    response_model=EvaluationOut,
)
async def cancel_evaluation(evaluation_id: str, store: StoreDep, person: PersonDep) -> Response:
    await store.evaluations.stop(evaluation_id, "canceled", f"Canceled by {person.name}.")
    report = await report_of(store, evaluation_id)
    return await large_answer(lambda: _report(report))


@router.post(
    "/evaluations/{evaluation_id}/confirm",
    status_code=201,
    summary="Run the cases that got worse again, five times with each version",
    response_model=EvaluationOut,
    dependencies=[QUEUED],
)
async def start_confirmation(
    evaluation_id: str, body: NewConfirmation, store: StoreDep, runs: SupervisorDep, person: PersonDep
) -> Response:
    row = await confirm_evaluation(store, runs, evaluation_id, body.limits(), person.name)
    report = await report_of(store, row.id)
    return await large_answer(lambda: _report(report), 201)


@router.delete(
    "/evaluations/{evaluation_id}",
    status_code=204,
    summary="Delete an evaluation that has ended; its runs go to the trash",
)
async def delete_evaluation(evaluation_id: str, store: StoreDep) -> None:
    await store.evaluations.delete(evaluation_id)


def _summary(each: ListedEvaluation) -> EvaluationSummary:
    versions = [
        EvaluatedVersion(number=version.number, revision=version.revision, **asdict(tally))
        for version, tally in each.versions
    ]
    return EvaluationSummary(**_fields(each.row), versions=versions)


def _report(found: EvaluationReport) -> EvaluationOut:
    result, revisions = found.result, {each.number: each.revision for each in found.versions}
    versions = [
        RatedVersion(
            number=each.version,
            revision=revisions[each.version],
            rate=EstimateOut.from_estimate(each.rate) if each.rate else None,
            **asdict(each.tally),
        )
        for each in result.versions
    ]
    compared = result.difference
    difference = None
    if compared is not None:
        estimate = EstimateOut.from_estimate(compared.estimate)
        difference = DifferenceOut(**dict(estimate), comparison=compared.comparison, pairs=compared.pairs)
    cases = [
        CaseOut(
            case=each.case,
            group=each.group,
            versions={number: TallyOut(**asdict(tally)) for number, tally in each.tallies.items()},
        )
        for each in result.cases
    ]
    return EvaluationOut(
        **_fields(found.row),
        versions=versions,
        usd=found.micro_usd / MICRO,
        usd_saved=sum(each.saved_micro_usd for each in found.reuse.values()) / MICRO,
        tokens=found.tokens,
        sentence=found.sentence,
        reused=[*reuse_sentences(found, {number: f"version {each}" for number, each in revisions.items()})],
        difference=difference,
        early=EarlyOut(**result.early._asdict()) if result.early else None,
        preferences=[_preference(each) for each in found.preferences],
        confirmation=_confirmation(found.confirmation) if found.confirmation else None,
        cases=cases,
    )


def _preference(each: PreferenceResult) -> PreferenceOut:
    kept = {name: getattr(each, name) for name in PreferenceOut.model_fields if name != "estimate"}
    return PreferenceOut(**kept, estimate=EstimateOut.from_estimate(each.estimate) if each.estimate else None)


def _confirmation(each: ConfirmedCases) -> ConfirmationOut:
    said = each.found or Confirmation((), (), ())
    lists = {name: [*cases] for name, cases in said._asdict().items()}
    return ConfirmationOut.model_validate({"id": each.row.id, "state": each.row.state, **lists})


def _fields(row: Evaluation) -> dict[str, Any]:
    kept = row.model_dump(include={*EvaluationFields.model_fields})
    return {**kept, "usd_limit": _usd(row.micro_usd), "tokens_limit": row.tokens}


def _cell(each: EvaluationCell) -> CellOut:
    kept: dict[str, Any] = each.model_dump(include={*CellOut.model_fields})
    return CellOut(
        **kept,
        case=each.case_key,
        usd=each.micro_usd / MICRO,
        usd_saved=each.saved_micro_usd / MICRO,
        tokens=each.used_tokens,
    )


def _usd(micro_usd: int | None) -> float | None:
    return None if micro_usd is None else micro_usd / MICRO
