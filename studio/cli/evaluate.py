"""`studio eval`: check suites, and score runs that exist already."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from studio.cli.approval_prompt import in_one_line
from studio.components import JsonObject
from studio.evaluation.suite_file import InvalidSuite
from studio.evaluation.suites import Suite, suite_schema
from studio.services.local_files import read_bytes, read_suite_file
from studio.services.past_runs import (
    PastRun,
    PastScore,
    bundled_run,
    score_past_runs,
    stored_run,
    verdict_counts,
)
from studio.settings import Settings
from studio.store import open_store

EXIT_PASSED, EXIT_FAILED, EXIT_CANNOT_TELL = 0, 1, 2
MAX_TASK_SHOWN = 60


def check_suites(files: Sequence[Path], *, as_json: bool) -> bool:
    """Print what is in each suite or all that is wrong with it, and tell whether nothing is wrong in any.

    Raises:
        SetupError: A file cannot be read.
    """
    found = {str(file): _suite_or_error(file) for file in files}
    if as_json:
        print(json.dumps([{"file": file, **_as_json(each)} for file, each in found.items()], indent=2))
    else:
        for file, each in found.items():
            _print_lines(_lines(file, each))
    return all(isinstance(each, Suite) for each in found.values())


def print_schema() -> None:
    """Print the JSON schema of suite files."""
    print(json.dumps(suite_schema(), indent=2))


def score_runs(settings: Settings, file: Path, runs: Sequence[str], case: str, *, as_json: bool) -> int:
    """Score stored or shared runs by a suite, print what came of it, and give back the exit code.

    Raises:
        InvalidSuite: The suite has mistakes.
        NotFound: There is no such run or case.
        SetupError: A file cannot be read.
    """
    suite = read_suite_file(file).suite
    scores = score_past_runs(suite, _past_runs(settings, runs), case)
    counts = verdict_counts(scores)
    if as_json:
        scored: JsonObject = {"suite": suite.suite, "counts": {**counts}, "runs": [each.as_json() for each in scores]}
        print(json.dumps(scored, indent=2))
    else:
        _print_lines(_score_lines(scores))
    if counts["fail"]:
        return EXIT_FAILED
    return EXIT_PASSED if counts["pass"] == len(scores) else EXIT_CANNOT_TELL


def _past_runs(settings: Settings, runs: Sequence[str]) -> list[PastRun]:
    """Each run by its ID, or from the file of this name."""
    files = {run: bundled_run(read_bytes(Path(run))) for run in runs if Path(run).is_file()}
    wanted = [run for run in runs if run not in files]
    stored = asyncio.run(_stored_runs(settings, wanted)) if wanted else []
    by_name = {**files, **dict(zip(wanted, stored, strict=True))}
    return [by_name[run] for run in runs]


async def _stored_runs(settings: Settings, runs: Sequence[str]) -> list[PastRun]:
    async with open_store(settings.data_dir, settings.database_url) as store:
        return [await stored_run(store, run) for run in runs]


def _suite_or_error(file: Path) -> Suite | InvalidSuite:
    try:
        return read_suite_file(file).suite
    except InvalidSuite as error:
        return error


def _as_json(found: Suite | InvalidSuite) -> JsonObject:
    if isinstance(found, InvalidSuite):
        return {"ok": False, "findings": [each.as_json() for each in found.placed]}
    return {
        "ok": True,
        "suite": found.suite,
        "cases": [{"id": case.key, "scorers": [each.name for each in found.scorers_of(case)]} for case in found.cases],
    }


def _lines(file: str, found: Suite | InvalidSuite) -> Iterator[str]:
    if isinstance(found, Suite):
        yield f"{file}: {len(found.cases)} cases of “{found.suite}”"
        for case in found.cases:
            yield f"  {case.key:<14} {_short(case.task)}  ({', '.join(each.name for each in found.scorers_of(case))})"
        return
    yield f"{file}: {len(found.placed)} mistake{'s' * (len(found.placed) > 1)}"
    for each in found.placed:
        yield f"  {each.place}: {each.finding.message}"
        if each.finding.fix:
            yield f"      {each.finding.fix}"


def _score_lines(scores: Sequence[PastScore]) -> Iterator[str]:
    for each in scores:
        if each.score is None:
            yield f"{'no case':<9} {each.run.id}  {_short(each.run.task)}"
            continue
        yield f"{each.score.verdict:<9} {each.run.id}  {each.score.case}"
        for scored in each.score.scores:
            if scored.score.verdict != "pass":
                invariant = "invariant " if scored.is_invariant else ""
                yield f"    {scored.score.verdict}: {invariant}{scored.scorer}: {scored.score.reason}"
    counts = verdict_counts(scores)
    yield f"{counts['pass']} passed, {counts['fail']} failed, {counts['unscored']} unscored of {len(scores)} runs."
    yield "The runs were chosen, so this does not give a pass rate of the team."


def _print_lines(lines: Iterator[str]) -> None:
    for line in lines:
        print(in_one_line(line, is_prose=True))


def _short(text: str) -> str:
    line = " ".join(text[: 4 * MAX_TASK_SHOWN].split())
    return line if len(line) <= MAX_TASK_SHOWN else line[: MAX_TASK_SHOWN - 1] + "…"
