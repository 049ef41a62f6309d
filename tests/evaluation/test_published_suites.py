"""Published files of other tools: what they call right passes when it is imported, and what is not right fails.

Where they are from, and their licenses, stands in `published/MANIFEST.json`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import cast

import pytest

from studio.components import JsonObject
from studio.evaluation.imports.importing import import_suite
from studio.evaluation.scorers.calls import MODES, CallsScorer, ExpectedCall
from studio.evaluation.scorers.python import PythonScorer
from studio.evaluation.suite_file import check_suite
from studio.evaluation.suites import Case, Suite, score_run
from studio.evaluation.transcript import Transcript
from studio.services.code_scores import with_code_scores
from tests.evaluation.transcripts import answered, called, ended
from tests.extended import sample
from tests.runs.logs import text
from tests.sandbox.jailed import best_jail, within

PUBLISHED = Path(__file__).parent / "published"
ADK = sorted(each.name for each in (PUBLISHED / "adk").iterdir())
PROMPTFOO = {
    "agents": ("promptfooconfig.yaml",),
    "self-grading": ("promptfooconfig.yaml", "prompts.txt", "tests.csv"),
    "support-rubric": ("promptfooconfig.yaml", "prompt.txt", "tests.csv"),
}


def imported(*names: str) -> Suite:
    files = {Path(name).name: (PUBLISHED / name).read_text(encoding="utf-8") for name in names}
    return check_suite(import_suite(files).document)


def verdicts(suite: Suite, case: Case, run: Transcript) -> dict[str, str]:
    return {each.scorer: each.score.verdict for each in score_run(suite, case, run).scores}


def expected_calls(case: Case) -> list[JsonObject]:
    """Those that a case expects, each as a model would make it."""
    found: list[JsonObject] = []
    for scorer in case.scorers:
        if isinstance(scorer, CallsScorer):
            wanted = next(calls for mode in MODES if (calls := getattr(scorer, mode)) is not None)
            for each in cast("list[ExpectedCall]", wanted):
                values: JsonObject = {name: rule.equal for name, rule in (each.arguments or {}).items()}
                found.append({"name": each.name, "arguments": values})
    return found


def calling(calls: Sequence[JsonObject], answer: str = "Done.") -> Transcript:
    bodies = [
        body
        for number, each in enumerate(calls)
        for body in called(str(each["name"]), json.dumps(each["arguments"]), call_id=f"call-{number}")
    ]
    return ended(text("user", "Go."), *bodies, text("clerk", answer))


def test_the_reasoning_of_gsm8k_passes_and_another_number_fails():
    suite = imported("gsm8k-test-100.jsonl")
    assert len(suite.cases) == 100
    for case in suite.cases:
        target = str(case.target)
        reasoning, _, number = target.rpartition("#### ")
        assert verdicts(suite, case, answered(target)) == {"number": "pass"}
        assert verdicts(suite, case, answered(f"{reasoning}So it is {number}.")) == {"number": "pass"}
        other = int(number.replace(",", "")) + 1
        assert verdicts(suite, case, answered(f"{reasoning}So it is {other}.")) == {"number": "fail"}


def test_the_calls_that_tau2_expects_pass_and_one_less_fails():
    suite = imported("tau2-airline-tasks.json")
    cases = [case for case in suite.cases if expected_calls(case)]
    assert (len(suite.cases), sum(len(expected_calls(case)) for case in cases)) == (50, 142)
    for case in cases:
        calls = expected_calls(case)
        assert verdicts(suite, case, calling(calls))["calls"] == "pass"
        assert verdicts(suite, case, calling(calls[1:]))["calls"] == "fail"


@pytest.mark.parametrize(
    ("mode", "verdict"),
    [("exact", "fail"), ("in_order", "fail"), ("any_order", "pass"), ("superset", "pass"), ("subset", "pass")],
)
def test_the_calls_of_tau2_in_another_order(mode: str, verdict: str):
    cases = [case for case in imported("tau2-airline-tasks.json").cases if len(expected_calls(case)) > 1]
    judged: set[str] = set()
    for case in cases:
        calls = expected_calls(case)
        wanted = [{**each, "arguments": _equal(each)} for each in calls]
        suite = Suite.model_validate({"suite": "order", "scorers": [{"calls": {mode: wanted}}]})
        plain = Case(task="Go.")
        assert verdicts(suite, plain, calling(calls)) == {"calls": "pass"}
        if calls[0] != calls[-1]:
            judged |= {*verdicts(suite, plain, calling([calls[-1], *calls[1:-1], calls[0]])).values()}
    assert judged == {verdict}


def _equal(call: JsonObject) -> JsonObject:
    return {name: {"equal": value} for name, value in cast("JsonObject", call["arguments"]).items()}


@pytest.mark.parametrize("name", ADK)
def test_a_run_as_adk_recorded_it_passes_and_another_trajectory_fails(name: str):
    """Its own measure of trajectories is exact: these calls, these arguments, this order, and no others."""
    suite = imported(f"adk/{name}")
    for case in suite.cases:
        calls, answer = expected_calls(case), str(case.target or "Done.")
        found = verdicts(suite, case, calling(calls, answer))
        assert {verdict for scorer, verdict in found.items() if scorer != "handoffs"} == {
            "pass"
        }  # these runs have none
        extra: JsonObject = {"name": "another_tool", "arguments": {}}
        assert verdicts(suite, case, calling([*calls, extra], answer))["calls"] == "fail"
        if len(calls) > 1 and calls[0] != calls[-1]:
            assert verdicts(suite, case, calling(calls[::-1], answer))["calls"] == "fail"
        for place, each in enumerate(calls):
            if each["arguments"]:
                changed: JsonObject = {**each, "arguments": dict.fromkeys(cast("JsonObject", each["arguments"]), "?")}
                assert verdicts(suite, case, calling([*calls[:place], changed, *calls[place + 1 :]]))["calls"] == "fail"


@pytest.mark.parametrize("name", PROMPTFOO)
def test_files_of_promptfoo_become_cases(name: str):
    suite = imported(*(f"promptfoo/{name}/{file}" for file in PROMPTFOO[name]))
    assert len(suite.cases) == {"agents": 3, "self-grading": 4, "support-rubric": 8}[name]
    assert all("Judge:" in case.notes or case.scorers or suite.scorers for case in suite.cases)


def test_promptfoo_wants_a_text_in_its_own_letters():
    """`contains` looks at letters as they are."""
    suite = imported("promptfoo/agents/promptfooconfig.yaml")
    assert verdicts(suite, suite.cases[0], answered("One bag is free."))["includes"] == "pass"
    assert verdicts(suite, suite.cases[0], answered("One BAG is free."))["includes"] == "fail"


OTHERWISE = {
    ("equals", " Yes."): "Spaces at the ends of an answer do not count.",
    ("equals", "Yes. "): "Spaces at the ends of an answer do not count.",
    ("starts-with", " We open."): "Spaces at the ends of an answer do not count.",
    ("contains-json", 'Here: {"a": 1}'): "The whole answer must be JSON.",
}
"""Where the verdict is another one than promptfoo's, and what the report of the import says of it."""


def test_assertions_judge_as_promptfoo_itself_does():
    """Its verdicts were recorded: see `verdicts/promptfoo.json`."""
    recorded = json.loads((Path(__file__).parent / "verdicts" / "promptfoo.json").read_text(encoding="utf-8"))
    others: dict[tuple[str, str], str] = {}
    for each in recorded["verdicts"]:
        test = {"vars": {"task": "Go."}, "assert": [each["assertion"]]}
        found = import_suite({"a.yaml": json.dumps({"prompts": ["{{task}}"], "tests": [test]})})
        suite = check_suite(found.document)
        if score_run(suite, suite.cases[0], answered(each["answer"])).verdict != each["verdict"]:
            what = f"Assertion `{each['assertion']['type']}`"
            (finding,) = [other for other in found.findings if other.what == what]
            assert finding.verdict == "approximated"
            others[each["assertion"]["type"], each["answer"]] = finding.why
    assert (len(recorded["verdicts"]), others) == (74, OTHERWISE)


def test_trajectories_and_answers_are_judged_as_adk_itself_does():
    """Its verdicts were recorded: see `verdicts/adk.json`."""
    recorded = json.loads((Path(__file__).parent / "verdicts" / "adk.json").read_text(encoding="utf-8"))
    for each in recorded["trajectories"]:
        criterion: JsonObject = {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": each["mode"]}}
        suite = _of_adk(criterion, "", each["expected"])
        calls = [{"name": call["name"], "arguments": call["args"]} for call in each["actual"]]
        assert score_run(suite, suite.cases[0], calling(calls)).verdict == each["verdict"], each
    for each in recorded["responses"]:
        suite = _of_adk({"response_match_score": 0.8}, each["expected"], [])
        (found,) = score_run(suite, suite.cases[0], answered(each["answer"])).scores
        assert found.score.value == pytest.approx(each["score"], abs=1e-4)
        assert found.score.verdict == ("pass" if each["score"] >= 0.8 else "fail")
    assert (len(recorded["trajectories"]), len(recorded["responses"])) == (51, 9)


def _of_adk(criteria: JsonObject, answer: str, calls: Sequence[JsonObject]) -> Suite:
    """A conversation of one turn, with the file of criteria beside it."""
    turn = {
        "user_content": {"parts": [{"text": "Go."}]},
        "final_response": {"parts": [{"text": answer}]},
        "intermediate_data": {"tool_uses": [*calls]},
    }
    content = {"eval_cases": [{"eval_id": "one", "conversation": [turn]}]}
    files = {"a.evalset.json": json.dumps(content), "test_config.json": json.dumps({"criteria": criteria})}
    return check_suite(import_suite(files).document)


@pytest.mark.parametrize(("name", "count"), [("biology_qa", 20), ("security_guide", 16)])
def test_targets_of_inspect_pass_inside_of_an_answer(name: str, count: int):
    suite = imported(f"inspect/{name}.jsonl")
    assert len(suite.cases) == count
    for case in suite.cases:
        assert verdicts(suite, case, answered(f"I would say {case.target}.")) == {"includes": "pass"}
        assert verdicts(suite, case, answered("I do not know.")) == {"includes": "fail"}


def test_cases_of_pydantic_evals_keep_what_is_expected():
    suite = imported("pydantic/time_range_v2.yaml")
    assert len(suite.cases) == 10
    assert all(isinstance(case.target, dict) for case in suite.cases)


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_solutions_of_humaneval_pass_its_tests_in_the_sandbox_and_cut_ones_fail():
    suite = imported("humaneval-60.jsonl")
    (scorer,) = suite.scorers
    assert isinstance(scorer, PythonScorer)
    rows = [json.loads(line) for line in (PUBLISHED / "humaneval-60.jsonl").read_text(encoding="utf-8").splitlines()]
    approved = _AllApproved()
    with within(best_jail()):
        for number, (case, row) in sample([*enumerate(zip(suite.cases, rows, strict=True))], 20):
            whole = row["canonical_solution"]
            cut = f"{whole[: len(whole) - len(whole.lstrip())]}return None\n"
            fenced = f"Here it is:\n```python\n{row['prompt']}{whole}```\nDone."
            answers = [(whole, "pass"), (cut, "fail"), *([] if number % 10 else [(fenced, "pass")])]
            for answer, verdict in answers:
                run = await with_code_scores(suite, case, answered(answer), approved, "")
                assert verdicts(suite, case, run) == {"python": verdict}, (case.id, answer)


@pytest.mark.slow
@pytest.mark.timeout(60)
async def test_a_solution_of_humaneval_that_hangs_or_ends_its_process_fails_with_its_reason():
    suite = imported("humaneval-60.jsonl")
    (scorer,) = suite.scorers
    assert isinstance(scorer, PythonScorer)
    suite = suite.model_copy(update={"scorers": [scorer.model_copy(update={"seconds": 1})]})
    unsure = suite.model_copy(update={"scorers": [scorer.model_copy(update={"seconds": 1, "runs_answer": False})]})
    case = suite.cases[0]
    hangs = "It took longer than 1 s and was stopped."
    with within(best_jail()):
        for body, why in (("    while True:\n        pass\n", hangs), ("    import os\n    os._exit(3)\n", "")):
            run = await with_code_scores(suite, case, answered(body), _AllApproved(), "")
            [found] = score_run(suite, case, run).scores
            assert found.score.verdict == "fail"
            assert found.score.reason.startswith(f"The code of the answer did not end well: {why}")
            assert verdicts(unsure, case, run) == {"python": "unscored"}


class _AllApproved:
    async def active_for(self, hashes: Collection[str], *, team_id: str = "") -> dict[str, tuple[str, ...]]:
        del team_id
        return dict.fromkeys(hashes, ())
