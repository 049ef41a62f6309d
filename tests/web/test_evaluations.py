"""Evaluations of stored teams: planned, run as ordinary runs, scored, and told without a verdict before their end."""

from __future__ import annotations

from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.services import evaluation_runs
from studio.services.evaluations import MAX_CELLS
from tests.web.documents import USER_PROXY, assistant, shouting, team
from tests.web.evaluating import added_suite, added_team, cells_of, greeter, over, started
from tests.web.following import keeping
from tests.web.pricing import priced, set_price, speaker


def test_each_case_is_run_as_often_as_planned_and_scored(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."))
    found = over(client, started(client, suite_id, repeats=3))
    assert (found["state"], found["cell_count"]) == ("finished", 6)
    (version,) = found["versions"]
    assert (version["revision"], version["passed"], version["failed"], version["unscored"]) == (1, 3, 3, 0)
    assert version["rate"]["mean"] == 0.5
    assert version["rate"]["low"] < 0.2
    assert found["sentence"] == found["detail"] == "Version 1 passes 50 % (9–91)."
    assert {case["case"]: case["group"] for case in found["cases"]} == {"morning": "passed", "evening": "failed"}
    cells = cells_of(client, found["id"])
    assert [(cell["case"], cell["epoch"]) for cell in cells[:3]] == [("morning", 1), ("evening", 1), ("morning", 2)]
    assert cells[1]["detail"] == "The answer does not include “evening”."
    assert cells[1]["scores"][0]["verdict"] == "fail"
    assert len({cell["run_id"] for cell in cells}) == 6
    run = client.get(f"/api/runs/{cells[0]['run_id']}").json()
    assert (run["state"], run["task"]) == ("finished", "Greet me.")


def test_runs_of_evaluations_are_in_no_list_of_runs(client: TestClient):
    team_id = added_team(client, "Good morning.")
    evaluation_id = started(client, added_suite(client, team_id), repeats=1)
    over(client, evaluation_id)
    assert client.get("/api/runs").json() == []
    listed = client.get("/api/runs", params={"listing": "evaluation"}).json()
    assert {run["id"] for run in listed} == {cell["run_id"] for cell in cells_of(client, evaluation_id)}
    fork = client.post(f"/api/runs/{listed[0]['id']}/fork", json={"seq": 1})
    assert fork.status_code == 201, fork.text
    assert [run["id"] for run in client.get("/api/runs").json()] == [fork.json()["id"]]


def test_evaluations_are_listed_by_suite_and_team(client: TestClient):
    team_id = added_team(client, "Good morning.")
    suite_id, other = added_suite(client, team_id), added_suite(client, team_id, suite="other")
    first, second = started(client, suite_id, repeats=1), started(client, other, repeats=1)
    over(client, first)
    over(client, second)
    (listed,) = client.get(f"/api/suites/{suite_id}/evaluations").json()
    assert (listed["id"], listed["detail"]) == (first, "Version 1 passes 50 % (9–91).")
    assert (listed["versions"][0]["passed"], listed["versions"][0]["failed"]) == (1, 1)
    assert [each["id"] for each in client.get(f"/api/teams/{team_id}/evaluations").json()] == [second, first]
    assert client.get("/api/suites/none/evaluations").status_code == 404
    assert client.get("/api/teams/none/evaluations").status_code == 404
    assert client.delete(f"/api/evaluations/{first}").status_code == 204
    assert client.get(f"/api/evaluations/{first}").status_code == 404


def test_all_that_is_wrong_with_a_plan_is_told_and_nothing_begins(client: TestClient):
    team_id = added_team(client, "Good morning.")
    suite_id = added_suite(client, team_id, cases=[])
    body = {"version": 7, "against": 8, "repeats": 1, "usd": 1}
    for path in (f"/api/suites/{suite_id}/evaluations", f"/api/suites/{suite_id}/evaluations/preview"):
        answer = client.post(path, json=body)
        assert answer.status_code == 422, answer.text
        assert [each["code"] for each in answer.json()["findings"]] == ["no_cases", "no_version", "no_version"]
    assert client.get(f"/api/suites/{suite_id}/evaluations").json() == []


def test_plans_that_are_refused(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."))
    path = f"/api/suites/{suite_id}/evaluations"
    same = client.post(path, json={"version": 1, "against": "current", "usd": 1})
    assert (same.status_code, same.json()["findings"][0]["code"]) == (422, "same_version")
    many = added_suite(client, added_team(client, "Hi."), cases=[{"task": f"{n}", "target": "x"} for n in range(101)])
    refused = client.post(f"/api/suites/{many}/evaluations", json={"repeats": 100, "usd": 1})
    assert MAX_CELLS < 101 * 100
    assert (refused.status_code, refused.json()["findings"][0]["code"]) == (422, "too_many_runs")
    unapproved = str(client.post("/api/teams", json={"component": shouting()}).json()["id"])
    refused = client.post(f"/api/suites/{added_suite(client, unapproved)}/evaluations", json={"usd": 1})
    assert (refused.status_code, refused.json()["findings"][0]["code"]) == (422, "not_approved")
    assert client.post("/api/suites/none/evaluations", json={"usd": 1}).status_code == 404


@pytest.mark.parametrize(
    "body", [{}, {"usd": -1}, {"usd": 1, "repeats": 0}, {"usd": 1, "at_once": 1000}, {"usd": 1, "version": "x"}]
)
def test_odd_plans_are_refused(client: TestClient, body: dict[str, Any]):
    suite_id = added_suite(client, added_team(client, "Good morning."))
    assert client.post(f"/api/suites/{suite_id}/evaluations", json=body).status_code == 422


def test_a_preview_tells_runs_cost_and_what_would_be_seen(client: TestClient):
    team_id = added_team(client, "Good morning.", "Good evening.")
    suite_id = added_suite(client, team_id)
    path = f"/api/suites/{suite_id}/evaluations/preview"
    found = client.post(path, json={"against": 1, "repeats": 2, "usd": 0.5}).json()
    assert (found["runs"], found["cases"], found["usd_at_most"], found["past_runs"]) == (8, 2, 0.5, 0)
    assert found["usd_likely"] is None
    assert found["drop_seen"] == pytest.approx(0.8)
    over(client, started(client, suite_id, repeats=1))
    assert client.post(path, json={"usd": 0.5}).json()["usd_likely"] == 0


def test_two_versions_are_compared_case_by_case(client: TestClient):
    team_id = added_team(client, "Good morning and good evening.", "Good morning.")
    suite_id = added_suite(client, team_id)
    found = over(client, started(client, suite_id, version=2, against=1, repeats=3))
    candidate, baseline = found["versions"]
    assert (candidate["revision"], candidate["passed"], candidate["failed"]) == (2, 3, 3)
    assert (baseline["revision"], baseline["passed"], baseline["failed"]) == (1, 6, 0)
    assert {case["case"]: case["group"] for case in found["cases"]} == {"morning": "same", "evening": "worse"}
    difference = found["difference"]
    assert (difference["mean"], difference["pairs"], difference["comparison"]) == (-0.5, 2, "cannot_tell")
    assert found["sentence"] == (
        "Version 2 passes 50 % (9–91), version 1 passes 100 % (34–100). "
        "Difference −50 points (−100 to +84): these cases cannot tell."
    )
    cells = cells_of(client, found["id"])
    assert [cell["version"] for cell in cells[:4]] == [1, 2, 1, 2], "versions take turns"


def test_a_version_is_told_to_be_worse_where_the_cases_show_it(client: TestClient):
    cases = [{"id": f"case-{number}", "task": f"Task {number}.", "target": "morning"} for number in range(12)]
    suite_id = added_suite(client, added_team(client, "Good morning.", "Good night."), cases=cases)
    found = over(client, started(client, suite_id, against=1, repeats=2, at_once=16), 60)
    assert found["difference"]["comparison"] == "worse"
    assert found["sentence"].endswith("worse, by 59 to 100 points.")


def test_the_plan_is_frozen(client: TestClient):
    team_id = added_team(client, "Good morning.")
    suite_id = added_suite(client, team_id)
    evaluation_id = started(client, suite_id, repeats=3, at_once=1)
    client.put(f"/api/teams/{team_id}", json={"component": greeter("Other."), "revision": 1}).raise_for_status()
    other = {"suite": "other", "scorers": [{"includes": "x"}], "cases": []}
    client.put(f"/api/suites/{suite_id}", json={"document": other, "revision": 1}).raise_for_status()
    found = over(client, evaluation_id)
    assert (found["versions"][0]["passed"], found["versions"][0]["failed"]) == (3, 3)
    assert (found["suite_name"], found["suite_revision"]) == ("greetings", 1)


def test_a_team_that_asks_a_person_fails_and_asks_nobody(client: TestClient):
    made = client.post("/api/teams", json={"component": team(USER_PROXY, assistant("writer"), max_messages=3)}).json()
    evaluation_id = started(client, added_suite(client, made["id"]), repeats=1)
    found = over(client, evaluation_id)
    assert found["versions"][0]["failed"] == 2
    cells = cells_of(client, evaluation_id)
    assert {cell["detail"] for cell in cells} == {"The team asked a person. An evaluation answers no questions."}
    assert {client.get(f"/api/runs/{cell['run_id']}").json()["state"] for cell in cells} == {"cancelled"}
    assert client.get("/api/inbox").json() == []


def test_a_canceled_evaluation_begins_nothing_more_and_tells_no_rate(client: TestClient):
    made = client.post("/api/teams", json={"component": greeter("Good morning.")}).json()
    suite_id = added_suite(client, made["id"])
    evaluation_id = started(client, suite_id, repeats=100, at_once=1)
    assert client.delete(f"/api/evaluations/{evaluation_id}").status_code == 409
    assert client.post(f"/api/evaluations/{evaluation_id}/cancel").status_code == 200
    found = over(client, evaluation_id)
    assert (found["state"], found["sentence"], found["difference"]) == ("canceled", "", None)
    assert found["detail"].startswith("Canceled by ")
    assert found["versions"][0]["rate"] is None
    assert found["versions"][0]["open"] > 100
    assert client.post("/api/evaluations/none/cancel").status_code == 404


def test_an_evaluation_ends_at_its_spending_limit(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."))
    found = over(client, started(client, suite_id, usd=None, tokens=8, repeats=2, at_once=1))
    assert (found["state"], found["detail"]) == ("stopped", "The spending limit is used up.")
    assert found["sentence"] == ""
    assert found["tokens"] <= 8
    assert found["versions"][0]["open"] > 0
    assert found["versions"][0]["failed"] == 0, "a run that was stopped at that limit is no fail"


def test_the_page_shows_progress_and_no_rate_before_the_end(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."))
    evaluation_id = started(client, suite_id, repeats=100, at_once=1)
    page = client.get(f"/evaluations/{evaluation_id}")
    assert page.status_code == 200
    assert "of 200 runs are done" in page.text
    assert "data-sentence" not in page.text
    assert "data-ended" not in page.text
    client.post(f"/api/evaluations/{evaluation_id}/cancel")
    over(client, evaluation_id)
    assert "there is no result" in client.get(f"/fragments/evaluations/{evaluation_id}").text


def test_the_page_has_the_sentence_and_the_cases_by_group(client: TestClient):
    team_id = added_team(client, "Good morning and good evening.", "Good morning.")
    suite_id = added_suite(client, team_id)
    found = over(client, started(client, suite_id, version=2, against=1, repeats=2))
    page = client.get(f"/evaluations/{found['id']}").text
    assert found["sentence"] in page
    worse = client.get(f"/fragments/evaluations/{found['id']}", params={"group": "worse"}).text
    assert 'data-case="evening"' in worse
    assert 'data-case="morning"' not in worse
    after, before = (
        [cell["run_id"] for cell in cells_of(client, found["id"]) if (cell["version"], cell["case"]) == (n, "evening")]
        for n in (1, 2)
    )
    assert f'href="/runs/{before[0]}/compare/{after[0]}"' in worse
    assert all(f'href="/runs/{run_id}"' in worse for run_id in (*after, *before))
    listed = client.get(f"/fragments/suites/{suite_id}/evaluations").text
    assert f'href="/evaluations/{found["id"]}"' in listed
    assert found["sentence"] in listed
    assert client.get(f"/fragments/evaluations/{found['id']}", params={"group": "none"}).status_code == 200
    for path in ("/evaluations/none", "/fragments/evaluations/none", "/fragments/suites/none/evaluations"):
        assert client.get(path).status_code == 404


def test_texts_of_cases_are_shown_as_text(client: TestClient):
    cases = [{"id": "x", "task": "<script>alert(1)</script>", "target": "<b>morning</b>"}]
    found = over(client, started(client, added_suite(client, added_team(client, "Hi."), cases=cases), repeats=1))
    page = client.get(f"/evaluations/{found['id']}").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<b>morning" not in page


def test_the_runs_of_a_deleted_evaluation_go_to_the_trash(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."))
    first, second = started(client, suite_id, repeats=1), started(client, suite_id, repeats=100, at_once=1)
    over(client, first)
    ids = {cell["run_id"] for cell in cells_of(client, first)}
    assert client.delete(f"/api/evaluations/{first}").status_code == 204
    assert {run["id"] for run in client.get("/api/runs", params={"listing": "trashed"}).json()} == ids
    assert client.delete(f"/api/suites/{suite_id}").status_code == 409
    client.post(f"/api/evaluations/{second}/cancel")
    over(client, second)
    assert client.delete(f"/api/suites/{suite_id}").status_code == 204
    assert client.get(f"/api/evaluations/{second}").status_code == 404
    assert client.get("/api/runs", params={"listing": "evaluation"}).json() == []


def test_a_limit_of_the_team_is_a_fail_and_no_end(client: TestClient):
    team_id = added_team(client, "Good morning.")
    client.put(f"/api/teams/{team_id}/budget", json={"run": {"tokens": 1}}).raise_for_status()
    found = over(client, started(client, added_suite(client, team_id), repeats=2))
    assert (found["state"], found["versions"][0]["failed"]) == ("finished", 4)
    assert {cell["detail"] for cell in cells_of(client, found["id"])} == {"Stopped at the budget of this run."}


def test_a_limit_of_the_day_stops_the_evaluation(client: TestClient):
    team_id = added_team(client, "Good morning.")
    client.put(f"/api/teams/{team_id}/budget", json={"day": {"tokens": 20}}).raise_for_status()
    found = over(client, started(client, added_suite(client, team_id), repeats=5, at_once=1))
    assert (found["state"], found["detail"]) == ("stopped", "Stopped at the budget of this team for today.")
    assert found["sentence"] == ""


def test_all_runs_together_cost_no_more_than_the_limit(client: TestClient):
    set_price(client)
    document = team(speaker("writer", priced(100, 0), priced(100, 0)), max_messages=3)
    team_id = str(client.post("/api/teams", json={"component": document}).json()["id"])
    suite_id = added_suite(client, team_id)
    whole = over(client, started(client, suite_id, usd=1, repeats=1))
    assert whole["usd"] > 0
    limit = whole["usd"] * 3
    found = over(client, started(client, suite_id, usd=limit, repeats=10, at_once=3))
    assert found["state"] == "stopped"
    assert 0 < found["usd"] <= limit
    assert found["versions"][0]["open"] > 0


def test_a_service_that_does_not_answer_is_tried_again_and_then_unscored(client: TestClient):
    config: JsonObject = {"model": "gpt-4o", "api_key": "key", "base_url": "http://127.0.0.1:9/v1", "max_retries": 0}
    model: JsonObject = {"provider": "autogen_ext.models.openai.OpenAIChatCompletionClient", "config": config}
    agent = assistant("writer")
    cast("JsonObject", agent["config"])["model_client"] = model
    found = over(client, started(client, added_suite(client, keeping(client, agent)), repeats=1), 60)
    assert found["state"] == "finished"
    assert found["versions"][0]["unscored"] == 2
    cells = cells_of(client, found["id"])
    assert {cell["attempt"] for cell in cells} == {3}
    assert all("did not answer" in cell["detail"] for cell in cells)
    assert found["sentence"].startswith("Version 1 has no scored run.")


def test_a_scorer_that_breaks_leaves_its_runs_unscored(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    def breaks(*given: object) -> None:
        raise RecursionError(f"{len(given)} arguments")

    monkeypatch.setattr(evaluation_runs, "score_run", breaks)
    found = over(client, started(client, added_suite(client, added_team(client, "Good morning.")), repeats=1))
    assert (found["state"], found["versions"][0]["unscored"]) == ("finished", 2)
    assert {cell["detail"] for cell in cells_of(client, found["id"])} == {"A scorer failed: RecursionError."}


def test_a_run_says_which_cell_of_an_evaluation_it_is(client: TestClient):
    evaluation_id = started(client, added_suite(client, added_team(client, "Good morning.")), repeats=2)
    over(client, evaluation_id)
    last = cells_of(client, evaluation_id)[-1]
    run = client.get(f"/api/runs/{last['run_id']}").json()
    assert run["evaluated"] == {
        "evaluation_id": evaluation_id, "suite_name": "greetings", "case_key": "evening", "epoch": 2,
        "judged_run_id": "",
    }  # fmt: skip
    assert client.delete(f"/api/evaluations/{evaluation_id}").status_code == 204
    assert client.get(f"/api/runs/{last['run_id']}").json()["evaluated"] is None


def test_only_cases_with_or_without_a_tag_are_evaluated(client: TestClient):
    morning = {"id": "morning", "task": "Greet me.", "target": "morning"}
    tagged = [morning, {"id": "evening", "task": "Greet me late.", "target": "evening", "tags": ["late"]}]
    suite_id = added_suite(client, added_team(client, "Good morning."), cases=tagged)
    for choice, case in (({"only": "late"}, "evening"), ({"without": "late"}, "morning")):
        plan = {"usd": 1, "repeats": 1, **choice}
        assert client.post(f"/api/suites/{suite_id}/evaluations/preview", json=plan).json()["cases"] == 1
        evaluation_id = started(client, suite_id, repeats=1, **choice)
        found = over(client, evaluation_id)
        assert [each["case"] for each in cells_of(client, evaluation_id)] == [case]
        assert found["suite_name"] == f"greetings: {' '.join(*choice.items())}"
        ((kind, tag),) = choice.items()
        assert found[f"{kind}_tag"] == tag
        assert f'<option value="{kind}:{tag}" selected>' in client.get(f"/evaluations/{evaluation_id}").text
    page = client.get(f"/fragments/suites/{suite_id}/evaluations").text
    assert '<option value="without:late">Without late</option>' in page
    refused = client.post(f"/api/suites/{suite_id}/evaluations", json={"usd": 1, "only": "lat"})
    assert [(each["code"], each["fix"]) for each in refused.json()["findings"]] == [("no_tag", "Did you mean `late`?")]
    both = client.post(f"/api/suites/{suite_id}/evaluations", json={"usd": 1, "only": "late", "without": "late"})
    assert [each["code"] for each in both.json()["findings"]] == ["no_cases"]
