"""Limits of the studio, of teams and of runs, through the API."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.app import create_app
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.following import stream
from tests.web.pricing import MODEL, set_price
from tests.web.spending import make_team, start, until_asked


def test_the_limits_of_a_team_stand_beside_those_of_the_studio(client: TestClient) -> None:
    team_id = make_team(client)
    client.put("/api/budget", json={"run": {"tokens": 900}})
    told = client.put(f"/api/teams/{team_id}/budget", json={"run": {"micro_usd": 500}, "day": {"tokens": 10}}).json()
    assert (told["own"]["run"]["micro_usd"], told["general"]["run"]["tokens"]) == (500, 900)
    assert client.get("/api/budget").json()["own"]["run"]["tokens"] == 900
    assert client.put("/api/budget", json={"run": {"tokens": -1}}).status_code == 422
    assert client.get("/api/teams/none/budget").status_code == 404


def test_a_run_waits_at_its_budget_and_goes_on_when_it_is_raised(server: TestClient, client: TestClient) -> None:
    set_price(client)
    team_id = make_team(client)
    client.put(f"/api/teams/{team_id}/budget", json={"run": {"micro_usd": 300}})
    run_id = start(client, team_id)
    run = until_asked(server, client, run_id)
    assert (run["state"], run["reason"], run["pending"]["kind"]) == ("paused", "budget", "budget")
    assert run["pending"]["details"]["model"] == MODEL
    assert client.get(f"/api/runs/{run_id}/budget").json()["used"] == [
        {"scope": "run", "name": "", "measure": "micro_usd", "limit": 300, "spent": 200}
    ]
    client.put(f"/api/runs/{run_id}/budget", json={"run": {"micro_usd": 400}})
    assert stream(client, run_id)[-2].data["state"] == "finished"
    assert client.get(f"/api/teams/{team_id}/budget").json()["own"]["run"]["micro_usd"] == 300


@pytest.mark.slow
def test_what_was_spent_today_still_counts_after_a_restart(settings: Settings) -> None:
    run_ids: list[str] = []
    for _ in range(2):
        app = create_app(settings)
        with TestClient(app, base_url=BASE_URL) as server:
            client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
            if not run_ids:
                set_price(client)
                team_id = make_team(client)
                client.put(f"/api/teams/{team_id}/budget", json={"day": {"micro_usd": 500}})
            team_id = client.get("/api/teams").json()[0]["id"]
            run_ids.append(start(client, team_id))
            run = until_asked(server, client, run_ids[-1])
            if len(run_ids) == 2:
                assert run["pending"]["details"]["scope"] == "team_day"
                assert run["pending"]["details"]["spent"] == 400
