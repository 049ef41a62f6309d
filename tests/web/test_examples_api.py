"""Example tasks that are kept with a team, through the API."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.web.documents import team


def made(client: TestClient) -> str:
    return client.post("/api/teams", json={"component": team()}).json()["id"]


def test_examples_are_kept_with_the_team_and_not_in_it(client: TestClient) -> None:
    team_id = made(client)
    before = client.get(f"/api/teams/{team_id}").json()
    address = f"/api/teams/{team_id}/examples"
    assert client.get(address).json() == {"examples": []}
    examples = {"examples": ["Write about {{topic}}.", "Sum up the news."]}
    assert client.put(address, json=examples).json() == examples
    assert client.get(address).json() == examples
    assert client.get(f"/api/teams/{team_id}").json() == before
    assert client.put(f"/api/teams/{team_id}/breakpoints", json={"breakpoints": []}).status_code == 200
    assert client.get(address).json() == examples
    assert client.put(address, json={"examples": []}).json() == {"examples": []}


@pytest.mark.parametrize("examples", [[""], ["  "], ["x" * 4_001], ["x"] * 13, "x", [5], None])
def test_examples_are_bounded_texts(client: TestClient, examples: object) -> None:
    answer = client.put(f"/api/teams/{made(client)}/examples", json={"examples": examples})
    assert answer.status_code == 422


def test_a_team_that_is_not_there_has_none(client: TestClient) -> None:
    assert client.get("/api/teams/none/examples").status_code == 404
    assert client.put("/api/teams/none/examples", json={"examples": []}).status_code == 404
