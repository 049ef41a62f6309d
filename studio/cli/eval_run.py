"""`studio eval run`: teams in files, evaluated by a suite in a file, in a studio that exists for this alone."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from studio.cli.approval_prompt import ask_approval, in_one_line, network_of
from studio.cli.evaluate import EXIT_CANNOT_TELL, EXIT_FAILED, EXIT_PASSED, read_suite_file
from studio.cli.knowledge import stored_knowledge
from studio.cli.load_files import read_document
from studio.cli.secrets import names_stored_secrets, stored_secrets
from studio.cli.terminal import terminal
from studio.components import Capability, JsonObject, all_capabilities
from studio.components.readable_json import well_formed_json
from studio.components.secrets import SecretSource, from_environment
from studio.errors import ConfigError, SetupError
from studio.evaluation.gates import Gate, GateResult, apply_gate
from studio.evaluation.junit import junit_report
from studio.evaluation.results import BASELINE, CANDIDATE, sentence_of
from studio.evaluation.suites import Suite
from studio.models.prices import PriceBook
from studio.runs import BudgetRegistry, NewRun, RunControl, RunSupervisor, SpendingScope, spending_scope
from studio.runs.admission import load_team
from studio.sandbox import open_sandbox, outside_of, own_folder
from studio.sandbox.grants import Grants
from studio.services.amounts import money
from studio.services.evaluation_runs import EvaluationRuns
from studio.services.evaluations import (
    MAX_CELLS,
    CheckedPlan,
    EvaluationPlan,
    EvaluationReport,
    PlannedVersion,
    keep_evaluation,
    report_of,
    reuse_sentences,
)
from studio.settings import Settings
from studio.store import Store, open_store

LOOK_S = 0.05
OPERATOR = "command line"
NAMES: Mapping[int, str] = {CANDIDATE: "the team", BASELINE: "the baseline"}
MARKS: Mapping[str, str] = {"pass": ".", "fail": "F", "unscored": "?", "": "-"}
EXIT_CODES = {"passed": EXIT_PASSED, "failed": EXIT_FAILED, "cannot_tell": EXIT_CANNOT_TELL}


@dataclass(frozen=True)
class LocalEvaluation:
    """What to evaluate and how.

    Args:
        suite: File of the suite.
        team: File of the team.
        against: File of the team that it is compared with; None for none.
        team_name: Label or name of the team where a file holds several.
        plan: How often and with which limits.
        gate: What decides the exit code.
        approve: Whether all that the teams ask for is approved without a question.
        hosts: That their code may reach.
        keep: Folder of a new studio that keeps the runs; None where nothing is kept.
    """

    suite: Path
    team: Path
    against: Path | None
    team_name: str
    plan: EvaluationPlan
    gate: Gate
    approve: bool = False
    hosts: Sequence[str] = ()
    keep: Path | None = None


def evaluate_files(settings: Settings, wanted: LocalEvaluation, *, junit: Path | None, as_json: bool) -> int:
    """Evaluate, print what came of it, and give back the exit code.

    Raises:
        InvalidSuite: The suite has mistakes.
        InvalidComponent: A team does not load.
        ConfigError: The plan cannot be carried out.
        SetupError: A file cannot be read or written, or what the teams could do was not approved.
    """
    suite = read_suite_file(wanted.suite)
    files = {CANDIDATE: wanted.team, **({BASELINE: wanted.against} if wanted.against else {})}
    teams = {number: read_document(file, wanted.team_name) for number, file in files.items()}
    _check_size(suite, wanted.plan, len(teams))
    needed = {each.hash: each for team in teams.values() for each in all_capabilities(load_team(team))}
    granted = network_of([*needed.values()], wanted.hosts)
    if needed and not wanted.approve:
        ask_approval([*needed.values()], terminal(sys.stderr), wanted.hosts, own_folder(settings, ""))
    if wanted.keep is not None and wanted.keep.exists():
        raise SetupError(f"{str(wanted.keep)!r} exists already.", fix="Name a new folder.")
    if junit is not None:
        _write(junit, "")  # one that cannot be written is told before anything is paid
    with tempfile.TemporaryDirectory(prefix="studio-eval-") as folder:
        evaluated = _evaluate(settings, wanted, suite, teams, needed, granted, wanted.keep or Path(folder) / "data")
        report, reasons = asyncio.run(evaluated)
    gate = apply_gate(wanted.gate, report.result)
    sentence = sentence_of(report.result, NAMES)
    if junit is not None:
        _write(junit, junit_report(suite.suite, report.result, gate, sentence, reasons))
    if as_json:
        print(json.dumps(_as_json(report, gate, sentence, reasons), indent=2))
    else:
        for line in _lines(report, gate, sentence, reasons):
            print(in_one_line(line, is_prose=True))
    return EXIT_CODES[gate.outcome]


def _check_size(suite: Suite, plan: EvaluationPlan, versions: int) -> None:
    count = len(suite.cases) * plan.repeats * versions
    if not 0 < count <= MAX_CELLS:
        raise ConfigError(
            f"The plan has {count:,} runs; an evaluation has 1 to {MAX_CELLS:,}.",
            fix="Choose fewer repeats, or split the suite." if count else "Add a case.",
        )


@dataclass(frozen=True)
class _Approved:
    """What was approved at the terminal."""

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


async def _evaluate(
    settings: Settings,
    wanted: LocalEvaluation,
    suite: Suite,
    teams: Mapping[int, JsonObject],
    needed: Mapping[str, Capability],
    granted: Grants,
    folder: Path,
) -> tuple[EvaluationReport, Mapping[str, str]]:
    """The result, and by case why runs did not pass."""
    stored = await stored_secrets(settings) if names_stored_secrets(needed.values()) else None
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(folder))
        await stack.enter_async_context(stored_knowledge(settings, needed.values()))
        books = SpendingScope(PriceBook(), BudgetRegistry(store.costs))
        stack.enter_context(spending_scope(books))
        await stack.enter_async_context(open_sandbox(settings.sandbox, outside_of(settings)))
        supervisor = RunSupervisor(
            store.runs, _Approved(granted), _Secrets(stored or from_environment), store.settings, files=store.run_files
        )
        await stack.enter_async_context(supervisor)
        checked = await _checked(store, supervisor, suite, teams, wanted.plan)
        evaluation_id = (await keep_evaluation(store, checked, OPERATOR)).id
        runs = EvaluationRuns(store, supervisor, books)
        while (await store.evaluations.get(evaluation_id)).ended_at is None:
            if not await runs.advance(evaluation_id, datetime.now(UTC)):
                await asyncio.sleep(LOOK_S)
        report = await report_of(store, evaluation_id)
    reasons: dict[str, list[str]] = {}
    for cell in report.cells:
        if cell.detail:
            reasons.setdefault(cell.case_key, []).append(f"{NAMES[cell.version]}, run {cell.epoch}: {cell.detail}")
    return report, {case: "\n".join(found) for case, found in reasons.items()}


async def _checked(
    store: Store, control: RunControl, suite: Suite, teams: Mapping[int, JsonObject], plan: EvaluationPlan
) -> CheckedPlan:
    """The plan, with the team and the suite in the studio of this evaluation."""
    team = await store.teams.create(teams[CANDIDATE])
    document = well_formed_json(suite.model_dump(mode="json", exclude_defaults=True))
    assert isinstance(document, dict)
    row = await store.suites.add(team.id, suite.suite, document, len(suite.cases), OPERATOR)
    versions: list[PlannedVersion] = []
    for number, component in teams.items():
        prepared = await control.prepare(NewRun(component, "Check.", "Check.", team.id))
        revision = len(teams) + 1 - number  # the baseline is the older one
        versions.append(PlannedVersion(number, revision, prepared.new.team_name, prepared.new.component))
    return CheckedPlan(plan, row, suite, versions)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{str(file)!r} cannot be written: {error.strerror}.", fix="Choose another file.") from error


def _lines(report: EvaluationReport, gate: GateResult, sentence: str, reasons: Mapping[str, str]) -> Iterator[str]:
    marks: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for cell in report.cells:
        marks[cell.case_key, cell.version].append(MARKS[cell.verdict])
    for case in report.result.cases:
        shown = ", ".join(f"{NAMES[number]} {''.join(marks[case.case, number])}" for number in case.tallies)
        yield f"{case.group or 'open':<9} {case.case}  ({shown})"
        if case.group not in ("passed", "same"):
            yield from (f"    {line}" for line in reasons.get(case.case, "").splitlines()[:1])
    yield f"{money(report.micro_usd)}, {report.tokens:,} tokens."
    yield sentence or f"No result: {report.row.detail}"
    yield from reuse_sentences(report, NAMES)
    words = {"passed": "Gate passed.", "failed": "Gate failed.", "cannot_tell": "The gate cannot tell."}
    yield " ".join([words[gate.outcome], *gate.reasons])


def _as_json(report: EvaluationReport, gate: GateResult, sentence: str, reasons: Mapping[str, str]) -> object:
    result = report.result
    return {
        "state": report.row.state,
        "gate": {"outcome": gate.outcome, "reasons": [*gate.reasons]},
        "sentence": sentence,
        "usd": report.micro_usd / 1e6,
        "tokens": report.tokens,
        "reused": [*reuse_sentences(report, NAMES)],
        "versions": [{**asdict(each), "version": NAMES[each.version]} for each in result.versions],
        "difference": asdict(result.difference) if result.difference else None,
        "cases": [
            {
                "case": each.case,
                "group": each.group,
                "versions": {NAMES[number]: asdict(tally) for number, tally in each.tallies.items()},
                "reasons": reasons.get(each.case, "").splitlines(),
            }
            for each in result.cases
        ],
    }
