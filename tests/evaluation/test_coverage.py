"""Intervals hold the truth as often as they say, in the settings that they were chosen by: seeded simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from studio.evaluation.statistics import Interval, difference, pass_rate, wilson
from tests.extended import sample

RATES = {10: 20_000, 30: 10_000, 100: 4_000}
DIFFERENCES = {10: 4_000, 30: 10_000, 100: 30_000}
"""Simulated evaluations by the number of cases: so many that the smallest share is told apart from its bound."""
REPEATS = (1, 5)
LEVELS = {  # how pass rates of cases are spread: the parameters of a beta distribution
    "even, mean .50": (2.0, 2.0),
    "U-shaped, mean .50": (0.5, 0.5),
    "mostly passes, mean .85": (2.0, 0.35),
    "nearly always, mean .95": (5.0, 0.25),
}
CHANGES = {  # the same, the share of cases that a change touches, and the share that these lose
    "null, U-shaped": (0.5, 0.5, 0.3, 0.0),
    "null, mostly passes": (2.0, 0.35, 0.3, 0.0),
    "worse, mostly passes": (2.0, 0.35, 0.3, 0.4),
    "worse, U-shaped, all": (0.5, 0.5, 1.0, 0.2),
    "null, nearly always": (5.0, 0.25, 0.2, 0.0),
}


def drawn(random: Generator, rates: np.ndarray, repeats: int) -> Sequence[Sequence[float]]:
    """For each evaluation and case, the share of its runs that pass."""
    return (random.binomial(repeats, rates) / repeats).tolist()


def interval_of_each(
    interval_of: Callable[[Sequence[float]], Interval], evaluations: Iterable[Sequence[float]]
) -> Sequence[Interval]:
    """Worked out once for those with the same values, in whichever order: of few cases most are drawn many times."""
    known = cache(interval_of)
    return [known(tuple(sorted(each))) for each in evaluations]


def share_of(intervals: Sequence[Interval], truth: float) -> float:
    return sum(each.low <= truth <= each.high for each in intervals) / len(intervals)


@pytest.mark.slow
@pytest.mark.parametrize("repeats", REPEATS)
@pytest.mark.parametrize("cases", sample([*RATES], 1))
@pytest.mark.parametrize("spread", LEVELS)
def test_the_interval_of_a_rate_holds_the_truth(spread: str, cases: int, repeats: int):
    (a, b), random = LEVELS[spread], default_rng(1)
    means = drawn(random, random.beta(a, b, (RATES[cases], cases)), repeats)
    intervals = interval_of_each(lambda each: pass_rate(each, cases * repeats).interval, means)
    assert share_of(intervals, a / (a + b)) >= 0.91


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("repeats", REPEATS)
@pytest.mark.parametrize("cases", sample([*DIFFERENCES], 1))
@pytest.mark.parametrize("change", sample([*CHANGES], 2))
def test_the_interval_of_a_difference_holds_the_truth(change: str, cases: int, repeats: int):
    a, b, touched, lost = CHANGES[change]
    random = default_rng(1)
    before = random.beta(a, b, (DIFFERENCES[cases], cases))
    is_touched = random.random((DIFFERENCES[cases], cases)) < touched
    after = np.where(is_touched, random.beta(a, b, (DIFFERENCES[cases], cases)) * (1 - lost), before)
    pairs = zip(drawn(random, before, repeats), drawn(random, after, repeats), strict=True)
    changes = ([new - old for old, new in zip(olds, news, strict=True)] for olds, news in pairs)
    intervals = interval_of_each(lambda each: difference(each, repeats).interval, changes)
    assert share_of(intervals, -touched * lost * a / (a + b)) >= 0.95


@pytest.mark.slow
def test_runs_counted_as_cases_would_hold_the_truth_too_rarely():
    """Why the unit is the case: the usual interval, of all runs pooled, holds three of four times."""
    random = default_rng(1)
    means = drawn(random, random.beta(0.5, 0.5, (RATES[30], 30)), 5)
    assert share_of([wilson(sum(each) / len(each), 150) for each in means], 0.5) < 0.8
