"""People of a suite: fixed answers in their order, and a simulated person, who is a model with an aim."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.evaluation.people import People
from studio.evaluation.suites import Case
from studio.services.people import PeopleOfCases
from studio.store.tables import Run
from studio.web.dependencies import Services
from tests.fakes.openai_server import HEADERS, OpenAIServer, Reply
from tests.web.documents import USER_PROXY, assistant, replay_model, team
from tests.web.evaluating import added_suite, cells_of, over, started
from tests.web.following import events
from tests.web.judging import judge_model

PLAN = {"usd": 1, "repeats": 1}
SCORERS = [{"ends_with_speaker": "person"}]


def asking(client: TestClient, questions: int = 2) -> str:
    """A team whose writer speaks and then asks a person, so many times."""
    writer = assistant("writer", *["Where from?"] * questions)
    document = team(writer, USER_PROXY, max_messages=1 + 2 * questions)
    return str(client.post("/api/teams", json={"component": document}).json()["id"])


def answers(client: TestClient, cell: Any) -> list[str]:
    found = [each["body"] for each in events(client, cell["run_id"]) if each["kind"] == "message"]
    return [each["content"] for each in found if each["source"] == "person"]


def approve(client: TestClient, suite_id: str) -> None:
    refused = client.post(f"/api/suites/{suite_id}/evaluations", json=PLAN)
    assert refused.status_code == 403, "what a person asks for is approved as that of a judge"
    body = {"hashes": [each["hash"] for each in refused.json()["missing"]], "component": refused.json()["component"]}
    client.post("/api/approvals", json=body).raise_for_status()


def test_questions_are_answered_in_their_order(client: TestClient):
    cases = [
        {"id": "plain", "task": "Book a flight.", "fields": {"from": "Oslo"}},
        {"id": "own", "task": "Book a train.", "people": ["From Rome.", "No."]},
        {"id": "few", "task": "Book a bus.", "people": ["From Bonn."]},
    ]
    people = ["From {from}.", "Yes."]
    suite_id = added_suite(client, asking(client), scorers=SCORERS, cases=cases, people=people)
    found = over(client, started(client, suite_id, repeats=1))
    plain, own, few = cells_of(client, found["id"])
    assert (plain["verdict"], answers(client, plain)) == ("pass", ["From Oslo.", "Yes."])
    assert (own["verdict"], answers(client, own)) == ("pass", ["From Rome.", "No."])
    assert (few["verdict"], answers(client, few)) == ("fail", ["From Bonn."])
    assert few["detail"] == "The team asked 2 times, more often than the person of the case answers."
    assert client.get("/api/inbox").json() == []


def emma(url: str) -> dict[str, Any]:
    return {"aim": "A flight to {target}.", "knows": "Your name is Emma.", "model": judge_model(url)}


def test_a_simulated_person_answers_by_what_was_said(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("JUDGE_KEY", "key")

    def said(body: dict[str, Any]) -> Reply:
        text = str(body["messages"][-1]["content"])
        assert "You play a person" in json.dumps(body)
        assert "You want:\nA flight to Oslo.\n\nYou know:\nYour name is Emma." in text
        return Reply(f"I am Emma, answer {text.count('writer: Where from?')}.", usage=(100, 10))

    openai_server.always(said)
    cases = [{"id": "fly", "task": "Book.", "target": "Oslo"}]
    suite_id = added_suite(client, asking(client), scorers=SCORERS, cases=cases, people=emma(openai_server.url))
    approve(client, suite_id)
    found = over(client, started(client, suite_id, repeats=1), 60)
    (cell,) = cells_of(client, found["id"])
    assert (cell["verdict"], answers(client, cell)) == ("pass", ["I am Emma, answer 1.", "I am Emma, answer 2."])
    own = client.get(f"/api/runs/{cell['run_id']}").json()["usage"]
    assert cell["tokens"] == found["tokens"] == 2 * 110 + own["prompt_tokens"] + own["completion_tokens"]
    runs = client.get("/api/runs", params={"listing": "evaluation"}).json()
    assert sorted(each["team_name"] for each in runs) == ["Greeters", "Simulated person", "Simulated person"]
    assert client.get("/api/runs").json() == []


def test_a_person_answers_at_most_so_often_and_what_it_took_counts(client: TestClient):
    people = {"aim": "A flight.", "most": 1, "model": replay_model("From Oslo.")}
    suite_id = added_suite(client, asking(client), scorers=SCORERS, people=people)
    found = over(client, started(client, suite_id, repeats=1), 60)
    for cell in cells_of(client, found["id"]):
        assert (cell["verdict"], answers(client, cell)) == ("fail", ["From Oslo."])
        own = client.get(f"/api/runs/{cell['run_id']}").json()["usage"]
        assert cell["tokens"] > own["prompt_tokens"] + own["completion_tokens"]


def test_a_person_that_does_not_answer_is_canceled_with_the_evaluation(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("JUDGE_KEY", "key")
    openai_server.always(lambda _: Reply("Well.", hold=HEADERS))
    cases = [{"id": "fly", "task": "Book.", "target": "Oslo"}]
    suite_id = added_suite(client, asking(client), scorers=SCORERS, cases=cases, people=emma(openai_server.url))
    approve(client, suite_id)
    evaluation_id = started(client, suite_id, repeats=1)
    openai_server.wait_until_held()
    client.post(f"/api/evaluations/{evaluation_id}/cancel").raise_for_status()
    assert over(client, evaluation_id)["state"] == "canceled"
    runs = client.get("/api/runs", params={"listing": "evaluation"}).json()
    assert {each["state"] for each in runs} == {"cancelled"}


@pytest.mark.parametrize(
    "people", [{}, [], {"answers": ["a"], "aim": "b"}, {"aim": "b", "most": 0}, "yes", {"aim": 1}, ["From {nowhere}."]]
)
def test_odd_people_are_refused(client: TestClient, people: object):
    document = {"suite": "s", "scorers": SCORERS, "people": people, "cases": [{"task": "Go."}]}
    answer = client.post(f"/api/teams/{asking(client)}/suites", json={"document": document})
    assert answer.status_code == 422, answer.text


def test_a_question_that_was_answered_meanwhile_is_left_alone(server: TestClient, client: TestClient):
    """Another worker reads the run as it waits, and looks at it after it was answered."""
    people = People(answers=["From Oslo.", "Yes."])
    document = people.model_dump(mode="json", exclude_defaults=True)
    suite_id = added_suite(client, asking(client), scorers=SCORERS, people=document)
    found = over(client, started(client, suite_id, repeats=1))
    cell = cells_of(client, found["id"])[0]
    states = [each["body"] for each in events(client, cell["run_id"]) if each["kind"] == "state"]
    waited = [each["pending"] for each in states if each.get("pending")]
    assert len(waited) == 2
    services: Services = cast("FastAPI", server.app).state.services

    async def look_late() -> object:
        store, case = services.store, Case(task="Greet me.")
        row = await store.evaluations.get(found["id"])
        kept = await store.evaluations.cell(row.id, cell["position"])
        run = (await store.preferences.runs([cell["run_id"]]))[cell["run_id"]]
        stale = Run.model_validate({**run.model_dump(), "state": "paused", "reason": "input", "pending": waited[1]})
        answering = PeopleOfCases(store, services.supervisor, services.books, "a test")
        return await answering.answer(row, kept, case, people, stale)

    assert server.portal is not None
    assert server.portal.call(look_late) is False
