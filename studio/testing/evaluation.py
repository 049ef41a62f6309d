"""Evaluates a team in a test."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from studio.components import JsonObject
from studio.evaluation.gates import GateOptions
from studio.evaluation.suites import ChosenTags
from studio.sandbox.grants import Grants
from studio.services.evaluations import MAX_REUSE_DAYS, EvaluationPlan
from studio.services.local_evaluation import LocalEvaluation, LocalResult, chosen_suite, evaluate_locally, lines_of
from studio.services.local_files import read_bytes, read_suite_file
from studio.services.recorded_baselines import GZIP, RecordedBaseline, read_baseline
from studio.settings import Settings
from studio.teams import Team
from studio.testing.playback import FilePath, team_document


class GateNotPassed(AssertionError):
    """The team is not good enough, or that cannot be told; `result` is what came of the evaluation."""

    def __init__(self, text: str, result: LocalResult) -> None:
        super().__init__(text)
        self.result = result


def evaluate_team(
    suite: FilePath,
    *,
    team: FilePath | Team,
    against: FilePath | Team | None = None,
    repeats: int = 3,
    usd: float | None = None,
    tokens: int | None = None,
    at_least: float | None = None,
    only: str = "",
    without: str = "",
    approve: bool = False,
) -> LocalResult:
    """Run each case of a suite several times with a team, and score the runs. Models are asked, which may cost.

    What a baseline was answered to the same requests is reused. Call it outside of a running event loop.

    Args:
        suite: File of the suite.
        team: The team: a file with its JSON or YAML, or the team itself.
        against: What it is compared with: the same, or a file that `studio eval run --save-baseline` wrote.
        repeats: Runs of each case.
        usd: Most that all runs together may cost.
        tokens: Most tokens that all runs together may take.
        at_least: Percent that the lower end of the pass rate must reach; as the gate of the suite says if left out.
        only: Only cases with this tag.
        without: Only cases without this tag.
        approve: Whether all that the teams ask for is allowed.

    Returns:
        The result, for checks of your own.

    Raises:
        GateNotPassed: The team is proved worse than the baseline, or its pass rate may be too low. Without both, a run
            did not pass. Or this cannot be told.
        InvalidSuite: The suite has mistakes.
        NotApproved: A team or the suite asks for something, and `approve` is not set.
        ConfigError: A file cannot be read, or the plan cannot be carried out.
    """
    found_suite = read_suite_file(Path(suite)).suite
    other = None if against is None else _against(against)
    micro_usd = None if usd is None else round(usd * 1_000_000)
    reuse_days = MAX_REUSE_DAYS if other is not None else None
    plan = EvaluationPlan(
        repeats=repeats, micro_usd=micro_usd, tokens=tokens, reuse_days=reuse_days, tags=ChosenTags(only, without)
    )
    found_suite = chosen_suite(found_suite, plan, 1 + (other is not None))
    asked = LocalEvaluation(found_suite, _document(team), other, plan, Grants(), ())
    if approve:
        needed = asked.asks_for
        granted = Grants(approved=frozenset(each.hash for each in needed))
        asked = replace(asked, granted=granted, needed=needed)
    found = asyncio.run(evaluate_locally(Settings.from_env(), asked))
    gate = found.gate(GateOptions(at_least=at_least).over(found_suite.gate))
    if gate.outcome != "passed":
        raise GateNotPassed("\n".join(lines_of(found, gate)), found)
    return found


def _document(team: FilePath | Team) -> JsonObject:
    return team.dump_component() if isinstance(team, Team) else team_document(team)


def _against(against: FilePath | Team) -> JsonObject | RecordedBaseline:
    if not isinstance(against, Team) and os.fspath(against).endswith(".gz"):
        content = read_bytes(Path(against))
        if content.startswith(GZIP):
            return read_baseline(content, Path(against).name)
    return _document(against)
