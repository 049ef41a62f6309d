"""Cases that got worse are run again: what only had bad luck is flaky, and cases that were picked have no figures."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.fakes.openai_server import OpenAIServer, Reply
from tests.web.evaluating import added_suite, added_team, cells_of, over, started
from tests.web.reusing import pair, saved

CASES = [{"id": "one", "task": "Say one.", "target": "one"}, {"id": "two", "task": "Say two.", "target": "two"}]


class Speaker:
    """A model that says what a case wants, but where it is told to fail: `strict` critics, by case."""

    def __init__(self, server: OpenAIServer) -> None:
        self.fails: set[str] = set()
        server.always(self._answer)

    def _answer(self, body: dict[str, Any]) -> Reply:
        asked = str(body["messages"])
        case = "one" if "Say one" in asked else "two"
        fails = "Be strict." in asked and case in self.fails
        return Reply("Nothing." if fails else f"Here is {case}.", usage=(100, 10))


@pytest.fixture
def speaker(openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Speaker:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    return Speaker(openai_server)


def worse(client: TestClient, server: OpenAIServer, speaker: Speaker) -> Any:
    """An evaluation in which both cases got worse."""
    suite_id = saved(client, pair(server.url), pair(server.url, critic="Be strict."))
    body = {"document": {"suite": "both", "scorers": [{"includes": "{target}"}], "cases": CASES}, "revision": 1}
    client.put(f"/api/suites/{suite_id}", json=body).raise_for_status()
    speaker.fails = {"one", "two"}
    found = over(client, started(client, suite_id, version=2, against=1, repeats=2))
    assert {case["group"] for case in found["cases"]} == {"worse"}
    return found


def confirmed(client: TestClient, evaluation_id: str, **limits: Any) -> Any:
    answer = client.post(f"/api/evaluations/{evaluation_id}/confirm", json=limits or {"usd": 1})
    assert answer.status_code == 201, answer.text
    return over(client, answer.json()["id"])


def test_what_loses_again_is_confirmed_and_the_rest_is_flaky(
    client: TestClient, openai_server: OpenAIServer, speaker: Speaker
):
    first = worse(client, openai_server, speaker)
    asked = openai_server.request_count
    speaker.fails = {"one"}
    fresh = confirmed(client, first["id"])
    assert openai_server.request_count == asked + 2 * 2 * 2 * 5, (
        "two calls in each of five runs of each version and case"
    )
    assert {case["case"]: case["group"] for case in fresh["cases"]} == {"one": "worse", "two": "same"}
    assert (fresh["confirms_id"], fresh["reuse_days"], fresh["repeats"]) == (first["id"], None, 5)
    assert fresh["sentence"] == "Fresh runs confirm 1 of 2 cases that got worse; 1 is flaky."
    assert fresh["difference"] is None, "the cases were picked"
    assert [version["rate"] for version in fresh["versions"]] == [None, None]
    again = client.get(f"/api/evaluations/{first['id']}").json()
    assert {case["case"]: case["group"] for case in again["cases"]} == {"one": "worse", "two": "flaky"}
    assert again["confirmation"] == {
        "id": fresh["id"],
        "state": "finished",
        "confirmed": ["one"],
        "flaky": ["two"],
        "unscored": [],
    }
    assert again["sentence"] == again["detail"] == f"{first['sentence']} {fresh['sentence']}"
    assert (again["difference"], again["versions"]) == (first["difference"], first["versions"])


def test_an_evaluation_is_confirmed_once(client: TestClient, openai_server: OpenAIServer, speaker: Speaker):
    first = worse(client, openai_server, speaker)
    path = f"/api/evaluations/{first['id']}/confirm"
    canceled = client.post(path, json={"usd": 1}).json()["id"]
    assert client.post(path, json={"usd": 1}).status_code == 409, "one is under way"
    client.post(f"/api/evaluations/{canceled}/cancel").raise_for_status()
    stopped = over(client, canceled)
    if stopped["state"] == "canceled":
        assert confirmed(client, first["id"])["state"] == "finished"
    again = client.post(path, json={"usd": 1})
    assert (again.status_code, again.json()["error"]["fix"]) == (
        409,
        "Confirm once, after the evaluation has ended, and only if cases got worse, up to 500.",
    )


def test_two_people_confirm_at_once_and_one_is_refused(
    client: TestClient, openai_server: OpenAIServer, speaker: Speaker
):
    path = f"/api/evaluations/{worse(client, openai_server, speaker)['id']}/confirm"
    with ThreadPoolExecutor(4) as pool:
        sent = [pool.submit(client.post, path, json={"usd": 1}) for _ in range(4)]
    assert sorted(each.result().status_code for each in sent) == [201, 409, 409, 409]


def test_a_confirmation_that_is_deleted_is_taken_back(
    client: TestClient, openai_server: OpenAIServer, speaker: Speaker
):
    first = worse(client, openai_server, speaker)
    speaker.fails = {"one"}
    fresh = confirmed(client, first["id"])
    nested = client.post(f"/api/evaluations/{fresh['id']}/confirm", json={"usd": 1})
    assert nested.status_code == 409, "a confirmation is not confirmed"
    client.delete(f"/api/evaluations/{fresh['id']}").raise_for_status()
    again = client.get(f"/api/evaluations/{first['id']}").json()
    assert again == {**first, "confirmation": None}
    assert confirmed(client, first["id"])["state"] == "finished"


def test_fresh_runs_outlive_what_they_confirm(client: TestClient, openai_server: OpenAIServer, speaker: Speaker):
    first = worse(client, openai_server, speaker)
    fresh = confirmed(client, first["id"])
    client.delete(f"/api/evaluations/{first['id']}").raise_for_status()
    kept = client.get(f"/api/evaluations/{fresh['id']}")
    assert kept.json()["sentence"] == fresh["sentence"]
    page = client.get(f"/evaluations/{fresh['id']}")
    assert page.status_code == 200
    assert f"/evaluations/{first['id']}" not in page.text, "the link would lead nowhere"


def test_what_cannot_be_confirmed(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning and good evening.", "Good morning."))
    same = over(client, started(client, suite_id, version=1, repeats=1))
    assert client.post(f"/api/evaluations/{same['id']}/confirm", json={"usd": 1}).status_code == 409
    running = started(client, suite_id, version=2, against=1, repeats=100, at_once=1)
    assert client.post(f"/api/evaluations/{running}/confirm", json={"usd": 1}).status_code == 409
    client.post(f"/api/evaluations/{running}/cancel").raise_for_status()
    over(client, running)
    assert client.post(f"/api/evaluations/{running}/confirm", json={"usd": 1}).status_code == 409
    assert client.post("/api/evaluations/none/confirm", json={"usd": 1}).status_code == 404
    for body in ({}, {"usd": -1}, {"usd": 1, "repeats": 50}, {"usd": 1, "at_once": 1_000}):
        assert client.post(f"/api/evaluations/{same['id']}/confirm", json=body).status_code == 422


def test_the_versions_are_those_of_the_evaluation(client: TestClient):
    team_id = added_team(client, "Good morning and good evening.", "Good morning.")
    suite_id = added_suite(client, team_id)
    first = over(client, started(client, suite_id, version=2, against=1, repeats=1))
    other = {"suite": "other", "scorers": [{"includes": "x"}], "cases": []}
    client.put(f"/api/suites/{suite_id}", json={"document": other, "revision": 1}).raise_for_status()
    fresh = confirmed(client, first["id"])
    assert (fresh["suite_name"], fresh["suite_revision"]) == ("greetings", 1)
    assert [version["revision"] for version in fresh["versions"]] == [2, 1]
    assert fresh["sentence"] == "Fresh runs confirm 1 of 1 case that got worse."
    assert len(cells_of(client, fresh["id"])) == 10


def test_a_confirmation_is_not_reused(client: TestClient, openai_server: OpenAIServer, speaker: Speaker):
    first = worse(client, openai_server, speaker)
    speaker.fails = set()
    confirmed(client, first["id"])
    plan = {"version": 2, "against": 1, "repeats": 2, "reuse_days": 7}
    again = over(client, started(client, first["suite_id"], **plan))
    assert again["usd"] == 0
    assert {case["group"] for case in again["cases"]} == {"worse"}, "only what had bad luck would have been drawn again"


def test_the_pages_say_what_was_confirmed(client: TestClient, openai_server: OpenAIServer, speaker: Speaker):
    first = worse(client, openai_server, speaker)
    page = client.get(f"/evaluations/{first['id']}").text
    assert "20 fresh runs: 5 of each version for 2 cases." in page
    speaker.fails = {"one"}
    fresh = confirmed(client, first["id"])
    page = client.get(f"/evaluations/{first['id']}").text
    assert f"{first['sentence']} {fresh['sentence']}" in page
    assert f'href="/evaluations/{fresh["id"]}"' in page
    assert "Confirm what got worse" not in page
    assert f'href="/evaluations/{first["id"]}"' in client.get(f"/evaluations/{fresh['id']}").text
