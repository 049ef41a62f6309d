"""What runs cost, through the API."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import team
from tests.web.following import start, stream
from tests.web.pricing import MODEL, priced, set_price, speaker


@pytest.fixture
def pair() -> JsonObject:
    """Two agents that speak once each: 100 and 20 tokens, then 300 and 40, of which 200 were read before."""
    return team(speaker("writer", priced(100, 20)), speaker("critic", priced(300, 40, cached_tokens=200)))


def run_it(client: TestClient, document: JsonObject) -> str:
    run_id = start(client, document)
    stream(client, run_id)
    return run_id


def test_a_run_tells_what_each_agent_and_model_cost(client: TestClient, pair: JsonObject) -> None:
    set_price(client, input=2, output=10, cached_input=0.5)
    cost = client.get(f"/api/runs/{run_it(client, pair)}/cost").json()
    assert {agent["name"]: agent["micro_usd"] for agent in cost["agents"]} == {"writer": 400, "critic": 700}
    (model,) = cost["models"]
    assert (model["name"], model["calls"], model["prompt_tokens"], model["cached_tokens"]) == (MODEL, 2, 400, 200)
    assert cost["total"]["micro_usd"] == 1100
    assert cost["prices"][0]["origin"] == "own"


def test_a_message_costs_what_led_to_it(client: TestClient, pair: JsonObject) -> None:
    set_price(client)
    cost = client.get(f"/api/runs/{run_it(client, pair)}/cost").json()
    told = [(message["agent"], message["micro_usd"]) for message in cost["messages"]]
    assert told == [("user", 0), ("writer", 400), ("critic", 1000)]


def test_the_status_of_a_run_holds_its_cost(client: TestClient, pair: JsonObject) -> None:
    set_price(client)
    run_id = run_it(client, pair)
    usage = {"prompt_tokens": 400, "completion_tokens": 60, "micro_usd": 1400, "unpriced_calls": 0}
    assert client.get(f"/api/runs/{run_id}").json()["usage"] == usage
    assert client.get("/api/runs").json()[0]["usage"] == usage


def test_what_runs_on_this_machine_costs_nothing_unless_a_price_is_set(client: TestClient, pair: JsonObject) -> None:
    cost = client.get(f"/api/runs/{run_it(client, pair)}/cost").json()
    assert (cost["total"]["micro_usd"], cost["total"]["unpriced_calls"]) == (0, 0)
    assert cost["prices"][0]["origin"] == "free"


def test_a_later_price_does_not_change_what_was_spent(client: TestClient, pair: JsonObject) -> None:
    set_price(client)
    run_id = run_it(client, pair)
    set_price(client, input=1000)
    assert client.get(f"/api/runs/{run_id}/cost").json()["total"]["micro_usd"] == 1400
    assert client.delete(f"/api/prices?model={MODEL}").status_code == 204
    assert client.delete(f"/api/prices?model={MODEL}").status_code == 404


def test_costs_are_summed_by_day_and_team_and_outlive_the_run(client: TestClient, pair: JsonObject) -> None:
    set_price(client)
    first = run_it(client, pair)
    run_it(client, pair)
    team_id = client.get(f"/api/runs/{first}").json()["team_id"]
    assert client.delete(f"/api/runs/{first}").status_code == 204
    costs = client.get("/api/costs").json()
    assert (costs["total"]["micro_usd"], len(costs["parts"])) == (2800, 2)
    (part,) = client.get(f"/api/costs?team_id={team_id}").json()["parts"]
    assert (part["team_name"], part["model"], part["runs"], part["micro_usd"]) == ("Greeters", MODEL, 1, 1400)
    assert client.get("/api/costs?from=2020-01-01&to=2020-02-01").json()["parts"] == []


def test_days_at_the_ends_of_the_calendar_are_taken(client: TestClient) -> None:
    for first, last in (("0001-01-01", "0001-01-01"), ("9999-12-31", "9999-12-31"), ("9999-12-31", "0001-01-01")):
        answer = client.get("/api/costs", params={"from": first, "to": last})
        assert (answer.status_code, answer.json()["parts"]) == (200, [])


def test_an_estimate_follows_from_past_runs(client: TestClient) -> None:
    set_price(client)
    document = team(speaker("writer", priced(100, 0)), max_messages=2)
    team_id = client.post("/api/teams", json={"component": document}).json()["id"]
    assert client.get(f"/api/teams/{team_id}/estimate").json() == {
        "run_count": 0, "tokens": None, "micro_usd": None, "ms": None
    }  # fmt: skip
    for _ in range(3):
        run_id = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()["id"]
        stream(client, run_id)
    told = client.get(f"/api/teams/{team_id}/estimate").json()
    assert (told["run_count"], told["tokens"], told["micro_usd"]) == (
        3,
        {"median": 100, "high": 100},
        {"median": 200, "high": 200},
    )
    run_id = client.get("/api/runs", params={"team_id": team_id}).json()[0]["id"]
    assert client.post(f"/api/runs/{run_id}/replay", json={}).status_code == 201
    assert client.get(f"/api/teams/{team_id}/estimate").json()["run_count"] == 3


def test_a_price_below_nothing_is_refused(client: TestClient) -> None:
    assert client.put("/api/prices", json={"model": "m", "input": -1, "output": 0}).status_code == 422
