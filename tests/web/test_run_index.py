"""A run as pages look at it when it is long: an index without bodies, ranges of entries, and a search over the log."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.documents import assistant, team
from tests.web.following import events, start, stream, unpacked


@pytest.fixture
def run_id(client: TestClient) -> str:
    writer, critic = assistant("writer", "A café, at night.", "Better. DONE"), assistant("critic", 'Say "more".')
    made = start(client, team(writer, critic), "Write of a café.")
    stream(client, made)
    return made


def test_the_index_tells_of_each_entry_that_pages_are_sent(client: TestClient, run_id: str):
    index = client.get(f"/api/runs/{run_id}/index").json()
    rows = unpacked(index)
    entries = events(client, run_id)
    assert index["is_whole"]
    assert index["last_seq"] >= entries[-1]["seq"]
    assert [(row["seq"], row["kind"]) for row in rows] == [(entry["seq"], entry["kind"]) for entry in entries]
    assert [row["source"] for row in rows] == [entry["body"].get("source", "") for entry in entries]
    assert [row["type"] for row in rows] == [entry["body"].get("type", "") for entry in entries]
    assert rows[-1]["note"] == "finished condition"
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)


def test_an_index_that_goes_on_gives_the_rest(client: TestClient, run_id: str):
    whole = unpacked(client.get(f"/api/runs/{run_id}/index").json())
    first = client.get(f"/api/runs/{run_id}/index?limit=3").json()
    assert not first["is_whole"]
    assert first["last_seq"] == whole[2]["seq"]
    rest = client.get(f"/api/runs/{run_id}/index?after={first['last_seq']}").json()
    told = [*unpacked(first), *unpacked(rest, first["last_seq"])]
    assert [row["seq"] for row in told] == [row["seq"] for row in whole]


def test_the_newest_entries_and_those_of_a_range_are_read_alone(client: TestClient, run_id: str):
    seqs = [entry["seq"] for entry in events(client, run_id)]
    assert [entry["seq"] for entry in events(client, run_id, newest=True, limit=3)] == seqs[-3:]
    assert [entry["seq"] for entry in events(client, run_id, newest=True, limit=2, before=seqs[4])] == seqs[2:4]
    assert [entry["seq"] for entry in events(client, run_id, after=seqs[1], before=seqs[5])] == seqs[2:5]


def hits(client: TestClient, run_id: str, text: str) -> list[dict[str, Any]]:
    return client.get(f"/api/runs/{run_id}/search", params={"q": text}).json()["hits"]


def test_a_search_finds_words_whatever_their_case_and_letters(client: TestClient, run_id: str):
    assert [hit["match"] for hit in hits(client, run_id, "CAFÉ, AT")] == ["café, at"]
    assert len(hits(client, run_id, "café")) == 2
    [quoted] = hits(client, run_id, 'say "more"')
    assert (quoted["before"], quoted["match"], quoted["after"]) == ("", 'Say "more"', ".")
    assert hits(client, run_id, "100%") == []


def test_a_search_looks_only_into_what_people_read(client: TestClient, run_id: str):
    assert hits(client, run_id, "TextMessage") == []
    assert hits(client, run_id, "created_at") == []


def test_a_search_goes_on_where_it_stopped(client: TestClient, run_id: str):
    first = client.get(f"/api/runs/{run_id}/search?q=café&limit=1").json()
    assert len(first["hits"]) == 1
    rest = client.get(f"/api/runs/{run_id}/search?q=café&after={first['next_after']}").json()
    assert rest["hits"][0]["seq"] > first["hits"][0]["seq"]
    assert rest["next_after"] is None


@pytest.mark.parametrize("path", ["index", "search?q=x", "events"])
def test_a_run_that_is_not_there_is_told(client: TestClient, path: str):
    assert client.get(f"/api/runs/nothing/{path}").status_code == 404


def test_an_empty_search_is_refused(client: TestClient, run_id: str):
    assert client.get(f"/api/runs/{run_id}/search?q=").status_code == 422
