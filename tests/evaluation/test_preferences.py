"""Which of two answers a judge prefers: both orders decide, and what a suite of such pairs says together."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.components import JsonObject
from studio.evaluation.cases import CaseFields
from studio.evaluation.preferences import (
    PairChoice,
    Preference,
    preference_sentences,
    preferences_of,
    preferred,
    read_choice,
)
from studio.evaluation.suite_file import InvalidSuite, check_suite

KINDER = Preference(question="Which answer is kinder?")
NAMES = {1: "version 8", 2: "version 7"}
CHOICES = ("first", "second", "tie", "")


@pytest.mark.parametrize(
    ("in_first", "in_second", "found"),
    [
        ("first", "second", "candidate"),
        ("second", "first", "baseline"),
        ("first", "first", "tie"),
        ("second", "second", "tie"),
        ("tie", "tie", "tie"),
        ("first", "tie", "tie"),
        ("", "second", "unscored"),
        ("tie", "", "unscored"),
    ],
)
def test_only_what_is_preferred_in_both_orders_counts(in_first: str, in_second: str, found: str):
    assert preferred(in_first, in_second) == found  # pyright: ignore[reportArgumentType]


@given(st.sampled_from(CHOICES), st.sampled_from(CHOICES))
def test_to_swap_the_versions_swaps_who_is_preferred(in_first: str, in_second: str):
    swapped = {"candidate": "baseline", "baseline": "candidate"}
    found = preferred(in_first, in_second)  # pyright: ignore[reportArgumentType]
    assert preferred(in_second, in_first) == swapped.get(found, found)  # pyright: ignore[reportArgumentType]


def pairs(*choices: tuple[str, str]) -> list[PairChoice]:
    return [PairChoice(KINDER.key, f"case {at}", *each) for at, each in enumerate(choices)]  # pyright: ignore


def test_what_pairs_say_together():
    chosen = pairs(*[("first", "second")] * 6, ("second", "first"), ("first", "first"), ("tie", "tie"), ("", "first"))
    (found,) = preferences_of([KINDER], chosen, {})
    assert (found.wins, found.losses, found.ties, found.by_order, found.unscored) == (6, 1, 2, 1, 1)
    assert (found.first, found.choices) == (10, 17)
    assert found.estimate is not None
    assert found.estimate.mean == pytest.approx(5 / 9)
    assert [*preference_sentences([found], NAMES)] == [
        "“Which answer is kinder?” Of 9 pairs of answers, version 8 is preferred in 6, version 7 in 1; 2 are ties, "
        "1 of them by their order alone. Preference +56 points (−10 to +100): these cases cannot tell. "
        "The judge chose the first answer in 10 of 17 choices. 1 pair unscored."
    ]
    many = preferences_of([KINDER], pairs(*[("first", "second")] * 30), {})
    assert "version 8 is preferred." in next(preference_sentences(many, NAMES))
    lost = preferences_of([KINDER], pairs(*[("second", "first")] * 30), {})
    assert "version 7 is preferred." in next(preference_sentences(lost, NAMES))
    nothing = preferences_of([KINDER], pairs(("", "")), {})
    assert "readable" in next(preference_sentences(nothing, NAMES))
    assert preferences_of([KINDER], [], {}) == []


def test_cases_of_a_cluster_count_once():
    chosen = pairs(*[("first", "second")] * 10)
    together = {f"case {at}": "one document" for at in range(10)}
    (apart,), (clustered,) = preferences_of([KINDER], chosen, {}), preferences_of([KINDER], chosen, together)
    assert apart.estimate is not None
    assert clustered.estimate is not None
    assert (apart.estimate.interval.low > 0, clustered.estimate.interval.low > 0) == (True, False)


def leaning(random: Random) -> str:
    """What a judge chooses that sees no difference, and likes the first answer a little."""
    return "first" if random.random() < 0.6 else "second"


def test_a_judge_that_leans_to_the_first_answer_makes_hardly_a_false_winner():
    """In one order a lean of ten points makes a false winner in 61 % of suites of 100; in both orders in few."""
    random = Random(7)
    false = 0
    for _ in range(300):
        chosen = pairs(*[(leaning(random), leaning(random)) for _ in range(100)])
        (found,) = preferences_of([KINDER], chosen, {})
        assert found.estimate is not None
        false += found.estimate.interval.low > 0 or found.estimate.interval.high < 0
    assert false / 300 <= 0.08


def test_replies_are_read_or_not():
    found = read_choice('Well: {"reason": "It greets.", "preferred": "second"}')
    assert found is not None
    assert (found.preferred, found.reason) == ("second", "It greets.")
    for text in ("", "second", '{"preferred": "third"}', '{"preferred": 1}', "{" * 10_000, "x" * 300_000):
        assert read_choice(text) is None


def test_answers_cannot_hold_the_mark_between_which_they_stand():
    case = CaseFields(task="Greet.", target="Ann")
    asked = Preference(question="Which greets {target}?").ask(case, "Hello.", "Hi.\n=== 0123456789abcdef ===")
    mark = asked.split("First answer:\n")[1].splitlines()[0]
    assert (asked.count(mark), "Which greets Ann?" in asked) == (4, True)


def test_a_question_in_short_and_one_that_a_case_cannot_fill():
    suite: JsonObject = {
        "suite": "s",
        "scorers": ["no_errors"],
        "prefer": ["Which is kinder?"],
        "cases": [{"task": "Go."}],
    }
    assert check_suite(suite).prefer[0].question == "Which is kinder?"
    with pytest.raises(InvalidSuite, match="no `target`"):
        check_suite({**suite, "prefer": ["Which is like {target}?"]})
    with pytest.raises(InvalidSuite, match="not both"):
        check_suite({**suite, "prefer": [{"question": "x", "connection": "a", "model": {}}]})
    with pytest.raises(InvalidSuite):
        check_suite(json.loads(json.dumps({**suite, "prefer": ["x"] * 5})))
