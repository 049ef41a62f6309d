"""`studio eval run`: teams in files, evaluated by a suite in a file."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from studio.cli.approval_prompt import ask_approval, in_one_line, network_of
from studio.cli.evaluate import EXIT_CANNOT_TELL, EXIT_FAILED, EXIT_PASSED
from studio.cli.knowledge import stored_knowledge
from studio.cli.load_files import read_document
from studio.cli.secrets import has_studio, names_stored_secrets, stored_secrets
from studio.cli.terminal import terminal
from studio.code.conversion import Location
from studio.components import JsonObject
from studio.components.secrets import from_environment
from studio.errors import ConfigError, SetupError
from studio.evaluation.gates import GateOptions, GateResult
from studio.evaluation.github import summary, workflow_commands
from studio.evaluation.junit import junit_report
from studio.sandbox import own_folder
from studio.services.evaluations import MAX_REUSE_DAYS, EvaluationPlan
from studio.services.judges import names_connections
from studio.services.local_evaluation import (
    NAMES,
    LocalEvaluation,
    LocalResult,
    chosen_suite,
    evaluate_locally,
    lines_of,
)
from studio.services.local_files import read_bytes, read_suite_file
from studio.services.recorded_baselines import GZIP, RecordedBaseline, read_baseline
from studio.settings import Settings
from studio.store.tables import ModelConnection

EXIT_CODES = {"passed": EXIT_PASSED, "failed": EXIT_FAILED, "cannot_tell": EXIT_CANNOT_TELL}


@dataclass(frozen=True)
class EvaluatedFiles:
    """What to evaluate and how.

    Args:
        suite: File of the suite.
        team: File of the team.
        against: File of the team that it is compared with, or of its recorded runs; None for none.
        team_name: Label or name of the team where a file holds several.
        plan: How often and with which limits.
        gate: What decides the exit code, before the gate of the suite.
        approve: Whether all that the teams ask for is approved without a question.
        hosts: That their code may reach.
        keep: Folder of a new studio that keeps the runs; None where nothing is kept.
    """

    suite: Path
    team: Path
    against: Path | None
    team_name: str
    plan: EvaluationPlan
    gate: GateOptions
    approve: bool = False
    hosts: Sequence[str] = ()
    keep: Path | None = None


@dataclass(frozen=True)
class Reports:
    """Where what came of it is shown beside: a JUnit report, the runs as a baseline, and as GitHub Actions reads it."""

    junit: Path | None = None
    baseline: Path | None = None
    github: bool = False


def evaluate_files(settings: Settings, wanted: EvaluatedFiles, reports: Reports, *, as_json: bool) -> int:
    """Evaluate, print what came of it, and give back the exit code.

    Raises:
        SetupError: It cannot be carried out: a file cannot be read or written or has mistakes, or what the teams could
            do was not approved.
    """
    try:
        return _evaluate_files(settings, wanted, reports, as_json=as_json)
    except ConfigError as error:  # its usual exit code is that of a gate that fails
        raise SetupError(error.what, fix=error.fix, where=error.where) from error


def _evaluate_files(settings: Settings, wanted: EvaluatedFiles, reports: Reports, *, as_json: bool) -> int:
    suite, places = read_suite_file(wanted.suite)
    team = read_document(wanted.team, wanted.team_name)
    against = _against(wanted.against, wanted.team_name) if wanted.against else None
    connections = asyncio.run(_connections(settings)) if names_connections(suite) else ()
    suite = chosen_suite(suite, wanted.plan, 1 + (against is not None), connections)
    asked = LocalEvaluation(
        suite, team, against, _plan(wanted.plan, against), network_of([], ()), (), keep=wanted.keep,
        records=reports.baseline is not None,
    )  # fmt: skip
    for warning in asked.warnings:
        print(in_one_line(warning, is_prose=True), file=sys.stderr)
    asked = _approved(settings, wanted, asked)
    if wanted.keep is not None and wanted.keep.exists():
        raise SetupError(f"{str(wanted.keep)!r} exists already.", fix="Name a new folder.")
    for file in (reports.junit, reports.baseline):
        if file is not None:
            _check_writable(file)  # one that cannot be written is told before anything is paid
    found = asyncio.run(_evaluated(settings, asked))
    gate = found.gate(wanted.gate.over(suite.gate))
    if reports.junit is not None:
        junit = junit_report(suite.suite, found.report.result, gate, found.sentence, found.reasons)
        _write(reports.junit, junit.encode())
    if reports.baseline is not None and found.recording is not None:
        _write(reports.baseline, found.recording)
    if as_json:
        print(json.dumps(_as_json(found, gate), indent=2))
    else:
        for line in lines_of(found, gate):
            print(in_one_line(line, is_prose=True))
    if reports.github:
        _show_github(wanted.suite, suite.suite, found, gate, places)
    return EXIT_CODES[gate.outcome]


async def _evaluated(settings: Settings, asked: LocalEvaluation) -> LocalResult:
    async with stored_knowledge(settings, asked.needed):
        return await evaluate_locally(settings, asked)


async def _connections(settings: Settings) -> Sequence[ModelConnection]:
    """Those of the studio that these settings lead to."""
    if not has_studio(settings):
        return ()
    from studio.store import open_store

    async with open_store(settings.data_dir, settings.database_url) as store:
        return await store.connections.list()


def _against(file: Path, team_name: str) -> JsonObject | RecordedBaseline:
    content = read_bytes(file) if file.suffix == ".gz" else b""
    return read_baseline(content, file.name) if content.startswith(GZIP) else read_document(file, team_name)


def _plan(plan: EvaluationPlan, against: JsonObject | RecordedBaseline | None) -> EvaluationPlan:
    """Recorded answers are as old as the verdicts of the baseline, so they are reused whatever their age."""
    is_reusing = plan.reuse_days is not None and isinstance(against, RecordedBaseline)
    return replace(plan, reuse_days=MAX_REUSE_DAYS) if is_reusing else plan


def _approved(settings: Settings, wanted: EvaluatedFiles, asked: LocalEvaluation) -> LocalEvaluation:
    """With what the teams may do, as a person allows it at the terminal."""
    needed = asked.asks_for
    granted = network_of(needed, wanted.hosts)
    if needed and not wanted.approve:
        ask_approval(needed, terminal(sys.stderr), wanted.hosts, own_folder(settings, ""))
    stored = asyncio.run(stored_secrets(settings)) if names_stored_secrets(needed) else None
    return replace(asked, granted=granted, needed=needed, secrets=stored or from_environment)


def _show_github(file: Path, name: str, found: LocalResult, gate: GateResult, places: Mapping[str, Location]) -> None:
    """Print annotations, and add to the summary of the job that this is a step of."""
    root, folder = os.environ.get("GITHUB_WORKSPACE") or Path.cwd(), file.resolve().parent
    seen = {case: replace(place, file=os.path.relpath(folder / place.file, root)) for case, place in places.items()}
    result = found.report.result
    for line in workflow_commands(result, gate, found.reasons, seen):
        print(in_one_line(line, is_prose=True))
    if job := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(job).open("a", encoding="utf-8") as out:
                out.write(summary(result, gate, found.sentence, found.reasons, name))
        except OSError as error:
            raise _unwritable(Path(job), error) from error


def _check_writable(file: Path) -> None:
    try:
        file.touch()
    except OSError as error:
        raise _unwritable(file, error) from error


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise _unwritable(file, error) from error


def _unwritable(file: Path, error: OSError) -> SetupError:
    return SetupError(f"{str(file)!r} cannot be written: {error.strerror}.", fix="Choose another file.")


def _as_json(found: LocalResult, gate: GateResult) -> object:
    report, result = found.report, found.report.result
    return {
        "state": report.row.state,
        "gate": {"outcome": gate.outcome, "reasons": [*gate.reasons]},
        "sentence": found.sentence,
        "usd": report.micro_usd / 1e6,
        "tokens": report.tokens,
        "notes": [*found.notes()],
        "versions": [{**asdict(each), "version": NAMES[each.version]} for each in result.versions],
        "difference": asdict(result.difference) if result.difference else None,
        "cases": [
            {
                "case": each.case,
                "group": each.group,
                "versions": {NAMES[number]: asdict(tally) for number, tally in each.tallies.items()},
                "reasons": found.reasons.get(each.case, "").splitlines(),
            }
            for each in result.cases
        ],
    }
