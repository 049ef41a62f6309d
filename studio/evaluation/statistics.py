"""Pass rates, differences and their intervals. The unit is the case: runs of one case are not independent."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

from studio.evaluation.t_distribution import t_quantile

LEVEL = 0.95
"""Of all intervals, unless told."""


@dataclass(frozen=True)
class Interval:
    """Where a figure lies, at the level of the estimate."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


@dataclass(frozen=True)
class Estimate:
    """A mean over cases with its interval; `effective_n` is how many independent runs would tell as much."""

    mean: float
    interval: Interval
    effective_n: float


def pass_rate(
    means: Sequence[float], runs: int, *, clusters: Sequence[Hashable] | None = None, level: float = LEVEL
) -> Estimate:
    """The pass rate of cases like these: Wilson's interval with the effective number of runs.

    Args:
        means: For each case, the share of its runs that passed.
        runs: How many runs there are of all cases together.
        clusters: For each case, what it shares with others that are not independent of it.

    Raises:
        ValueError: There is no case, fewer runs than cases, or a share is not between 0 and 1.
    """
    _check_means(means)
    if runs < len(means):
        raise ValueError(f"There are {len(means)} cases, but {runs} runs.")
    mean = fmean(means)
    units = len(set(clusters)) if clusters is not None else len(means)
    variance = _variance_of_mean(means, clusters)
    effective = units if variance == 0 else min(max(mean * (1 - mean) / variance, units), runs)
    return Estimate(mean, wilson(mean, effective, level=level), effective)


def wilson(rate: float, n: float, *, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a rate in `n` trials, which need not be a whole number."""
    z = NormalDist().inv_cdf(0.5 + level / 2)
    scale = 1 + z * z / n
    center = (rate + z * z / (2 * n)) / scale
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / scale
    return Interval(max(0.0, center - half), min(1.0, center + half))


def mean_score(means: Sequence[float], *, level: float = LEVEL) -> Estimate:
    """The mean of scores that are not pass or fail: the t interval over cases, cut to 0 and 1.

    One case tells nothing about others: its interval is all of 0 to 1.

    Raises:
        ValueError: There is no case, or a score is not between 0 and 1.
    """
    _check_means(means)
    mean, count = fmean(means), len(means)
    if count == 1:
        return Estimate(mean, Interval(0.0, 1.0), 1)
    half = t_quantile(0.5 + level / 2, count - 1) * math.sqrt(_variance_of_mean(means))
    return Estimate(mean, Interval(max(0.0, mean - half), min(1.0, mean + half)), count)


def difference(differences: Sequence[float], repeats: float, *, level: float = LEVEL) -> Estimate:
    """How much better one version is than another on the same cases, from -1 to 1.

    The t interval over the differences of the cases and one pseudo pair, so that it has a width also where all cases
    tie. The mean is the plain one; the interval lies around one that is pulled in a little.

    Args:
        differences: For each case, the mean of the later version less that of the earlier one.
        repeats: How many scored runs a case has on average, in each version.

    Raises:
        ValueError: There is no case, or less than one repeat.
    """
    if not differences or repeats < 1:
        raise ValueError("A difference needs a case with a run in each version.")
    pseudo = 1 / math.sqrt(repeats)
    widened = [*differences, pseudo, -pseudo]
    count, center = len(widened), fmean(widened)
    half = t_quantile(0.5 + level / 2, count - 1) * math.sqrt(_variance_of_mean(widened))
    return Estimate(fmean(differences), Interval(max(-1.0, center - half), min(1.0, center + half)), len(differences))


def pass_all_of(passes: int, runs: int, k: int) -> float:
    """The chance that `k` runs of a case all pass (pass^k), without bias."""
    _check_counts(passes, runs, k)
    return math.comb(passes, k) / math.comb(runs, k)


def pass_any_of(passes: int, runs: int, k: int) -> float:
    """The chance that at least one of `k` runs of a case passes (pass@k), without bias."""
    _check_counts(passes, runs, k)
    return 1 - math.comb(runs - passes, k) / math.comb(runs, k)


def unscored_band(passes: int, fails: int, unscored: int) -> Interval:
    """Between which rates the pass rate of all runs lies, whatever the unscored ones are."""
    runs = passes + fails + unscored
    return Interval(passes / runs, (passes + unscored) / runs) if runs else Interval(0.0, 1.0)


def detectable_drop(cases: int, repeats: int) -> float:
    """About the smallest drop, spread over the cases, that four of five comparisons find."""
    return min(1.0, 1.6 / math.sqrt(cases * repeats))


def _variance_of_mean(values: Sequence[float], clusters: Sequence[Hashable] | None = None) -> float:
    """The squared standard error of the mean of values that are independent, or only so between clusters."""
    mean = fmean(values)
    sums: defaultdict[Hashable, float] = defaultdict(float)
    for place, value in enumerate(values):
        sums[place if clusters is None else clusters[place]] += value - mean
    units = len(sums)
    if units < 2:
        return 0.0
    return math.fsum(each * each for each in sums.values()) / len(values) ** 2 * units / (units - 1)


def _check_means(means: Sequence[float]) -> None:
    if not means or not all(0 <= mean <= 1 for mean in means):
        raise ValueError("A rate needs at least one case, and shares between 0 and 1.")


def _check_counts(passes: int, runs: int, k: int) -> None:
    if not 0 <= passes <= runs or not 1 <= k <= runs:
        raise ValueError(f"Of {runs} runs, {passes} passes and groups of {k} are impossible.")
