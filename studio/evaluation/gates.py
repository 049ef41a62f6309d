"""Whether the result of an evaluation lets a change through, for continuous integration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from studio.evaluation.results import CANDIDATE, MAX_UNSCORED, EvaluationResult, Group, percent

GateOutcome = Literal["passed", "failed", "cannot_tell"]
WorseRule = Literal["proved", "ignore"]


GATE_WORDS: Mapping[GateOutcome, str] = {
    "passed": "Gate passed.",
    "failed": "Gate failed.",
    "cannot_tell": "The gate cannot tell.",
}


@dataclass(frozen=True)
class Gate:
    """What a version must fulfil.

    Args:
        worse: `proved`: with a baseline, fail where the whole interval of the difference lies below 0.
        at_least: The pass rate that the lower end of the version's interval must reach, from 0 to 1; None for any.
        unscored: The share of runs that may be unscored. With more, nothing can be told.
    """

    worse: WorseRule = "proved"
    at_least: float | None = None
    unscored: float = MAX_UNSCORED


@dataclass(frozen=True)
class GateResult:
    """What the gate says, and why in sentences. `groups` are those of the cases that it fails for."""

    outcome: GateOutcome
    reasons: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()


def apply_gate(gate: Gate, result: EvaluationResult) -> GateResult:
    """Hold a result against a gate. What is known to be wrong goes before what cannot be told.

    Without a baseline and without `at_least`, each run must pass.
    """
    has_baseline = len(result.versions) > 1
    wrong: list[str] = []
    groups: tuple[Group, ...] = ()
    is_worse = result.difference is not None and result.difference.comparison == "worse"
    if is_worse and gate.worse == "proved":
        wrong.append("The team is worse than the baseline.")
        groups = ("worse",)
    if result.is_done and gate.at_least is not None:
        rate = next(each.rate for each in result.versions if each.version == CANDIDATE)
        if rate is not None and rate.interval.low < gate.at_least:
            low, least = percent(rate.interval.low), percent(gate.at_least)
            wrong.append(f"The pass rate may be as low as {low} %; at least {least} % is needed.")
            groups = (*groups, "failed", "flaky")
    is_strict = not has_baseline and gate.at_least is None
    if is_strict and (failed := result.tally.failed):
        wrong.append("1 run failed." if failed == 1 else f"{failed} runs failed.")
        groups = ("failed", "flaky")
    if wrong:
        return GateResult("failed", tuple(wrong), groups)
    unknown = [*_unknown(gate, result, is_strict=is_strict)]
    return GateResult("cannot_tell" if unknown else "passed", tuple(unknown))


def _unknown(gate: Gate, result: EvaluationResult, *, is_strict: bool) -> list[str]:
    """Why nothing can be told."""
    if not result.is_done:
        return ["The evaluation did not come to its end."]
    found = [
        f"{each.tally.unscored} of {each.tally.runs} runs are unscored; up to {percent(allowed)} % may be."
        for each in result.versions
        for allowed in (0.0 if is_strict else gate.unscored,)
        if each.tally.unscored > allowed * each.tally.runs
    ]
    if gate.at_least is not None and any(each.version == CANDIDATE and each.rate is None for each in result.versions):
        found.append("No run was scored.")
    return found
