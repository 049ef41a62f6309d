"""Each scorer passes, fails and says why; what it cannot tell is unscored."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from studio.components import JsonObject
from studio.evaluation.scorers.sequences import mismatch
from studio.evaluation.suite_file import check_suite
from studio.evaluation.suites import Case, Suite, score_run
from studio.runs import LogEntry, RunStatus, Usage
from studio.runs.state import RunState
from tests.evaluation.transcripts import answered, called, ended, judged, result, verdict
from tests.runs.logs import STARTED, call, text

ANSWERS: list[tuple[JsonValue, str, str]] = [
    ({"equals": "Pine"}, " pine\n", "pass"),
    ({"equals": {"text": "Pine", "case": True}}, "pine", "fail"),
    ({"equals": ["oak", "pine"]}, "Pine", "pass"),
    ({"includes": "pine"}, "A Pine label.", "pass"),
    ({"includes": ["pine", "oak"]}, "A pine label.", "fail"),
    ({"includes": {"text": ["pine", "oak"], "mode": "any"}}, "A pine label.", "pass"),
    ({"includes": {"text": "Go on", "source": "critic"}}, "Pine", "pass"),
    ({"includes": {"text": "Go on", "source": "*"}}, "Pine", "pass"),
    ({"includes": {"text": "Go on", "source": "nobody"}}, "Pine", "fail"),
    ({"starts": "a pine"}, "A pine label.", "pass"),
    ({"starts": "pine"}, "A pine label.", "fail"),
    ({"matches": r"\bp\w+e\b"}, "A pine label.", "pass"),
    ({"matches": "^pine"}, "A pine label.", "fail"),
    ({"number": 1234.5}, "So it is $1,234.50 in all.", "pass"),
    ({"number": 18}, "First 18, then 19.", "fail"),
    ({"number": 18}, "9 + 9 = 18\n#### 18 eggs of 20", "pass"),
    ({"number": {"value": 100, "tolerance": 2}}, "102", "pass"),
    ({"number": {"value": 100, "relative": 0.01}}, "102", "fail"),
    ({"number": 7}, "None at all.", "fail"),
    ("json", '{"a": 1}', "pass"),
    ("json", '```json\n{"a": 1}\n```', "pass"),
    ("json", "{a: 1}", "fail"),
    ("json", "[" * 100_000, "fail"),
    ({"json": {"schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}}, '{"a": "x"}', "fail"),
    ({"json": {"schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}}, '{"a": 3}', "pass"),
    ({"same_json": {"value": {"b": [1, 2], "a": "x"}}}, '{"a": "x", "b": [1, 2]}', "pass"),
    ({"same_json": {"value": {"a": 1}}}, '{"a": true}', "fail"),
    ({"same_json": {"value": {"a": 1}, "ignore": ["/at"]}}, '{"a": 1, "at": "now"}', "pass"),
    ({"same_json": {"value": {"a": 1}}}, '{"a": 1, "at": "now"}', "fail"),
    ({"words_f1": "the red pine"}, "red pine", "pass"),
    ({"words_f1": {"text": "the red pine", "at_least": 0.9}}, "red pine", "fail"),
    ({"not": {"includes": "sorry"}}, "A pine label.", "pass"),
    ({"not": {"includes": "sorry"}}, "Sorry, no.", "fail"),
]


@pytest.mark.parametrize(("scorer", "answer", "expected"), ANSWERS)
def test_answers(scorer: JsonValue, answer: str, expected: str):
    found = judged(scorer, answered(answer))
    assert found.verdict == expected
    assert found.scores[0].score.reason.endswith(".")


def test_the_score_of_words_is_their_overlap():
    assert judged({"words_f1": "the red pine"}, answered("red pine")).scores[0].score.value == pytest.approx(0.8)


def test_a_field_of_the_case_is_put_in_as_text():
    assert verdict({"includes": "{target}"}, answered("pine"), target="pine") == "pass"
    assert verdict({"includes": "{target}"}, answered("{wood}"), target="{wood}", fields={"wood": "oak"}) == "pass"
    assert verdict({"equals": "{target}"}, answered("oak"), target=["pine", "oak"]) == "pass"
    assert verdict({"number": "{target}"}, answered("It is 72."), target="9*8\n#### 72") == "pass"
    assert verdict({"same_json": {"value": "{target}"}}, answered('{"a": 1}'), target={"a": 1}) == "pass"


def bought(*names: str) -> list[JsonObject]:
    return [body for at, name in enumerate(names) for body in called(name, call_id=f"call-{at}")]


SEQUENCES: list[tuple[str, list[str], list[str], bool]] = [
    ("exact", ["find", "refund"], ["find", "refund"], True),
    ("exact", ["find", "refund"], ["refund", "find"], False),
    ("exact", ["find"], ["find", "mail"], False),
    ("in_order", ["find", "refund"], ["find", "mail", "refund"], True),
    ("in_order", ["find", "refund"], ["refund", "find"], False),
    ("any_order", ["find", "refund"], ["refund", "find"], True),
    ("any_order", ["find", "refund"], ["refund", "find", "find"], False),
    ("subset", ["find", "refund"], ["find"], True),
    ("subset", ["find", "refund"], ["find", "mail"], False),
    ("superset", ["find"], ["mail", "find"], True),
    ("superset", ["find", "find"], ["mail", "find"], False),
]


@pytest.mark.parametrize(("mode", "expected", "made", "fits"), SEQUENCES)
def test_calls_are_held_against_the_expected_ones(mode: str, expected: list[str], made: list[str], fits: bool):
    scorer: JsonValue = {"calls": {mode: [*expected]}}
    assert verdict(scorer, ended(*bought(*made))) == ("pass" if fits else "fail")


@pytest.mark.parametrize(("mode", "expected", "made", "fits"), SEQUENCES)
def test_speakers_are_held_against_the_expected_ones(mode: str, expected: list[str], made: list[str], fits: bool):
    run = ended(text("user", "Go."), *(text(name, "Yes.") for name in made))
    assert verdict({"speakers": {mode: [*expected]}}, run) == ("pass" if fits else "fail")


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        (19.99, True),
        ("19.99", True),
        (20, False),
        ({"near": 19.990001}, True),
        ({"near": 19.98}, False),
        ({"one_of": [1, 19.99]}, True),
        ({"one_of": [1, 2]}, False),
        ({"matches": "1"}, False),
        ({"ignore": True}, True),
        ({"equal": {"near": 1}}, False),
    ],
)
def test_each_argument_has_its_own_rule(rule: JsonValue, fits: bool):
    run = ended(*called("refund", '{"amount": 19.99, "note": "thanks"}'))
    scorer: JsonValue = {"calls": [{"name": "refund", "arguments": {"amount": rule}}]}
    assert verdict(scorer, run) == ("pass" if fits else "fail")


def test_a_wrong_argument_is_named():
    run = ended(*called("refund", '{"amount": 5}'))
    score = judged({"calls": [{"name": "refund", "arguments": {"amount": 6}}]}, run).scores[0].score
    assert score.reason == "Expected another amount in a call of refund than 5."
    other: JsonValue = {"calls": [{"name": "refund", "arguments": {}, "no_others": True}]}
    assert verdict(other, run) == "fail"


def test_each_call_counts_once_even_where_a_greedy_choice_would_fail():
    run = ended(*called("f", '{"a": 1, "b": 1}', call_id="1"), *called("f", '{"a": 1}', call_id="2"))
    wide: JsonValue = {"name": "f", "arguments": {"a": 1}}
    narrow: JsonValue = {"name": "f", "arguments": {"b": 1}}
    assert verdict({"calls": {"any_order": [wide, narrow]}}, run) == "pass"


def test_a_run_of_very_many_calls_is_unscored():
    many = bought(*["tea"] * 1_001)
    assert verdict({"calls": {"superset": ["buy"]}}, ended(*many)) == "unscored"


def test_calls_that_failed_do_not_count_unless_told():
    run = ended(*called("find", call_id="1", is_error=True), *called("find", call_id="2"))
    assert verdict({"calls": {"exact": ["find"]}}, run) == "pass"
    assert verdict({"calls": {"exact": ["find"], "also_failed": True}}, run) == "fail"
    assert verdict({"never_calls": ["find"]}, run) == "fail"
    assert verdict({"at_most": {"calls": 1}}, run) == "fail"
    assert judged("no_errors", run).scores[0].score.reason == "find failed: result of find"


def test_a_handoff_is_no_call():
    said = "Transferred to clerk."
    handoff: JsonObject = {"type": "HandoffMessage", "source": "greeter", "target": "clerk", "content": said}
    wish, given = call("greeter", "transfer_to_clerk", "{}"), result("greeter", "transfer_to_clerk", said)
    run = ended(*called("find"), wish, given, handoff, *called("refund", call_id="call-3"))
    assert verdict({"handoffs": {"exact": ["clerk"]}}, run) == "pass"
    assert verdict({"calls": {"exact": ["find", "refund"]}}, run) == "pass"


def test_order_of_two_tools():
    rule: JsonValue = {"before": {"first": "check", "then": "pay"}}
    assert verdict(rule, ended(*bought("check", "pay"))) == "pass"
    assert verdict(rule, ended(*bought("pay", "check"))) == "fail"
    assert verdict(rule, ended(*bought("look"))) == "pass"


def test_repeats():
    same = [*called("find", '{"a": 1, "b": 2}', call_id="1"), *called("find", '{"b": 2, "a": 1}', call_id="2")]
    score = judged({"no_repeats": 2}, ended(*same)).scores[0].score
    assert (score.verdict, score.places) == ("fail", (1, 3))
    assert verdict({"no_repeats": 3}, ended(*same)) == "pass"


def test_how_a_run_went():
    fired: JsonObject = {
        "type": "TerminationProgressEvent",
        "source": "team",
        "conditions": [
            {"in_words": "“APPROVE” is said", "has_fired": True},
            {"in_words": "20 messages were said", "has_fired": False},
        ],
    }
    variables: JsonObject = {"type": "ContextVariablesEvent", "source": "clerk", "content": {"a": 1, "b": 2}}
    removed: JsonObject = {"type": "ContextVariablesEvent", "source": "clerk", "content": {"a": 3}, "removed": ["b"]}
    asked: JsonObject = {"type": "UserInputRequestedEvent", "source": "person", "content": ""}
    run = ended(text("user", "Go."), variables, asked, removed, fired, text("critic", "APPROVE"))
    assert verdict({"stopped_by": "approve"}, run) == "pass"
    assert verdict({"stopped_by": "Maximum number"}, run) == "pass"
    assert verdict({"stopped_by": "20 messages"}, run) == "fail"
    assert verdict({"variables": {"equal": {"a": 3}}}, run) == "pass"
    assert verdict({"variables": {"equal": {"b": 2}}}, run) == "fail"
    assert verdict("asked_no_one", run) == "fail"
    assert verdict({"ends_with_speaker": "critic"}, run) == "pass"
    assert verdict({"ends_with_speaker": "writer"}, run) == "fail"


def test_limits():
    usage = Usage(prompt_tokens=900, completion_tokens=100, micro_usd=20_000)
    run = ended(text("writer", "Pine."), status=RunStatus(state=RunState.FINISHED, reason="end", usage=usage))
    assert verdict({"at_most": {"usd": 0.02, "tokens": 1000, "turns": 1, "calls": 0, "seconds": 10}}, run) == "pass"
    for limit in ({"usd": 0.019}, {"tokens": 999}, {"turns": 0}, {"seconds": 9.9}):
        assert verdict({"at_most": {**limit}}, run) == "fail"
    unpriced = RunStatus(state=RunState.FINISHED, reason="end", usage=Usage(unpriced_calls=2))
    assert verdict({"at_most": {"usd": 1}}, ended(text("writer", "Pine."), status=unpriced)) == "unscored"


def test_a_run_that_did_not_end_by_itself():
    broken = RunStatus(state=RunState.FAILED, reason="error", detail="KeyError: 'a'")
    assert verdict({"not": {"includes": "x"}}, ended(status=broken)) == "fail"
    error: JsonObject = {"code": "model_unavailable", "message": "No answer.", "agent": "writer", "model": "gpt"}
    state: JsonObject = {"state": "failed", "reason": "error", "error": error}
    entry = LogEntry("run", 9, STARTED + timedelta(seconds=9), "state", state)
    assert verdict({"includes": "x"}, ended(status=broken, entries=[entry])) == "unscored"
    for state_of in (RunState.STOPPED, RunState.CANCELLED, RunState.INTERRUPTED, RunState.RUNNING):
        assert verdict({"includes": "x"}, ended(status=RunStatus(state=state_of))) == "unscored"


def test_a_fail_goes_before_what_is_unscored_and_breaches_are_named():
    suite = Suite.model_validate(
        {"suite": "s", "always": [{"never_calls": ["find"]}], "scorers": [{"at_most": {"usd": 1}}, {"includes": "x"}]}
    )
    status = RunStatus(state=RunState.FINISHED, reason="end", usage=Usage(unpriced_calls=1))
    found = score_run(suite, Case(task="Go."), ended(*called("find"), text("clerk", "x"), status=status))
    assert found.verdict == "fail"
    assert [each.scorer for each in found.breaches] == ["never_calls"]


def test_entries_of_other_shapes_are_passed_over():
    odd: list[JsonObject] = [
        {"type": "ToolCallRequestEvent", "source": "a", "content": "text"},
        {"type": "ToolCallRequestEvent", "source": "a", "content": [1, {"name": 3, "arguments": "{"}]},
        {"type": "ToolCallExecutionEvent", "source": "a", "content": [{"call_id": ["x"]}]},
        {"type": "TerminationProgressEvent", "conditions": 3},
        {"type": "ContextVariablesEvent", "content": [], "removed": 1},
    ]
    assert verdict({"calls": {"exact": []}}, ended(*odd)) == "pass"


NAMES = st.lists(st.sampled_from("abc"), max_size=6)


@given(NAMES, NAMES)
def test_stricter_modes_imply_looser_ones(expected: list[str], found: list[str]):
    fits = {
        mode: mismatch(mode, expected, found, str.__eq__) is None
        for mode in ("exact", "in_order", "any_order", "subset", "superset")
    }
    assert fits["exact"] == (expected == found)
    assert fits["any_order"] == (sorted(expected) == sorted(found))
    assert fits["any_order"] == (fits["subset"] and fits["superset"])
    assert fits["superset"] or not fits["in_order"]


def test_an_argument_that_must_be_null_stays_so_when_the_suite_is_kept():
    calls: JsonValue = [{"name": "find", "arguments": {"a": None}}]
    suite: JsonObject = {"suite": "x", "scorers": [{"calls": calls}]}
    kept = check_suite(check_suite(suite).model_dump(mode="json", exclude_defaults=True))
    (scorer,) = kept.scorers
    case = Case(task="t")
    assert scorer.score(ended(*called("find", '{"a": null}')), case).verdict == "pass"
    assert scorer.score(ended(*called("find", '{"a": {}}')), case).verdict == "fail"
