"""An evaluation that stops when it is clear is seldom wrong, however often one looks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from studio.evaluation.early_stop import END_LEVEL, EarlyResult, clear_after
from studio.evaluation.gates import Gate, apply_gate
from studio.evaluation.results import CellResult, results_of, sentence_of
from studio.evaluation.statistics import difference
from tests.extended import sample

TRIES = 2_000
SPREADS = {"U-shaped, mean .50": (0.5, 0.5), "mostly passes, mean .85": (2.0, 0.35), "nearly always": (5.0, 0.25)}
NAMES = {1: "version 8", 2: "version 7"}


def test_what_always_loses_is_clear_soon_and_ties_never_are():
    assert clear_after([-1.0] * 20) == EarlyResult("worse", 9)
    assert clear_after([1.0] * 20) == EarlyResult("better", 9)
    assert clear_after([0.0] * 10_000) is None
    assert clear_after([-1.0, 1.0] * 500) is None
    assert clear_after([]) is None


@pytest.mark.slow
@pytest.mark.parametrize("repeats", sample([1, 3], 1))
@pytest.mark.parametrize("spread", SPREADS)
def test_what_changed_nothing_is_called_different_in_five_of_a_hundred_at_most(spread: str, repeats: int):
    random, early, at_all = default_rng(1), 0, 0
    rates = random.beta(*SPREADS[spread], (TRIES, 200))
    for each in ((random.binomial(repeats, rates) - random.binomial(repeats, rates)) / repeats).tolist():
        is_clear = clear_after(each) is not None
        interval = difference(each, repeats, level=END_LEVEL).interval
        early += is_clear
        at_all += is_clear or interval.low > 0 or interval.high < 0
    assert early / TRIES <= 0.025
    assert at_all / TRIES <= 0.05


@pytest.mark.slow
def test_a_drop_of_twenty_points_is_clear_after_half_of_the_cases():
    random, found = default_rng(1), list[int]()
    for _ in range(300):
        drops = random.choice([-1.0, 1.0, 0.0], size=200, p=[0.25, 0.05, 0.7]).tolist()
        result = clear_after(drops)
        assert result is None or result.comparison == "worse"
        found.append(result.cases if result else 200)
    assert np.mean([each < 200 for each in found]) >= 0.95
    assert np.mean(found) <= 100


def cells(verdicts: dict[str, tuple[str, str]]) -> list[CellResult]:
    words = {"P": "pass", "F": "fail", "?": "unscored", "-": ""}
    return [
        CellResult(version, case, words[mark])  # pyright: ignore[reportArgumentType]
        for case, marks in verdicts.items()
        for version, mark in enumerate(marks, 1)
    ]


def test_a_clear_result_has_no_rates_and_counts_only_cases_before_one_that_is_open():
    lost = {f"case {n}": ("F", "P") for n in range(9)}
    found = results_of(cells({**lost, "open": ("-", "P"), "last": ("P", "P")}), {}, is_done=True, stops_when_clear=True)
    assert found.early == EarlyResult("worse", 9)
    assert (found.difference, [each.rate for each in found.versions]) == (None, [None, None])
    assert sentence_of(found, NAMES) == (
        "Version 8 is worse than version 7. That was clear after 9 cases of 11, so there is no pass rate and no size "
        "of the difference."
    )
    assert apply_gate(Gate(), found).reasons == ("The team is worse than the baseline.",)
    gained = {case: ("P", "F") for case in lost}
    better = results_of(cells(gained), {}, is_done=True, stops_when_clear=True)
    assert apply_gate(Gate(), better).outcome == "passed"
    assert apply_gate(Gate(at_least=0.5), better).reasons == ("It stopped early, so there is no pass rate.",)
    later = {"open": ("-", "P"), **lost}
    assert results_of(cells(later), {}, is_done=True, stops_when_clear=True).early is None
    assert results_of(cells(lost), {}, is_done=True).early is None
    together = dict.fromkeys(lost, "one page")
    assert results_of(cells(lost), together, is_done=True, stops_when_clear=True).early is None
    unknown = {**{f"unknown {n}": ("?", "P") for n in range(2)}, **lost}
    assert results_of(cells(unknown), {}, is_done=True, stops_when_clear=True).early is None
