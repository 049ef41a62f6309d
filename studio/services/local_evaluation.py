"""Evaluates teams of files or of a program in a small studio that exists for this alone."""

from __future__ import annotations

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from studio.components import Capability, JsonObject, all_capabilities
from studio.components.secrets import SecretSource, from_environment
from studio.errors import ConfigError
from studio.evaluation.gates import GATE_WORDS, Gate, GateResult, apply_gate
from studio.evaluation.preferences import preference_sentences
from studio.evaluation.results import BASELINE, CANDIDATE, sentence_of
from studio.evaluation.suites import Suite
from studio.models.prices import PriceBook
from studio.runs import BudgetRegistry, NewRun, NotApproved, RunControl, RunSupervisor, SpendingScope, spending_scope
from studio.runs.admission import load_team
from studio.sandbox import open_sandbox, outside_of
from studio.sandbox.grants import Grants
from studio.services.amounts import money
from studio.services.code_scores import code_capabilities
from studio.services.evaluation_runs import EvaluationRuns
from studio.services.evaluations import (
    MAX_CELLS,
    CheckedPlan,
    EvaluationPlan,
    EvaluationReport,
    InvalidPlan,
    PlannedVersion,
    document_of,
    keep_evaluation,
    report_of,
    reuse_sentences,
)
from studio.services.judges import check_judges, judge_component, own_judges, with_models
from studio.services.recorded_baselines import RecordedBaseline, keep_recorded, record_baseline
from studio.settings import Settings
from studio.store import Store, open_store
from studio.store.tables import ModelConnection

LOOK_S = 0.05
OPERATOR = "command line"
NAMES: Mapping[int, str] = {CANDIDATE: "the team", BASELINE: "the baseline"}
MARKS: Mapping[str, str] = {"pass": ".", "fail": "F", "unscored": "?", "": "-"}


@dataclass(frozen=True)
class LocalEvaluation:
    """What to evaluate and how.

    Args:
        suite: Its cases and scorers.
        team: The team in question.
        against: What it is compared with: a team, the recorded runs of one, or None for nothing.
        plan: How often and with which limits.
        granted: What the teams may do.
        needed: All that they ask for.
        secrets: Where their keys are.
        keep: Folder of a new studio that keeps the runs; None where nothing is kept.
        records: Whether the runs of the team become a baseline.
    """

    suite: Suite
    team: JsonObject
    against: JsonObject | RecordedBaseline | None
    plan: EvaluationPlan
    granted: Grants
    needed: Collection[Capability]
    secrets: SecretSource = from_environment
    keep: Path | None = None
    records: bool = False

    @property
    def asks_for(self) -> Sequence[Capability]:
        """All that the teams and the suite could do."""
        teams = [each for team in self.teams.values() for each in all_capabilities(load_team(team))]
        judges = judge_component(self.suite)
        judging = all_capabilities(load_team(judges)) if judges is not None else ()
        return [*{each.hash: each for each in (*teams, *code_capabilities(self.suite), *judging)}.values()]

    @property
    def warnings(self) -> Sequence[str]:
        """What a person should know before it begins."""
        return own_judges(self.suite, self.teams.values())

    @property
    def recorded(self) -> RecordedBaseline | None:
        return self.against if isinstance(self.against, RecordedBaseline) else None

    @property
    def teams(self) -> Mapping[int, JsonObject]:
        """By their numbers in the evaluation."""
        if self.against is None:
            return {CANDIDATE: self.team}
        against = self.against.component if isinstance(self.against, RecordedBaseline) else self.against
        return {CANDIDATE: self.team, BASELINE: against}


class LocalResult(NamedTuple):
    """What came of it. `reasons` says by case why runs did not pass; `recording` is the file of a new baseline."""

    report: EvaluationReport
    reasons: Mapping[str, str]
    recorded_at: datetime | None
    recording: bytes | None
    warnings: Sequence[str] = ()

    @property
    def sentence(self) -> str:
        """The result in words; "" where the plan was not carried out."""
        return sentence_of(self.report.result, NAMES)

    def gate(self, gate: Gate) -> GateResult:
        return apply_gate(gate, self.report.result)

    def notes(self) -> Iterator[str]:
        """What is to be said beside the result."""
        yield from self.warnings
        if self.recorded_at is not None:
            yield f"The baseline was recorded on {self.recorded_at:%Y-%m-%d}."
        yield from reuse_sentences(self.report, NAMES)
        yield from preference_sentences(self.report.preferences, NAMES)


def chosen_suite(
    suite: Suite, plan: EvaluationPlan, versions: int, connections: Sequence[ModelConnection] = ()
) -> Suite:
    """The cases that a plan is about, with the models of their judges.

    Args:
        suite: The whole suite.
        plan: Chooses the cases.
        versions: How many versions run them.
        connections: Those that judges may name.

    Raises:
        ConfigError: The plan has no runs, or too many, or a judge has no model.
    """
    if findings := [*plan.tags.findings(suite.cases)]:
        raise InvalidPlan(findings)
    suite, missing = with_models(suite.with_tags(plan.tags), connections)
    if missing:
        raise InvalidPlan(missing)
    count = len(suite.cases) * plan.repeats * versions
    if not 0 < count <= MAX_CELLS:
        raise ConfigError(
            f"The plan has {count:,} runs; an evaluation has 1 to {MAX_CELLS:,}.",
            fix="Choose fewer repeats, or split the suite." if count else "Add a case.",
        )
    return suite


async def evaluate_locally(settings: Settings, wanted: LocalEvaluation) -> LocalResult:
    """Carry out an evaluation, which leaves no trace but what it was asked to keep.

    Raises:
        ConfigError: The plan cannot be carried out.
        NotApproved: The suite or a team asks for something that was not approved.
        SetupError: The studio cannot be set up.
    """
    if missing := [each for each in code_capabilities(wanted.suite) if each.hash not in wanted.granted.approved]:
        raise NotApproved(missing)
    async with AsyncExitStack() as stack:
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="studio-eval-"))
        store = await stack.enter_async_context(open_store(wanted.keep or Path(temporary) / "data"))
        books = SpendingScope(PriceBook(), BudgetRegistry(store.costs))
        stack.enter_context(spending_scope(books))
        await stack.enter_async_context(open_sandbox(settings.sandbox, outside_of(settings)))
        approved = _Approved(wanted.granted)
        supervisor = RunSupervisor(
            store.runs, approved, _Secrets(wanted.secrets), store.settings, files=store.run_files
        )
        await stack.enter_async_context(supervisor)
        checked = await _checked(store, supervisor, wanted)
        if (refused := await check_judges(supervisor, checked.row.team_id, wanted.suite)) is not None:
            raise NotApproved(refused.missing)
        evaluation_id = (await keep_evaluation(store, checked, OPERATOR)).id
        runs = EvaluationRuns(store, supervisor, books, approved)
        while (await store.evaluations.progress(evaluation_id)).ended_at is None:
            if not await runs.advance(evaluation_id, datetime.now(UTC)):
                await asyncio.sleep(LOOK_S)
        report = await report_of(store, evaluation_id)
        recording = None
        if wanted.records and report.result.is_done:
            known = {each.detail: wanted.secrets(each.detail) for each in wanted.needed if each.kind == "secret"}
            found = {name: value for name, value in known.items() if value}
            recording = await record_baseline(store, report, checked.versions[0].component, found)
    recorded_at = wanted.recorded.recorded_at if wanted.recorded else None
    return LocalResult(report, _reasons_in(report), recorded_at, recording, wanted.warnings)


def _reasons_in(report: EvaluationReport) -> Mapping[str, str]:
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for cell in report.cells:
        if cell.detail:
            reasons[cell.case_key].append(f"{NAMES[cell.version]}, run {cell.epoch}: {cell.detail}")
    return {case: "\n".join(found) for case, found in reasons.items()}


async def _checked(store: Store, control: RunControl, wanted: LocalEvaluation) -> CheckedPlan:
    """The plan, with the team, the suite and the recorded runs in the studio of this evaluation."""
    suite, teams = wanted.suite, wanted.teams
    team = await store.teams.create(teams[CANDIDATE])
    row = await store.suites.add(team.id, suite.suite, document_of(suite), len(suite.cases), OPERATOR)
    versions: list[PlannedVersion] = []
    for number, component in teams.items():
        prepared = await control.prepare(NewRun(component, "Check.", "Check.", team.id))
        revision = len(teams) + 1 - number  # the baseline is the older one
        versions.append(PlannedVersion(number, revision, prepared.new.team_name, prepared.new.component))
    kept: Mapping[tuple[str, int], str] = {}
    if wanted.recorded is not None:
        kept = await keep_recorded(store, wanted.recorded, team.id, suite.cases, wanted.plan.repeats)
    return CheckedPlan(wanted.plan, row, suite, versions, recorded={(BASELINE, *key): kept[key] for key in kept})


@dataclass(frozen=True)
class _Approved:
    """What was approved beforehand."""

    granted: Grants

    async def active_for(self, hashes: Collection[str], *, team_id: str = "") -> Mapping[str, Sequence[str]]:
        del team_id
        return {each: self.granted.hosts_for(each) for each in hashes if each in self.granted.approved}


@dataclass(frozen=True)
class _Secrets:
    """Those of the environment, and of the studio of these settings where there is one."""

    found: SecretSource

    async def source(self) -> SecretSource:
        return self.found


def lines_of(found: LocalResult, gate: GateResult) -> Iterator[str]:
    """What came of an evaluation, for people."""
    report, marks = found.report, defaultdict[tuple[str, int], list[str]](list)
    for cell in report.cells:
        marks[cell.case_key, cell.version].append(MARKS[cell.verdict])
    for case in report.result.cases:
        shown = ", ".join(f"{NAMES[number]} {''.join(marks[case.case, number])}" for number in case.tallies)
        yield f"{case.group or 'open':<9} {case.case}  ({shown})"
        if case.group not in ("passed", "same"):
            yield from (f"    {line}" for line in found.reasons.get(case.case, "").splitlines()[:1])
    yield f"{money(report.micro_usd)}, {report.tokens:,} tokens."
    yield found.sentence or f"No result: {report.row.detail}"
    yield from found.notes()
    yield " ".join([GATE_WORDS[gate.outcome], *gate.reasons])
