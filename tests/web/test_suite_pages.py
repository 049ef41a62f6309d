"""The pages of suites: all of them, one with its cases and scorers, and the suite as text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.evaluation.scorers import SCORERS
from studio.evaluation.scorers.entry import Not
from studio.evaluation.suite_file import check_suite
from studio.services.team_suites import MAX_RUNS, MAX_SUITE_CHARACTERS
from studio.web.forms.scorer_form import scorer_forms
from studio.web.suite_rows import PAGE
from tests.web.documents import assistant, team
from tests.web.following import ended
from tests.web.page_text import text_of
from tests.web.publishing import publish, running

SCORERS_IN_WORDS: list[tuple[Any, str]] = [
    ({"includes": "pine"}, "The answer includes “pine”."),
    ({"includes": {"text": ["a", "b"], "mode": "any", "case": True}}, "includes “a” or “b”. Capital letters count."),
    ({"equals": {"text": "x", "source": "editor"}}, "The last message of editor is “x”."),
    ({"starts": {"text": "x", "source": "*"}}, "What the team says starts with “x”."),
    ({"matches": "^a"}, "The answer matches ^a."),
    ({"number": {"value": 3, "tolerance": 0.5}}, "ends with the number 3, give or take 0.5."),
    ("json", "The answer is JSON."),
    ({"same_json": {"value": {"a": 1}, "ignore": ["/b"]}}, 'is the JSON {"a": 1}, apart from /b.'),
    ({"words_f1": "x y"}, "has words of “x y”, F1 at least 0.5."),
    (
        {"calls": ["find", {"name": "refund", "arguments": {"sum": {"near": 2}}}]},
        "in this order: find, refund(sum=about 2.0)",
    ),
    ({"calls": {"exact": []}}, "No tool is called."),
    ({"never_calls": ["rm", "mv"]}, "Never calls rm or mv."),
    ({"before": {"first": "find", "then": "pay"}}, "Calls find before pay."),
    ("no_repeats", "Does nothing 3 times."),
    ({"stopped_by": "limit"}, "Stops because of “limit”."),
    ({"ends_with_speaker": "editor"}, "editor has the last word."),
    ({"at_most": {"usd": 0.03, "turns": 1200}}, "Takes at most $0.03, 1,200 turns."),
    ("no_errors", "No tool call fails."),
    ("asked_no_one", "Asks no person."),
    ({"variables": {"equal": {"a": 1}}}, 'Variables at the end: {"a": 1}.'),
    ({"speakers": ["a", "b"]}, "Speakers are in this order: a, b."),
    ({"handoffs": {"exact": []}}, "Hands off to no one."),
    ({"python": "def score(run, case): return True"}, "A function in Python says whether it passes."),
    ({"judge": ["Is polite.", "Names it."]}, "A judge finds: “Is polite.”, “Names it.”."),
    ({"not": {"includes": "tomorrow"}}, "Not: The answer includes “tomorrow”."),
]


def suite_of(client: TestClient, **document: Any) -> Any:
    """A suite of a new team."""
    made = client.post("/api/teams", json={"component": team(assistant("greeter", "Hi.")), "name": "Greeters"}).json()
    whole = {"suite": "greetings", "scorers": [{"includes": "{target}"}], **document}
    answer = client.post(f"/api/teams/{made['id']}/suites", json={"document": whole})
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_every_scorer_is_told_in_words_and_has_a_form(client: TestClient):
    entries = [entry for entry, _ in SCORERS_IN_WORDS]
    suite = suite_of(client, scorers=entries[:50], cases=[{"task": "x", "target": "3"}])
    page = text_of(client.get(f"/suites/{suite['id']}").text)
    for _, words in SCORERS_IN_WORDS:
        assert words in page
    forms = {form.name for group in scorer_forms().values() for form in group}
    assert forms == SCORERS.keys() - {Not.name}
    code = re.search(r"<textarea[^>]*data-kind=\"code\"", client.get(f"/suites/{suite['id']}").text)
    assert code is not None, "source has several lines"
    named = {entry if isinstance(entry, str) else next(iter(entry)) for entry in entries}
    assert named == SCORERS.keys()


def test_all_suites_are_listed_with_their_teams_and_those_of_one(client: TestClient):
    assert "No suites yet" in client.get("/suites").text
    first, second = suite_of(client), suite_of(client, suite="farewells")
    page = client.get("/suites").text
    assert [page.count(f'href="/suites/{each["id"]}"') for each in (first, second)] == [1, 1]
    assert "Greeters" in page
    of_one = client.get(f"/suites?team={first['team_id']}").text
    assert (first["id"] in of_one, second["id"] in of_one) == (True, False)
    assert client.get("/suites?team=none").status_code == 404
    assert client.get("/suites/none").status_code == 404
    client.patch("/api/teams/listing", json={"ids": [first["team_id"]], "listing": "trashed"})


def test_a_thousand_cases_come_in_pages_and_are_found(client: TestClient):
    cases = [
        {"id": f"c{at}", "task": f"Task {at}", "target": "x", "tags": ["even"] * (at % 2 == 0)} for at in range(1000)
    ]
    suite = suite_of(client, cases=cases)
    first, last = (client.get(f"/suites/{suite['id']}?page={page}").text for page in (1, 10))
    assert first.count("data-edit-case") == last.count("data-edit-case") == PAGE
    assert "page 1 of 10" in first
    assert "Task 999" in last
    assert "page 10 of 10" in client.get(f"/suites/{suite['id']}?page=999").text
    found = client.get(f"/suites/{suite['id']}?search=task+77").text
    assert "11 cases" in found  # 77 and 770 to 779
    assert 'data-case="770"' in found  # its place in the whole suite
    assert "page 1 of 5" in client.get(f"/suites/{suite['id']}?search=EVEN").text
    assert "No case has “birch”" in client.get(f"/suites/{suite['id']}?search=birch").text


def test_a_case_is_shown_with_its_scorers_and_texts_of_strangers_stay_texts(client: TestClient):
    case = {"task": "<script>alert(1)</script>", "target": ["a", "b"], "scorers": [{"calls": ["find_order"]}]}
    page = client.get(f"/suites/{suite_of(client, cases=[case])['id']}").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    assert "Calls in this order: find_order" in page


def test_a_suite_is_written_as_text_and_all_mistakes_have_lines(client: TestClient):
    suite = suite_of(client, cases=[{"task": "Name a tree.", "target": "1:30"}])
    path = f"/api/suites/{suite['id']}"
    page = client.get(f"/suites/{suite['id']}/text").text
    assert "task: Name a tree." in page
    wrong = "suite: x\nscorers:\n  - incudes: y\ncases:\n  - tsk: z\n"
    answer = client.put(f"{path}/text", json={"text": wrong, "revision": 1})
    assert answer.status_code == 422
    lines = [(each["line"], each["code"]) for each in answer.json()["findings"]]
    assert (3, "scorer_unknown_scorer") in lines or (3, "unknown_scorer") in lines
    assert any(line == 5 for line, _ in lines)
    assert client.get(path).json() == suite
    right = "suite: trees\nscorers: [includes: '{target}']\ncases:\n  - {task: Name a tree., target: oak}\n"
    saved = client.put(f"{path}/text", json={"text": right, "revision": 1}).json()
    assert (saved["name"], saved["revision"], saved["document"]["cases"][0]["target"]) == ("trees", 2, "oak")
    assert client.put(f"{path}/text", json={"text": right, "revision": 1}).status_code == 409


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("cases: cases.csv\nsuite: x", "yaml"),  # a file beside it, of which there is none
        ("!!python/object/apply:os.system ['true']", "yaml"),
        ("a: &a [x]\nb: [*a, *a]\n- c", "yaml"),
        ("[1, 2]", "json"),
        ("{", "json"),
    ],
)
def test_a_text_that_is_no_suite_is_refused(client: TestClient, text: str, form: str):
    suite = suite_of(client)
    answer = client.put(f"/api/suites/{suite['id']}/text", json={"text": text, "form": form, "revision": 1})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["message"]


def test_a_downloaded_suite_is_the_suite(client: TestClient):
    case = {"task": "2026-01-02\n: y\n#", "target": [1.5, None, True, "no", "1e3"], "fields": {"on": "yes"}}
    suite = suite_of(client, cases=[case, {"task": "“ \U0001f600", "target": "null"}])
    answer = client.get(f"/api/suites/{suite['id']}/file")
    assert 'filename="greetings.suite.yaml"' in answer.headers["content-disposition"]
    path = f"/api/suites/{suite['id']}"
    again = client.put(f"{path}/text", json={"text": answer.text, "revision": 1}).json()
    assert again["document"] == suite["document"]


def test_a_long_suite_is_edited_as_json(client: TestClient):
    cases = [{"id": f"c{at}", "task": "x" * 900, "target": "y"} for at in range(450)]
    suite = suite_of(client, cases=cases)
    assert MAX_SUITE_CHARACTERS > len(str(suite["document"])) > 300_000
    page = client.get(f"/suites/{suite['id']}/text").text
    assert "Suite as JSON" in page
    text = client.get(f"/api/suites/{suite['id']}/file").text
    answer = client.put(f"/api/suites/{suite['id']}/text", json={"text": text, "form": "json", "revision": 1})
    assert answer.json()["document"] == suite["document"]
    check_suite(answer.json()["document"])


def ran(client: TestClient, answer: str = "Good morning.") -> tuple[str, str]:
    """A team and a finished run of it."""
    run_id = ended(client, team(assistant("greeter", answer), max_messages=2), "Greet me.")
    return str(client.get(f"/api/runs/{run_id}").json()["team_id"]), run_id


def test_a_run_offers_what_a_case_could_take(client: TestClient):
    team_id, run_id = ran(client, "<b>Good morning.</b>")
    dialog = client.get(f"/fragments/runs/{run_id}/case").text
    assert "&lt;b&gt;Good morning.&lt;/b&gt;" in dialog
    assert "Greet me." in dialog
    assert dialog.count("New suite…") == 1
    client.post(f"/api/teams/{team_id}/suites", json={"document": {"suite": "of the team"}})
    assert "of the team" in client.get(f"/fragments/runs/{run_id}/case").text
    assert client.get("/fragments/runs/none/case").status_code == 404


def test_a_run_whose_team_is_gone_says_so(client: TestClient):
    team_id, run_id = ran(client)
    assert client.delete(f"/api/teams/{team_id}").status_code in (200, 204)
    answer = client.get(f"/fragments/runs/{run_id}/case")
    assert answer.status_code in (404, 422)


def test_past_runs_are_scored_with_reasons(client: TestClient):
    team_id, run_id = ran(client)
    document = {
        "suite": "greetings",
        "always": [{"at_most": {"turns": 0}}],
        "scorers": [{"includes": "{target}"}],
        "cases": [{"id": "hello", "task": "Greet me.", "target": "morning"}],
    }
    suite = client.post(f"/api/teams/{team_id}/suites", json={"document": document}).json()
    page = client.get(f"/suites/{suite['id']}/past-runs").text
    assert f'value="{run_id}"' in page
    answer = client.post(f"/fragments/suites/{suite['id']}/scores", json={"run_ids": [run_id]})
    assert "0 passed, 1 failed, 0 unscored</strong> of 1 run." in answer.text
    assert "The answer includes what is expected." in answer.text
    assert "An invariant does not hold." in answer.text
    other = client.post(f"/api/teams/{team_id}/suites", json={"document": {"suite": "empty"}}).json()
    none = client.post(f"/fragments/suites/{other['id']}/scores", json={"run_ids": [run_id]}).text
    assert "No case of the suite has the task of this run." in none
    too_many = [run_id] * (MAX_RUNS + 1)
    assert client.post(f"/fragments/suites/{suite['id']}/scores", json={"run_ids": too_many}).status_code == 422


def test_pasted_rows_are_previewed_then_added(client: TestClient):
    suite = suite_of(client, cases=[{"task": "First.", "target": "x"}])
    path, fragment = f"/api/suites/{suite['id']}/imports", f"/fragments/suites/{suite['id']}/imports"
    assert "Paste or import cases" in client.get(f"/suites/{suite['id']}/import").text
    files = {"": "task\ttarget\tnotes\n<i>Second.</i>\ty\t\nThird.\tz\tlong"}
    preview = client.post(fragment, json={"files": files})
    assert "2 cases from a table or JSONL" in preview.text
    assert "&lt;i&gt;Second.&lt;/i&gt;" in preview.text
    assert client.get(f"/api/suites/{suite['id']}").json() == suite
    answer = client.post(path, json={"files": files, "revision": 1})
    assert answer.status_code == 201
    assert (answer.json()["source"], answer.json()["suite"]["case_count"]) == ("rows", 3)
    assert answer.json()["suite"]["document"]["scorers"] == suite["document"]["scorers"]
    assert client.post(path, json={"files": files, "revision": 1}).status_code in (409, 422)
    again = client.post(fragment, json={"files": files})
    assert again.status_code == 422
    assert [each["code"] for each in again.json()["findings"]] == ["same_case", "same_case"]


def test_mistakes_of_pasted_rows_have_lines_and_nothing_is_kept(client: TestClient):
    suite = suite_of(client)
    path = f"/api/suites/{suite['id']}/imports"
    answer = client.post(path, json={"files": {"a.csv": "task,target\na,b\nc,d,e\nf,g,h"}, "revision": 1})
    assert [each["line"] for each in answer.json()["findings"]] == [3, 4]
    large = client.post(path, json={"files": {"a.csv": "task\n" + "x" * 600_000}, "revision": 1})
    assert large.status_code in (413, 422)
    assert client.post(path, json={"files": {}, "revision": 1}).status_code == 422
    assert client.get(f"/api/suites/{suite['id']}").json() == suite
    assert (
        client.post("/api/suites/none/imports", json={"files": {"a.csv": "task\nx"}, "revision": 1}).status_code == 404
    )


def test_an_imported_file_of_another_tool_comes_with_its_report(client: TestClient):
    suite = suite_of(client, scorers=[])
    turns = '[{"query": "hi", "expected_tool_use": [], "reference": "Hello!"}]'
    answer = client.post(f"/api/suites/{suite['id']}/imports", json={"files": {"hi.test.json": turns}, "revision": 1})
    assert answer.json()["source"] == "adk"
    assert answer.json()["counts"] == {"exact": 1, "approximated": 1, "dropped": 0, "asked": 0}
    assert answer.json()["suite"]["name"] == "greetings"


def test_files_that_do_not_fit_into_a_suite_become_a_new_one(client: TestClient):
    suite = suite_of(client)  # its scorer needs a target
    files = {"c.yaml": "prompts: [x]\nproviders: [y]\ntests: [{assert: [{type: contains, value: z}], description: d}]"}
    refused = client.post(f"/fragments/suites/{suite['id']}/imports", json={"files": files})
    assert refused.status_code == 422
    assert "target" in refused.json()["findings"][0]["message"]
    assert "Add suite" in client.post("/fragments/suites/imports", json={"files": files}).text
    answer = client.post(f"/api/teams/{suite['team_id']}/suites/imports", json={"files": files})
    assert answer.status_code == 201
    made = answer.json()["suite"]
    assert (made["name"], made["case_count"], made["team_id"]) == ("c", 1, suite["team_id"])
    assert client.post("/api/teams/none/suites/imports", json={"files": files}).status_code == 404


def test_calls_of_a_published_team_can_become_cases(client: TestClient):
    published = publish(client)
    run_id = published.call("Greet me.")["id"]
    page = client.get(f"/deployments/{published.name}/calls").text
    assert f'data-add-to-suite="{run_id}"' in page
    assert f'data-team="{published.team_id}"' in client.get(f"/fragments/runs/{run_id}/case").text


def test_a_suite_that_another_release_kept_is_corrected_as_text(client: TestClient):
    suite = suite_of(client)
    document: JsonObject = {"suite": "old", "scorers": [{"rouge": "x"}], "cases": [{"task": "a"}]}

    async def keep() -> None:
        await running(client).store.suites.save(suite["id"], 1, "old", document, 1, "ann")

    assert client.portal is not None
    client.portal.call(keep)
    page = client.get(f"/suites/{suite['id']}")
    assert page.status_code == 200
    assert "There is no scorer &#39;rouge&#39;." in page.text
    assert "rouge: x" in page.text
    right = {"text": "suite: new\nscorers: [no_errors]\ncases: [{task: a}]", "revision": 2}
    assert client.put(f"/api/suites/{suite['id']}/text", json=right).status_code == 200
    assert "No tool call fails." in client.get(f"/suites/{suite['id']}").text
