"""Judges prefer answers of two versions, in runs of their own and in both orders, once all runs are done."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.fakes.openai_server import HEADERS, OpenAIServer, Reply
from tests.web.evaluating import cells_of, over, started
from tests.web.judging import judge_model
from tests.web.reusing import pair, saved

QUESTION = "Which answer is kinder?"
PLAN = {"version": 2, "against": 1, "usd": 1, "repeats": 1}


def is_to_compare(body: dict[str, Any]) -> bool:
    return "You compare two answers" in json.dumps(body)


def kinder(body: dict[str, Any]) -> Reply:
    """Agents greet by what they are told to be, and judges prefer the kind one."""
    if not is_to_compare(body):
        said = json.dumps(body)
        return Reply("Good morning, dear." if "Be kind" in said else "Morning.", usage=(100, 10))
    text = str(body["messages"][-1]["content"])
    first, _, second = text.partition("Second answer:")
    choice = "tie" if ("dear" in first) == ("dear" in second) else "first" if "dear" in first else "second"
    return Reply(json.dumps({"reason": "It says dear.", "preferred": choice}), usage=(100, 10))


def suite_of(client: TestClient, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A suite that asks which answer is kinder, whose judge is approved."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("JUDGE_KEY", "key")
    suite_id = saved(client, pair(server.url, critic="Be strict."), pair(server.url, critic="Be kind."))
    suite = client.get(f"/api/suites/{suite_id}").json()
    prefer = [{"question": QUESTION, "model": judge_model(server.url)}]
    changed = {"document": {**suite["document"], "scorers": ["no_errors"], "prefer": prefer}, "revision": 1}
    client.put(f"/api/suites/{suite_id}", json=changed).raise_for_status()
    refused = client.post(f"/api/suites/{suite_id}/evaluations", json=PLAN).json()
    body = {"hashes": [each["hash"] for each in refused["missing"]], "component": refused["component"]}
    client.post("/api/approvals", json=body).raise_for_status()
    return suite_id


def test_the_answers_of_two_versions_are_compared_in_both_orders(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    openai_server.always(kinder)
    suite_id = suite_of(client, openai_server, monkeypatch)
    preview = client.post(f"/api/suites/{suite_id}/evaluations/preview", json={**PLAN, "repeats": 3}).json()
    assert preview["judged"] == 2 * 3 * 2
    found = over(client, started(client, suite_id, **{**PLAN, "repeats": 3}), 60)
    (preference,) = found["preferences"]
    assert {name: preference[name] for name in ("wins", "losses", "ties", "by_order", "unscored")} == {
        "wins": 6, "losses": 0, "ties": 0, "by_order": 0, "unscored": 0
    }  # fmt: skip
    assert (preference["first"], preference["choices"], preference["estimate"]["mean"]) == (6, 12, 1)
    runs = client.get("/api/runs", params={"listing": "evaluation", "limit": 100}).json()
    judges = [each for each in runs if each["team_name"] == "Judge"]
    assert (len(judges), {each["state"] for each in judges}) == (12, {"finished"})
    assert found["tokens"] == (12 * 2 + 12) * 110
    page = client.get(f"/evaluations/{found['id']}").text
    assert "“Which answer is kinder?” Of 6 pairs of answers, version 2 is preferred in 6, version 1 in 0;" in page
    judge = client.get(f"/api/runs/{judges[0]['id']}").json()
    assert judge["evaluated"]["judged_run_id"] in {each["run_id"] for each in cells_of(client, found["id"])}
    other = over(client, started(client, suite_id, repeats=1))
    assert other["preferences"] == [], "one version has nothing to be compared with"


def test_a_judge_that_prefers_a_place_makes_ties(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    always = Reply(json.dumps({"preferred": "first"}))
    openai_server.always(lambda body: always if is_to_compare(body) else Reply("Good morning."))
    suite_id = suite_of(client, openai_server, monkeypatch)
    (found,) = over(client, started(client, suite_id, **PLAN), 60)["preferences"]
    assert (found["wins"], found["losses"], found["ties"], found["by_order"]) == (0, 0, 2, 2)
    assert (found["first"], found["choices"]) == (4, 4)


def test_a_judge_that_cannot_be_read_is_asked_twice_and_leaves_the_pair_unscored(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    openai_server.always(lambda body: Reply("Both are fine." if is_to_compare(body) else "Good morning."))
    suite_id = suite_of(client, openai_server, monkeypatch)
    found = over(client, started(client, suite_id, **PLAN), 60)
    (preference,) = found["preferences"]
    assert (preference["unscored"], preference["estimate"], found["state"]) == (2, None, "finished")
    assert sum(is_to_compare(each.body) for each in openai_server.requests) == 2 * 2 * 2


def test_the_limit_holds_for_judges_of_preferences_too(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    openai_server.always(kinder)
    suite_id = suite_of(client, openai_server, monkeypatch)
    whole = over(client, started(client, suite_id, **PLAN), 60)
    limit = 4 * 2 * 110 + 100
    assert whole["tokens"] > limit
    found = over(client, started(client, suite_id, **{**PLAN, "usd": None, "tokens": limit, "at_once": 1}), 60)
    assert (found["state"], found["preferences"], found["tokens"] <= limit) == ("stopped", [], True), found


def test_judges_are_canceled_with_their_evaluation(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    openai_server.always(lambda body: Reply("Well.", hold=HEADERS if is_to_compare(body) else None))
    suite_id = suite_of(client, openai_server, monkeypatch)
    evaluation_id = started(client, suite_id, **PLAN)
    while not any(is_to_compare(each.body) for each in openai_server.requests):
        time.sleep(0.02)
    assert "Judges have compared 0 pairs of answers." in client.get(f"/evaluations/{evaluation_id}").text
    client.post(f"/api/evaluations/{evaluation_id}/cancel").raise_for_status()
    assert over(client, evaluation_id)["state"] == "canceled"
    runs = client.get("/api/runs", params={"listing": "evaluation", "limit": 100}).json()
    assert {each["state"] for each in runs if each["team_name"] == "Judge" and each["started_at"]} <= {"cancelled"}
