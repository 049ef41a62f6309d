"""Suites of other tools: what comes along, what the report says, and that nothing of a file is executed or opened."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Iterable, Iterator
from typing import Any, cast

import pytest
import yaml

from studio.code.conversion import Verdict
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.evaluation.imports import SUITE_SOURCES, ImportedSuite, import_suite, merged, name_for
from studio.evaluation.scorers.words import scorer_words
from studio.evaluation.suite_file import InvalidSuite, check_suite, write_suite

TURNS: list[dict[str, Any]] = [
    {"query": "hi", "expected_tool_use": [], "reference": "Hello!"},
    {
        "query": "refund it",
        "expected_tool_use": [
            {"tool_name": "transfer_to_agent", "tool_input": {"agent_name": "refunds"}},
            {"tool_name": "refund", "tool_input": {"order": "17", "note": "{name}"}},
        ],
        "reference": "Refunded.",
    },
]


def imported(name: str, content: object, **files: str) -> ImportedSuite:
    text = content if isinstance(content, str) else json.dumps(content)
    return import_suite({name: text, **files})


def cases_of(found: ImportedSuite) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", found.document["cases"])


def said(found: ImportedSuite, verdict: Verdict) -> list[str]:
    return [each.what for each in found.findings if each.verdict == verdict]


def words_of(found: ImportedSuite, case: int = 0) -> list[str]:
    suite = check_suite(found.document)
    return [scorer_words(each) for each in suite.scorers_of(suite.cases[case])]


def refused(name: str, content: object) -> StudioError:
    with pytest.raises(StudioError) as caught:
        imported(name, content)
    return caught.value


# --- tables and JSONL ---


def test_rows_of_a_spreadsheet_are_cases_with_fields():
    found = imported("trees.tsv", 'task\ttarget\ttags\twood\nName it.\toak\tshort, easy\thard\nAgain, "x"\tpine\t\t\n')
    assert found.source == "rows"
    assert cases_of(found) == [
        {"task": "Name it.", "target": "oak", "tags": ["short", "easy"], "fields": {"wood": "hard"}},
        {"task": 'Again, "x"', "target": "pine"},
    ]
    assert found.is_guess
    assert said(found, "asked") == ["How answers are judged"]


def test_all_wrong_rows_are_told_with_their_lines():
    with pytest.raises(InvalidSuite) as caught:
        imported("x.csv", "task,target\na,b\nc,d,e\nf,g,h,i\n")
    assert [each.place.line for each in caught.value.placed] == [3, 4]
    with pytest.raises(InvalidSuite) as caught:
        imported("x.jsonl", '{"task": "a"}\nno\n[1]\n')
    assert [each.place.line for each in caught.value.placed] == [2, 3]
    with pytest.raises(InvalidSuite) as caught:
        imported("x.csv", "id,task,target\na,b,c\na,d," + "x" * 5 + "\n" + "é" * 3 + ",,z\n")
    assert [each.place.line for each in caught.value.placed] == [4]  # a row without a task


@pytest.mark.parametrize(
    ("name", "text", "source", "scorer"),
    [
        (
            "a.jsonl",
            '{"question": "2+2?", "answer": "so\\n#### 4"}',
            "gsm8k",
            "The answer ends with the number {target}.",
        ),
        ("a.jsonl", '{"input": "Name a tree.", "target": "oak"}', "inspect", "The answer includes “{target}”."),
        (
            "a.jsonl",
            '{"item": {"input": [{"role": "user", "content": "Hi"}], "ideal": ["a", "b"]}}',
            "openai-evals",
            "The answer includes “{target}”.",
        ),
        ("a.json", '[{"prompt": "Say a.", "expected": "a"}]', "rows", "The answer includes “{target}”."),
        ("a.csv", "Question;Ground truth\nWho?;me\n", "rows", "The answer includes “{target}”."),
    ],
)
def test_fields_are_found_by_their_names(name: str, text: str, source: str, scorer: str):
    found = imported(name, text)
    assert found.source == source
    assert words_of(found) == [scorer]
    assert cases_of(found)[0]["target"]


def test_a_chat_and_choices_are_put_into_the_task():
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
    found = imported(
        "a.jsonl", json.dumps({"input": chat, "target": "A", "choices": ["yes", "no"], "files": {"a": "b"}})
    )
    assert cases_of(found)[0]["task"] == "system: Be brief.\n\nuser: Hi\n\nA) yes\nB) no"
    assert said(found, "approximated") == ["2 chat messages", "2 choices"]
    assert said(found, "dropped") == ["Field `files`"]


def test_humaneval_is_judged_by_its_tests():
    row = {
        "task_id": "HumanEval/0",
        "prompt": "def f():",
        "entry_point": "f",
        "canonical_solution": " pass",
        "test": "x",
    }
    found = imported("a.jsonl", row)
    (case,) = cases_of(found)
    assert (case["id"], case["fields"]["test"]) == ("HumanEval-0", "x")
    assert words_of(found) == ["A function in Python says whether it passes."]
    assert said(found, "asked") == ["Field `test`"]


def test_rows_without_a_task_say_which_fields_there_are():
    error = refused("a.csv", "wood,height\noak,3\n")
    assert "`wood`, `height`" in error.what
    assert "has no rows" in refused("a.csv", "task,target\n").what


def test_equal_tasks_get_ids_and_bad_ids_are_settled():
    found = imported(
        "a.jsonl", "\n".join(json.dumps(each) for each in [{"task": "x"}, {"task": "x"}, {"task": "y", "id": "a/b"}])
    )
    assert [case["id"] for case in cases_of(found)] == ["case-1", "case-2", "a-b"]
    assert "IDs of 1 case" in said(found, "approximated")
    assert said(found, "asked") == ["3 cases without an expectation that is read"]
    assert words_of(found) == ["No tool call fails."]


# --- Google ADK ---


@pytest.mark.parametrize("form", ["turns", "named", "set"])
def test_the_three_forms_of_adk_are_one_case_each(form: str):
    content: Any = TURNS
    if form == "named":
        content = [{"name": "refunds", "data": TURNS, "initial_session": {"state": {"a": 1}}}]
    if form == "set":
        conversation: list[dict[str, Any]] = [
            {
                "user_content": {"parts": [{"text": each["query"], "inline_data": None}]},
                "final_response": {"parts": [{"text": each["reference"]}]},
                "intermediate_data": {
                    "tool_uses": [
                        {"name": use["tool_name"], "args": use["tool_input"], "id": None}
                        for use in each["expected_tool_use"]
                    ],
                    "intermediate_responses": [],
                },
            }
            for each in TURNS
        ]
        content = {"eval_cases": [{"eval_id": "r", "conversation": conversation, "session_input": {"state": {"a": 1}}}]}
    found = imported("refunds.test.json", content)
    (case,) = cases_of(found)
    assert (found.source, case["task"], case["target"]) == ("adk", "hi\n\nrefund it", "Refunded.")
    assert words_of(found) == [
        'Calls exactly, in this order: refund(order="17", note="{text_1}").',
        "Hands off to in this order: refunds.",
        "The answer has words of “{target}”, F1 at least 0.8.",
    ]
    assert case["fields"] == {"text_1": "{name}"}  # what looks like a field of the case stays the text that it is
    assert "2 turns" in said(found, "approximated")
    assert ("State of the session" in said(found, "dropped")) == (form != "turns")


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        (
            {"tool_trajectory_avg_score": 0.2, "response_match_score": {"threshold": 0.4}},
            [
                'Calls at least: refund(order="17", note="{text_1}").',
                "Hands off to in this order: refunds.",
                "The answer has words of “{target}”, F1 at least 0.4.",
            ],
        ),
        ({"response_match_score": 0.5}, ["The answer has words of “{target}”, F1 at least 0.5."]),
        ({"hallucinations_v1": 1}, ["No tool call fails."]),
    ],
)
def test_the_criteria_beside_adk_tests_say_how_good_a_run_must_be(criteria: dict[str, Any], words: list[str]):
    beside = {"test_config.json": json.dumps({"criteria": criteria}), "a.test.json": json.dumps(TURNS)}
    assert words_of(import_suite(beside)) == words


# --- promptfoo ---

CONFIG = """
description: Shop
prompts: ['Answer {{question}} as {{ who }}.']
providers: [openai:gpt-5]
defaultTest:
  vars: {who: a clerk}
  assert:
    - {type: not-icontains, value: sorry}
    - {type: llm-rubric, value: Is kind.}
tests:
  - description: hours
    vars: {question: ['When?', 'Where?']}
    assert:
      - {type: contains-any, value: 'nine, ten'}
      - {type: javascript, value: 'process.exit(1)'}
      - {type: equals, value: 'We say {{who}}'}
      - {type: regex, value: '^(a+)+$'}
      - {type: regex, value: '(?=x)'}
      - {type: latency, threshold: 2000}
      - {type: cost, threshold: 0.01}
      - {type: trajectory:tool-sequence, value: {steps: [find, pay], mode: exact}}
      - {type: is-json, value: {type: object, properties: {a: {type: string}}}}
      - {type: contains, value: 'file://../../secret.txt'}
      - {type: assert-set, assert: [{type: starts-with, value: 'We {x}'}]}
"""


def test_a_promptfoo_configuration_keeps_what_can_be_judged():
    found = imported("promptfooconfig.yaml", CONFIG)
    assert found.document["suite"] == "Shop"
    assert [case["task"] for case in cases_of(found)] == ["Answer When? as a clerk.", "Answer Where? as a clerk."]
    assert words_of(found) == [
        "Not: The answer includes “sorry”.",
        "A judge finds: “Is kind.”.",
        "The answer includes “nine” or “ten”. Capital letters count.",
        "The answer is “We say {who}”. Capital letters count.",
        "The answer matches ^(a+)+$.",
        "Takes at most 2 seconds.",
        "Takes at most $0.01.",
        "Calls exactly, in this order: find, pay.",
        "The answer is JSON that fits a schema.",
        "The answer starts with “{text_1}”. Capital letters count.",
    ]
    assert cases_of(found)[0]["notes"] == "hours"
    assert set(said(found, "dropped")) == {
        "Providers",
        "Assertion `javascript`",
        "Assertion `regex`",
        "Assertion `contains`",
    }
    places = {each.what: each.place.line for each in found.findings}
    assert places["Assertion `javascript`"] == 15


def test_tests_of_a_table_and_prompts_of_a_file_are_read_only_where_they_were_given():
    config = "prompts: [file://prompts.txt]\nproviders: [x]\ntests: file://tests.csv\n"
    table = (
        "q,__expected,__expected2,__description,__metadata:level,__threshold\n"
        'Hi,"contains: a",not-equals: b,first,hard,\n'
        "Ho,plain answer,,,,0.5\n"
        "He,javascript:exit(),grade: is kind,,,\n"
    )
    found = import_suite({"c.yaml": config, "tests.csv": table, "prompts.txt": "Say {{q}}.\n---\nTell {{q}}."})
    assert [case["task"] for case in cases_of(found)] == [
        f"{verb} {q}." for verb in ("Say", "Tell") for q in ("Hi", "Ho", "He")
    ]
    assert words_of(found) == [
        "The answer includes “a”. Capital letters count.",
        "Not: The answer is “b”. Capital letters count.",
    ]
    assert words_of(found, 1) == ["The answer is “plain answer”. Capital letters count."]
    assert cases_of(found)[0]["tags"] == ["level: hard", "prompt 1"]
    assert "Column `__threshold`" in said(found, "dropped")
    error = refused("c.yaml", config.replace("tests.csv", "../../../etc/passwd"))
    assert error.what == "The files hold no case that can be read."


RUBRICS = """
prompts: ['{{question}}']
providers: [x]
defaultTest:
  assert:
    - {type: llm-rubric, value: 'Answers {{question}}.'}
    - {type: llm-rubric, value: 'Speaks to {{who}}.'}
tests:
  - vars: {question: 'When?', who: Ann}
    assert:
      - {type: llm-rubric, value: Do not mention prices.}
      - {type: not-llm-rubric, value: Is rude.}
      - {type: g-eval, value: [Is short., 'Names {{who}}.']}
      - {type: factuality, value: The shop opens at nine.}
      - {type: trajectory:goal-success, value: {goal: The order is found.}}
      - {type: llm-rubric, value: 'Rate the answer on a scale of 1-5.'}
      - {type: similar, value: At nine.}
      - {type: llm-rubric, value: LONG}
  - vars: {question: 'Where?'}
""".replace("LONG", "x" * 1_001)


def test_rubrics_become_criteria_of_judges():
    found = imported("promptfooconfig.yaml", RUBRICS)
    suite: Any = found.document
    assert suite["scorers"] == [{"judge": {"criteria": ["Answers {question}."]}}]
    first = suite["cases"][0]
    assert first["scorers"] == [
        {
            "judge": {
                "criteria": [
                    "Is short.",
                    "Names {who}.",
                    "Agrees with these facts: The shop opens at nine.",
                    "Rate the answer on a scale of 1-5.",
                ]
            }
        },
        {"not": {"judge": {"criteria": ["Mention prices."]}}},
        {"not": {"judge": {"criteria": ["Is rude."]}}},
        {"judge": {"criteria": ["Reaches this goal: The order is found."], "sees": "all"}},
    ]
    assert first["notes"].startswith("Judge: Speaks to {{who}}.\nJudge: At nine.\nJudge: xxx")
    assert said(found, "asked") == ["Assertion `llm-rubric`"], "a grade is no criterion"
    assert said(found, "dropped") == [
        *["Providers", "Assertions of all tests with braces"],
        *["Assertion `similar`", "Assertion `llm-rubric`"],
    ]


# --- pydantic-evals and tau2 ---


def test_pydantic_evals_keep_inputs_and_known_evaluators():
    content: dict[str, Any] = {
        "name": "ranges",
        "cases": [
            {
                "name": "one",
                "inputs": {"prompt": "Show logs", "now": "2023"},
                "expected_output": {"a": 1},
                "metadata": {"level": 2},
                "evaluators": [
                    "EqualsExpected",
                    {"Contains": "log"},
                    {"MaxDuration": {"seconds": 3}},
                    {"AgentCalledTool": {"agent_name": "a", "tool_name": "clock"}},
                    {"LLMJudge": {"rubric": "Is short."}},
                    {"IsInstance": "dict"},
                ],
            },
            {"inputs": "plain", "expected_output": "x"},
        ],
        "evaluators": ["Own", {"LLMJudge": "Is kind."}],
    }
    found = imported("d.yaml", content)
    assert found.source == "pydantic-evals"
    first, second = cases_of(found)
    assert (first["task"], first["target"], first["fields"]) == ("Show logs\n\nnow: 2023", {"a": 1}, {"level": 2})
    assert words_of(found) == [
        "A judge finds: “Is kind.”.",
        "The answer is the JSON {target}.",
        "The answer includes “log”. Capital letters count.",
        "Takes at most 3 seconds.",
        "Calls at least: clock.",
        "A judge finds: “Is short.”.",
    ]
    assert second["task"] == "plain"
    assert said(found, "approximated").count("Evaluator `LLMJudge`") == 2
    assert said(found, "dropped") == ["Evaluator `Own`", "Evaluator `IsInstance`"]
    assert "Expected output" in said(found, "asked")


def test_tau2_tasks_keep_calls_and_what_must_be_told():
    task: dict[str, Any] = {
        "id": "7",
        "description": {"purpose": "Refuses."},
        "user_scenario": {
            "instructions": {
                "reason_for_call": "Cancel EHGLP3.",
                "known_info": "You are Emma.",
                "task_instructions": "Insist.",
            }
        },
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [
                {"name": "cancel", "arguments": {"id": "E", "why": "x"}, "compare_args": ["id"]},
                {"name": "dial", "arguments": {}, "requestor": "user"},
            ],
            "communicate_info": ["327"],
            "nl_assertions": ["Agent refuses."],
            "reward_basis": ["DB"],
        },
    }
    found = imported("tasks.json", [task])
    (case,) = cases_of(found)
    assert (found.source, case["task"]) == ("tau2", "Cancel EHGLP3.\n\nYou are Emma.\n\nInsist.")
    assert words_of(found) == ['Calls at least: cancel(id="E").', "What the team says includes “327”."]
    assert case["notes"] == "Refuses.\nJudge: Agent refuses."
    assert said(found, "dropped") == ["A call of the person", "1 assertion in words"]


# --- hostile and merged ---


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "cases: !!python/object/apply:os.system ['true']"),
        (
            "a.yaml",
            "a: &a [x, x]\n"
            + "\n".join(
                f"b{n}: &b{n} [*{'a' if n == 0 else f'b{n - 1}'}, *{'a' if n == 0 else f'b{n - 1}'}]" for n in range(30)
            ),
        ),
        ("a.json", "[" * 100_000),
        ("a.yaml", "- " * 2_000 + "x"),
        ("a.json", '{"cases": 3}'),
        ("a.yaml", "just a text"),
        ("a.json", '{"tests": 3, "prompts": {"a": []}}'),
        ("a.json", '{"eval_cases": "x"}'),
        ("a.json", '[{"user_scenario": 3, "evaluation_criteria": 4}]'),
        ("a.json", '[{"query": 1, "reference": {"a": 1}}]'),
        ("a.json", '{"cases": [{"inputs": null}]}'),
        ("a.csv", "\x00,task\n\x00,a\n"),
        ("a.jsonl", '{"input": [{"role": 3, "content": {"a": [1]}}], "target": {"x": [null]}}'),
        ("a.bin", "x"),
    ],
)
def test_odd_files_are_refused_or_read_and_never_break(name: str, text: str):
    with contextlib.suppress(StudioError):  # anything else is a fault of the reader
        check_suite(imported(name, text).document)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        inner = enumerate(cast("list[Any]", value))
    for key, each in inner:
        yield from _places(each, (*path, key))


@pytest.mark.parametrize("source", ["adk", "promptfoo"])
def test_a_damaged_file_is_refused_or_read_wherever_the_damage_is(source: str):
    whole: Any = TURNS if source == "adk" else yaml.safe_load(CONFIG)
    damage: list[Any] = [None, 3, "", True, [], {}, [None], {"a": {"b": [1]}}, "{a}", "file://x", "\ud800", 1e308]
    chosen = random.Random(7)
    for path in list(_places(whole)):
        for replacement in chosen.sample(damage, 4):
            damaged = copy.deepcopy(whole)
            place = damaged
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = replacement
            with contextlib.suppress(StudioError):
                imported("a.json", damaged)


def test_a_formula_stays_a_text_and_bounds_hold():
    found = imported("a.csv", "task,target\n\"=cmd|'/c calc'!A1\",x\n")
    assert cases_of(found)[0]["task"] == "=cmd|'/c calc'!A1"
    with pytest.raises(TooLarge):
        imported("a.csv", "task\n" + "x\n" * 10_001)
    with pytest.raises(TooLarge):
        import_suite({f"{at}.csv": "task\nx" for at in range(21)})
    many = "\n".join(f"    v{at}: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]" for at in range(9))
    with pytest.raises(TooLarge):
        imported("a.yaml", f"prompts: [x]\ntests:\n- vars:\n{many}\n- vars: {{a: 1}}\n")


def test_a_suite_of_the_studio_is_the_same_again():
    document: dict[str, Any] = {
        "suite": "trees",
        "always": [{"never_calls": {"tools": ["rm"]}}],
        "scorers": [{"includes": {"text": ["{target}"]}}],
        "cases": [{"task": "Name one.", "target": "oak"}],
    }
    form, text = write_suite(cast("Any", document))
    found = imported(f"x.suite.{form}", text)
    assert (found.source, found.document) == ("suite", document)
    beside = import_suite({"x.yaml": "suite: y\nscorers: [no_errors]\ncases: c.csv", "c.csv": "task\nA\nB\n"})
    assert [case["task"] for case in cases_of(beside)] == ["A", "B"]
    with pytest.raises(InvalidDocument, match="was not given"):
        imported("x.yaml", "suite: y\nscorers: [no_errors]\ncases: ../c.csv")


def test_what_is_imported_joins_a_suite_that_has_scorers():
    rows = imported("a.csv", "task,target\nx,y\n")
    whole: dict[str, Any] = merged({"suite": "s", "scorers": [{"equals": "{target}"}]}, rows)
    assert whole["scorers"] == [{"equals": "{target}"}]  # a suggestion gives way
    assert "scorers" not in whole["cases"][0]
    config = imported("c.yaml", CONFIG)
    joined: dict[str, Any] = merged({"suite": "s", "cases": [{"task": "a", "scorers": ["no_errors"]}]}, config)
    assert "scorers" not in joined
    assert joined["cases"][1]["scorers"][0] == {"not": {"includes": {"text": ["sorry"]}}}
    empty: dict[str, Any] = merged({"suite": "s"}, config)
    assert (empty["suite"], len(empty["scorers"]), len(empty["cases"])) == ("s", 2, 2)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("task\ttarget\na\tb", "pasted.tsv"),
        ("task,target\na,b", "pasted.csv"),
        ("task\na", "pasted.csv"),
        ('{"task": "a"}\n{"task": "b"}', "pasted.jsonl"),
        ('{\n"eval_cases": []}', "pasted.json"),
        (' [{"task": "a"}]', "pasted.json"),
        ("suite: x\ncases: []", "pasted.yaml"),
        ("# a comment\nprompts: []", "pasted.yaml"),
    ],
)
def test_pasted_text_is_told_by_what_it_looks_like(text: str, name: str):
    assert name_for(text) == name


def test_every_source_has_a_title():
    assert all(SUITE_SOURCES.values())
