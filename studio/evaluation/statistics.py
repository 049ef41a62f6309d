"""Pass rates, differences and their intervals. The unit is the case: runs of one case are not independent."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import NamedTuple

from studio.evaluation.t_distribution import t_quantile

LEVEL = 0.95
"""Of all intervals, unless told."""
ENOUGH = 100
ENOUGH_OF_EACH = 30
"""Labels from which on a scorer is known well: with fewer, the interval of its agreement is wide."""


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


class Compared(NamedTuple):
    """A run that a scorer and people judged; runs of one `cluster` are not independent."""

    cluster: Hashable
    scorer_passes: bool
    people_pass: bool


@dataclass(frozen=True)
class Agreement:
    """How often a scorer says what people say.

    Args:
        both_pass: Runs that pass by both.
        both_fail: Runs that fail by both.
        too_kind: Runs that pass by the scorer alone.
        too_strict: Runs that pass by people alone.
        share: Of all these runs, those of which both say the same.
        of_passes: Of the runs that pass by people, those that pass by the scorer; None where there are none.
        of_fails: Of those that fail by people, those that fail by the scorer; None where there are none.
    """

    both_pass: int
    both_fail: int
    too_kind: int
    too_strict: int
    share: Estimate
    of_passes: Estimate | None
    of_fails: Estimate | None

    @property
    def passes(self) -> int:
        """By people."""
        return self.both_pass + self.too_strict

    @property
    def fails(self) -> int:
        """By people."""
        return self.both_fail + self.too_kind

    @property
    def is_enough(self) -> bool:
        """Whether there are enough labels to say how good the scorer is, also for the rarer kind."""
        return self.passes + self.fails >= ENOUGH and min(self.passes, self.fails) >= ENOUGH_OF_EACH


def agreement_of(runs: Sequence[Compared]) -> Agreement | None:
    """How a scorer agrees with people; None where no run was judged by both. Intervals are those of pass rates."""
    share = _share([(each.cluster, each.scorer_passes == each.people_pass) for each in runs])
    if share is None:
        return None
    counts = Counter((each.scorer_passes, each.people_pass) for each in runs)
    return Agreement(
        counts[True, True],
        counts[False, False],
        counts[True, False],
        counts[False, True],
        share,
        _share([(each.cluster, each.scorer_passes) for each in runs if each.people_pass]),
        _share([(each.cluster, not each.scorer_passes) for each in runs if not each.people_pass]),
    )


def _share(runs: Sequence[tuple[Hashable, bool]]) -> Estimate | None:
    """Of runs in clusters, the share of those that are true. Each run counts the same, whatever its cluster."""
    if not runs:
        return None
    values = [float(is_true) for _, is_true in runs]
    return pass_rate(values, len(runs), clusters=[cluster for cluster, _ in runs])


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
