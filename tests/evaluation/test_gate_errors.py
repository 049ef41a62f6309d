"""How often the gate fails a build that changed nothing, and how often it lets a worse one through."""

from __future__ import annotations

from random import Random

import pytest

from studio.evaluation.gates import Gate, apply_gate
from studio.evaluation.results import BASELINE, CANDIDATE, CellResult, results_of

pytestmark = pytest.mark.slow

CASES, REPEATS = 50, 3
SPREADS = {"U-shaped, mean .50": (0.5, 0.5), "mostly passes, mean .85": (2.0, 0.35), "nearly always": (5.0, 0.25)}


def failing_share(spread: str, lost: float, builds: int) -> float:
    """The share of builds that the gate fails where each case loses that share of its pass rate."""
    random, failed = Random(f"{spread} {lost}"), 0
    for _ in range(builds):
        cells: list[CellResult] = []
        for number in range(CASES):
            rate = random.betavariate(*SPREADS[spread])
            for version, passes in ((CANDIDATE, rate * (1 - lost)), (BASELINE, rate)):
                verdicts = ["pass" if random.random() < passes else "fail" for _ in range(REPEATS)]
                cells += [CellResult(version, f"case {number}", each) for each in verdicts]  # pyright: ignore
        failed += apply_gate(Gate(), results_of(cells, {}, is_done=True)).outcome == "failed"
    return failed / builds


@pytest.mark.parametrize("spread", SPREADS)
def test_a_build_that_changes_nothing_fails_at_most_three_times_of_a_hundred(spread: str):
    assert failing_share(spread, 0.0, 1_000) <= 0.03


def test_a_build_that_loses_a_fifth_of_its_passes_fails_mostly():
    assert failing_share("mostly passes, mean .85", 0.2, 300) >= 0.8
