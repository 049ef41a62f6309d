"""The statistics hold the golden values. How often they hold the truth is in `test_coverage.py`."""

from __future__ import annotations

import math
from importlib import import_module
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import Any

import pytest

from studio.evaluation.statistics import (
    Compared,
    Estimate,
    agreement_of,
    detectable_drop,
    difference,
    mean_score,
    pass_all_of,
    pass_any_of,
    pass_rate,
    unscored_band,
    wilson,
)
from studio.evaluation.t_distribution import t_quantile


def scipy(name: str) -> Any:
    """One of its modules, when it is wanted: each process that collects the tests would import it for a second."""
    return import_module(f"scipy.{name}")


def rounded(estimate: Estimate) -> tuple[float, float, float]:
    return round(estimate.mean, 4), round(estimate.interval.low, 4), round(estimate.interval.high, 4)


@pytest.mark.parametrize("degrees", [1, 1.5, 2, 3, 4, 5, 8, 11, 31, 99, 101, 1_000, 10_001])
@pytest.mark.parametrize("probability", [0.6, 0.9, 0.95, 0.975, 0.9875, 0.99, 0.995, 0.9995])
def test_t_quantiles_are_those_of_scipy(probability: float, degrees: float):
    expected = float(scipy("stats").t.ppf(probability, degrees))
    assert t_quantile(probability, degrees) == pytest.approx(expected, rel=1e-9)
    assert t_quantile(1 - probability, degrees) == pytest.approx(-expected, rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.975, 0.99, 0.999])
def test_normal_quantiles_are_those_of_scipy(level: float):
    expected = float(scipy("stats").norm.ppf(0.5 + level / 2))
    assert NormalDist().inv_cdf(0.5 + level / 2) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.975, 0.99])
@pytest.mark.parametrize(("passes", "runs"), [(0, 1), (1, 1), (10, 10), (24, 30), (5, 7), (499, 1_000)])
def test_wilson_is_that_of_scipy(passes: int, runs: int, level: float):
    expected = scipy("stats").binomtest(passes, runs).proportion_ci(level, method="wilson")
    found = wilson(passes / runs, runs, level=level)
    assert (found.low, found.high) == pytest.approx((float(expected.low), float(expected.high)), abs=1e-12)


@pytest.mark.parametrize("level", [0.95, 0.975])
@pytest.mark.parametrize(("worse", "better", "ties", "repeats"), [(4, 1, 25, 1), (15, 4, 81, 1), (0, 0, 10, 3)])
def test_a_difference_is_the_t_interval_of_scipy(worse: int, better: int, ties: int, repeats: int, level: float):
    differences = [-1.0] * worse + [1.0] * better + [0.0] * ties
    widened = [*differences, 1 / math.sqrt(repeats), -1 / math.sqrt(repeats)]
    low, high = scipy("stats").t.interval(
        level, len(widened) - 1, fmean(widened), stdev(widened) / math.sqrt(len(widened))
    )
    found = difference(differences, repeats, level=level).interval
    assert (found.low, found.high) == pytest.approx((float(low), float(high)), rel=1e-9)


@pytest.mark.parametrize(("probability", "degrees"), [(0, 3), (1, 3), (0.9, 0), (math.nan, 3)])
def test_an_impossible_quantile_is_refused(probability: float, degrees: float):
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(probability, degrees)


def test_golden_pass_rates():
    assert rounded(pass_rate([1] * 10, 10)) == (1, 0.7225, 1)
    assert rounded(pass_rate([1] * 24 + [0] * 6, 30)) == (0.8, 0.6269, 0.9049)
    thirds = pass_rate([1] * 5 + [2 / 3, 2 / 3, 1 / 3, 0, 0], 30)
    assert rounded(thirds) == (0.6667, 0.3990, 0.8577)
    assert thirds.effective_n == pytest.approx(12.86, abs=0.005)


def test_golden_differences():
    assert rounded(difference([-1] * 4 + [1] + [0] * 25, 1)) == (-0.1, -0.2616, 0.0741)
    assert rounded(difference([-1] * 15 + [1] * 4 + [0] * 81, 1)) == (-0.11, -0.1948, -0.0208)
    assert rounded(difference([0] * 10, 1)) == (0, -0.2709, 0.2709)
    drops = [-1, -2 / 3, -2 / 3, -1 / 3, -1 / 3, 0, 0, 0, 0, 1 / 3, 0, 0]
    assert rounded(difference(drops, 3)) == (-0.2222, -0.4376, 0.0566)


def test_mean_scores_are_those_of_scipy():
    scores = [0.2, 0.5, 0.9, 1.0, 0.75, 0.4]
    low, high = scipy("stats").t.interval(0.95, len(scores) - 1, fmean(scores), stdev(scores) / math.sqrt(len(scores)))
    interval = mean_score(scores).interval
    assert (interval.low, interval.high) == pytest.approx((float(low), float(high)), rel=1e-9)
    assert mean_score([0.4]).interval.width == 1


def test_repeats_never_count_for_more_than_runs_or_less_than_cases():
    assert pass_rate([0.5] * 10, 50).effective_n == 10
    assert pass_rate([0.4, 0.6] * 5, 50).effective_n == 50
    assert pass_rate([0, 1] * 5, 50).effective_n == 10


def test_cases_of_one_cluster_tell_as_much_as_one_case():
    means, clusters = [1.0] * 10 + [0.0] * 10, ["a"] * 5 + ["b"] * 5 + ["c"] * 5 + ["d"] * 5
    alone, together = pass_rate(means, 20), pass_rate(means, 20, clusters=clusters)
    assert together.effective_n == pytest.approx(4)
    assert together.interval.width > alone.interval.width
    assert pass_rate(means, 20, clusters=range(20)) == alone


def test_figures_for_reliability():
    assert pass_all_of(4, 5, 3) == pytest.approx(0.4)
    assert pass_all_of(7, 20, 4) == pytest.approx(float(scipy("special").comb(7, 4) / scipy("special").comb(20, 4)))
    assert pass_any_of(1, 5, 3) == pytest.approx(0.6)
    assert pass_all_of(2, 5, 3) == 0
    with pytest.raises(ValueError, match="impossible"):
        pass_any_of(1, 2, 3)


def test_unscored_runs_are_a_band():
    band = unscored_band(79, 16, 5)
    assert (band.low, band.high) == (0.79, 0.84)
    assert unscored_band(0, 0, 0).width == 1


@pytest.mark.parametrize("means", [[], [1.2], [-0.1], [math.nan]])
def test_what_is_no_share_is_refused(means: list[float]):
    with pytest.raises(ValueError, match="shares"):
        pass_rate(means, 1)


def test_the_drop_that_is_found_shrinks_with_cases_and_repeats():
    assert detectable_drop(30, 3) == pytest.approx(0.17, abs=0.005)
    assert detectable_drop(1, 1) == 1


def test_agreement_counts_what_both_say_and_keeps_the_interval_of_a_rate():
    kinds = {(True, True): 18, (False, False): 8, (True, False): 2, (False, True): 2}
    runs = [Compared(f"case {at}", *said) for said, count in kinds.items() for at in range(count)]
    runs = [each._replace(cluster=at) for at, each in enumerate(runs)]
    found = agreement_of(runs)
    assert found is not None
    assert (found.both_pass, found.both_fail, found.too_kind, found.too_strict) == (18, 8, 2, 2)
    assert found.share.interval == wilson(26 / 30, 30)
    assert found.of_passes is not None
    assert found.of_passes.interval == wilson(18 / 20, 20)
    assert found.of_fails is not None
    assert found.of_fails.mean == 0.8
    assert not found.is_enough
    many = agreement_of([each._replace(cluster=(each.cluster, copy)) for each in runs for copy in range(4)])
    assert many is not None
    assert many.is_enough
    of_few = agreement_of([each._replace(cluster=at % 5) for at, each in enumerate(runs)])
    assert of_few is not None
    assert of_few.share.mean == found.share.mean
    assert agreement_of([]) is None
    kind = agreement_of([Compared(at, scorer_passes=True, people_pass=True) for at in range(10)])
    assert kind is not None
    assert (kind.of_fails, kind.share.interval.low < 0.75) == (None, True)


def test_the_interval_of_an_agreement_covers_the_truth_for_runs_of_few_cases():
    """Where runs of one case go the same way, counting runs as independent would cover far less."""
    random, truth, covered, repeats = Random(7), 0.8, 0, 400
    for _ in range(repeats):
        runs: list[Compared] = []
        for case in range(25):
            rate = random.betavariate(4, 1)  # of agreement within a case; its mean is the truth
            runs += [Compared(case, random.random() < rate, people_pass=True) for _ in range(4)]
        found = agreement_of(runs)
        assert found is not None
        covered += found.share.interval.low <= truth <= found.share.interval.high
    assert covered / repeats > 0.905
