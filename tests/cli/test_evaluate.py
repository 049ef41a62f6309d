"""`studio eval` checks suites with all mistakes at once, and scores finished runs for nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import cast

import jsonschema
import pytest
from pydantic import JsonValue

from studio.components import JsonObject
from studio.runs import RunRecord, RunStatus
from studio.runs.sharing.bundle import embedded, pack
from studio.runs.sharing.redaction import SecretRemover
from studio.runs.state import RunState
from studio.store import open_store
from tests.cli.conftest import Studio
from tests.runs.logs import STARTED, log_of, text

SUITE = """\
suite: labels
always:
  - never_calls: [delete_file]
scorers:
  - includes: "{target}"
cases:
  - {id: pine, task: Write a label for the pine shelf., target: pine}
  - {id: oak, task: Write a label for the oak shelf., target: oak, scorers: [no_errors]}
"""
RUN_ID = "11111111-1111-4111-8111-{:012d}"
STOP: JsonObject = {"provider": "autogen_agentchat.conditions.MaxMessageTermination", "config": {"max_messages": 3}}


def written(folder: Path, content: str, name: str = "labels.suite.yaml") -> Path:
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return file


def finished(number: int, task: str, answer: str, state: RunState = RunState.FINISHED) -> RunRecord:
    """A run with an answer."""
    return RunRecord(
        id=RUN_ID.format(number),
        team_id=None,
        team_name="Labels",
        task_text=task,
        task=task,
        component=STOP,
        status=RunStatus(state=state, reason="condition" if state is RunState.FINISHED else "user", detail=answer),
        last_seq=2,
        created_at=STARTED,
        started_at=STARTED,
        ended_at=STARTED + timedelta(seconds=3),
    )


def kept(folder: Path, *runs: RunRecord) -> Path:
    """A data folder whose studio has these runs; the answer of each is its detail."""

    async def keep() -> None:
        async with open_store(folder) as store:
            for run in runs:
                said = log_of(text("user", run.task_text), text("writer", run.status.detail))
                await store.run_imports.add_run(run, [entry._replace(run_id=run.id) for entry in said])

    asyncio.run(keep())
    return folder


def places(out: str) -> list[str]:
    return [line.split(": ")[0].strip() for line in out.splitlines() if line.startswith("  ") and line[2] != " "]


def test_a_suite_is_listed(studio: Studio, tmp_path: Path):
    code, out, err = studio("eval", "check", written(tmp_path, SUITE))
    assert (code, err) == (0, "")
    assert "2 cases of “labels”" in out
    assert "(never_calls, includes, no_errors)" in out


def test_all_mistakes_are_told_at_once_with_file_and_line(studio: Studio, tmp_path: Path):
    suite = """\
suite: labels
alwys: []
scorers:
  - incudes: pine
  - calls: {in_ordr: [a]}
  - matches: "("
  - number: "{target}"
  - includes: "{wood}"
cases: cases.jsonl
"""
    rows = [
        '{"id": "pine", "task": "Pine", "target": "pine"}',
        "[1]",
        '{"id": "oak", "tsk": "Oak"}',
        "{",
    ]
    written(tmp_path, "\n".join(rows), "cases.jsonl")
    file = written(tmp_path, suite)
    code, out, _ = studio("eval", "check", file)
    assert code == 1
    assert places(out) == [
        "cases.jsonl:2:1",
        "cases.jsonl:4:1",
        "labels.suite.yaml:4:5",
        "labels.suite.yaml:5:22",
        "labels.suite.yaml:6:14",
        "cases.jsonl:3:1",
        "cases.jsonl:3:1",
        "labels.suite.yaml:2:8",
    ]
    for fix in ("`includes`", "`in_order`", "`task`", "`always`"):
        assert f"Did you mean {fix}?" in out
    code, out, _ = studio("eval", "check", "--json", file)
    (report,) = json.loads(out)
    assert (code, report["ok"], len(report["findings"])) == (1, False, 8)
    assert report["findings"][2] == {
        "code": "unknown_scorer",
        "message": "There is no scorer 'incudes'.",
        "fix": "Did you mean `includes`?",
        "where": "/scorers/0",
        "file": "labels.suite.yaml",
        "line": 4,
        "column": 5,
    }


def test_what_does_not_fit_together_is_found_before_anything_is_scored(studio: Studio, tmp_path: Path):
    suite = """\
suite: labels
scorers:
  - number: "{target}"
cases:
  - {id: pine, task: Pine, target: pine}
  - {id: pine, task: Oak, target: 3}
  - {id: ash, task: Ash}
"""
    code, out, _ = studio("eval", "check", written(tmp_path, suite))
    assert code == 1
    assert "number cannot score case pine: “pine” does not end with a number." in out
    assert "Cases 1 and 2 have the same ID: pine." in out
    assert "number cannot score case ash: The case has no `target`." in out
    assert places(out) == ["labels.suite.yaml:5:5", "labels.suite.yaml:6:10", "labels.suite.yaml:7:5"]


def test_cases_of_a_csv_file(studio: Studio, tmp_path: Path):
    suite = 'suite: labels\nscorers: [{includes: "{wood}"}]\ncases: cases.csv\n'
    file = written(tmp_path, suite)
    written(tmp_path, '\ufeffid,task,wood,tags\npine,"Write,\na label.",pine,"a, b"\n,Other,oak,\n', "cases.csv")
    code, out, _ = studio("eval", "check", "--json", file)
    (report,) = json.loads(out)
    assert (code, [len(case["id"]) for case in report["cases"]]) == (0, [4, 12])
    written(tmp_path, 'id,task\npine,"a\nb",x\n\noak,c,d\n', "cases.csv")
    code, out, _ = studio("eval", "check", file)
    assert code == 1
    assert places(out)[:2] == ["cases.csv:2:1", "cases.csv:5:1"]


def test_mistakes_in_json_have_lines_too(studio: Studio, tmp_path: Path):
    suite = '{\n "suite": "s",\n "scorers": [\n  {"include": "x"}\n ],\n "cases": [{"task": "x"}]\n}'
    code, out, _ = studio("eval", "check", written(tmp_path, suite, "s.json"))
    assert (code, places(out)) == (1, ["s.json:4:3"])


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ("[1]", "A suite is an object."),
        ("suite: x\ncases: ../secret.jsonl\n", "There is no file '../secret.jsonl' beside the suite."),
        ("suite: x\ncases: link.jsonl\n", "There is no file 'link.jsonl' beside the suite."),
        ("suite: x\ncases: cases.txt\n", "Cases cannot be read from 'cases.txt'."),
        ("suite: x\ncases: none.csv\n", "There is no file 'none.csv' beside the suite."),
        ("suite: !!python/object/apply:os.system ['touch ran']\n", "YAML tag"),
        ("suite: [", "is not YAML"),
        ("a: " + "[" * 200 + "]" * 200, "levels deep"),
    ],
)
def test_a_hostile_suite_is_refused_and_executes_nothing(studio: Studio, tmp_path: Path, suite: str, said: str):
    (tmp_path / "secret.jsonl").write_text('{"task": "secret"}')
    folder = tmp_path / "suites"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    written(folder, "x", "cases.txt")
    code, out, err = studio("eval", "check", written(folder, suite))
    assert code == 1
    assert said in out + err
    assert sorted(path.name for path in folder.iterdir()) == ["cases.txt", "labels.suite.yaml", "link.jsonl"]


def test_an_alias_bomb_is_refused(studio: Studio, tmp_path: Path):
    lines = ["a0: &a0 [x, x]", *(f"a{at}: &a{at} [*a{at - 1}, *a{at - 1}, *a{at - 1}]" for at in range(1, 30))]
    code, out, err = studio("eval", "check", written(tmp_path, "\n".join(lines)))
    assert code != 0
    assert "have more than" in out + err


def test_the_schema_fits_what_the_checker_takes(studio: Studio, tmp_path: Path):
    code, out, _ = studio("eval", "schema")
    schema = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(schema)  # pyright: ignore[reportUnknownMemberType] -- no types
    validator = jsonschema.Draft202012Validator(schema)
    good: list[JsonValue] = [
        "no_errors",
        {"no_errors": None},
        {"includes": "x"},
        {"includes": ["x", "y"]},
        {"not": {"calls": ["a", {"name": "b", "arguments": {"c": {"near": 1}, "d": 2}}]}},
        {"at_most": {"usd": 0.1}},
    ]
    bad: list[JsonValue] = ["includes", {"incudes": "x"}, {"no_repeats": 1}, {"at_most": {"euros": 1}}]
    assert code == 0
    for scorers, is_good in [*((each, True) for each in good), *((each, False) for each in bad)]:
        suite = {"suite": "s", "scorers": [scorers], "cases": [{"task": "x"}]}
        is_valid: bool = validator.is_valid(suite)  # pyright: ignore[reportUnknownMemberType] -- as above
        assert (is_valid, studio("eval", "check", written(tmp_path, json.dumps(suite), "s.json"))[0]) == (
            is_good,
            0 if is_good else 1,
        )


def score(
    studio: Studio, suite: Path, data_dir: Path, *runs: object, **options: str
) -> tuple[int, Mapping[str, object]]:
    given = [each for run in runs for each in ("--runs", run)]
    more = [each for name, value in options.items() for each in (f"--{name}", value)]
    code, out, err = studio("eval", "score", suite, *given, *more, "--data-dir", data_dir, "--json")
    assert err == ""
    return code, json.loads(out)


def test_stored_runs_are_scored_as_the_case_with_their_task(studio: Studio, tmp_path: Path):
    suite = written(tmp_path, SUITE)
    data = kept(
        tmp_path / "data",
        finished(1, "Write a label for the  pine shelf.", "A pine label."),
        finished(2, "Write a label for the oak shelf.", "A pine label."),
        finished(3, "Something else.", "Pine."),
        finished(4, "Write a label for the oak shelf.", "An oak", RunState.STOPPED),
    )
    ids = [RUN_ID.format(number) for number in range(5)]
    code, told = score(studio, suite, data, *ids[1:])
    assert told["counts"] == {"pass": 1, "fail": 1, "unscored": 1}
    runs = cast("list[dict[str, object]]", told["runs"])
    assert [(run["case"], run["verdict"]) for run in runs] == [
        ("pine", "pass"),
        ("oak", "fail"),
        (None, None),
        ("oak", "unscored"),
    ]
    assert code == 1
    assert score(studio, suite, data, ids[1])[0] == 0
    assert score(studio, suite, data, ids[3])[0] == 2
    assert score(studio, suite, data, ids[3], case="pine")[0] == 0
    code, out, _ = studio("eval", "score", suite, "--runs", ids[2], "--data-dir", data)
    assert code == 1
    assert "fail: includes: The answer does not include “oak”." in out
    assert "does not give a pass rate" in out


def test_a_shared_run_is_scored_from_its_file(studio: Studio, tmp_path: Path):
    run = finished(1, "Write a label for the pine shelf.", "A pine label.")
    said = log_of(text("user", run.task_text), text("writer", "A pine label."))
    packed = pack(run, said, SecretRemover({}), saved_at=STARTED)
    file = written(tmp_path, f"<html>{embedded(packed.bundle)}</html>", "run.html")
    code, told = score(studio, written(tmp_path, SUITE), tmp_path / "data", file)
    assert (code, told["counts"]) == (0, {"pass": 1, "fail": 0, "unscored": 0})


@pytest.mark.parametrize(("options", "said"), [({}, "no run"), ({"--case": "ash"}, "no case 'ash'")])
def test_what_is_not_there_is_the_operators_error(studio: Studio, tmp_path: Path, options: dict[str, str], said: str):
    data = kept(tmp_path / "data", finished(1, "Oak.", "Oak."))
    run = RUN_ID.format(1 if options else 2)
    given = [each for pair in options.items() for each in pair]
    code, out, err = studio("eval", "score", written(tmp_path, SUITE), "--runs", run, "--data-dir", data, *given)
    assert (code, out) == (2, "")
    assert said in err


def test_files_of_other_tools_become_a_suite_that_passes_the_check(studio: Studio, tmp_path: Path):
    turns = '[{"query": "hi", "expected_tool_use": [{"tool_name": "greet", "tool_input": {}}], "reference": "Hello!"}]'
    file, made = written(tmp_path, turns, "hi.test.json"), tmp_path / "hi.suite.yaml"
    code, out, _ = studio("eval", "import", file, "--out", made)
    assert code == 0
    assert "1 case from Google ADK" in out
    assert "approximated" in out
    assert studio("eval", "check", made)[0] == 0
    code, out, _ = studio("eval", "import", file, "--json")
    report = json.loads(out)
    assert (report["source"], report["counts"]["approximated"]) == ("adk", 1)


def test_files_that_cannot_be_imported_are_told_by_their_rows(studio: Studio, tmp_path: Path):
    code, _, err = studio("eval", "import", written(tmp_path, "task,target\na,b,c\nd,e,f\n", "rows.csv"))
    assert code == 1
    assert "rows.csv:2:1: This row has 3 cells" in err
    assert "rows.csv:3:1" in err
    code, _, err = studio("eval", "import", tmp_path / "none.csv")
    assert code != 0
    assert "none.csv" in err
    code, _, err = studio("eval", "import", written(tmp_path, "x", "a.bin"))
    assert (code, "There is no file of cases." in err) == (1, True)
