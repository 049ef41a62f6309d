"""The exact prompt of a past call, through the API and as the playground swaps it in."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.documents import assistant, function_tool, team
from tests.web.following import ended


@pytest.fixture
def run_id(client: TestClient) -> str:
    return ended(client, team(assistant("writer", "One.", "Three."), assistant("critic", "Two."), max_messages=4))


def message_seqs(client: TestClient, run_id: str) -> list[int]:
    entries = client.get(f"/api/runs/{run_id}/events").json()["entries"]
    return [entry["seq"] for entry in entries if entry["kind"] == "message"]


def prompt(client: TestClient, run_id: str, seq: int) -> dict[str, Any]:
    response = client.get(f"/api/runs/{run_id}/prompts/{seq}")
    assert response.status_code == 200, response.text
    return response.json()


def test_a_message_tells_what_its_model_was_told(client: TestClient, run_id: str):
    found = prompt(client, run_id, message_seqs(client, run_id)[2])
    assert found["agent"] == "critic"
    assert [(one["role"], one["text"]) for one in found["messages"]] == [
        ("system", "Say hello."),
        ("user", "Say hello."),
        ("user", "One."),
    ]
    assert {share["part"]: share["count"] for share in found["shares"]} == {"system": 1, "history": 2}
    assert found["tokens"] == sum(share["tokens"] for share in found["shares"])
    assert (found["before_seq"], found["changes"]) == (None, [])


def test_the_prompt_is_compared_with_the_last_one_of_the_same_agent(client: TestClient, run_id: str):
    seqs = message_seqs(client, run_id)
    first, second = prompt(client, run_id, seqs[1]), prompt(client, run_id, seqs[3])
    assert second["before_seq"] == first["seq"]
    assert (first["next_seq"], second["next_seq"]) == (second["seq"], None)
    assert (first["number"], second["number"]) == (1, 2)
    assert [(change["state"], change["count"], change["after"]) for change in second["changes"]] == [
        ("same", 2, None),
        ("after", 1, "One."),
        ("after", 1, "Two."),
    ]


def test_the_number_of_the_answer_leads_to_the_same_prompt(client: TestClient, run_id: str):
    by_message = prompt(client, run_id, message_seqs(client, run_id)[1])
    assert prompt(client, run_id, by_message["seq"]) == by_message


def test_what_no_model_said_has_no_prompt(client: TestClient, run_id: str):
    for seq in (1, message_seqs(client, run_id)[0], 9_999):
        response = client.get(f"/api/runs/{run_id}/prompts/{seq}")
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


def test_the_fragment_shows_it_escaped(client: TestClient, browser: TestClient):
    run_id = ended(client, team(assistant("writer", "<img src=x>", "Three."), max_messages=3))
    page = browser.get(f"/fragments/runs/{run_id}/prompts/{message_seqs(client, run_id)[2]}")
    assert page.status_code == 200
    assert "Changed since the last prompt" in page.text
    assert "&lt;img src=x&gt;" in page.text
    assert "<img" not in page.text


def test_characters_that_hide_are_written_out_in_prompts(client: TestClient, browser: TestClient):
    said = "Go\u202e back\u200b. \U0001f468\u200d\U0001f33e\u00a0!\r\nNext"
    run_id = ended(client, team(assistant("writer", said, "Three."), max_messages=3))
    page = browser.get(f"/fragments/runs/{run_id}/prompts/{message_seqs(client, run_id)[2]}").text
    mark = '<mark class="hidden-character" title="Invisible character">{}</mark>'
    assert f"Go{mark.format('U+202E')} back{mark.format('U+200B')}. \U0001f468\u200d\U0001f33e\u00a0!" in page
    assert "\u202e" not in page


def test_the_prompts_of_a_team_that_nobody_allowed_are_not_looked_for(client: TestClient):
    agent = assistant("writer", "One.")
    config = agent["config"]
    assert isinstance(config, dict)
    config["tools"] = [function_tool("def shout(text: str) -> str:\n    return text.upper()\n")]
    made = client.post("/api/teams", json={"component": team(agent, max_messages=2)}).json()
    body = {"team_id": made["id"], "task": "Go."}
    hashes = [one["hash"] for one in client.post("/api/runs", json=body).json()["missing"]]
    client.post("/api/approvals", json={"hashes": hashes})
    run_id = client.post("/api/runs", json=body).json()["id"]
    client.get(f"/api/runs/{run_id}/stream")
    seq = message_seqs(client, run_id)[1]
    found = prompt(client, run_id, seq)
    assert [tool["name"] for tool in found["tools"]] == ["shout"]
    for one in hashes:
        client.delete(f"/api/approvals/{one}")
    response = client.get(f"/api/runs/{run_id}/prompts/{seq}")
    assert (response.status_code, response.json()["error"]["code"]) == (403, "not_approved")
