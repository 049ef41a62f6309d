"""Whether the result of an evaluation lets a change through: in continuous integration, and before a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from studio.components.deferred_model import DeferredModel
from studio.evaluation.results import (
    BASELINE,
    CANDIDATE,
    MAX_UNSCORED,
    EvaluationResult,
    Group,
    percent,
)

GateOutcome = Literal["passed", "failed", "cannot_tell"]
WorseRule = Literal["proved", "ignore"]
BrokenRule = Literal["confirmed", "ignore"]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
LOST_ALL = 1 - 1e-9
"""How much of its pass rate a case must lose in its fresh runs to be called broken: all of it. To lose three of five,
as a confirmed case does, would fail 16 % of builds of 100 flaky cases in which nothing changed."""


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
        broken: `confirmed`: with fresh runs, fail where a case that always passed never does any more.
    """

    worse: WorseRule = "proved"
    at_least: float | None = None
    unscored: float = MAX_UNSCORED
    broken: BrokenRule = "confirmed"


class SuiteGate(DeferredModel):
    """The gate of a suite, as its file has it; shares are percent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    worse: Annotated[
        WorseRule, Field(description="`proved` fails a version that is proved worse; `ignore` does not.")
    ] = "proved"
    broken: Annotated[
        BrokenRule,
        Field(description="`confirmed` fails where all fresh runs of a case are lost; `ignore` does not."),
    ] = "confirmed"
    at_least: Annotated[
        Percent | None, Field(description="Percent that the lower end of the pass rate must reach.")
    ] = None
    unscored: Annotated[Percent, Field(description="Percent of runs that may be unscored.")] = 100 * MAX_UNSCORED
    releases: Annotated[
        bool, Field(description="Whether a release goes live only if an evaluation of its version passes.")
    ] = False

    @property
    def gate(self) -> Gate:
        least = None if self.at_least is None else self.at_least / 100
        return Gate(self.worse, least, self.unscored / 100, self.broken)


@dataclass(frozen=True)
class GateOptions:
    """What goes before the gate of a suite, as `SuiteGate`; None leaves it to the suite."""

    worse: WorseRule | None = None
    at_least: float | None = None
    unscored: float | None = None

    def over(self, of_suite: SuiteGate | None) -> Gate:
        """The gate that decides."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        return (of_suite or SuiteGate()).model_copy(update=given).gate


@dataclass(frozen=True)
class GateResult:
    """What the gate says, and why in sentences. `groups` are those of the cases that it fails for."""

    outcome: GateOutcome
    reasons: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()


def broken_cases(fresh: EvaluationResult) -> Sequence[str]:
    """The cases whose fresh runs all passed with the baseline, and all failed with the version."""
    found: list[str] = []
    for each in fresh.cases:
        after, before = (each.tallies[number].rate for number in (CANDIDATE, BASELINE))
        if after is not None and before is not None and before - after >= LOST_ALL:
            found.append(each.case)
    return found


def apply_gate(gate: Gate, result: EvaluationResult, broken: Sequence[str] = ()) -> GateResult:
    """Hold a result against a gate. What is known to be wrong goes before what cannot be told.

    Without a baseline and without `at_least`, each run must pass.

    Args:
        gate: What a version must fulfil.
        result: Of its evaluation.
        broken: What `broken_cases` finds in fresh runs of the cases that got worse.
    """
    has_baseline = len(result.versions) > 1
    wrong: list[str] = []
    groups: tuple[Group, ...] = ()
    is_worse = "worse" in (result.difference and result.difference.comparison, result.early and result.early.comparison)
    if is_worse and gate.worse == "proved":
        wrong.append("The team is worse than the baseline.")
        groups = ("worse",)
    if broken and gate.broken == "confirmed":
        count = "1 case that passed is" if len(broken) == 1 else f"{len(broken)} cases that passed are"
        wrong.append(f"{count} broken, in fresh runs as well.")
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
        found.append("No run was scored." if result.early is None else "It stopped early, so there is no pass rate.")
    return found
