"""How often the gate fails a build that changed nothing, and how often it lets a worse one through."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from studio.evaluation.gates import Gate, apply_gate, broken_cases
from studio.evaluation.results import BASELINE, CANDIDATE, CellResult, EvaluationResult, results_of
from studio.services.evaluation_confirmation import CONFIRM_REPEATS
from tests.extended import sample

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]

SPREADS = {"U-shaped, mean .50": (0.5, 0.5), "mostly passes, mean .85": (2.0, 0.35), "nearly always": (4.0, 0.4)}


def drawn_result(
    random: Generator, cases: list[str], before: np.ndarray, after: np.ndarray, repeats: int, *, is_picked: bool = False
) -> EvaluationResult:
    """The result of runs that pass with these chances."""
    cells: list[CellResult] = []
    for version, rates in ((CANDIDATE, after), (BASELINE, before)):
        for case, passed in zip(cases, random.binomial(repeats, rates).tolist(), strict=True):
            cells += [CellResult(version, case, "pass")] * passed
            cells += [CellResult(version, case, "fail")] * (repeats - passed)
    return results_of(cells, {}, is_done=True, is_picked=is_picked)


def fails(random: Generator, before: np.ndarray, after: np.ndarray, repeats: int) -> bool:
    """Whether the gate fails a build, after fresh runs of the cases that got worse."""
    cases = [str(place) for place in range(len(before))]
    result, broken = drawn_result(random, cases, before, after, repeats), []
    if worse := [int(each.case) for each in result.cases if each.group == "worse"]:
        names = [cases[place] for place in worse]
        fresh = drawn_result(random, names, before[worse], after[worse], CONFIRM_REPEATS, is_picked=True)
        broken = [*broken_cases(fresh)]
    return apply_gate(Gate(), result, broken).outcome == "failed"


def failing_share(spread: str, cases: int, repeats: int, builds: int, *, lost: float = 0.0, hit: float = 1.0) -> float:
    """The share of builds that the gate fails where a share of the cases loses a share of its pass rate."""
    random, failed = default_rng(1), 0
    for _ in range(builds):
        before = random.beta(*SPREADS[spread], cases)
        after = np.where(random.random(cases) < hit, before * (1 - lost), before)
        failed += fails(random, before, after, repeats)
    return failed / builds


@pytest.mark.parametrize("repeats", sample([1, 3, 5], 2))
@pytest.mark.parametrize("cases", sample([10, 30, 100], 1))
@pytest.mark.parametrize("spread", SPREADS)
def test_a_build_that_changes_nothing_fails_at_most_three_times_of_a_hundred(spread: str, cases: int, repeats: int):
    is_closest = (spread, cases, repeats) == ("U-shaped, mean .50", 100, 1)  # 2.8 % of 20,000 builds
    builds = 6_000 if is_closest else 1_000
    assert failing_share(spread, cases, repeats, builds) <= 0.03


def test_a_build_that_loses_a_fifth_of_its_passes_fails_mostly():
    assert failing_share("mostly passes, mean .85", 50, 3, 300, lost=0.2) >= 0.8


def test_a_build_that_breaks_one_case_of_ten_fails_mostly():
    """Fresh runs find what the difference of all cases is too small to prove."""
    assert failing_share("nearly always", 30, 3, 300, lost=1.0, hit=0.1) >= 0.8
