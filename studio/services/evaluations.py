"""Evaluations of stored teams: a plan is checked as a whole before anything is paid, and then frozen."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from statistics import fmean
from typing import Literal, NamedTuple
from uuid import uuid4

from pydantic import JsonValue

from studio.components import JsonObject
from studio.components.readable_json import well_formed_json
from studio.errors import ConfigError, Finding, InvalidComponent, NotFound, StudioError, first_findings
from studio.evaluation.preferences import (
    ORDERS,
    PairChoice,
    Preference,
    PreferenceResult,
    known_choice,
    preferences_of,
)
from studio.evaluation.results import (
    BASELINE,
    CANDIDATE,
    CellResult,
    Confirmation,
    EvaluationResult,
    Tally,
    confirmation_in,
    confirmation_sentence,
    confirmed_result,
    results_of,
    sentence_of,
)
from studio.evaluation.statistics import detectable_drop
from studio.evaluation.suites import ALL_CASES, Case, ChosenTags, Suite
from studio.runs import NewRun, NotApproved, RunControl
from studio.runs.tasks import task_text
from studio.services.code_scores import unavailable_code
from studio.services.evaluation_reuse import (
    CellKey,
    ReusePreview,
    ReusingCell,
    Twins,
    find_twins,
    preview_reuse,
)
from studio.services.judges import has_judges, judges_in, own_judges, with_models
from studio.services.suite_approvals import SuiteNotApproved, check_suite_approved
from studio.store import Store
from studio.store.evaluation_tables import Evaluation, EvaluationPreference, EvaluationVersion
from studio.store.evaluations import EVALUATIONS, CellRow, PlannedCell
from studio.store.tables import Team, TeamSuite, TeamVersion

MAX_CELLS = 10_000
"""Runs of one evaluation."""
MAX_REPEATS = 100
MAX_AT_ONCE = 16
MAX_REUSE_DAYS = 365
REUSE_DAYS = 7
"""How old reused answers may be, unless told: the model behind a name changes."""
PAST_RUNS = 50
"""Past runs of the team that a plan's cost is estimated by."""

WhichVersion = int | Literal["current"]


class InvalidPlan(ConfigError):
    """The plan cannot be carried out; `findings` lists all that is wrong."""

    code = "invalid_plan"

    def __init__(self, findings: Sequence[Finding]) -> None:
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        super().__init__(f"{findings[0].message}{more}", fix=findings[0].fix, where=findings[0].where)
        self.findings = tuple(findings)

    def as_json(self) -> dict[str, object]:
        return {**super().as_json(), "findings": [each.as_json() for each in first_findings(self.findings)]}


@dataclass(frozen=True)
class EvaluationPlan:
    """What to evaluate.

    Args:
        version: The version in question.
        against: The one that it is compared with; None for none.
        repeats: Runs of each case with each version.
        at_once: Runs that are under way at the same time.
        micro_usd: What all runs together may cost, in millionths of a dollar; None is no limit.
        tokens: The same in tokens.
        reuse_days: How old answers may be that runs reuse; None where they reuse none.
        tags: Which cases of the suite.
        stops_when_clear: Whether nothing more begins once it is clear which version is better.
    """

    version: WhichVersion = "current"
    against: WhichVersion | None = None
    repeats: int = 3
    at_once: int = 4
    micro_usd: int | None = None
    tokens: int | None = None
    reuse_days: int | None = None
    tags: ChosenTags = ALL_CASES
    stops_when_clear: bool = False


class PlannedVersion(NamedTuple):
    """A version as it will run: with references in place of secrets."""

    number: int
    revision: int
    team_name: str
    component: JsonObject


@dataclass(frozen=True)
class CheckedPlan:
    """A plan that can be carried out. `twins` are the recorded runs whose answers its cells reuse; `recorded` are runs
    that were made elsewhere and are only scored. `not_approved` is what a person has to approve of the scorers."""

    plan: EvaluationPlan
    row: TeamSuite
    suite: Suite
    versions: Sequence[PlannedVersion]
    twins: Twins = field(default_factory=dict[CellKey, str])
    recorded: Twins = field(default_factory=dict[CellKey, str])
    not_approved: SuiteNotApproved | None = None

    @property
    def warnings(self) -> Sequence[str]:
        """What a person should know before it begins."""
        simulated = any(each.is_simulated for each in self.suite.all_people)
        people = ["A simulated person answers what the team asks. Each answer calls a model, within the limit."]
        return [*own_judges(self.suite, [each.component for each in self.versions]), *(people if simulated else [])]

    @property
    def judged(self) -> int:
        """How often a judge is asked."""
        runs = len(self.versions) * self.plan.repeats
        judged = runs * sum(len(judges_in(self.suite.scorers_of(case))) for case in self.suite.cases)
        pairs = len(self.suite.cases) * self.plan.repeats if len(self.versions) > 1 else 0
        return judged + pairs * len(ORDERS) * len(self.suite.prefer)

    @property
    def cells(self) -> Sequence[PlannedCell]:
        """All of them in the order of the runs: versions take turns, so that a model that changes on the way changes
        both. Where nothing is recorded, the candidate reuses what the baseline is answered in this evaluation. A plan
        that stops when it is clear does one case after the other, in an order without meaning."""
        epochs = range(1, self.plan.repeats + 1)
        if self.plan.stops_when_clear:
            shuffled = sorted(self.suite.cases, key=_place_without_meaning)
            order = [(case, epoch) for case in shuffled for epoch in epochs]
        else:
            order = [(case, epoch) for epoch in epochs for case in self.suite.cases]
        keys: list[CellKey] = [(version.number, case.key, epoch) for case, epoch in order for version in self.versions]
        if self.plan.reuse_days is None:
            return [PlannedCell(*key, run_id=self.recorded.get(key, "")) for key in keys]
        baseline = {key[1:]: position for position, key in enumerate(keys, 1) if key[0] == BASELINE}
        cells: list[PlannedCell] = []
        for key in keys:
            twin = self.twins.get(key, "")
            within = baseline.get(key[1:]) if key[0] == CANDIDATE and not twin else None
            cells.append(PlannedCell(*key, twin, within, self.recorded.get(key, "")))
        return cells


def _place_without_meaning(case: Case) -> tuple[bytes, str]:
    """A suite may have its hard cases last. Cases of one cluster stay together."""
    return sha256((case.cluster or case.key).encode(errors="surrogatepass")).digest(), case.key


class Preview(NamedTuple):
    """What a plan would take. Costs are in millionths of a dollar; None where there is no limit, or nothing is known.

    `past_runs` is how many runs of the team the likely cost is taken from.
    """

    cells: int
    cases: int
    micro_usd_at_most: int | None
    tokens_at_most: int | None
    likely_micro_usd: int | None
    past_runs: int
    drop_seen: float
    """The smallest drop, from 0 to 1, that four of five comparisons of this size find."""
    reuse: ReusePreview | None = None
    """None where nothing is to be reused, or nothing is recorded."""
    judged: int = 0
    """How often a judge is asked."""
    judges_micro_usd: int | None = None
    """What judges would cost by their past runs, beside the likely cost; None where nothing is known."""
    warnings: Sequence[str] = ()


async def check_plan(store: Store, control: RunControl, suite_id: str, plan: EvaluationPlan) -> CheckedPlan:
    """Find all that is wrong with a plan. Nothing is run.

    Raises:
        NotFound: There is no such suite.
        InvalidPlan: With all that is wrong.
    """
    from studio.evaluation.suite_file import check_suite  # it loads the YAML reader, which a start does not need

    row = await store.suites.get(suite_id)
    team = await store.teams.get(row.team_id)
    suite = await asyncio.to_thread(check_suite, row.document)
    findings = [*plan.tags.findings(suite.cases)]
    if plan.tags and not findings:
        suite = suite.with_tags(plan.tags)
        row = await asyncio.to_thread(narrowed, row, {case.key for case in suite.cases}, f"{row.name}: {plan.tags}")
    wanted: list[tuple[int, WhichVersion, str]] = [(CANDIDATE, plan.version, "/version")]
    if plan.against is not None:
        wanted.append((BASELINE, plan.against, "/against"))
    cells = len(suite.cases) * plan.repeats * len(wanted)
    if not suite.cases:
        what = "No case is chosen." if plan.tags else "The suite has no cases."
        findings.append(Finding("no_cases", what, "Add a case.", "/suite"))
    if cells > MAX_CELLS:
        what = f"The plan has {cells:,} runs; an evaluation has up to {MAX_CELLS:,}."
        findings.append(Finding("too_many_runs", what, "Choose fewer repeats, or split the suite.", "/repeats"))
    if plan.stops_when_clear and plan.against is None:
        what = "Only a comparison of two versions becomes clear early."
        findings.append(Finding("no_baseline", what, "Choose a version to compare with.", "/stops_when_clear"))
    findings += _unreadable_tasks(suite.cases)
    suite, row, found_of_judges = await _with_judges(store, suite, row)
    unapproved, found_of_scorers = (None, ()) if found_of_judges else await _approval(store, control, suite, row)
    findings += [*found_of_judges, *found_of_scorers]
    versions: list[PlannedVersion] = []
    for number, which, where in wanted:
        found = await _version(store, control, team, number, which, where)
        if isinstance(found, PlannedVersion):
            versions.append(found)
        else:
            findings += found
    if len(versions) == 2 and versions[0].revision == versions[1].revision:
        what = f"Both are version {versions[0].revision}."
        findings.append(Finding("same_version", what, "Choose another version to compare with.", "/against"))
    if findings:
        raise InvalidPlan(findings)
    revisions = {each.number: each.revision for each in versions}
    checked = CheckedPlan(plan, row, suite, versions, not_approved=unapproved)
    if plan.reuse_days is None:
        return checked
    since = datetime.now(UTC) - timedelta(days=plan.reuse_days)
    twins = await find_twins(store, suite_id, revisions, since=since, repeats=plan.repeats)
    return replace(checked, twins=twins)


async def _with_judges(store: Store, suite: Suite, row: TeamSuite) -> tuple[Suite, TeamSuite, Sequence[Finding]]:
    """The suite with the models of its judges, what is kept of it, and what is wrong."""
    if not has_judges(suite):
        return suite, row, ()
    suite, findings = await asyncio.to_thread(with_models, suite, await store.connections.list())
    if findings:
        return suite, row, findings
    document = await asyncio.to_thread(document_of, suite)
    return suite, TeamSuite.model_validate({**row.model_dump(), "document": document}), ()


async def _approval(
    store: Store, control: RunControl, suite: Suite, row: TeamSuite
) -> tuple[SuiteNotApproved | None, Sequence[Finding]]:
    """What of the scorers is not approved, and what is wrong with them."""
    if (refused := await asyncio.to_thread(unavailable_code, suite, control.jail)) is not None:
        return None, [Finding(refused.code, refused.what, refused.fix, "/suite")]
    try:
        return await check_suite_approved(control, store.approvals, row.team_id, row.id, suite), ()
    except InvalidComponent as error:
        wrong = [
            Finding(each.code, f"The model of a judge: {each.message}", each.fix, "/suite") for each in error.findings
        ]
        return None, wrong
    except StudioError as error:
        return None, [Finding(error.code, f"The model of a judge: {error.what}", error.fix, "/suite")]


def document_of(suite: Suite) -> JsonObject:
    """How a suite is kept."""
    written = well_formed_json(suite.model_dump(mode="json", exclude_defaults=True))
    assert isinstance(written, dict)
    return written


def narrowed(row: TeamSuite, keys: Collection[str], name: str) -> TeamSuite:
    """A suite with these cases alone, under a name that says so."""
    cases = row.document.get("cases")
    known = [each for each in cases if isinstance(each, dict)] if isinstance(cases, list) else []
    kept = [raw for raw, case in zip(known, cases_of(row.document), strict=True) if case.key in keys]
    document = {**row.document, "cases": [*kept]}
    values = {**row.model_dump(), "document": document, "case_count": len(kept), "name": name}
    return TeamSuite.model_validate(values)


def _unreadable_tasks(cases: Sequence[Case]) -> Sequence[Finding]:
    found: list[Finding] = []
    for place, case in enumerate(cases):
        try:
            task_text(case.task)
        except ConfigError as error:
            found.append(Finding(error.code, f"Case {case.key}: {error.what}", error.fix, f"/cases/{place}/task"))
    return found


async def _version(
    store: Store, control: RunControl, team: Team, number: int, which: WhichVersion, where: str
) -> PlannedVersion | Sequence[Finding]:
    """The version if it may run now; else why not."""
    try:
        chosen = team if which in ("current", team.revision) else await store.teams.version(team.id, int(which))
        revision = chosen.number if isinstance(chosen, TeamVersion) else chosen.revision
        new = NewRun(chosen.component, "Check.", "Check.", team.id, chosen.name, team_revision=revision)
        prepared = await control.prepare(new)
    except NotApproved as error:
        fix = "Read what the team can do and approve it."
        return [Finding(error.code, f"Not approved yet: {each.text}", fix, where) for each in error.missing]
    except InvalidComponent as error:
        return [Finding(each.code, f"{each.message} ({each.where})", each.fix, where) for each in error.findings]
    except NotFound:
        return [Finding("no_version", f"The team has no version {which}.", "Choose one of its versions.", where)]
    except StudioError as error:
        return [Finding(error.code, error.what, error.fix, where)]
    return PlannedVersion(number, revision, prepared.new.team_name, prepared.new.component)


async def preview_plan(store: Store, checked: CheckedPlan) -> Preview:
    """What a plan would take, and how small a difference it would show. Takes some seconds where answers are reused."""
    plan, cases, cells = checked.plan, len(checked.suite.cases), len(checked.cells)
    past = await store.costs.past_runs(checked.row.team_id, limit=PAST_RUNS)
    is_priced = bool(past) and not any(each.unpriced_calls for each in past)
    of_one = fmean(each.micro_usd for each in past) if is_priced else None
    reuse = await _preview_reuse(store, checked) if plan.reuse_days is not None and checked.twins else None
    anew = cells - (reuse.recorded if reuse is not None else 0)
    known = 0 if reuse is None else reuse.micro_usd
    likely = None if known is None or (of_one is None and anew) else round(anew * (of_one or 0)) + known
    drop = detectable_drop(cases, plan.repeats)
    warnings, judged = await asyncio.to_thread(lambda: ([*checked.warnings], checked.judged))
    if checked.not_approved is not None:
        first, *others = checked.not_approved.missing
        more = f" And {len(others)} more." if others else ""
        warnings.append(f"The scorers are not approved yet: {first.text}{more}")
    amounts = (cells, cases, plan.micro_usd, plan.tokens, likely, len(past), drop)
    judges = await _judges_cost(store, checked.row.team_id, judged) if judged else 0
    return Preview(*amounts, reuse, judged, judges, warnings)


async def _judges_cost(store: Store, team_id: str, count: int) -> int | None:
    """What so many calls of judges cost, by those of earlier evaluations of the team."""
    past = await store.costs.past_runs(team_id, limit=PAST_RUNS, of_judges=True)
    if not past or any(each.unpriced_calls for each in past):
        return None
    return round(count * fmean(each.micro_usd for each in past))


async def _preview_reuse(store: Store, checked: CheckedPlan) -> ReusePreview:
    """Where each version parts from what is recorded."""
    components = {each.number: each.component for each in checked.versions}
    tasks = {case.key: case.task for case in checked.suite.cases}
    wanted = [
        ReusingCell(components[each.version], tasks[each.case_key], each.twin_run_id)
        for each in checked.cells
        if each.twin_run_id
    ]
    return await preview_reuse(store, wanted, datetime.now(UTC) - timedelta(days=checked.plan.reuse_days or 0))


async def begin_evaluation(
    store: Store, control: RunControl, suite_id: str, plan: EvaluationPlan, by: str
) -> Evaluation:
    """Freeze a plan, so that any server of the studio carries it out.

    Raises:
        NotFound: There is no such suite.
        InvalidPlan: With all that is wrong.
        SuiteNotApproved: A scorer asks for something that nobody allowed.
        Conflict: Too many evaluations are under way.
    """
    checked = await check_plan(store, control, suite_id, plan)
    if checked.not_approved is not None:
        raise checked.not_approved
    return await keep_evaluation(store, checked, by)


async def keep_evaluation(store: Store, checked: CheckedPlan, by: str, *, confirms_id: str | None = None) -> Evaluation:
    """Keep a plan that was checked, with all that it needs.

    Args:
        store: Keeps it.
        checked: The plan.
        by: Who starts it.
        confirms_id: The evaluation whose lost cases it runs again.

    Raises:
        NotFound: The suite or its team was deleted.
        Conflict: Too many evaluations are under way.
    """
    plan, row, new_id = checked.plan, checked.row, uuid4().hex
    new = Evaluation(
        id=new_id,
        suite_id=row.id,
        team_id=row.team_id,
        suite_revision=row.revision,
        suite_name=row.name,
        document=row.document,
        repeats=plan.repeats,
        at_once=plan.at_once,
        micro_usd=plan.micro_usd,
        tokens=plan.tokens,
        reuse_days=plan.reuse_days,
        confirms_id=confirms_id,
        only_tag=plan.tags.only,
        without_tag=plan.tags.without,
        stops_when_clear=plan.stops_when_clear,
        cell_count=len(checked.cells),
        state="running",
        by=by,
        created_at=datetime.now(UTC),
    )
    versions = [EvaluationVersion(evaluation_id=new_id, **each._asdict()) for each in checked.versions]
    await store.evaluations.add(new, versions, checked.cells)
    await store.notifications.notify(EVALUATIONS)
    return new


class VersionReuse(NamedTuple):
    """What the runs of a version took over. `whole` of them asked no model anew, `parted` ones did; `since` is when the
    oldest answer was drawn."""

    whole: int
    parted: int
    saved_micro_usd: int
    since: datetime


class ConfirmedCases(NamedTuple):
    """The evaluation that confirms what got worse, and what it says once it is finished."""

    row: Evaluation
    found: Confirmation | None


class EvaluationReport(NamedTuple):
    """An evaluation with what is known of it; `sentence` is "" before the plan is done."""

    row: Evaluation
    versions: Sequence[EvaluationVersion]
    result: EvaluationResult
    sentence: str
    micro_usd: int
    tokens: int
    cells: Sequence[CellRow]
    tasks: Mapping[str, str]
    """Of the cases, by their keys."""
    reuse: Mapping[int, VersionReuse]
    """By the numbers of versions that reuse answers."""
    confirmation: ConfirmedCases | None
    """None where nothing was confirmed."""
    confirms: bool
    """Whether it confirms another one that is still there."""
    preferences: Sequence[PreferenceResult] = ()
    """Which answers judges prefer; none before the plan is done."""
    comparing: int = 0
    """Pairs of answers that judges have compared so far, with each question."""


async def report_of(store: Store, evaluation_id: str, *, is_done: bool | None = None) -> EvaluationReport:
    """What is known of an evaluation now.

    Args:
        store: Keeps it.
        evaluation_id: Of the evaluation.
        is_done: Whether its plan was carried out, where the caller knows that before the evaluation says so.

    Raises:
        NotFound: There is no such evaluation.
    """
    row = await store.evaluations.get(evaluation_id)
    versions = (await store.evaluations.versions([evaluation_id]))[evaluation_id]
    cells = await store.evaluations.cells(evaluation_id)
    has_ended = row.state == "finished" if is_done is None else is_done

    def put_together() -> tuple[EvaluationResult, Mapping[str, str], Mapping[int, VersionReuse]]:
        tasks = {each.key: each.task for each in cases_of(row.document)}
        return _result_of(row, cells, is_done=has_ended), tasks, _reuse_in(cells)

    result, tasks, reuse = await asyncio.to_thread(put_together)
    confirmation = await _confirmation_of(store, row)
    confirms = row.confirms_id is not None and await store.evaluations.is_kept(row.confirms_id)
    if row.confirms_id is not None:
        sentence = confirmation_sentence(confirmation_in(result)) if has_ended else ""
    else:
        sentence = sentence_of(result, {each.number: f"version {each.revision}" for each in versions})
    if confirmation is not None and confirmation.found is not None:
        result = confirmed_result(result, confirmation.found)
        sentence = f"{sentence} {confirmation_sentence(confirmation.found)}"
    chosen = await store.preferences.list(row.id)
    preferences = await asyncio.to_thread(_preferences_in, row, cells, chosen) if has_ended else ()
    spent = (
        sum(each.micro_usd for each in (*cells, *chosen)),
        sum(each.used_tokens for each in cells) + sum(each.tokens for each in chosen),
    )
    more = (confirmation, confirms, preferences, len(chosen))
    return EvaluationReport(row, versions, result, sentence, *spent, cells, tasks, reuse, *more)


def _preferences_in(
    row: Evaluation, cells: Sequence[CellRow], chosen: Sequence[EvaluationPreference]
) -> Sequence[PreferenceResult]:
    """What judges prefer, by question."""
    asked = [Preference.model_validate(each) for each in _listed(row.document.get("prefer"))]
    cases = {each.position: each.case_key for each in cells}
    pairs = [
        PairChoice(each.key, cases[each.position], known_choice(each.in_first), known_choice(each.in_second))
        for each in chosen
        if each.position in cases
    ]
    return preferences_of(asked, pairs, _clusters(row))


def _listed(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()


def _clusters(row: Evaluation) -> Mapping[str, str]:
    """By case, what it shares with others."""
    return {each.key: each.cluster for each in cases_of(row.document) if each.cluster}


async def _confirmation_of(store: Store, row: Evaluation) -> ConfirmedCases | None:
    """What fresh runs say of an evaluation that has ended."""
    newest = await store.evaluations.confirmation(row.id) if row.state == "finished" else None
    if newest is None or newest.state != "finished":
        return newest and ConfirmedCases(newest, None)
    cells = await store.evaluations.cells(newest.id)
    result = await asyncio.to_thread(_result_of, newest, cells, is_done=True)
    return ConfirmedCases(newest, confirmation_in(result))


def _result_of(row: Evaluation, cells: Sequence[CellRow], *, is_done: bool) -> EvaluationResult:
    clusters = _clusters(row)
    found = [CellResult(each.version, each.case_key, _verdict(each.verdict)) for each in cells]
    return results_of(
        found, clusters, is_done=is_done, is_picked=row.confirms_id is not None, stops_when_clear=row.stops_when_clear
    )


def _reuse_in(cells: Sequence[CellRow]) -> Mapping[int, VersionReuse]:
    found: dict[int, list[CellRow]] = {}
    for cell in cells:
        if cell.reused_since is not None:
            found.setdefault(cell.version, []).append(cell)
    return {
        number: VersionReuse(
            whole=sum(not each.asked_count for each in reusing),
            parted=sum(each.asked_count > 0 for each in reusing),
            saved_micro_usd=sum(each.saved_micro_usd for each in reusing),
            since=min(each.reused_since for each in reusing if each.reused_since is not None),
        )
        for number, reusing in sorted(found.items())
    }


def reuse_sentences(report: EvaluationReport, names: Mapping[int, str]) -> Sequence[str]:
    """What is to be said of a result whose runs reuse answers.

    Args:
        report: The evaluation.
        names: What each version is called, such as `version 8`.
    """
    runs = {each.version: each.tally.runs for each in report.result.versions}
    sentences: list[str] = []
    for number, each in report.reuse.items():
        parted = f", {each.parted:,} in part" if each.parted else ""
        sentences.append(
            f"{each.whole:,} of {runs[number]:,} runs of {names[number]} reuse recorded answers throughout{parted}. "
            f"Answers are from {each.since:%Y-%m-%d} on."
        )
    if sentences:
        sentences.append(
            "Reused answers count in the difference, and add no evidence to that of the runs they are from."
        )
    return sentences


class ListedEvaluation(NamedTuple):
    """An evaluation as lists show it; `row.detail` is its sentence once it is finished."""

    row: Evaluation
    versions: Sequence[tuple[EvaluationVersion, Tally]]


async def list_evaluations(store: Store, *, suite_id: str = "", team_id: str = "") -> Sequence[ListedEvaluation]:
    """Those of a suite or of a team, the newest first."""
    rows = await store.evaluations.list(suite_id=suite_id, team_id=team_id)
    ids = [row.id for row in rows]
    versions, counts = await store.evaluations.versions(ids), await store.evaluations.counts(ids)

    def tally_of(each: EvaluationVersion) -> Tally:
        key = each.evaluation_id, each.number
        return Tally(*(counts.get((*key, verdict), 0) for verdict in ("pass", "fail", "unscored", "")))

    return [ListedEvaluation(row, [(each, tally_of(each)) for each in versions[row.id]]) for row in rows]


async def newest_results(store: Store, team_id: str, suite_id: str = "") -> Mapping[int, Evaluation]:
    """The newest evaluation that finished of each version of a team, by revision; those of fresh runs say no rate.

    Args:
        store: Keeps them.
        team_id: The team.
        suite_id: Only those of this suite; "" for any.
    """
    found_rows = await store.evaluations.list(team_id=team_id, suite_id=suite_id)
    rows = [row for row in found_rows if row.state == "finished"]
    versions = await store.evaluations.versions([row.id for row in rows])
    found: dict[int, Evaluation] = {}
    for row in rows:
        for each in versions[row.id]:
            if each.number == CANDIDATE and row.confirms_id is None:
                found.setdefault(each.revision, row)
    return found


def cases_of(document: JsonObject) -> Sequence[Case]:
    """The cases of a suite that was checked before it was kept, without its scorers."""
    cases = document.get("cases")
    known = [each for each in cases if isinstance(each, dict)] if isinstance(cases, list) else []
    return [Case.model_validate({**each, "scorers": []}) for each in known]


def _verdict(kept: str) -> Literal["pass", "fail", "unscored", ""]:
    return kept if kept in ("pass", "fail", "unscored") else ""
