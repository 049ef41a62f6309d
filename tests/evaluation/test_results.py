"""What the runs of an evaluation say together."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from studio.evaluation.gates import Gate, apply_gate
from studio.evaluation.results import BASELINE, CANDIDATE, CellResult, EvaluationResult, results_of, sentence_of
from studio.evaluation.scorers import Verdict

NAMES = {CANDIDATE: "version 8", BASELINE: "version 7"}
LETTERS: Mapping[str, Verdict] = {"P": "pass", "F": "fail", "?": "unscored"}


def result(cases: Mapping[str, tuple[str, ...]], clusters: Mapping[str, str] | None = None) -> EvaluationResult:
    """Runs by case, as letters: those of the candidate, and those of the baseline where there is one."""
    cells = [
        CellResult(version, case, LETTERS[letter])
        for case, versions in cases.items()
        for version, letters in enumerate(versions, CANDIDATE)
        for letter in letters
    ]
    return results_of(cells, clusters or {}, is_done=True)


@pytest.mark.parametrize(
    ("candidate", "baseline", "group"),
    [
        ("FFF", "PPP", "worse"),
        ("PFF", "PPP", "worse"),
        ("PPF", "PPP", "flaky"),
        ("PPP", "PFF", "better"),
        ("PPP", "PPP", "same"),
        ("FFF", "FFF", "same"),
        ("???", "PPP", "unscored"),
        ("P??", "PPP", "same"),
        ("F", "P", "worse"),
    ],
)
def test_the_group_of_a_case(candidate: str, baseline: str, group: str):
    (case,) = result({"one": (candidate, baseline)}).cases
    assert case.group == group


def test_the_figures_of_golden_values():
    cases = {f"same {n}": ("P", "P") for n in range(25)}
    found = result({**cases, **{f"lost {n}": ("F", "P") for n in range(4)}, "won": ("P", "F")})
    assert found.difference is not None
    interval = found.difference.estimate.interval
    assert found.difference.estimate.mean == pytest.approx(-0.1)
    assert (interval.low, interval.high) == pytest.approx((-0.2616, 0.0741), abs=1e-4)
    assert found.difference.comparison == "cannot_tell"
    assert sentence_of(found, NAMES) == (
        "Version 8 passes 87 % (70–95), version 7 passes 97 % (83–99). "
        "Difference −10 points (−26 to +7): these cases cannot tell."
    )


def test_cases_of_one_cluster_count_once():
    cases = {f"case {n}": ("F", "P") for n in range(12)}
    assert (alone := result(cases).difference) is not None
    assert alone.comparison == "worse"
    assert (together := result(cases, dict.fromkeys(cases, "one page")).difference) is not None
    assert together.comparison == "cannot_tell"
    assert (together.pairs, together.estimate.mean) == (12, -1)


def test_too_many_unscored_runs_tell_nothing():
    cases = {f"case {n}": ("F" * 9 + "?", "P" * 10) for n in range(12)}
    found = result(cases)
    assert found.difference is not None
    assert found.difference.comparison == "cannot_tell"
    assert sentence_of(found, NAMES).endswith("12 runs of version 8 are unscored: of all runs, 0 to 10 % pass.")
    assert apply_gate(Gate(), found).outcome == "cannot_tell"
    assert apply_gate(Gate(unscored=0.2), found).outcome == "passed"


def test_versions_that_always_tie_are_the_same_where_there_are_enough_runs():
    found = result({f"case {n}": ("P" * 20, "P" * 20) for n in range(100)})
    assert found.difference is not None
    assert found.difference.comparison == "same"
    assert sentence_of(found, NAMES).endswith("the same within 3 points.")


def test_no_scored_run_is_no_rate():
    found = result({"one": ("?", "?")})
    assert found.difference is None
    assert sentence_of(found, NAMES) == (
        "Version 8 has no scored run, version 7 has no scored run. "
        "No case has a scored run of both, so there is no difference to tell."
    )
