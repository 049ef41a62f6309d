"""The statistics hold the golden values and cover the truth as often as they say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from statistics import fmean

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

T_QUANTILES = {  # scipy.stats.t.ppf
    (0.975, 1): 12.706204736174694,
    (0.975, 2): 4.302652729749462,
    (0.975, 3): 3.1824463052837078,
    (0.975, 11): 2.200985160091639,
    (0.975, 31): 2.039513446396408,
    (0.975, 1000): 1.9623390808264083,
    (0.975, 10001): 1.960201216164641,
    (0.95, 5): 2.0150483733330233,
    (0.995, 1): 63.656741162871526,
    (0.995, 101): 2.6253859646684408,
    (0.6, 1): 0.32491969623290634,
    (0.6, 10001): 0.2533538427717526,
}
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


def rounded(estimate: Estimate) -> tuple[float, float, float]:
    return round(estimate.mean, 4), round(estimate.interval.low, 4), round(estimate.interval.high, 4)


@pytest.mark.parametrize(("probability", "degrees"), T_QUANTILES)
def test_t_quantiles_are_those_of_scipy(probability: float, degrees: int):
    expected = T_QUANTILES[probability, degrees]
    assert t_quantile(probability, degrees) == pytest.approx(expected, rel=1e-9)
    assert t_quantile(1 - probability, degrees) == pytest.approx(-expected, rel=1e-9)


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
    assert rounded(mean_score(scores)) == (0.625, 0.3003, 0.9497)
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


def sampled(random: Random, rate: float, repeats: int) -> float:
    return sum(random.random() < rate for _ in range(repeats)) / repeats


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 3, 5])
@pytest.mark.parametrize("spread", LEVELS)
def test_the_interval_of_a_rate_holds_the_truth(spread: str, repeats: int):
    a, b = LEVELS[spread]
    for cases, tries in ((10, 2_000), (30, 1_000), (100, 500)):
        random = Random(f"{spread} {repeats} {cases}")
        held = 0
        for _ in range(tries):
            means = [sampled(random, random.betavariate(a, b), repeats) for _ in range(cases)]
            interval = pass_rate(means, cases * repeats).interval
            held += interval.low <= a / (a + b) <= interval.high
        assert held / tries >= 0.905, cases  # 91 % in simulations ten times as long


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 3, 5])
@pytest.mark.parametrize("change", CHANGES)
def test_the_interval_of_a_difference_holds_the_truth(change: str, repeats: int):
    a, b, touched, lost = CHANGES[change]
    truth = -touched * lost * a / (a + b)
    for cases, tries in ((10, 1_000), (30, 700)):
        random = Random(f"{change} {repeats} {cases}")
        held = 0
        for _ in range(tries):
            drops = [
                sampled(random, after, repeats) - sampled(random, before, repeats)
                for before, after in _rates(random, cases, a, b, touched, lost)
            ]
            interval = difference(drops, repeats).interval
            held += interval.low <= truth <= interval.high
        assert held / tries >= 0.94, cases  # 95 % in longer simulations


def _rates(
    random: Random, cases: int, a: float, b: float, touched: float, lost: float
) -> Iterator[tuple[float, float]]:
    for _ in range(cases):
        before = random.betavariate(a, b)
        yield before, random.betavariate(a, b) * (1 - lost) if random.random() < touched else before


@pytest.mark.slow
def test_runs_counted_as_cases_would_hold_the_truth_too_rarely():
    """Why the unit is the case: the usual interval, of all runs pooled, holds three of four times."""
    random, held = Random(1), 0
    for _ in range(500):
        mean = fmean(sampled(random, random.betavariate(0.5, 0.5), 5) for _ in range(30))
        interval = wilson(mean, 150)
        held += interval.low <= 0.5 <= interval.high
    assert held / 500 < 0.85


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
